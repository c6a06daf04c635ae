"""Values that an objective cannot have, and best values that look like those of failed runs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence import History, HistoryError
from ringfence.history.doubts.metric_ranges import range_of
from ringfence.history.doubts.repeated_bests import FAILED_RUNS


def runs(objective="rmse", crash=None, n_tasks=6, n_runs=20, seed=0):
    """The best lr is 0.01; what has lr > 0.3 crashed and says `crash`, unless that is None."""
    draws = np.random.default_rng(seed)
    lr = 10 ** draws.uniform(-4, 0, n_tasks * n_runs)
    value = 0.1 + 0.03 * (np.log10(lr) + 2) ** 2 + draws.normal(0, 0.003, len(lr))
    if objective in ("auc", "accuracy"):
        value = 1 - value
    if crash is not None:
        value = np.where(lr > 0.3, crash, value)
    tasks = np.repeat([f"t{i}" for i in range(n_tasks)], n_runs)
    return pl.DataFrame({"task": tasks, "lr": lr, objective: value})


def with_cell(table, row, value, column):
    return table.with_columns(
        pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(pl.col(column)).alias(column)
    )


def doubts(learned):
    return [note for note in learned.provenance.notes if note.endswith(FAILED_RUNS)]


@pytest.mark.parametrize("crash", [-1.0, -999.0])
@pytest.mark.parametrize("objective", ["rmse", "val_error", "log_loss", "accuracy"])
def test_marks_of_failed_runs_are_no_results(objective, crash):
    crashed = int((runs(objective)["lr"] > 0.3).sum())
    learned = rf.learn(runs(objective, crash))
    assert all(0.001 < task.incumbent["lr"] < 0.1 for task in learned.tasks)
    (dropped,) = learned.provenance.dropped
    assert dropped.rows == crashed
    assert f"{objective} = {crash}" in dropped.example
    assert any(
        f"{crashed} rows with {objective} = {crash:g} count" in n for n in learned.provenance.notes
    )


@pytest.mark.parametrize(
    ("objective", "value"), [("auc", 9.1), ("auc", 91.2), ("accuracy", -0.5), ("rmse", -0.13)]
)
def test_a_value_that_cannot_be_is_asked_about(objective, value):
    table = with_cell(runs(objective), 7, value, objective)
    with pytest.raises(
        HistoryError, match=rf"row 7.*column '{objective}': {value} cannot be.*status"
    ):
        History.from_frame(table)


def test_what_failed_or_names_no_task_is_not_asked_about():
    table = with_cell(runs("auc"), 7, 9.1, "auc")
    state = pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("failed")).otherwise(pl.lit("ok"))
    History.from_frame(table.with_columns(state.alias("status")))
    nameless = pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise(pl.col("task"))
    History.from_frame(table.with_columns(nameless.alias("task")))


def test_shares_may_be_in_per_cent_task_by_task():
    table = runs("auc").with_columns(
        pl.when(pl.col("task") == "t0").then(pl.col("auc") * 100).otherwise(pl.col("auc"))
    )
    assert len(History.from_frame(table)) == table.height
    with pytest.raises(HistoryError, match=r"row 3.*912 cannot be.*from 0 to 100"):
        History.from_frame(with_cell(table, 3, 912.0, "auc"))


@pytest.mark.parametrize("objective", ["loss", "log_rmse", "accuracy_adjusted", "value", "cost"])
def test_names_that_leave_a_doubt_have_no_range(objective):
    assert range_of(objective) is None


def test_a_name_that_misleads_is_not_held_against_the_values():
    table = runs("rmse").with_columns(pl.col("rmse").log())
    assert History.from_frame(table).frame["rmse"].null_count() == 0


def test_what_is_called_an_error_may_be_negative_here_and_there():
    table = with_cell(with_cell(runs("error"), 5, -0.1, "error"), 6, -1.0, "error")
    assert History.from_frame(table).frame["error"].null_count() == 0


def test_values_turned_around_by_a_join_are_kept():
    other = runs("auc").with_columns(("u" + pl.col("task")).alias("task"))
    both = History.concat([History.from_frame(runs("error")), History.from_frame(other)])
    assert not rf.learn(both).provenance.dropped


@pytest.mark.parametrize(
    ("objective", "crash", "direction"),
    [("rmse", 0.0, None), ("rmse", 1e-9, None), ("loss", -1.0, None), ("gain", 1e9, "maximize")],
)
def test_the_same_far_best_in_many_tasks_is_a_doubt(objective, crash, direction):
    table = runs(objective, crash)
    learned = rf.learn(table, direction=direction, objective=objective)
    (note,) = doubts(learned)
    crashed = table.filter(pl.col(objective) == crash)
    assert note.startswith(f"{crashed.height} rows of {crashed['task'].n_unique()} tasks have")
    assert f", {crash:g}, far" in note
    assert str(learned).splitlines()[1] == f"warning: {note}"


def test_the_check_and_the_report_say_it_first(tmp_path):
    table = runs(crash=0.0)
    check = rf.check(table, starts=0)
    assert check.verdict == "helps"
    assert str(check).splitlines()[1].endswith(FAILED_RUNS)
    rf.report(table, path=tmp_path / "report.html", starts=0)
    page = (tmp_path / "report.html").read_text()
    assert page.index(FAILED_RUNS) < page.index("</header>")


def test_ties_for_the_best_are_no_doubt():
    perfect = runs("accuracy").with_columns((pl.col("accuracy") * 1.2).clip(0, 1).round(2))
    assert (perfect["accuracy"] == 1).sum() > 20
    assert not doubts(rf.learn(perfect))
    assert not doubts(rf.learn(rf.example_history(), starts=0))
    assert not doubts(rf.learn(runs(crash=0.0, n_tasks=2)))  # two may agree by chance


def test_a_metric_that_is_counted_is_no_share():
    table = runs("accuracy").with_columns((pl.col("accuracy") * 500).round())
    assert History.from_frame(table).frame["accuracy"].null_count() == 0


def test_many_different_impossible_values_are_no_marks():
    table = runs("error_rate").with_columns((pl.col("error_rate") - 0.13).round(2))
    assert 0 < (table["error_rate"] < 0).sum() < table.height / 2
    with pytest.raises(HistoryError, match=r"cannot be \(the first of \d+ rows\)"):
        History.from_frame(table)
