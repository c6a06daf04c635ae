"""Eq. 8: optimality conditions, certificate, invariances, closed forms, and the choice of λ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.affine import affine_frame
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid
from ringfence.fit.solvers.slack_ellipsoid.answer import SlackEllipsoid
from ringfence.fit.solvers.slack_ellipsoid.distinct import Tasks, merge_duplicates
from ringfence.fit.solvers.slack_ellipsoid.dual import duality_gap
from ringfence.fit.solvers.slack_ellipsoid.paper_grid import HALF_DECADES, paper_grid
from ringfence.fit.solvers.slack_ellipsoid.penalty import (
    n_outside,
    slack_ellipsoid_for,
)
from ringfence.fit.solvers.slack_ellipsoid.solve import slack_ellipsoid, solve

CLOUDS = ["normal", "uniform", "heavy", "grid", "copies", "clusters", "sphere", "flat", "far"]


def cloud(kind, n_tasks=40, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n_tasks, dim))
    if kind == "uniform":
        points = rng.random((n_tasks, dim))
    elif kind == "heavy":
        points = rng.standard_t(1, (n_tasks, dim))
    elif kind == "grid":
        points = rng.integers(0, 4, (n_tasks, dim)).astype(float)
    elif kind == "copies":
        points = np.repeat(points, 3, axis=0)
    elif kind == "clusters":
        points[: n_tasks // 4, 0] += 8
    elif kind == "sphere":
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif kind == "flat":
        points[:, -1] = points[:, 0] + 1e-6 * points[:, -1]
    elif kind == "far":
        points = 1e3 + 1e-2 * points
    return points


def penalty_of(share, points):
    """The λ that pays for at most this share of the points outside: #outside <= λ p T."""
    return share / points.shape[1]


def objective(points, penalty, center, factor):
    """Eq. 8 at an ellipsoid, written out."""
    norms = np.linalg.norm(np.linalg.solve(factor, (points - center).T), axis=0)
    return penalty * np.linalg.slogdet(factor)[1] + np.maximum(norms - 1, 0).mean()


def assert_optimal(points, fit, rtol=1e-5):
    """The optimality conditions of eq. 8, from the returned values alone."""
    n_tasks, dim = points.shape
    y = np.linalg.solve(fit.factor, (points - fit.center).T).T
    norms = np.linalg.norm(y, axis=1)
    full = n_tasks * fit.multipliers
    assert np.allclose(norms, fit.norms, rtol=1e-6)
    assert (full >= 0).all() and (full <= 1 + 1e-12).all()
    assert np.allclose(full[fit.norms > 1], 1, atol=1e-9)
    assert np.allclose(full[norms < 1 - 1e-5], 0, atol=1e-4)
    assert np.isclose(fit.multipliers @ norms, fit.penalty * dim, rtol=rtol)
    w = fit.multipliers / norms.clip(1e-9)
    assert np.allclose(w @ y / w.sum(), 0, atol=rtol * norms.max())
    assert np.allclose((y.T * w) @ y, fit.penalty * np.eye(dim), atol=rtol * fit.penalty)
    assert np.allclose(fit.factor, np.tril(fit.factor)) and (np.diag(fit.factor) > 0).all()


@pytest.mark.parametrize("kind", CLOUDS)
@pytest.mark.parametrize("share", [0.15, 0.4, 0.9, 5.0])
def test_optimality_conditions(kind, share):
    points = cloud(kind)
    fit = slack_ellipsoid(points, penalty_of(share, points), tol=1e-9)
    assert fit.gap <= 1e-7 if kind in ("flat", "far") else fit.gap <= 1e-9
    assert_optimal(points, fit)
    assert (fit.norms > 1).mean() <= fit.penalty * 3 + 1e-12  # the bracket on the count


@pytest.mark.parametrize("n_tasks, dim", [(2, 1), (9, 1), (5, 4), (6, 4), (80, 8)])
@pytest.mark.parametrize("share", [0.5, 0.9, 3.0])
def test_optimality_conditions_for_few_and_many_points(n_tasks, dim, share):
    points = cloud("normal", n_tasks, dim, seed=3)
    fit = slack_ellipsoid(points, penalty_of(share, points), tol=1e-9)
    assert fit.gap <= 1e-9
    assert_optimal(points, fit)


@pytest.mark.parametrize("seed", range(20))
def test_certificate_bounds_every_ellipsoid_from_below(seed):
    rng = np.random.default_rng(seed)
    points = cloud("heavy", 25, 2, seed)
    penalty = penalty_of(rng.uniform(0.2, 2), points)
    shares = np.full(25, 1 / 25)
    best = slack_ellipsoid(points, penalty, tol=1e-10)
    optimum = objective(points, penalty, best.center, best.factor)
    spread = rng.uniform(0.1, 5)
    center = best.center + spread * rng.standard_normal(2)
    factor = best.factor @ (np.eye(2) + 0.3 * np.tril(rng.standard_normal((2, 2)), -1)) * spread
    weights = rng.exponential(size=25) * (rng.random(25) < 0.7) / 25
    y = np.linalg.solve(factor, (points - center).T).T
    gap = duality_gap(y, np.linalg.norm(y, axis=1), shares, weights, penalty)
    excess = objective(points, penalty, center, factor) - optimum
    assert gap >= excess / penalty - 1e-9
    assert np.isfinite(gap)


def test_certificate_agrees_with_the_dual_written_out():
    points = cloud("normal", 20, 2)
    penalty = penalty_of(0.4, points)
    fit = slack_ellipsoid(points, penalty, tol=1e-10)
    y = np.linalg.solve(fit.factor, (points - fit.center).T).T
    v = fit.multipliers[:, None] * y / np.linalg.norm(y, axis=1)[:, None]
    cross = v.T @ points @ np.linalg.inv(fit.factor).T  # in a frame where it is symmetric
    assert np.allclose(v.sum(axis=0), 0, atol=1e-8)
    assert np.allclose(cross, cross.T, atol=1e-8)
    log_det = np.linalg.slogdet(cross)[1] + np.linalg.slogdet(fit.factor)[1]
    dual = penalty * (log_det + 2 * (1 - np.log(penalty))) - np.linalg.norm(v, axis=1).sum()
    assert np.isclose(dual, objective(points, penalty, fit.center, fit.factor), atol=1e-7)


def test_certificate_refuses_the_solution_of_another_penalty():
    points = cloud("normal")
    fit = slack_ellipsoid(points, penalty_of(0.4, points))
    y = np.linalg.solve(fit.factor, (points - fit.center).T).T
    gap = duality_gap(y, fit.norms, np.full(40, 1 / 40), fit.multipliers, 1.05 * fit.penalty)
    assert gap > 1e-4


@pytest.mark.parametrize("kind", ["normal", "uniform", "grid", "clusters"])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_agrees_with_cvxpy(kind, share):
    cp = pytest.importorskip("cvxpy")
    points = cloud(kind, 30, 2, seed=5)
    penalty = penalty_of(share, points)
    A, b, slack = cp.Variable((2, 2), PSD=True), cp.Variable((1, 2)), cp.Variable(30, nonneg=True)
    goal = cp.Minimize(-penalty * cp.log_det(A) + cp.sum(slack) / 30)
    cp.Problem(goal, [cp.norm(points @ A + b, axis=1) <= 1 + slack]).solve(solver=cp.CLARABEL)
    factor = np.linalg.inv(A.value)
    theirs = objective(points, penalty, -factor @ b.value[0], factor)
    fit = slack_ellipsoid(points, penalty, tol=1e-10)
    assert objective(points, penalty, fit.center, fit.factor) <= theirs + 1e-9
    y = np.linalg.solve(fit.factor, factor)
    assert np.allclose(y @ y.T, np.eye(2), atol=1e-3)


def interval_half_width(x, penalty):
    """Eq. 8 on the line. Equal shares s pull outwards at both ends, against the width W between
    them: λ W/2 = G(s), the sum of what they pull. As s grows G grows and W shrinks."""
    x, n_tasks, pulled = np.sort(x), len(x), 0.0
    for j in range(n_tasks // 2 + 1):
        width = x[n_tasks - 1 - j] - x[j]
        if width <= 0 or penalty < 2 * pulled / width:
            break
        if penalty <= 2 * (pulled / width + 1 / n_tasks):
            return width / 2
        pulled += width / n_tasks
    return pulled / penalty


@pytest.mark.parametrize("n_tasks", [2, 3, 8, 21])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.8, 1.3, 4.0])
def test_closed_form_on_the_line(n_tasks, share):
    for seed in range(5):
        points = cloud("heavy", n_tasks, 1, seed)
        fit = slack_ellipsoid(points, share, tol=1e-10)
        width = interval_half_width(points[:, 0], share)
        # Eq. 8 is -λ log a + convex in a = 1/width: a gap of g nats allows √(2g), to first order.
        assert np.isclose(fit.factor[0, 0], width, rtol=2 * np.sqrt(abs(fit.gap)) + 1e-9)


@pytest.mark.parametrize("kind", ["normal", "copies", "flat", "sphere"])
def test_small_penalties_give_the_exact_ellipsoid(kind):
    points = cloud(kind)
    exact = minimum_ellipsoid(np.unique(points, axis=0), tol=1e-10)
    dim = points.shape[1]
    for penalty in (1e-9, 1e-3, (dim + 1) / (dim * len(points))):
        fit = slack_ellipsoid(points, penalty, tol=1e-9)
        y = np.linalg.solve(exact.factor, fit.factor)
        assert np.allclose(y @ y.T, np.eye(dim), atol=1e-6)
        assert (fit.norms <= 1).all()
        assert np.isclose(fit.multipliers.sum(), penalty * dim, rtol=1e-6)


def test_solution_leaves_the_exact_ellipsoid_where_predicted():
    points = cloud("uniform", 60, 2)
    most = 1 / (60 * 2 * minimum_ellipsoid(points, tol=1e-10).weights.max())
    assert (slack_ellipsoid(points, 0.999 * most).norms <= 1).all()
    assert (slack_ellipsoid(points, 1.001 * most).norms > 1).sum() == 1


def test_a_simplex_is_left_by_all_points_at_once():
    points = cloud("normal", 5, 4)
    assert slack_ellipsoid_for(points, 0.01).penalty == pytest.approx(1 / 4, rel=0.011)
    fit = slack_ellipsoid(points, 0.5, tol=1e-10)
    assert np.allclose(fit.norms, 2)  # Σ α d = λ p, and all d are equal
    assert np.allclose(fit.center, points.mean(axis=0))


@pytest.mark.parametrize("kind", ["normal", "heavy", "grid"])
def test_affine_equivariance(kind):
    points = cloud(kind, dim=2)
    M, shift = np.array([[3.0, 1e-3], [-2e3, 5.0]]), np.array([1e4, -7.0])
    penalty = penalty_of(0.4, points)
    one = slack_ellipsoid(points, penalty, tol=1e-10)
    two = slack_ellipsoid(points @ M.T + shift, penalty, tol=1e-10)
    assert np.allclose(two.norms, one.norms, atol=1e-6)
    y = np.linalg.solve(two.factor, M @ one.factor)
    assert np.allclose(y @ y.T, np.eye(2), atol=1e-6)
    assert np.allclose(
        np.linalg.solve(two.factor, M @ one.center + shift - two.center), 0, atol=1e-6
    )


def test_the_choice_of_the_penalty_is_affine_invariant():
    points = cloud("heavy", dim=2)
    scaled = points * [1e-8, 1e8] + [0.0, 3e8]
    one, two = slack_ellipsoid_for(points, 0.2), slack_ellipsoid_for(scaled, 0.2)
    assert np.isclose(one.penalty, two.penalty, rtol=1e-6)
    assert np.array_equal(one.norms > 1, two.norms > 1)


def test_rows_keep_their_order():
    points = cloud("grid")
    order = np.random.default_rng(1).permutation(len(points))
    one, two = slack_ellipsoid(points, 0.1), slack_ellipsoid(points[order], 0.1)
    assert np.allclose(one.norms[order], two.norms)
    assert np.allclose(one.multipliers[order], two.multipliers)


def test_merged_copies_change_nothing():
    points = np.repeat(cloud("normal", 15, 3), [1, 2, 3] * 5, axis=0)
    penalty = penalty_of(0.5, points)
    apart = solve(Tasks(points, np.ones(len(points), dtype=np.int64)), penalty, None, 1e-10)
    merged = slack_ellipsoid(points, penalty, tol=1e-10)
    assert len(merge_duplicates(points)[0].points) == 15
    assert np.allclose(apart.center, merged.center, atol=1e-8)
    assert np.allclose(apart.factor, merged.factor, atol=1e-8)
    assert np.allclose(apart.norms, merged.norms, atol=1e-8)


def test_a_start_changes_the_time_only():
    points = cloud("clusters")
    near = slack_ellipsoid(points, penalty_of(0.35, points))
    cold = slack_ellipsoid(points, penalty_of(0.4, points), tol=1e-10)
    warm = slack_ellipsoid(points, penalty_of(0.4, points), start=near, tol=1e-10)
    assert np.allclose(warm.factor, cold.factor, atol=1e-8)
    again = slack_ellipsoid(points, penalty_of(0.4, points), start=warm, tol=1e-10)
    assert np.allclose(again.factor, cold.factor, atol=1e-8)


@pytest.mark.parametrize("kind", ["normal", "uniform", "heavy", "grid", "copies", "sphere"])
@pytest.mark.parametrize("outliers", [0.05, 0.1, 0.3, 0.9])
def test_the_rule(kind, outliers):
    points = cloud(kind, 30, 2, seed=2)
    fit = slack_ellipsoid_for(points, outliers)
    wanted = n_outliers(outliers, len(points))
    assert fit.gap <= 1e-9
    assert_optimal(points, fit)
    assert n_outside(fit) >= wanted
    assert n_outside(slack_ellipsoid(points, 0.98 * fit.penalty, tol=1e-9)) < wanted
    assert np.array_equal(fit.slack > 0, fit.norms > 1)


def test_the_rule_with_more_points_than_are_searched_at_once():
    points = cloud("normal", 6000, 2)
    fit = slack_ellipsoid_for(points, 0.1)
    assert fit.gap <= 1e-9
    assert_optimal(points, fit)
    assert 600 <= n_outside(fit) <= 612
    assert n_outside(slack_ellipsoid(points, 0.98 * fit.penalty, tol=1e-9)) < 600


def test_planted_outliers_are_those_left_out():
    points = cloud("uniform", 60, 3)
    points[[7, 23]] += [[4.0, 0.0, 0.0], [0.0, -3.0, 5.0]]
    fit, exact = slack_ellipsoid_for(points, 0.1), slack_ellipsoid_for(points, 0.0)
    assert set(np.argsort(fit.norms)[-2:].tolist()) == {7, 23}
    assert n_outside(fit) == 6
    assert fit.norms[[7, 23]].min() > 2 > np.delete(fit.norms, [7, 23]).max()
    assert np.linalg.det(fit.factor) < np.linalg.det(exact.factor) / 5


def test_an_exact_ellipsoid_that_touches_a_simplex_is_left_by_all_of_it():
    points = cloud("uniform", 40, 3)
    points[[7, 23]] += [[4.0, 0.0, 0.0], [0.0, -3.0, 5.0]]
    support = minimum_ellipsoid(points, tol=1e-10).weights > 1e-6
    assert support.sum() == 4
    assert np.array_equal(slack_ellipsoid_for(points, 1 / 40).norms > 1, support)


def test_the_count_may_dip_as_the_penalty_grows():
    points = np.random.default_rng(7).standard_normal((8, 2))
    fits = [slack_ellipsoid(points, penalty_of(share, points)) for share in (0.69, 0.80, 0.95)]
    assert [n_outside(fit) for fit in fits] == [4, 3, 4]
    assert max(fit.gap for fit in fits) <= 1e-8


@pytest.mark.parametrize("n_tasks", [7, 20])
def test_on_the_line_the_count_never_dips(n_tasks):
    points = cloud("heavy", n_tasks, 1, seed=4)
    counts = [n_outside(slack_ellipsoid(points, share)) for share in np.linspace(0.1, 1.5, 60)]
    assert (np.diff(counts) >= 0).all() and counts[-1] > counts[0]


def test_no_outliers_is_the_exact_ellipsoid():
    points = cloud("normal")
    exact, fit = minimum_ellipsoid(points, tol=1e-10), slack_ellipsoid_for(points, 0.0)
    assert np.allclose(fit.factor, exact.factor, atol=1e-6)
    assert (fit.norms <= 1).all()
    assert n_outside(slack_ellipsoid(points, 1.01 * fit.penalty)) > 0


def test_rounding_of_the_share_asks_for_no_further_task():
    assert n_outliers(3.0000000001 / 30, 30) == 3
    assert n_outliers(0.1 + 0.2, 10) == 3
    assert n_outliers(0.101, 30) == 4
    assert n_outliers(1e-3, 30) == 1


def test_tasks_that_hold_the_center_are_not_left_out():
    line = slack_ellipsoid_for(np.array([[0.0], [1.0], [5.0]]), 0.9)
    assert np.array_equal(line.norms > 1, [True, False, True])
    points = np.vstack([np.zeros((30, 2)), cloud("normal", 10, 2)])
    assert n_outside(slack_ellipsoid_for(points, 0.2)) >= 8
    fit = slack_ellipsoid_for(points, 0.5)
    assert np.array_equal(fit.norms > 1, np.arange(40) >= 30)
    assert fit.gap <= 1e-9
    assert n_outside(slack_ellipsoid(points, 0.98 * fit.penalty, tol=1e-9)) < 10


def test_paper_grid_takes_the_first_value_that_will_do():
    points = 100 * cloud("normal")
    fit = paper_grid(points, 0.1)
    scale = np.linalg.slogdet(minimum_ellipsoid(points).factor)[1]
    s = fit.penalty * scale
    place = int(np.argmin(np.abs(np.log(HALF_DECADES) - np.log(s))))
    assert np.isclose(s, HALF_DECADES[place])
    assert n_outside(fit) >= 4
    assert n_outside(slack_ellipsoid(points, HALF_DECADES[place - 1] / scale)) < 4
    with pytest.raises(FitError, match="extend the grid"):
        paper_grid(points, 0.1, [1e-4, 1e-3])


def test_paper_grid_is_undefined_for_small_ellipsoids():
    with pytest.raises(FitError, match="Q > 0"):
        paper_grid(0.01 * cloud("uniform"), 0.1)


@pytest.mark.parametrize("penalty", [0.0, -1.0, np.nan, np.inf])
def test_refuses_penalties_that_mean_nothing(penalty):
    with pytest.raises(FitError, match="penalty"):
        slack_ellipsoid(cloud("normal"), penalty)


@pytest.mark.parametrize("outliers", [-0.1, 1.0, np.nan])
def test_refuses_shares_that_mean_nothing(outliers):
    with pytest.raises(FitError, match="outliers"):
        slack_ellipsoid_for(cloud("normal"), outliers)


def test_refuses_points_that_have_no_slack_ellipsoid():
    plane = cloud("normal")
    plane[:, 2] = plane[:, 0]
    with pytest.raises(FitError, match="span only 2 of 3"):
        slack_ellipsoid(plane, 0.4)
    with pytest.raises(FitError, match="span only 2 of 3"):
        slack_ellipsoid_for(plane, 0.1)
    with pytest.raises(FitError, match="point 4 has the coordinate 1 = nan"):
        slack_ellipsoid(np.where(np.arange(120).reshape(40, 3) == 13, np.nan, plane), 0.4)
    with pytest.raises(FitError, match="shape"):
        slack_ellipsoid(np.zeros((0, 3)), 0.4)
    with pytest.raises(FitError, match="same points"):
        other: SlackEllipsoid = slack_ellipsoid(cloud("normal", 30), 0.4)
        slack_ellipsoid(cloud("normal"), 0.4, start=other)


@st.composite
def wild_clouds(draw):
    """Repeated points, near-collinear ones, scales over sixteen decades."""
    dim = draw(st.integers(1, 4))
    n_tasks = draw(st.integers(dim + 1, 14))
    row = st.lists(st.integers(-3, 3), min_size=dim, max_size=dim)
    points = np.array(draw(st.lists(row, min_size=n_tasks, max_size=n_tasks)), dtype=float)
    if dim > 1 and draw(st.booleans()):
        points[:, -1] = points[:, 0] + 1e-5 * points[:, -1]
    exponents = draw(st.lists(st.integers(-8, 8), min_size=dim, max_size=dim))
    return points * 10.0 ** np.array(exponents)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(points=wild_clouds(), share=st.floats(0.05, 3.0))
def test_wild_clouds_are_certified(points, share):
    assume(affine_frame(points).rank == points.shape[1])
    fit = slack_ellipsoid(points, penalty_of(share, points), tol=1e-9)
    assert fit.gap <= 1e-8
    assert_optimal(points, fit, rtol=1e-4)
    assert (fit.norms > 1).mean() <= min(share, 1) + 1e-12


@settings(max_examples=30, deadline=None, derandomize=True)
@given(points=wild_clouds(), outliers=st.sampled_from([0.1, 0.25]))
def test_wild_clouds_obey_the_rule(points, outliers):
    assume(affine_frame(points).rank == points.shape[1])
    most_at_one_place = merge_duplicates(points)[0].shares.max()
    assume(most_at_one_place < 0.5)
    fit = slack_ellipsoid_for(points, outliers)
    assert n_outside(fit) >= n_outliers(outliers, len(points))
    assert fit.gap <= 1e-8
