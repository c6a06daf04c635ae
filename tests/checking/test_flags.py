"""What the data cannot support is said, and nothing is said of data that can."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from histories import SPACE, bowls, evolved, recorded, unrelated

import ringfence as rf
from ringfence.checking.flags import _edges
from ringfence.checking.left_out.recorded import recorded_tasks
from ringfence.checking.optimizer_traces import UNLIKELY, crowded_tasks
from ringfence.history import PreparedHistory, usable_rows
from ringfence.space import Encoding

RNG = np.random.default_rng(1)
ALIKE = RNG.normal(0.4, 0.05, (20, 2))


def crowded(history: rf.History, space: rf.Space = SPACE) -> list[str]:
    return crowded_tasks(
        Encoding.of(space), recorded_tasks(space, usable_rows(history, space).frame)
    )


def test_a_search_of_a_small_region_is_flagged():
    found = rf.check(bowls(ALIKE, spread=0.3), SPACE)
    assert any("only a small part of a" in warning for warning in found.warnings)


def test_few_tasks_few_rows_and_bests_on_the_edge_are_flagged():
    edge = np.column_stack([np.full(12, 1.3), RNG.normal(0.5, 0.1, 12)])
    found = rf.check(bowls(edge), SPACE)
    assert any("values of a lie at the high end of its range (1)" in w for w in found.warnings)
    few = rf.check(bowls(ALIKE[:3], runs=20), SPACE)
    assert any("3 tasks are too few" in w for w in few.warnings)
    assert any("fewer than 32 rows" in w for w in few.warnings)


def test_an_optimizers_rows_are_told_from_random_ones():
    """Optima far apart, so that all tasks' rows together cover the space."""
    found = rf.check(evolved(np.random.default_rng(0).uniform(0.1, 0.9, (8, 2))), SPACE)
    assert not any("small part" in warning for warning in found.warnings)
    (warning,) = (w for w in found.warnings if "crowd around" in w)
    assert warning.startswith("the rows of 8 of 8 tasks crowd around their own best")


def test_random_rows_hardly_ever_crowd():
    """1,000 tasks of 100 random rows. By Chernoff's bound at most one in 10,000 crowds by chance;
    two or more would be a false alarm once in 200 such runs."""
    assert UNLIKELY == 1e-4
    assert len(crowded(unrelated(500))) + len(crowded(bowls(RNG.random((500, 2)), 100))) <= 1


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_a_handful_of_rows_is_never_a_crowd(rows):
    assert crowded(bowls(ALIKE, rows)) == []


def test_a_mild_preference_is_not_a_crowd_however_sure():
    """10,000 rows from a law that is twice as dense in the quarter around the best."""
    rng = np.random.default_rng(0)
    x = np.vstack([rng.random((7500, 2)), 0.25 + 0.5 * rng.random((2500, 2))])
    error = ((x - 0.5) ** 2).sum(axis=1)
    assert crowded(recorded([x], [error])) == []
    x[:2500] = 0.4 + 0.2 * rng.random((2500, 2))
    assert crowded(recorded([x], [((x - 0.5) ** 2).sum(axis=1)])) == ["t0"]


@pytest.mark.parametrize("levels", [(2, 2), (4, 10)])
def test_a_full_grid_is_not_a_crowd(levels):
    """Every combination of whole numbers ten times, the best in a corner: there lies its share."""
    n, k = (np.arange(1, level + 1) for level in levels)
    space = rf.Space({"n": rf.Int(1, len(n)), "k": rf.Int(1, len(k))})
    grid = pl.DataFrame({"n": np.repeat(n, 10 * len(k)), "k": np.tile(k, 10 * len(n))})
    frame = pl.concat([grid.with_columns(task=pl.lit(t), error=pl.col("n") + pl.col("k"))
                       for t in "abcdef"])  # fmt: skip
    assert crowded(rf.History.from_frame(frame, task="task", objective="error"), space) == []


def test_budgets_that_differ_are_flagged():
    frame = bowls(ALIKE, 40).frame
    steps = pl.when(pl.col("task") == "t3").then(9.0).otherwise(81.0).alias("steps")
    told = {"task": "task", "objective": "error"}
    uneven = rf.History.from_frame(frame.with_columns(steps), **told, budget="steps")
    (warning,) = rf.check(uneven, SPACE).warnings
    assert warning.startswith("the highest steps of a task runs from 9 to 81")
    even = rf.History.from_frame(frame.with_columns(steps=81.0), **told, budget="steps")
    assert not rf.check(even, SPACE).warnings


def test_tasks_with_far_fewer_rows_are_flagged():
    frame = bowls(ALIKE, 400).frame
    short = frame.filter((pl.col("task") != "t0") | (pl.int_range(pl.len()).over("task") < 40))
    history = rf.History.from_frame(short, task="task", objective="error")
    (warning,) = rf.check(history, SPACE).warnings
    assert warning.startswith("tasks have from 40 to 400 rows")
    assert not rf.check(bowls(ALIKE, 400), SPACE).warnings


def test_grids_and_many_parameters_are_no_edges():
    """Bests anywhere: no warning in 40 histories, of which 5 % each may have one."""
    rng = np.random.default_rng(5)
    names = [f"p{j}" for j in range(12)]
    space = rf.Space({"wd": rf.Float(0.0, 0.1), **{n: rf.Float(0.0, 1.0) for n in names}})
    warned = 0
    for _ in range(40):
        rows = {n: rng.random(48) for n in names}
        rows |= {"wd": rng.choice([0.0, 0.01, 0.1], 48), "loss": rng.random(48)}
        frame = pl.DataFrame({"task": np.repeat([f"t{t}" for t in range(6)], 8), **rows})
        history = rf.History.from_frame(frame, task="task", objective="loss")
        prepared = PreparedHistory.of(history, space, rf.check)
        warned += bool(_edges(space, prepared.rows))
    assert warned <= 6  # a chance of 1 in 500


def test_a_value_that_was_fixed_is_no_best_at_an_end_and_puts_no_task_outside():
    """Nine tasks tuned b, best near one half; three had it at 0."""
    rng = np.random.default_rng(2)
    tuned = bowls(np.column_stack([rng.normal(0.4, 0.05, 9), rng.normal(0.5, 0.02, 9)]))
    fixed = bowls(rng.normal(0.4, 0.05, (3, 2))).frame.drop("b")
    fixed = fixed.with_columns(("fixed" + pl.col("task").cast(str)).alias("task"))
    old = rf.History.from_frame(fixed, task="task", objective=tuned.roles.objective)
    said = rf.History.concat([old.with_values(b=0.0), tuned])
    rows = usable_rows(said, SPACE).frame
    assert _edges(SPACE, rows) == []
    found = {task.name: task.best_is_inside for task in rf.check(said, SPACE).tasks}
    unsaid = rf.check(rf.History.concat([old, tuned]), SPACE)
    assert found == {task.name: task.best_is_inside for task in unsaid.tasks}
