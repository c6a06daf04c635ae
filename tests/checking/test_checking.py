"""The check: exact expectations, the right verdict, and what the data cannot support."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringfence as rf
from ringfence.checking.leave_one_out import DRAWS
from ringfence.checking.order_statistics import expected_best, normalized_regret


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=7), st.integers(1, 8))
def test_the_expected_best_is_that_of_all_subsets(values, draws):
    subsets = itertools.combinations(values, min(draws, len(values)))
    brute = np.mean([min(subset) for subset in subsets])
    assert expected_best(np.array(values), [draws])[0] == pytest.approx(brute, abs=1e-9)


def test_the_expected_best_agrees_with_simulation():
    """20,000 draws of 10 of 1,000; five standard errors, false alarm below 1e-6."""
    rng = np.random.default_rng(0)
    values = rng.random(1000)
    best = [rng.choice(values, 10, replace=False).min() for _ in range(20_000)]
    error = np.std(best) / np.sqrt(len(best))
    assert abs(expected_best(values, [10])[0] - np.mean(best)) < 5 * error


def test_one_draw_is_the_mean_and_all_draws_the_minimum():
    values = np.random.default_rng(0).random(100)
    one, all_of_them, more = expected_best(values, [1, 100, 1000])
    assert one == pytest.approx(values.mean())
    assert all_of_them == more == pytest.approx(values.min())


def test_regret_is_zero_at_the_best_and_one_from_the_median_on():
    np.testing.assert_allclose(
        normalized_regret(np.array([1.0, 2.0, 3.0, 9.0, 4.0])), [0, 0.5, 1, 1, 1]
    )
    assert normalized_regret(np.array([2.0, 2.0, 2.0, 5.0])) is None


def history(optima: np.ndarray, runs: int = 150, spread: float = 1.0, seed: int = 0) -> rf.History:
    """Tasks with a bowl around each of `optima` (T, 2), tried at random in the middle `spread`."""
    rng = np.random.default_rng(seed)
    tasks = []
    for t, optimum in enumerate(optima):
        x = 0.5 + spread * (rng.random((runs, 2)) - 0.5)
        error = ((x - optimum) ** 2).sum(axis=1)
        tasks.append(
            pl.DataFrame({"task": [f"t{t}"] * runs, "a": x[:, 0], "b": x[:, 1], "error": error})
        )
    return rf.History.from_frame(pl.concat(tasks), task="task", objective="error")


SPACE = rf.Space({"a": rf.Float(0, 1), "b": rf.Float(0, 1)})
RNG = np.random.default_rng(1)
ALIKE = RNG.normal(0.4, 0.05, (20, 2))


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_tasks_that_are_alike_are_helped(shape):
    found = rf.check(history(ALIKE), SPACE, shape=shape)
    assert found.verdict == "helps"
    at_ten = found.speed_ups[DRAWS.index(10)]
    assert at_ten.low > 2 and at_ten.low <= at_ten.value <= at_ten.high
    assert not found.hurt and not found.not_judged and not found.warnings
    assert found.volume_kept == rf.learn(history(ALIKE), SPACE, shape=shape).volume_fraction


def test_unrelated_tasks_are_not():
    """Optima all over the space: the box keeps nearly all of it and is worth nothing."""
    optima = np.random.default_rng(5).random((40, 2))
    found = rf.check(history(optima), SPACE)
    assert found.verdict == "no clear difference"
    comparison = rf.compare(history(optima), SPACE, [{"shape": "box"}])
    assert comparison.best is None
    assert "keep the original space" in str(comparison)


def test_a_space_learned_from_the_wrong_corner_hurts():
    """Each task's best lies where none of the others' do."""
    corners = np.array(
        [[0.02, 0.02], [0.98, 0.98], [0.02, 0.98], [0.98, 0.02], [0.5, 0.02], [0.5, 0.98]]
    )
    found = rf.check(history(np.repeat(corners[:2], [1, 9], axis=0)), SPACE)
    assert "t0" in found.hurt or "t0" in found.not_judged
    assert "t0" in found.unlike


def test_one_outlier_task_is_named_and_outliers_are_recommended():
    """Fifty tasks alike, one apart: whatever is learned from the fifty misses that one."""
    optima = np.vstack([np.random.default_rng(2).normal(0.4, 0.05, (50, 2)), [[0.95, 0.95]]])
    plain = rf.check(history(optima), SPACE)
    assert "t50" in plain.unlike
    comparison = rf.compare(
        history(optima),
        SPACE,
        [{"shape": "box"}, {"shape": "box", "outliers": 0.02, "refit": True}],
    )
    assert comparison.best == 1
    assert "take: box, outliers 0.02, refit" in str(comparison)


def test_a_search_of_a_small_region_is_flagged():
    found = rf.check(history(ALIKE, spread=0.3), SPACE)
    assert any("only a small part of a" in warning for warning in found.warnings)


def test_few_tasks_few_rows_and_bests_on_the_edge_are_flagged():
    edge = np.column_stack([np.full(12, 1.3), RNG.normal(0.5, 0.1, 12)])
    found = rf.check(history(edge), SPACE)
    assert any("values of a lie at the high end of its range (1)" in w for w in found.warnings)
    few = rf.check(history(ALIKE[:3], runs=20), SPACE)
    assert any("3 tasks are too few" in w for w in few.warnings)
    assert any("fewer than 32 rows" in w for w in few.warnings)


def test_the_task_left_out_does_not_shape_its_own_space():
    """With two tasks each is judged by the other's best alone."""
    optima = np.array([[0.2, 0.2], [0.8, 0.8]])
    told = history(optima)
    found = rf.check(told, SPACE)
    for name, other in (("t0", "t1"), ("t1", "t0")):
        learned = rf.learn(told.only([other]), SPACE)
        task = next(task for task in found.tasks if task.name == name)
        rows = told.only([name]).frame
        columns = {n: rows[n].to_numpy() for n in ("a", "b")}
        assert task.rows_inside == int(learned.inside(columns).sum())


def test_no_rows_inside_means_not_judged():
    optima = np.array([[0.1, 0.1]] * 4 + [[0.9, 0.9]])
    found = rf.check(history(optima, runs=40), SPACE, shape="box")
    by_name = {task.name: task for task in found.tasks}
    for name in found.not_judged:
        assert by_name[name].rows_inside == 0 and by_name[name].rank_of_best_inside is None


def test_tasks_without_signal_and_single_tasks():
    flat = pl.DataFrame(
        {"task": ["x"] * 40, "a": RNG.random(40), "b": RNG.random(40), "error": 1.0}
    )
    told = history(ALIKE[:6])
    both = rf.History.from_frame(pl.concat([told.frame, flat]), task="task", objective="error")
    found = rf.check(both, SPACE)
    assert found.not_judged == ("x",) and len(found.tasks) == 6
    silent = rf.History.from_frame(flat.with_columns(task=pl.Series(["x", "y"] * 20)))
    assert "cannot tell" in str(rf.check(silent, SPACE))
    with pytest.raises(rf.HistoryError, match="at least two tasks"):
        rf.check(told.only(["t0"]), SPACE)
    with pytest.raises(rf.SettingError, match="takes a History"):
        rf.check(told.frame, SPACE)


def test_a_check_is_the_same_each_time_and_survives_json():
    first, second = rf.check(history(ALIKE), SPACE), rf.check(history(ALIKE), SPACE)
    assert first == second
    assert msgspec.json.decode(msgspec.json.encode(first), type=rf.Check) == first


def test_progress_is_reported_to_the_end():
    seen: list[tuple[int, int]] = []
    rf.compare(
        history(ALIKE[:5]), SPACE, [{"shape": "box"}, {"shape": "ellipsoid"}],
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen == [(i, 10) for i in range(1, 11)]


def test_the_embedded_history_is_worth_learning_from():
    found = rf.check(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
    assert found.verdict == "helps"
    assert "10 draws inside are worth" in str(found)
