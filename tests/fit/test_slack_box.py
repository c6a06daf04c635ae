"""Eq. 7: the slack box, its certificate, and the choice of the penalty."""

from __future__ import annotations

import cvxpy
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.slack_box import interior_point
from ringfence.fit.solvers.slack_box import solve as module
from ringfence.fit.solvers.slack_box.penalty import PAPER_GRID, paper_grid_box, slack_box_for
from ringfence.fit.solvers.slack_box.problem import Problem
from ringfence.fit.solvers.slack_box.separate import separate_box
from ringfence.fit.solvers.slack_box.solve import SlackBox, slack_box, solve
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes


def beta_points(T: int, p: int, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    return rng.beta(0.5 + 2.0 * rng.random(p), 2.0, (T, p))


def value(points: FloatArray, box: SlackBox, scales: FloatArray | None = None) -> float:
    """Eq. 7 written out, independently of the solver."""
    a, b = np.ones((2, points.shape[1])) if scales is None else scales
    total = 0.0
    for x in points:
        below = [(box.lower[j] - x[j]) / a[j] for j in range(len(x)) if a[j] > 0]
        above = [(x[j] - box.upper[j]) / b[j] for j in range(len(x)) if b[j] > 0]
        total += max(0.0, *below) if below else 0.0
        total += max(0.0, *above) if above else 0.0
    width = box.upper - box.lower
    return float(0.5 * box.penalty * width @ width + total / (2 * len(points)))


def oracle(
    points: FloatArray, penalty: float, scales: FloatArray | None = None
) -> tuple[float, FloatArray]:
    """Value and widths by CVXPY, eq. 7 as the paper has it."""
    T, p = points.shape
    a, b = np.ones((2, p)) if scales is None else scales
    lower, upper = cvxpy.Variable(p), cvxpy.Variable(p)
    xi = cvxpy.Variable((2, T), nonneg=True)
    constraints = []
    for t, x in enumerate(points):
        known = np.flatnonzero(~np.isnan(x))
        constraints += [lower[known] - xi[0, t] * a[known] <= x[known]]
        constraints += [x[known] <= upper[known] + xi[1, t] * b[known]]
    objective = 0.5 * penalty * cvxpy.sum_squares(upper - lower) + cvxpy.sum(xi) / (2 * T)
    problem = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
    accuracy = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-11)
    problem.solve(solver=cvxpy.CLARABEL, **accuracy)
    return float(problem.value), upper.value - lower.value


# --- the optimum -------------------------------------------------------------------------------


def test_one_dimension_in_closed_form() -> None:
    """p = 1: the width is λ w = m / (2T) with m outside on a side, or between two points."""
    x = np.sort(np.random.default_rng(3).random(12))
    for penalty in np.geomspace(0.02, 5.0, 15):
        box = slack_box(x[:, None], float(penalty))
        stationary = [m / (2 * len(x) * penalty) for m in range(len(x) + 1)]
        widths = [*stationary, *_widths_in_one_dimension(x)]
        best = min(widths, key=lambda w: _value_of_width(x, w, penalty))
        assert box.upper[0] - box.lower[0] == pytest.approx(best, abs=1e-7)


def _widths_in_one_dimension(x: FloatArray) -> list[float]:
    return [float(b - a) for i, a in enumerate(x) for b in x[i:]]


def _value_of_width(x: FloatArray, width: float, penalty: float) -> float:
    """Eq. 7 minimized over the position: piecewise linear, so a kink is best."""
    positions = np.concatenate([x, x - width])[:, None]
    slack = np.maximum(positions - x, 0.0) + np.maximum(x - positions - width, 0.0)
    return float(0.5 * penalty * width**2 + slack.sum(axis=1).min() / (2 * len(x)))


@pytest.mark.parametrize(("T", "p"), [(1, 3), (2, 2), (3, 9), (12, 1), (20, 4), (40, 9)])
def test_agrees_with_cvxpy(T: int, p: int) -> None:
    points = beta_points(T, p, seed=T)
    for penalty in (0.005, 0.05, 0.5):
        box = slack_box(points, penalty)
        best, width = oracle(points, penalty)
        assert box.gap <= 1e-8
        assert value(points, box) == pytest.approx(best, rel=1e-7, abs=1e-10)
        np.testing.assert_allclose(box.upper - box.lower, width, atol=2e-5)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_cvxpy_in_the_papers_scales(seed: int) -> None:
    """Scales |l0|, |u0| in raw coordinates; a zero makes that bound hard."""
    rng = np.random.default_rng(seed)
    points = rng.random((25, 4)) * [1.0, 10.0, 0.1, 3.0]
    scales = np.array([[0.0, 1.0, 0.01, 0.0], [1.0, 20.0, 0.0, 0.0]])
    for penalty in (1e-3, 0.02, 0.3):
        box = slack_box(points, penalty, scales=scales)
        best, width = oracle(points, penalty, scales)
        assert value(points, box, scales) == pytest.approx(best, rel=1e-7)
        np.testing.assert_allclose(box.upper - box.lower, width, atol=1e-4)
        np.testing.assert_array_equal(box.lower[[0, 3]], points[:, [0, 3]].min(axis=0))
        np.testing.assert_array_equal(box.upper[[2, 3]], points[:, [2, 3]].max(axis=0))


def with_gaps(points: FloatArray, share: float, seed: int) -> FloatArray:
    """Some coordinates unknown, but none in all points."""
    gaps = np.random.default_rng(seed).random(points.shape) < share
    gaps[0] = False
    return np.where(gaps, np.nan, points)


@pytest.mark.parametrize(("T", "p", "share"), [(6, 2, 0.5), (20, 4, 0.3), (40, 6, 0.7)])
@pytest.mark.parametrize("scaled", [False, True])
def test_a_coordinate_that_a_task_lacks_is_free(T: int, p: int, share: float, scaled: bool) -> None:
    points = with_gaps(beta_points(T, p, seed=T), share, seed=p)
    scales = np.random.default_rng(T).random((2, p)) if scaled else None
    for penalty in (0.005, 0.05, 0.5):
        box = slack_box(points, penalty, scales=scales)
        best, width = oracle(points, penalty, scales)
        inside = np.where(np.isnan(points), 0.5 * (box.lower + box.upper), points)
        assert box.gap <= 1e-8
        assert value(inside, box, scales) == pytest.approx(best, rel=1e-7, abs=1e-10)
        np.testing.assert_allclose(box.upper - box.lower, width, atol=1e-4)


def raw_cloud(seed: int) -> tuple[FloatArray, FloatArray]:
    """Raw units over up to eleven decades, whole numbers, gaps and bounds of zero; scales are l0
    and u0."""
    rng = np.random.default_rng(seed)
    T, p = int(rng.choice([3, 8, 29, 100])), int(rng.integers(1, 7))
    low, high = 10.0 ** rng.uniform(-6, 0, p), 10.0 ** rng.uniform(0, 5, p)
    decades = np.exp(rng.uniform(np.log(low), np.log(high), (T, p)))
    points = np.where(rng.random(p) < 0.6, decades, rng.uniform(low, high, (T, p)))
    whole = rng.random(p) < 0.3
    points = np.where(whole, rng.integers(1, 6, (T, p)), points)
    scales = np.where(whole, [[1.0], [5.0]], np.stack([low, high]))
    if seed % 3 == 0:
        scales[rng.integers(2), rng.integers(p)] = 0.0
    return (with_gaps(points, 0.5, seed) if seed % 2 else points), scales


def rescaled_oracle(points: FloatArray, penalty: float, scales: FloatArray, best: float) -> float:
    """The value by CVXPY, relative to `best`: its bounds in units of the points' width, its slack
    in units of 2T times the value, the numbers that such a solver wants."""
    T, p = points.shape
    low, width = np.nanmin(points, axis=0), np.nanmax(points, axis=0) - np.nanmin(points, axis=0)
    unit = np.where(width > 0.0, width, 1.0)
    lower, upper = cvxpy.Variable(p), cvxpy.Variable(p)
    xi = cvxpy.Variable((2, T), nonneg=True)
    constraints = [lower >= 0, upper <= width / unit]  # the optimum is within the exact box
    for t, x in enumerate(points):
        j = np.flatnonzero(~np.isnan(x))
        at = (x[j] - low[j]) / unit[j]
        for side, beyond in enumerate((lower[j] - at, at - upper[j])):
            stretch = scales[side, j] * 2 * T * best / unit[j]
            size = np.maximum(stretch, 1.0)
            constraints += [cvxpy.multiply(1 / size, beyond) <= xi[side, t] * (stretch / size)]
    weights = np.sqrt(0.5 * penalty / best) * unit
    objective = cvxpy.sum_squares(cvxpy.multiply(weights, upper - lower)) + cvxpy.sum(xi)
    problem = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
    accuracy = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-9)
    problem.solve(solver=cvxpy.CLARABEL, **accuracy)
    return float(problem.value)


@pytest.mark.parametrize("seed", [1, 3, 5, 6, 8, 9, 12, 19, 20])
def test_agrees_with_cvxpy_in_units_that_lie_decades_apart(seed: int) -> None:
    points, scales = raw_cloud(seed)
    problem = Problem.of(points, scales)
    size = 0.5 * float((problem.hull.sum(axis=0) ** 2).sum())
    for s in (0.01, 1.0, 100.0):
        box = slack_box(points, s / size, scales=scales)
        best = problem.value(box.bounds, s / size)
        assert box.gap <= 1e-8
        relative = rescaled_oracle(points, s / size, scales, best)
        assert relative == pytest.approx(1.0, rel=1e-7)


def test_the_papers_grid_is_certified_in_units_that_lie_decades_apart() -> None:
    """With one unit of slack for both sides, 56 of these 210 boxes had no certificate."""
    gaps = []
    for seed in range(30):
        points, scales = raw_cloud(seed)
        size = 0.5 * float((Problem.of(points, scales).hull.sum(axis=0) ** 2).sum())
        gaps += [slack_box(points, s / size, scales=scales).gap for s in PAPER_GRID[::2]]
    assert max(gaps) <= 1e-8


@pytest.mark.parametrize("scaled", [False, True])
def test_the_separate_box_is_eq_7_in_one_dimension(scaled: bool) -> None:
    points = beta_points(30, 4)
    scales = 10.0 ** np.random.default_rng(2).uniform(-4, 0, (2, 4)) if scaled else np.ones((2, 4))
    problem = Problem.of(points, scales)
    for penalty in (0.05, 1.0, 20.0):
        apart = separate_box(problem, penalty)
        for j in range(4):
            alone = Problem.of(points[:, [j]], scales[:, [j]])
            best = slack_box(points[:, [j]], penalty, scales=scales[:, [j]])
            width = best.upper - best.lower
            np.testing.assert_allclose(-apart[:, [j]].sum(axis=0), width, rtol=1e-5, atol=1e-9)
            there = alone.value(apart[:, [j]], penalty)
            assert there == pytest.approx(alone.value(best.bounds, penalty), rel=0.2)


def test_many_points_with_gaps_are_localized() -> None:
    """A coordinate that few tasks have is in the sample, too; the rule counts all tasks."""
    points = with_gaps(beta_points(1500, 3), 0.4, seed=1)
    points[5:, 2] = np.nan
    box = slack_box_for(points, 0.2)
    inside = np.where(np.isnan(points), 0.5 * (box.lower + box.upper), points)
    assert box.gap <= 1e-8
    assert box.n_outside >= 300
    assert slack_box(inside, box.penalty).upper == pytest.approx(box.upper, abs=1e-5)


def test_optimality_conditions() -> None:
    """λ w = column sums of the multipliers, which are full outside and zero inside."""
    points = beta_points(60, 5)
    problem = Problem.of(points, None)
    box, pull = solve(problem, 0.05, None, 1e-8)
    rho = 0.05 * (box.upper - box.lower)
    np.testing.assert_allclose(pull.sum(axis=1) / 120, [rho, rho], rtol=1e-6, atol=1e-9)
    outside = box.slack.T > 0.0
    violations = np.stack([box.lower - points, points - box.upper])
    inside = violations.max(axis=2) < -1e-6
    assert outside.any()
    assert inside.any()
    assert not (outside | inside).all()
    np.testing.assert_allclose(pull.sum(axis=2)[outside], 1.0, atol=1e-6)
    np.testing.assert_allclose(pull.sum(axis=2)[inside], 0.0, atol=1e-6)
    slower = violations < np.maximum(violations.max(axis=2, keepdims=True), 0.0) - 1e-6
    np.testing.assert_allclose(pull[slower], 0.0, atol=1e-6)


@pytest.mark.parametrize("scaled", [False, True])
def test_any_multipliers_give_a_lower_bound(scaled: bool) -> None:
    """Weak duality: no pull, however wild, certifies more than the minimum."""
    rng = np.random.default_rng(1)
    points = rng.random((15, 3))
    scales = np.array([[0.5, 0.0, 2.0], [1.0, 3.0, 0.0]]) if scaled else None
    problem = Problem.of(points, scales)
    box, best_pull = solve(problem, 0.1, None, 1e-8)
    minimum = value(points, box, scales)
    for trial in range(200):
        noise = rng.normal(size=best_pull.shape) * 10.0 ** rng.uniform(-6, 1)
        too_strong = best_pull * rng.uniform(1.0, 5.0)
        pull = (best_pull + noise, np.abs(noise), too_strong)[trial % 3]
        bounds = np.stack([box.lower, -box.upper]) - 0.1 * rng.random() * ~problem.hard
        there = problem.value(bounds, 0.1)
        assert there * (1.0 - problem.gap(bounds, 0.1, pull)) <= minimum * (1.0 + 1e-9)


def test_the_certificate_sees_a_wrong_box() -> None:
    points = beta_points(40, 3)
    problem = Problem.of(points, None)
    box, pull = solve(problem, 0.05, None, 1e-8)
    bounds = np.stack([box.lower, -box.upper])
    for j in range(3):
        for side in (0, 1):
            moved = bounds.copy()
            moved[side, j] -= 0.02
            # The gap is no less than the true distance to the minimum.
            excess = 1.0 - problem.value(bounds, 0.05) / problem.value(moved, 0.05)
            assert problem.gap(moved, 0.05, pull) >= excess - 1e-9
            assert excess > 1e-6


def test_small_penalties_give_the_exact_box() -> None:
    points = beta_points(30, 6)
    limit = Problem.of(points, None).exact_penalty
    for penalty in (0.0, 1e-12, 0.999 * limit):
        box = slack_box(points, penalty)
        np.testing.assert_array_equal(box.lower, points.min(axis=0))
        np.testing.assert_array_equal(box.upper, points.max(axis=0))
        assert box.gap == 0.0
        assert not box.slack.any()
    # Without ties the bound is sharp: just above it the box shrinks.
    box = slack_box(points, 1.01 * limit)
    assert (box.upper - box.lower).sum() < np.ptp(points, axis=0).sum() - 1e-6


def test_repeated_points_share_the_pull() -> None:
    points = beta_points(12, 3)
    once, thrice = Problem.of(points, None), Problem.of(np.repeat(points, 3, axis=0), None)
    assert thrice.exact_penalty == pytest.approx(once.exact_penalty, rel=1e-12)
    here, there = slack_box(points, 0.1), slack_box(np.repeat(points, 3, axis=0), 0.1)
    np.testing.assert_allclose(there.upper - there.lower, here.upper - here.lower, atol=1e-7)


@pytest.mark.parametrize(("T", "p"), [(3, 9), (10, 9), (60, 20), (100, 50)])
def test_grids_and_many_coordinates_are_solved_to_rounding(T: int, p: int) -> None:
    """Ties and flat directions make the Newton systems all but singular."""
    gaps = []
    for seed in range(12):
        points = beta_points(T, p, seed)
        points = np.round(6 * points) / 6 if seed % 2 else points
        penalty = Problem.of(points, None).exact_penalty * 3.0 ** (1 + seed % 3)
        gaps.append(slack_box(points, penalty).gap)
    assert max(gaps) <= 1e-8
    assert np.median(gaps) <= 1e-9


def test_slack_is_shared_over_the_coordinates() -> None:
    """One point far out in two coordinates pays once; the separate problems let each pay."""
    points = np.array([[0.0, 0.0], [0.1, 0.05], [0.2, 0.1], [0.15, 0.2], [0.05, 0.15], [1.0, 1.0]])
    joint = slack_box(points, 0.15)
    apart = [slack_box(points[:, [j]], 0.15) for j in (0, 1)]
    # One coordinate alone: one point outside on each side, λ w = 1 / (2T).
    np.testing.assert_allclose([box.upper[0] - box.lower[0] for box in apart], 1 / 1.8, rtol=1e-9)
    assert (joint.upper - joint.lower < 0.5).all()


# --- symmetries --------------------------------------------------------------------------------


def test_moves_with_the_points() -> None:
    points = beta_points(35, 4)
    shift = np.array([5.0, -3.0, 0.25, 100.0])
    here, there = slack_box(points, 0.06), slack_box(points + shift, 0.06)
    np.testing.assert_allclose(there.lower, here.lower + shift, atol=1e-9)
    np.testing.assert_allclose(there.upper, here.upper + shift, atol=1e-9)


def test_permuted_coordinates_and_points_give_the_permuted_box() -> None:
    points = beta_points(35, 4)
    rng = np.random.default_rng(0)
    columns, rows = rng.permutation(4), rng.permutation(35)
    here, there = slack_box(points, 0.06), slack_box(points[rows][:, columns], 0.06)
    np.testing.assert_allclose(there.lower, here.lower[columns], atol=1e-9)
    np.testing.assert_allclose(there.upper, here.upper[columns], atol=1e-9)
    np.testing.assert_allclose(there.slack, here.slack[rows], atol=1e-9)


def test_reflection_swaps_the_bounds() -> None:
    points = beta_points(35, 4)
    scales = np.array([[0.5, 1.0, 0.0, 2.0], [1.5, 0.0, 1.0, 0.2]])
    for s in (None, scales):
        here = slack_box(points, 0.06, scales=s)
        there = slack_box(-points, 0.06, scales=None if s is None else s[::-1])
        np.testing.assert_allclose(there.lower, -here.upper, atol=1e-9)
        np.testing.assert_allclose(there.upper, -here.lower, atol=1e-9)


def test_stretching_all_coordinates_divides_the_penalty() -> None:
    points = beta_points(35, 4)
    here, there = slack_box(points, 0.06), slack_box(1e5 * points, 0.06 / 1e5)
    np.testing.assert_allclose(there.lower, 1e5 * here.lower, rtol=1e-8)
    np.testing.assert_allclose(there.slack, 1e5 * here.slack, rtol=1e-6, atol=1e-3)


def test_scales_stand_for_the_units() -> None:
    """Other units for coordinate and scale change the widths that are penalized, not the slack."""
    points = beta_points(20, 1)
    units = 1e7
    here = slack_box(points, 0.06)
    there = slack_box(units * points, 0.06 / units**2, scales=np.full((2, 1), units))
    np.testing.assert_allclose(there.upper, units * here.upper, rtol=1e-9)
    np.testing.assert_allclose(there.slack, here.slack, atol=1e-9)


def test_a_box_that_may_slide_stays_in_the_middle() -> None:
    """Two points, λ w = 1/4: any position between them is optimal."""
    points = np.array([[0.0], [1.0]])
    box = slack_box(points, 1.0)
    np.testing.assert_allclose([box.lower[0], box.upper[0]], [0.375, 0.625], atol=1e-9)
    for low in (0.0, 0.3, 0.7):
        start = SlackBox(np.array([low]), np.array([low + 0.3]), 1.0, box.slack, 0.0)
        again = slack_box(points, 1.0, start=start)
        np.testing.assert_allclose(again.lower, box.lower, atol=1e-9)


def test_same_answer_twice_and_from_any_start() -> None:
    points = beta_points(35, 4)
    box = slack_box(points, 0.06)
    again = slack_box(points, 0.06)
    np.testing.assert_array_equal(box.lower, again.lower)
    start = slack_box(points, 0.2)
    warm = slack_box(points, 0.06, start=start)
    np.testing.assert_allclose(warm.upper - warm.lower, box.upper - box.lower, atol=1e-7)
    assert value(points, warm) == pytest.approx(value(points, box), rel=1e-9)


def test_a_start_from_which_the_interior_point_stalls_is_forgotten() -> None:
    """Three places, many points at each: from this start the gap would stay at 2e-3."""
    points = np.repeat([0.0, 0.5, 1.0], [13, 15, 12])[:, None]
    start = SlackBox(np.array([0.027148925666746846]), np.array([0.5]), 0.3, np.zeros((40, 2)), 0.0)
    box = slack_box(points, 0.31467280014776877, start=start)
    cold = slack_box(points, 0.31467280014776877)
    assert box.gap <= 1e-8
    np.testing.assert_array_equal([box.lower, box.upper], [cold.lower, cold.upper])


# --- large problems ----------------------------------------------------------------------------


@pytest.mark.parametrize(("T", "p", "hard"), [(1500, 5, False), (900, 12, False), (1200, 4, True)])
def test_localized_is_full(T: int, p: int, hard: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    points = beta_points(T, p)
    scales = np.ones((2, p))
    if hard:
        scales[0, 0] = scales[1, 1] = 0.0
    rows = []
    step = module.step

    def counted(*args: object) -> object:
        rows.append(args[-1])
        return step(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "step", counted)
    local = slack_box(points, 0.15 / p, scales=scales)
    assert rows[-1] < T, "the whole problem was solved: nothing is compared"
    monkeypatch.setattr(module, "ALL_ROWS", T)
    full = slack_box(points, 0.15 / p, scales=scales)
    assert rows[-1] == T
    np.testing.assert_allclose(local.upper - local.lower, full.upper - full.lower, atol=1e-6)
    problem = Problem.of(points, scales)
    both = [problem.value(np.stack([b.lower, -b.upper]), b.penalty) for b in (local, full)]
    assert both[0] == pytest.approx(both[1], rel=1e-9)
    assert local.n_outside == full.n_outside


def test_trimmed_boxes_are_nested_and_hold_the_rest() -> None:
    points = beta_points(25, 3)
    boxes = trimmed_boxes(points)
    np.testing.assert_array_equal(boxes[0], [points.min(axis=0), -points.max(axis=0)])
    assert (np.diff(boxes, axis=0) >= 0.0).all()
    for k, (lower, negated) in enumerate(boxes):
        inside = ((points >= lower) & (points <= -negated)).all(axis=1)
        assert inside.sum() >= len(points) - k


# --- the choice of the penalty -----------------------------------------------------------------


@pytest.mark.parametrize("outliers", [0.05, 0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("T", "p"), [(10, 9), (30, 9), (50, 2), (450, 3)])
def test_the_rule(T: int, p: int, outliers: float) -> None:
    """Enough points are outside, and fewer at a penalty a little smaller."""
    points = beta_points(T, p, seed=p)
    wanted = -(-round(outliers * T * 100) // 100)
    box = slack_box_for(points, outliers)
    assert box.n_outside >= wanted
    assert slack_box(points, box.penalty).n_outside >= wanted
    fewer = [slack_box(points, box.penalty * f).n_outside for f in (0.99, 0.985, 0.98)]
    assert min(fewer) < wanted


@pytest.mark.parametrize("k", range(1, 30))
def test_an_integer_number_of_outliers_is_not_rounded_up(k: int) -> None:
    """0.07 * 100 is 7.000000000000001 in floating point, but means seven."""
    points = np.linspace(0.0, 1.0, 100)[:, None] ** 1.5
    wanted = slack_box_for(points, k / 100)
    assert wanted.n_outside >= k
    if k % 2 == 0:  # in one dimension they leave in pairs, one on each side
        assert wanted.n_outside == k


def test_no_outliers_is_the_exact_box() -> None:
    points = beta_points(20, 3)
    box = slack_box_for(points, 0.0)
    np.testing.assert_array_equal(box.upper, points.max(axis=0))
    assert box.penalty == 0.0
    assert box.n_outside == 0


def test_a_planted_outlier_is_the_one_left_out() -> None:
    points = 0.4 + 0.1 * beta_points(20, 3)
    points[7] = [0.45, 0.95, 0.45]
    # Both faces of a coordinate are pulled alike: it takes two points to hold the lower one.
    points[[3, 4], 1] = 0.4
    box = slack_box_for(points, 0.05)
    np.testing.assert_array_equal(np.flatnonzero((box.slack > 0.0).any(axis=1)), [7])
    rest = np.delete(points, 7, axis=0)
    assert box.upper[1] < 0.95
    assert (box.lower <= rest.min(axis=0)).all()
    assert (box.upper >= rest.max(axis=0)).all()


def test_faces_lie_on_points() -> None:
    """Snapping: a point on the boundary is inside, exactly."""
    points = beta_points(200, 2)
    box = slack_box_for(points, 0.3)
    distance = np.abs(np.stack([points - box.lower, points - box.upper])).min(axis=1)
    assert ((distance == 0.0) | (distance > 1e-7)).all()
    assert (distance == 0.0).any()


@pytest.mark.parametrize("T", [1, 2, 3, 7])
def test_repeated_points_cannot_be_left_out(T: int) -> None:
    points = np.tile([0.25, 0.5], (T, 1))
    box = slack_box_for(points, 0.5)
    np.testing.assert_array_equal([box.lower, box.upper], [points[0], points[0]])
    assert box.n_outside == 0


def test_as_many_outside_as_can_be() -> None:
    """Six of ten coincide: nine outside is out of reach, four is the most."""
    points = np.concatenate([np.full((6, 2), 0.5), np.random.default_rng(0).random((4, 2))])
    box = slack_box_for(points, 0.9)
    assert box.n_outside == 4
    assert slack_box(points, 100.0 * box.penalty).n_outside == 4
    assert slack_box(points, 0.98 * box.penalty).n_outside < 4


def test_the_papers_grid() -> None:
    points = beta_points(30, 4)
    size = 0.5 * (np.ptp(points, axis=0) ** 2).sum()
    grid = (1e-3, 1e-2, 1e-1, 1.0)
    box = paper_grid_box(points, 0.5, grid)
    s = box.penalty * size
    assert min(abs(s / g - 1.0) for g in grid) < 1e-12
    assert box.n_outside >= 15
    for g in grid:
        if g < 0.999 * s:
            assert slack_box(points, g / size).n_outside < 15
    assert box.penalty >= slack_box_for(points, 0.5).penalty / 1.01
    assert paper_grid_box(points, 0.5).n_outside >= 15
    with pytest.raises(FitError, match="widen the grid"):
        paper_grid_box(points, 0.5, (1e-9,))


# --- what cannot be ----------------------------------------------------------------------------


@pytest.mark.parametrize("points", [np.zeros((0, 2)), np.zeros((2, 0)), np.zeros(3), [[np.nan]]])
def test_points_must_be_a_finite_table(points: FloatArray) -> None:
    with pytest.raises(FitError, match="shape"):
        slack_box(np.asarray(points), 0.1)


@pytest.mark.parametrize("penalty", [-1.0, np.nan, np.inf])
def test_the_penalty_must_be_a_number(penalty: float) -> None:
    with pytest.raises(FitError, match="penalty"):
        slack_box(np.zeros((2, 2)), penalty)


@pytest.mark.parametrize("outliers", [-0.1, 1.0, np.nan])
def test_outliers_must_be_a_share(outliers: float) -> None:
    with pytest.raises(FitError, match="outliers"):
        slack_box_for(np.zeros((2, 2)), outliers)


def test_scales_must_fit() -> None:
    with pytest.raises(FitError, match="scales"):
        slack_box(np.zeros((2, 2)), 1.0, scales=np.array([[1.0, -1.0], [1.0, 1.0]]))


def test_an_uncertified_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interior_point, "MOST_ITERATIONS", 2)
    with pytest.raises(FitError, match="duality gap"):
        slack_box(beta_points(30, 3), 0.05)


# --- whatever comes ----------------------------------------------------------------------------

coordinates = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.floats(0.0, 1.0, width=32),
    st.floats(-1e6, 1e6, width=32),
)
tables = st.tuples(st.integers(1, 9), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=coordinates)
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(tables, st.floats(0.01, 0.9), st.booleans())
def test_whatever_comes_is_certified(points: FloatArray, outliers: float, twice: bool) -> None:
    points = np.repeat(points, 2, axis=0) if twice else points
    box = slack_box_for(points, outliers)
    assert box.gap <= 1e-8
    assert (points.min(axis=0) <= box.lower).all()
    assert (box.lower <= box.upper).all()
    assert (box.upper <= points.max(axis=0)).all()
    below = np.maximum((box.lower - points).max(axis=1), 0.0)
    above = np.maximum((points - box.upper).max(axis=1), 0.0)
    np.testing.assert_array_equal(box.slack, np.stack([below, above], axis=1))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    arrays(np.float64, (8, 3), elements=st.floats(0.0, 1.0, width=16)),
    arrays(np.float64, 3, elements=st.floats(-8.0, 8.0)),
    st.floats(0.05, 0.9),
)
@example(
    np.array([[1, 0, 1], [1, 0, 0], [2, 1, 1], *[[1, 1, 1]] * 5]) / 2,
    np.array([-8.0, 1.0, -8.0]),
    0.75,
)
def test_units_of_any_size(points: FloatArray, exponents: FloatArray, outliers: float) -> None:
    units = 10.0**exponents
    box = slack_box_for(points * units, outliers, scales=np.stack([units, units]))
    assert box.gap <= 1e-6  # where units lie decades apart, rounding allows no better
    assert (box.lower <= box.upper).all()
