"""A check of tasks that do not know every parameter: each is judged on what it has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, mismatched
from ringfence.checking.belief.beliefs import Beliefs
from ringfence.checking.belief.kernel import SharedKernel
from ringfence.checking.belief.task_means import TaskMeans
from ringfence.checking.left_out.speedup import SCARCE_ERROR, ModelError
from ringfence.checking.searched import scarcity
from ringfence.history import usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source, tasks_of

CUBE = rf.Space({name: rf.Float(0, 1) for name in "abc"})
LAYOUT = Layout(full_space(CUBE))


def bowls(n_tasks: int = 8, lacking: int = 4, seed: int = 0) -> list[Source]:
    """Tasks that are best near one half; the first ones did not tune b."""
    rng = np.random.default_rng(seed)
    tasks = []
    for number in range(n_tasks):
        rows = rng.random((60, 3))
        optimum = 0.5 + 0.1 * rng.standard_normal(3)
        values = ((rows - optimum) ** 2) @ [1.0, 1.0 if number >= lacking else 0.0, 1.0]
        unknown = ("b",) if number < lacking else ()
        rows[:, 1] = np.nan if unknown else rows[:, 1]
        tasks.append(Source(f"t{number}", rows, values, unknown))
    return tasks


def box(**ends) -> rf.LearnedSpace:
    space = {n: rf.Float(*ends.get(n, (0.0, 1.0))) for n in "abc"}
    inner = full_space(rf.Space(space))
    (block,) = full_space(CUBE).blocks
    lower, upper = np.array([[p.low, p.high] for p in inner.space.parameters.values()]).T
    return replace(full_space(CUBE), blocks=(replace(block, region=rf.regions.Box(lower, upper)),))


def test_what_a_region_keeps_of_an_unknown_parameter_makes_no_difference_to_the_task():
    beliefs = Beliefs.of(bowls(), full_space(CUBE))
    wide, narrow, wrong = box(), box(b=(0.45, 0.55)), box(b=(0.9, 1.0))

    def regrets(name: str, where: rf.LearnedSpace) -> np.ndarray:
        return beliefs.best_regrets(name, where.blocks, {}, [1, 5])

    for where in (narrow, wrong):
        np.testing.assert_array_equal(regrets("t0", where), regrets("t0", wide))
    assert regrets("t4", narrow).mean() < regrets("t4", wide).mean() < regrets("t4", wrong).mean()
    # what it knows still counts
    assert regrets("t0", box(a=(0.4, 0.6))).mean() < regrets("t0", wide).mean()


def test_starting_points_are_judged_likewise():
    beliefs = Beliefs.of(bowls(), full_space(CUBE))
    rows = np.random.default_rng(0).random((6, 3))
    moved = rows.copy()
    moved[:, 1] = 0.99
    for name, same in (("t0", True), ("t7", False)):
        found = [beliefs.regrets_in_order(name, each) for each in (rows, moved)]
        assert np.array_equal(*found) == same


def test_means_of_tasks_that_know_different_features_are_those_of_each():
    rng = np.random.default_rng(0)
    kernel = SharedKernel(np.array([2.0, 3.0, 1.5]), 0.01)
    unknown = [np.array(mask) for mask in ([False] * 3, [False, True, False], [False] * 3)]
    rows = []
    for mask in unknown:
        X = np.where(mask, 0.5, rng.random((20, 3)))
        rows.append((X, X[:, 0] + rng.standard_normal(20)))
    together = TaskMeans.of("abc", rows, kernel, unknown)
    Z = kernel.scaled(rng.random((40, 3)))
    moved = Z.copy()
    moved[:, 1] = 7.0
    F = together.predict(Z)
    for number, (one, mask) in enumerate(zip(rows, unknown)):
        alone = TaskMeans.of("x", [one], kernel)
        seen = np.where(mask, kernel.scaled(one[0])[0], Z)
        np.testing.assert_allclose(F[number], alone.predict(seen)[0], rtol=1e-12)
    assert np.array_equal(together.predict(moved)[1], F[1])
    assert not np.allclose(together.predict(moved)[0], F[0])


@pytest.mark.parametrize("kind", SPACES)
def test_every_task_of_a_mismatched_history_is_judged(kind):
    check = rf.check(mismatched(SPACES[kind]), SPACES[kind], starts=3)
    assert len(check.tasks) == 12 and not check.starts.not_judged
    assert all(0.0 <= x <= 1.0 for task in check.tasks for x in (*task.low, *task.high))
    assert all(task.rows == 40 for task in check.tasks)


def test_rows_are_inside_if_what_is_known_of_them_is():
    history = mismatched(CUBE)
    check = rf.check(history, CUBE)
    frame = usable_rows(history, CUBE).frame
    by_name = {task.name: task for task in tasks_of(frame, LAYOUT)}
    for task in check.tasks:
        others = frame.filter(pl.col(":task") != task.name)
        best = others.filter(pl.col(":value") == pl.col(":value").min().over(":task"))
        inside = np.ones(40, dtype=bool)
        for j, name in enumerate("abc"):
            values = best[name].fill_nan(None).drop_nulls()
            column = by_name[task.name].rows[:, j]
            inside &= np.isnan(column) | ((column >= values.min()) & (column <= values.max()))
        assert task.rows_inside == inside.sum()


def test_few_knowers_are_scarce_and_widen_the_interval():
    rows = {"a": [0.1] * 4, "b": [np.nan] * 3 + [0.5], "c": [np.nan] * 4}
    frame = pl.DataFrame({":task": list("wxyz"), **rows})
    assert scarcity(CUBE, frame) == pytest.approx(1 / 3)  # b is known to one; c to none
    half = frame.with_columns(b=pl.Series([np.nan, np.nan, 0.1, 0.5]))
    assert scarcity(CUBE, half) == pytest.approx(1 / 6)
    assert scarcity(CUBE, frame.with_columns(b=0.5, c=0.5)) == 0.0
    plain, scarce = (ModelError.of(12, 128, lacks=0.3, scarce=s) for s in (0.0, 0.5))
    assert scarce.common == pytest.approx(plain.common + (SCARCE_ERROR * 0.5) ** 2)
