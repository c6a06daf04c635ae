"""`tolerance=`: one good row of each task, so that the region around them is smallest."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from benchmarks.tolerance import write_page

import ringfence as rf
from ringfence.errors import SettingError
from ringfence.fit.good_rows import pick_for_box
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid

SPACE = rf.Space({name: rf.Float(0.0, 1.0) for name in "abc"})
PLANE = rf.Space({"a": SPACE["a"], "b": SPACE["b"], "c": rf.Constant(0.0)})


def clouds(seed: int) -> list[np.ndarray]:
    """A few tasks of a few good rows each."""
    rng = np.random.default_rng(seed)
    return [rng.random((rng.integers(1, 5), 3)) for _ in range(5)]


def history(good: list[np.ndarray], space: rf.Space = SPACE) -> rf.History:
    """Tasks with these rows of regret below 0.1, and as many bad ones, at random."""
    rng = np.random.default_rng(0)
    rows = []
    for task, points in enumerate(good):
        bad = rng.random((len(points) + 1, 3)) * (np.ptp(np.vstack(good), axis=0) > 0)
        for number, point in enumerate([*points, *bad]):
            loss = 0.01 * number if number < len(points) else 1.0
            rows.append({"task": f"t{task}", "loss": loss, **dict(zip("abc", point.tolist()))})
    return rf.History.from_frame(pl.DataFrame(rows), task="task", objective="loss")


def chosen(learned: rf.LearnedSpace) -> np.ndarray:
    return np.array([[task.incumbent[name] for name in "abc"] for task in learned.tasks])


def box_size(points: np.ndarray) -> float:
    return float(0.5 * (np.ptp(points, axis=0) ** 2).sum())


def smallest(good: list[np.ndarray], size) -> float:
    """By trying all choices."""
    return min(size(np.array(choice)) for choice in itertools.product(*good))


@pytest.mark.parametrize("seed", range(8))
def test_the_box_is_the_smallest_of_all_choices(seed):
    good = clouds(seed)
    learned = rf.learn(history(good), SPACE, tolerance=0.1, starts=0)
    assert box_size(chosen(learned)) == pytest.approx(smallest(good, box_size))


def test_the_ellipsoid_is_nearly_the_smallest_of_all_choices():
    """A local optimum: of what choosing could gain, nine tenths are gained in the mean."""

    def log_volume(points: np.ndarray) -> float:
        return float(np.log(minimum_ellipsoid(points).factor.diagonal()).sum())

    missed, possible = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        good = [np.pad(rng.random((rng.integers(1, 4), 2)), ((0, 0), (0, 1))) for _ in range(7)]
        learned = rf.learn(history(good), PLANE, shape="ellipsoid", tolerance=0.1, starts=0)
        planes = [points[:, :2] for points in good]
        best = smallest(planes, log_volume)
        first = log_volume(np.array([points[0] for points in planes]))
        missed.append(log_volume(chosen(learned)[:, :2]) - best)
        possible.append(first - best)
    assert min(missed) > -1e-6
    assert np.mean(missed) < 0.1 * np.mean(possible)


def test_every_task_is_represented_by_a_good_row_that_is_inside():
    past = rf.example_history()
    for shape, outliers in [("box", 0.0), ("box", 0.3), ("ellipsoid", 0.1), ("boxes", 0.0)]:
        learned = rf.learn(past, shape=shape, outliers=outliers, tolerance=0.1, starts=0)
        assert len(learned.tasks) == 20
        for task in learned.tasks:
            values = past.frame.filter(pl.col("task") == task.name)["error"]
            best, median = values.min(), values.median()
            assert task.value <= best + 0.1 * (median - best) + 1e-12
            assert task.outside or learned.contains(task.incumbent)


def test_the_region_shrinks_with_the_tolerance():
    sizes = [
        rf.learn(rf.example_history(), tolerance=tolerance, starts=0).volume_fraction
        for tolerance in (0.0, 0.05, 0.1, 0.2)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.5 * sizes[0]


def test_no_task_leaves_a_conditional_block_to_make_it_small():
    past = rf.example_history()
    exact, near = (rf.learn(past, tolerance=tolerance, starts=0) for tolerance in (0.0, 0.2))
    assert [block.tasks for block in exact.blocks] == [block.tasks for block in near.blocks]


def test_gaps_do_not_count():
    """A coordinate that a row lacks adds nothing; every task keeps one of its own rows."""
    points = np.array([[0.0, np.nan], [0.5, 0.5], [0.6, np.nan], [0.1, 0.9]])
    picks = pick_for_box(points, np.array([0, 0, 1, 1]))
    assert picks.tolist() in ([1, 2], [0, 3])
    assert box_size(np.array([[0.5], [0.6]])) == pytest.approx(0.005)


def test_it_is_checked_saved_and_said(tmp_path):
    past = rf.example_history()
    learned = rf.learn(past, tolerance=0.1, starts=0)
    assert "good configurations (regret up to 0.1) of all 20 tasks" in str(learned)
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json") == learned
    assert "tolerance 0.1" in str(rf.check(past, tolerance=0.1, starts=0))


def test_it_is_a_regret():
    for wrong in (1.0, -0.1, "a lot", None):
        with pytest.raises(SettingError, match="regret from 0 to below 1"):
            rf.learn(rf.example_history(), tolerance=wrong)
    with pytest.raises(SettingError, match="take one"):
        rf.learn(rf.example_history(), tolerance=0.1, top=0.1)


def test_the_table_of_the_docs_follows_from_the_committed_cells(capsys):
    assert write_page(None, check=True) == 0
    assert capsys.readouterr().out == "docs/method.md matches\n"
