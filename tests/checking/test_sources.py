"""Leaving tasks out by the short way is leaving them out by the long way."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.checking.left_out.sources import CheckSources
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.slack_box.solve import slack_box
from ringfence.fit.solvers.slack_ellipsoid.solve import slack_ellipsoid
from ringfence.history import TASK, incumbents, usable_rows
from ringfence.learned.fitting import clouds, fit_blocks
from ringfence.learned.records import Settings

ALL = [(shape, nu, refit) for shape in ("box", "ellipsoid") for nu, refit in
       ((0.0, False), (0.1, False), (0.3, True), (0.5, False))]  # fmt: skip

SPACE = rf.Space(
    {
        "a": rf.Float(0, 1),
        "b": rf.Float(0, 1),
        "kind": rf.Categorical(["u", "v", "w"]),
        "c": rf.Float(0, 1),
        "n": rf.Int(0, 9),
    },
    [rf.Condition("c", "kind", ["u"]), rf.Condition("n", "kind", ["u", "v"])],
)


def incumbents_of(seed: int, tasks: int = 13) -> pl.DataFrame:
    """Incumbents in SPACE: of some seeds many coincide, of some they lie on a grid."""
    rng = np.random.default_rng(seed)
    points = rng.normal(0.5, 0.15, (tasks, 4)).clip(0, 1)
    if seed % 3 == 1:
        points[rng.integers(tasks, size=tasks // 3)] = points[0]
    if seed % 3 == 2:
        points = points.round(1)
    kind = rng.integers(0, 3, tasks).astype(float)
    return pl.DataFrame(
        {
            TASK: [f"t{t}" for t in range(tasks)],
            "a": points[:, 0],
            "b": points[:, 1],
            "kind": kind,
            "c": np.where(kind == 0, points[:, 2], np.nan),
            "n": np.where(kind < 2, np.rint(9 * points[:, 3]), np.nan),
        }
    )


def names(best: pl.DataFrame) -> list[str]:
    return best[TASK].unique(maintain_order=True).to_list()


def is_a_crossing(points: np.ndarray, shape: str, penalty: float, k: int) -> bool:
    """Whether k points or more are outside at the penalty, fewer at one 1 % smaller or less."""

    def n_outside(at: float) -> int:
        if shape == "box":
            return slack_box(points, at).n_outside
        return int((slack_ellipsoid(points, at).norms > 1 + 1e-5).sum())

    below = min(n_outside(penalty * part) for part in (0.999, 0.995, 0.99))
    return n_outside(penalty) >= k > below


@pytest.mark.parametrize(("shape", "outliers", "refit"), ALL)
@pytest.mark.parametrize("seed", range(3))
def test_each_task_left_out_gives_what_a_fit_of_the_others_gives(seed, shape, outliers, refit):
    """The exact regions are equal. With outliers two searches may stop at different penalties that
    both obey the rule, so what is asserted is the rule: the region is optimal for its penalty, and
    that penalty is one at which the wanted number leaves. (A slack box may slide: width and total
    slack are unique, the position is not.)"""
    best = incumbents_of(seed)
    settings = Settings(shape=shape, outliers=outliers, refit=refit)
    sources, everyone = CheckSources.of(SPACE, best, names(best)), np.arange(best.height)
    for t in everyone[::2]:
        rows = np.delete(everyone, t)
        short = sources.fit_without(settings, everyone, np.array([t]))
        long = fit_blocks(clouds(SPACE, best), settings, rows)
        assert short.blocks[0].tasks == len(rows)
        if outliers == 0:
            assert (short.outside == long.outside).all()
            for one, other in zip(short.blocks, long.blocks):
                np.testing.assert_allclose(one.region.bounds, other.region.bounds, atol=1e-6)
                assert (one.tasks, one.widened) == (other.tasks, other.widened)
            continue
        penalty, points = short.blocks[0].penalty, sources.clouds[0].points[rows]
        if penalty is None:  # they can only leave together, so none does
            assert long.blocks[0].penalty is None and not short.outside.any()
            continue
        assert is_a_crossing(points, shape, penalty, n_outliers(outliers, len(rows)))
        if not refit:
            answer = (slack_box if shape == "box" else slack_ellipsoid)(points, penalty)
            assert short.slack.sum() == pytest.approx(answer.slack.sum(), abs=2e-5)
            low, high = short.blocks[0].region.bounds
            width = (
                2 * np.linalg.norm(answer.factor, axis=1)
                if shape == "ellipsoid"
                else (answer.upper - answer.lower)
            )
            if (low > 0).all() and (high < 1).all():
                np.testing.assert_allclose(high - low, width, atol=1e-5)


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
@pytest.mark.parametrize("outliers", [0.0, 0.2])
def test_most_tasks_cost_no_fit_of_their_own(shape, outliers):
    """101 tasks in two dimensions, 20 of 100 to be left out: only those on the boundary or outside
    are solved anew."""
    points = np.random.default_rng(0).random((101, 2))
    best = pl.DataFrame({TASK: [f"t{t}" for t in range(101)], "a": points[:, 0], "b": points[:, 1]})
    space = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})
    sources, settings = CheckSources.of(space, best, names(best)), Settings(shape, outliers)
    everyone = np.arange(101)
    for t in everyone:
        sources.fit_without(settings, everyone, np.array([t]))
    on_the_rim = 12
    assert len(sources._solved) < 101 * outliers + on_the_rim


def test_a_region_that_keeps_room_is_fitted_anew_for_every_task():
    """The room depends on the number of tasks, so that no task is without influence."""
    line = np.linspace(0.2, 0.8, 9)
    best = pl.DataFrame({TASK: [f"t{t}" for t in range(9)], "a": line, "b": line})
    space = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})
    sources, everyone = CheckSources.of(space, best, names(best)), np.arange(9)
    settings = Settings("ellipsoid", 0.0)
    for t in everyone:
        short = sources.fit_without(settings, everyone, np.array([t]))
        long = fit_blocks(clouds(space, best), settings, np.delete(everyone, t))
        region, other = short.blocks[0].region, long.blocks[0].region
        np.testing.assert_allclose(region.body.factor, other.body.factor, atol=1e-9)


def test_all_rows_of_a_task_leave_with_it(mixed_history):
    space = rf.infer_space(mixed_history).space
    best = incumbents(usable_rows(mixed_history, space).frame, top=0.1)
    sources = CheckSources.of(space, best, names(best))
    among = np.ones(20, dtype=bool)
    for task, name in enumerate(names(best)[:5]):
        blocks, choices = sources.fit(Settings("box", 0.0, categories="observed"), among, [task])
        others = [other for other in mixed_history.tasks if other != name]
        learned = rf.learn(mixed_history.only(others), space, top=0.1, categories="observed")
        assert choices == learned.choices
        for block, other in zip(blocks, learned.blocks):
            np.testing.assert_allclose(block.region.bounds, other.region.bounds)
            assert block.tasks == other.tasks
