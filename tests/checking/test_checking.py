"""The check: the right verdict, and what the data cannot support."""

from __future__ import annotations

import msgspec
import numpy as np
import polars as pl
import pytest
from histories import SPACE, bowls, evolved, unrelated

import ringfence as rf
from ringfence.checking.belief.regret_scale import FULL_DRAWS
from ringfence.checking.left_out.speedup import worth
from ringfence.checking.left_out.tasks import DRAWS
from ringfence.history.regret import capped_regret


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
    np.testing.assert_allclose(worth(inside, full, DRAWS), np.array(direct) / DRAWS)


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
    assert "helps" not in {check.verdict for check in comparison.checks}
    assert comparison.best is None and comparison.nested.verdict == "no clear difference"
    assert "keep the full space" in str(comparison)


def test_a_space_learned_from_the_wrong_corner_hurts():
    """Each task's best lies where none of the others' do."""
    corners = np.array(
        [[0.02, 0.02], [0.98, 0.98], [0.02, 0.98], [0.98, 0.02], [0.5, 0.02], [0.5, 0.98]]
    )
    found = rf.check(bowls(np.repeat(corners[:2], [1, 9], axis=0)), SPACE)
    assert "t0" in found.hurt
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
    assert slack.speed_ups[DRAWS.index(10)].low > plain.speed_ups[DRAWS.index(10)].value


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


def test_a_task_with_hardly_a_row_inside_is_judged_by_its_model():
    optima = np.array([[0.1, 0.1]] * 4 + [[0.9, 0.9]])
    found = rf.check(bowls(optima, runs=40), SPACE, shape="box")
    far = next(task for task in found.tasks if task.name == "t4")
    assert far.rows_inside < 5 and not far.best_is_inside
    assert found.hurt == ("t4",) and not found.not_judged


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


def test_a_check_is_the_same_each_time_and_survives_json():
    first, second = rf.check(bowls(ALIKE), SPACE), rf.check(bowls(ALIKE), SPACE)
    assert first == second
    assert msgspec.json.decode(msgspec.json.encode(first), type=rf.Check) == first


def test_progress_is_reported_to_the_end():
    seen: list[tuple[int, int]] = []
    rf.check(bowls(ALIKE[:5]), SPACE, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 5) for i in range(1, 6)]


def test_the_full_space_is_worth_itself():
    found = rf.check(bowls(ALIKE), SPACE, shape="full")
    assert found.verdict == "no clear difference" and found.volume_kept == 1.0
    for up in found.speed_ups:
        assert [up.value, up.low, up.high] == pytest.approx([1.0] * 3)
        assert up.inside == pytest.approx(up.full)
    assert str(found).startswith("full space: no clear difference")


def test_the_keys_of_the_json_output():
    found = msgspec.to_builtins(rf.check(bowls(ALIKE), SPACE, starts=None))
    assert {"inside", "low", "high"} <= set(found["tasks"][0])
    assert {"inside", "full", "value", "low", "high"} <= set(found["speed_ups"][0])
    assert len(found["full"]) == len(FULL_DRAWS) and found["reason"] == ""


def test_the_embedded_history_is_worth_learning_from():
    found = rf.check(rf.example_history(), shape="ellipsoid", outliers=0.1, refit=True)
    assert found.verdict == "helps"
    assert "10 trials inside are worth" in str(found)


def ordinary(rows: int, way: str = "random", tasks: int = 12) -> rf.History:
    """Twelve bowls that are alike, with few rows: random ones, or those of an optimizer."""
    optima = np.random.default_rng(3).normal(0.4, 0.06, (tasks, 2))
    return bowls(optima, runs=rows) if way == "random" else evolved(optima, runs=rows)


@pytest.mark.parametrize("rows", [16, 24, 64])
@pytest.mark.parametrize("way", ["random", "evolved"])
def test_few_rows_say_nothing_that_many_would_take_back(rows, way):
    """The box of twelve alike tasks is worth three to eight times as many draws, by many rows;
    with few, or with an optimizer's, the interval may be wide but neither wrong nor in the other
    direction."""
    many = rf.check(ordinary(256), SPACE, starts=0).speed_ups[DRAWS.index(10)]
    few = rf.check(ordinary(rows, way), SPACE, starts=0)
    up = next(up for up in few.speed_ups if up.draws == 10)
    assert few.verdict in ("helps", "cannot tell") and up.low < up.value < up.high
    assert up.low < many.high and many.low < up.high
    assert up.high - up.low > 0.5 * (many.high - many.low)


def test_the_lines_end_where_the_rows_do():
    assert [up.draws for up in rf.check(ordinary(16), SPACE, starts=0).speed_ups] == [1, 2, 5, 10]
    assert rf.check(ordinary(30), SPACE, starts=0).speed_ups[-1].draws == 25


def test_too_few_rows_or_tasks_cannot_tell_and_say_what_would():
    few_rows = rf.check(ordinary(6), SPACE, starts=0)
    assert few_rows.verdict == "cannot tell" and "at least 8 are needed" in few_rows.reason
    few_tasks = rf.check(ordinary(40, tasks=2), SPACE, starts=0)
    assert few_tasks.verdict == "cannot tell" and "at least 5 are needed" in few_tasks.reason
    unsure = rf.check(unrelated(8, runs=16, seed=1), SPACE, shape="ellipsoid", starts=0)
    assert unsure.verdict == "cannot tell"
    assert "would probably settle it" in unsure.reason and unsure.reason in str(unsure)


def test_an_undecided_comparison_keeps_the_space_and_says_why():
    found = rf.compare(unrelated(8, runs=16, seed=1), SPACE, [{"shape": "ellipsoid"}], nested=False)
    assert found.best is None and found.settings.shape == "full"
    assert "keep the full space until more is known: of ellipsoid the runs cannot tell" in (
        found.recommendation
    )
    learned = rf.learn(unrelated(8, runs=16, seed=1), SPACE, shape="auto")
    assert learned.volume_fraction == 1.0
    assert any("cannot tell" in note for note in learned.provenance.notes)


def test_a_region_that_keeps_everything_is_worth_itself():
    rng = np.random.default_rng(0)
    a = rng.choice(list("abcd"), 300)
    frame = pl.DataFrame(
        {
            "task": np.repeat([f"t{i}" for i in range(6)], 50),
            "a": a,
            "error": (a == "a") + rng.random(300),
        }
    )
    space = rf.Space({"a": rf.Categorical(list("abcd"))})
    found = rf.check(rf.History.from_frame(frame, task="task", objective="error"), space, starts=0)
    assert found.verdict == "no clear difference" and "it keeps the full space" in str(found)
    assert [found.speed_ups[3].low, found.speed_ups[3].high] == pytest.approx([1.0, 1.0])
