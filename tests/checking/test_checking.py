"""The check: exact expectations, the right verdict, and what the data cannot support."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
import polars as pl
import pytest
from histories import SPACE, bowls, evolved, unrelated
from hypothesis import given
from hypothesis import strategies as st

import ringfence as rf
from ringfence.checking.left_out.order_statistics import expected_best
from ringfence.checking.left_out.recorded import FULL_DRAWS
from ringfence.checking.left_out.speedup import _worth
from ringfence.checking.left_out.tasks import DRAWS
from ringfence.history.regret import capped_regret


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
        capped_regret(np.array([1.0, 2.0, 3.0, 9.0, 4.0]))[0], [0, 0.5, 1, 1, 1]
    )
    assert capped_regret(np.array([2.0, 2.0, 2.0, 5.0])) is None


def test_the_speed_up_is_where_the_mean_curve_comes_down_to_the_level():
    """Against one interpolation a curve, also beyond both ends and where the curve is flat."""
    rng = np.random.default_rng(0)
    full = np.sort(rng.random((200, len(FULL_DRAWS))), axis=1)[:, ::-1]
    full[:50, 10:30] = full[:50, 10:11]
    inside = rng.uniform(-0.1, 1.1, (200, len(DRAWS)))
    count = np.log(FULL_DRAWS)
    direct = [np.exp(np.interp(-level, -curve, count)) for level, curve in zip(inside, full)]
    np.testing.assert_allclose(_worth(inside, full, DRAWS), np.array(direct) / DRAWS)


RNG = np.random.default_rng(1)
ALIKE = RNG.normal(0.4, 0.05, (20, 2))


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_tasks_that_are_alike_are_helped(shape):
    found = rf.check(bowls(ALIKE), SPACE, shape=shape)
    assert found.verdict == "helps"
    at_ten = found.speed_ups[DRAWS.index(10)]
    assert at_ten.low > 2 and at_ten.low <= at_ten.value <= at_ten.high
    assert not found.hurt and not found.not_judged and not found.warnings
    assert found.volume_kept == rf.learn(bowls(ALIKE), SPACE, shape=shape).volume_fraction


def test_unrelated_tasks_are_not():
    """Optima all over the space: whatever is learned is worth nothing, and the space should stay.

    `python -m benchmarks.false_alarms` measures how often chance makes a setting look helpful.
    """
    comparison = rf.compare(
        unrelated(30, seed=2),
        SPACE,
        [{"shape": "box"}, {"shape": "ellipsoid", "outliers": 0.1, "refit": True}],
    )
    assert {check.verdict for check in comparison.checks} <= {"no clear difference", "hurts"}
    assert comparison.best is None and comparison.nested.verdict == "no clear difference"
    assert "keep the original space" in str(comparison)


def test_a_space_learned_from_the_wrong_corner_hurts():
    """Each task's best lies where none of the others' do."""
    corners = np.array(
        [[0.02, 0.02], [0.98, 0.98], [0.02, 0.98], [0.98, 0.02], [0.5, 0.02], [0.5, 0.98]]
    )
    found = rf.check(bowls(np.repeat(corners[:2], [1, 9], axis=0)), SPACE)
    assert "t0" in found.hurt or "t0" in found.not_judged
    assert "t0" in found.unlike


def test_one_outlier_task_blows_the_box_up_and_is_named():
    """Fifty tasks alike, one apart: whatever is learned from the fifty misses that one."""
    optima = np.vstack([np.random.default_rng(2).normal(0.4, 0.05, (50, 2)), [[0.95, 0.95]]])
    told = bowls(optima)
    comparison = rf.compare(
        told, SPACE, [{"shape": "box"}, {"shape": "box", "outliers": 0.02, "refit": True}]
    )
    plain, slack = comparison.checks
    assert plain.volume_kept > 3 * slack.volume_kept
    assert "t50" in plain.unlike and "t50" in slack.unlike
    assert comparison.best == 1 and comparison.nested.verdict == "helps"
    assert "take: box, outliers 0.02, refit" in str(comparison)
    assert slack.speed_ups[DRAWS.index(10)].low > plain.speed_ups[DRAWS.index(10)].high


def test_an_optimizers_history_is_judged_with_a_warning():
    found = rf.check(evolved(ALIKE), SPACE)
    assert any("crowd around their own best" in line for line in str(found).splitlines())


def test_the_task_left_out_does_not_shape_its_own_space():
    """With two tasks each is judged by the other's best alone."""
    optima = np.array([[0.2, 0.2], [0.8, 0.8]])
    told = bowls(optima)
    found = rf.check(told, SPACE)
    for name, other in (("t0", "t1"), ("t1", "t0")):
        learned = rf.learn(told.only([other]), SPACE)
        task = next(task for task in found.tasks if task.name == name)
        rows = told.only([name]).frame
        columns = {n: rows[n].to_numpy() for n in ("a", "b")}
        assert task.rows_inside == int(learned.inside(columns).sum())


def test_no_rows_inside_means_not_judged():
    optima = np.array([[0.1, 0.1]] * 4 + [[0.9, 0.9]])
    found = rf.check(bowls(optima, runs=40), SPACE, shape="box")
    by_name = {task.name: task for task in found.tasks}
    for name in found.not_judged:
        assert by_name[name].rows_inside == 0 and by_name[name].rank_of_best_inside is None


def test_tasks_without_signal_and_single_tasks():
    flat = pl.DataFrame(
        {"task": ["x"] * 40, "a": RNG.random(40), "b": RNG.random(40), "error": 1.0}
    )
    told = bowls(ALIKE[:6])
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
    first, second = rf.check(bowls(ALIKE), SPACE), rf.check(bowls(ALIKE), SPACE)
    assert first == second
    assert msgspec.json.decode(msgspec.json.encode(first), type=rf.Check) == first


def test_progress_is_reported_to_the_end():
    seen: list[tuple[int, int]] = []
    rf.check(bowls(ALIKE[:5]), SPACE, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 5) for i in range(1, 6)]


def test_the_whole_space_is_worth_itself():
    found = rf.check(bowls(ALIKE), SPACE, shape="whole")
    assert found.verdict == "no clear difference" and found.volume_kept == 1.0
    for up in found.speed_ups:
        assert up.value == up.low == up.high == pytest.approx(1.0)
        assert up.inside == pytest.approx(up.full)
    assert str(found).startswith("whole space: no clear difference")


def test_the_keys_of_the_json_output():
    found = msgspec.to_builtins(rf.check(bowls(ALIKE), SPACE, starts=None))
    assert {"inside", "whole"} <= set(found["tasks"][0]) & set(found["speed_ups"][0])


def test_the_embedded_history_is_worth_learning_from():
    found = rf.check(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
    assert found.verdict == "helps"
    assert "10 draws inside are worth" in str(found)
