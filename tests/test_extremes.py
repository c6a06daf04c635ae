"""Numbers at the ends of what floats hold: a result or a line, and no warning of numpy's."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.arrays import median
from ringfence.history.incumbents import RowChoice, considered_rows
from ringfence.history.regret import capped_regret
from ringfence.history.usable import ROW, TASK, VALUE
from ringfence.optimize.surrogates.standardize import REACH, compress
from ringfence.optimize.transfer.cover import agreement_weights
from ringfence.optimize.weighing.cost_model import FEWEST, task_model
from ringfence.space import Axis
from ringfence.space.scales import suggests_log

LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324


def past(**columns: list) -> rf.History:
    """Runs of several tasks, all parameters but the named parts."""
    frame = pl.DataFrame(columns, strict=False)
    roles = {"cost": "cost"} if "cost" in columns else {}
    roles |= {"status": "status"} if "status" in columns else {}
    return rf.read_history(frame, task="task", objective="loss", direction="minimize", **roles)


def test_the_median_of_the_smallest_and_the_largest_floats_is_exact():
    assert median(np.array([3 * SMALLEST])) == 3 * SMALLEST
    assert median(np.array([LARGEST, LARGEST])) == LARGEST


def test_regrets_of_values_at_both_ends_of_the_floats():
    regret, unit = capped_regret(np.array([-LARGEST, 0.0, LARGEST, LARGEST]))
    assert regret.tolist() == pytest.approx([0.0, 2 / 3, 1.0, 1.0])
    assert unit == LARGEST
    assert capped_regret(np.array([7.236701289873e-311])) is None


def test_good_rows_of_values_at_both_ends_of_the_floats():
    loss = [-LARGEST, -LARGEST * 0.999, LARGEST, LARGEST]
    history = past(task=["a"] * 4, x=[0.4, 0.5, 0.0, 1.0], loss=loss)
    learned = rf.learn(history, tolerance=0.01, starts=0)
    assert learned.tasks[0].incumbent["x"] in (0.4, 0.5)


def test_a_mean_of_repeats_near_the_largest_float_is_finite():
    frame = pl.DataFrame({TASK: ["a", "a"], ROW: [0, 1], "x": [0.0, 0.0], VALUE: [LARGEST] * 2})
    mean = considered_rows(frame, RowChoice(average_repeats=True))
    assert mean[VALUE].to_list() == [LARGEST]


def test_a_range_up_to_the_largest_float_is_drawn_from():
    space = rf.Space({"x": rf.Float(0.0, LARGEST)})
    history = past(task=["a", "b"], x=[1.0, LARGEST], loss=[1.0, 2.0])
    learned = rf.learn(history, space, starts=0)
    assert all(learned.contains(config) for config in learned.sample(5, seed=0))


def test_a_unit_of_the_smallest_float_does_not_overflow():
    assert compress(np.array([0.0, SMALLEST, 1e140])).tolist() == [
        0.0, SMALLEST, SMALLEST + SMALLEST * REACH,
    ]  # fmt: skip


def test_the_order_of_values_at_both_ends_of_the_floats():
    y = np.array([-LARGEST, LARGEST, 0.0])
    weights = agreement_weights(np.array([y, -y]) / LARGEST, y)
    assert weights[0] > weights[1]


def test_a_log_scale_of_all_magnitudes_is_seen():
    assert suggests_log(1e-300, 1e300, 1.0)
    assert not suggests_log(1e-300, 1e300, 5e299)


def test_a_space_without_numbers_needs_no_region():
    """Neither a tolerance nor outliers ask for one."""
    history = past(
        task=["a", "a", "b", "b"], kind=["p", "q", "q", "p"], loss=[0.0, 0.001, 0.0, 1.0]
    )
    for settings in ({"tolerance": 0.5}, {"outliers": 0.5, "literal": True},
                     {"outliers": 0.5, "one_cloud": True}):  # fmt: skip
        learned = rf.learn(history, categories="observed", starts=0, **settings)
        assert [task.incumbent["kind"] for task in learned.tasks] == ["p", "q"]


@pytest.mark.parametrize("shape", ["box", "ellipsoid", "boxes", "ellipsoids"])
def test_a_tolerance_with_one_task(shape):
    rng = np.random.default_rng(0)
    history = past(task=["a"] * 6, x=rng.random(6), y=rng.random(6), loss=[0.0, 0, 0, 1, 1, 1])
    learned = rf.learn(history, shape=shape, tolerance=0.1, starts=0)
    assert len(learned.tasks) == 1
    assert learned.contains(learned.tasks[0].incumbent)


def test_failures_and_costs_where_nothing_can_be_chosen():
    n = 40
    status = ["failed" if i % 3 == 0 else "ok" for i in range(n)]
    history = past(
        task=["a"] * n, x=[1.0] * n, loss=[float(i) for i in range(n)], cost=[1.0] * n,
        status=status,
    )  # fmt: skip
    space = rf.Space({"x": rf.Constant(1.0)})
    assert rf.learn(history, space, starts=0).zone is None
    assert task_model(np.empty((FEWEST, 0)), np.arange(float(FEWEST))) is not None


def test_costs_of_all_magnitudes_in_a_check():
    rng = np.random.default_rng(0)
    n = 60
    history = past(
        task=["a", "b", "c"] * (n // 3), x=rng.random(n).tolist(), loss=rng.random(n).tolist(),
        cost=(10.0 ** rng.uniform(-308, 308, n)).tolist(),
    )  # fmt: skip
    assert str(rf.check(history, starts=3))


def test_a_log_range_up_to_the_largest_float_is_decoded():
    axis = Axis(1e18, LARGEST, log=True, integer=False)
    values = axis.decode(np.linspace(0.9, 1.0, 2001))
    assert np.isfinite(values).all() and values.max() == LARGEST


@pytest.mark.parametrize("name", [["catboost-tabr"], {}, 5])
def test_what_is_no_name_is_no_entry_of_the_hub(name):
    with pytest.raises(rf.SettingError, match="the hub has no entry"):
        rf.hub(name)


def test_data_of_more_rows_than_can_be_said():
    assert "hub knows data of" in str(rf.hub("catboost-tabr", rows=10**5000).provenance.notes)
