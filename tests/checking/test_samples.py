"""Of many tasks a random choice is left out in turn; the others shape the space all the same."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.checking import leave_one_out
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.starting_points import starts_by_task
from ringfence.history import PreparedHistory
from ringfence.learned.settings import checked_settings
from ringfence.optimize.transfer import representatives

SPACE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})
TASKS, JUDGED = 14, 5


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    rows = rng.random((TASKS * 36, 2))
    task = np.repeat(np.arange(TASKS), 36)
    optimum = 0.4 + 0.2 * rng.random((TASKS, 2))
    loss = ((rows - optimum[task]) ** 2).sum(axis=1)
    names = [f"task {number:02}" for number in task]
    return pl.DataFrame({"task": names, "a": rows[:, 0], "b": rows[:, 1], "loss": loss})


def history(frame):
    return rf.History.from_frame(frame, task="task", objective="loss", direction="minimize")


@pytest.fixture
def few(monkeypatch):
    """As if so few tasks were many."""
    monkeypatch.setattr(leave_one_out, "MOST_JUDGED", JUDGED)
    monkeypatch.setattr(representatives, "MOST_SOURCES", 4)


def test_the_space_is_that_of_all_others_and_the_check_says_what_was_done(frame, few, monkeypatch):
    sample = rf.check(history(frame), SPACE, starts=5)
    assert len(sample.tasks) == JUDGED == len(sample.starts.tasks)
    told = f"{JUDGED} of {TASKS} tasks, drawn at random, were left out in turn"
    assert told in str(sample) and told in sample._repr_html_()
    monkeypatch.setattr(leave_one_out, "MOST_JUDGED", TASKS)
    whole = rf.check(history(frame), SPACE, starts=0)
    assert len(whole.tasks) == TASKS and "drawn at random" not in str(whole)
    assert sample.volume_kept == whole.volume_kept
    by_name = {task.name: task for task in whole.tasks}
    for task in sample.tasks:
        same = by_name[task.name]
        assert (task.rows_inside, task.rank_of_best_inside) == (
            same.rows_inside,
            same.rank_of_best_inside,
        )


def test_the_choice_does_not_depend_on_the_order_of_the_tasks(frame, few):
    names = {task.name for task in rf.check(history(frame), SPACE, starts=0).tasks}
    turned = rf.check(history(frame.reverse()), SPACE, starts=0)
    assert {task.name for task in turned.tasks} == names


def test_tasks_that_are_left_out_have_no_part_in_any_starting_points(frame, few):
    full = checked_settings("full")

    def points(frame):
        prepared = PreparedHistory.of(history(frame), SPACE, rf.check)
        return starts_by_task(LeaveOneOut.of(prepared, full.rows), full, 3)

    first = points(frame)
    judged, other = pl.col("task").is_in(list(first)), frame["task"].unique().to_list()
    turned = points(
        frame.with_columns(loss=pl.when(judged).then(-pl.col("loss")).otherwise("loss"))
    )
    assert len(first) == JUDGED and first.keys() == turned.keys() < set(other)
    for name, rows in first.items():
        np.testing.assert_array_equal(turned[name], rows)


def test_a_choice_of_settings_is_made_with_a_sample_too(frame, few):
    comparison = rf.compare(
        history(frame), SPACE, [{"shape": "box"}, {"shape": "ellipsoid"}], starts=0
    )
    assert [len(check.tasks) for check in comparison.checks] == [JUDGED, JUDGED]
    assert comparison.nested is not None and len(comparison.nested.tasks) == JUDGED
