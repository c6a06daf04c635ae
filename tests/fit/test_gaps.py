"""Ellipsoids around tasks that lack coordinates: oracles, brute force, invariances."""

from __future__ import annotations

import itertools

import cvxpy
import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from ringfence.errors import FitError
from ringfence.fit import gaps
from ringfence.fit.box import fit_box
from ringfence.fit.ellipsoid import fit_ellipsoid
from ringfence.fit.literal import Units, fit_literal_ellipsoid
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import FEW_TASKS_REACH
from ringfence.fit.solvers.free_ellipsoid import descent
from ringfence.fit.solvers.free_ellipsoid.descent import descend, free_ellipsoid
from ringfence.fit.solvers.free_ellipsoid.padded import padded_ellipsoid
from ringfence.fit.solvers.free_ellipsoid.room import with_room
from ringfence.fit.solvers.triangular import lower_triangular
from ringfence.regions import Ellipsoid
from ringfence.regions.completion import completed, patterns


def cloud(seed: int, n: int, p: int, missing: float = 0.3) -> np.ndarray:
    """Random points of the cube with gaps; everyone has something, and someone each coordinate."""
    rng = np.random.default_rng(seed)
    x = np.clip(0.5 + 0.2 * rng.standard_normal((n, p)) @ rng.standard_normal((p, p)), 0, 1)
    gaps = rng.random((n, p)) < missing
    gaps[np.arange(n), rng.integers(p, size=n)] = False
    gaps[rng.integers(n, size=p), np.arange(p)] = False
    return np.where(gaps, np.nan, x)


def exclusive(seed: int, n: int) -> np.ndarray:
    """One coordinate that all have, and two that nobody has together: a support vector machine."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 0.9, (n, 3))
    kernel = np.arange(n) % 3
    x[kernel != 1, 1] = np.nan
    x[kernel != 2, 2] = np.nan
    return x


def mean_log_shadow(factor: np.ndarray, points: np.ndarray) -> float:
    """(1/2n) Σ log det S_OO, by determinants."""
    S = factor @ factor.T
    return 0.5 * float(np.mean([np.linalg.slogdet(S[np.ix_(h, h)])[1] for h in ~np.isnan(points)]))


@pytest.mark.parametrize("p, m", [(2, 1), (3, 2), (5, 3), (8, 6)])
def test_a_completion_is_the_bounded_least_squares_one(p, m):
    rng = np.random.default_rng(p)
    factor = np.tril(rng.standard_normal((p, p))) * 0.3 + 0.1 * np.eye(p)
    inverse, center = np.linalg.inv(factor), rng.random(p)
    x = rng.random((40, p))
    for row in x:
        row[rng.permutation(p)[:m]] = np.nan
    full = completed(x, center, inverse)
    for row, found in zip(x, full):
        gap = np.isnan(row)
        assert (found[~gap] == row[~gap]).all()
        known = inverse[:, ~gap] @ (center[~gap] - row[~gap]) + inverse[:, gap] @ center[gap]
        oracle = lsq_linear(inverse[:, gap], known, (0.0, 1.0), method="bvls", tol=1e-14)
        reached = np.linalg.norm(inverse @ (found - center))
        assert reached**2 == pytest.approx(2 * oracle.cost, rel=1e-9)
        assert ((found >= 0) & (found <= 1)).all()


def test_points_without_gaps_stay_as_they_are():
    x = np.random.default_rng(0).random((5, 2))
    assert completed(x, np.zeros(2), np.eye(2)) is x


@pytest.mark.parametrize("seed", range(3))
def test_the_convex_step_is_that_of_cvxpy(seed):
    """log det S + tr S⁻¹C with A = S^(-1/2)."""
    rng = np.random.default_rng(seed)
    n, p = 15, 3
    y = rng.standard_normal((n, p))
    root = rng.standard_normal((p, seed))  # of rank 0, 1 and 2
    C = 0.3 * root @ root.T
    found = padded_ellipsoid(y, C, np.full(n, p / n), 1e-8)
    A, b = cvxpy.Variable((p, p), PSD=True), cvxpy.Variable(p)
    padding = cvxpy.sum_squares(A @ (np.sqrt(0.3) * root)) if seed else 0.0
    rules = [cvxpy.norm(A @ y.T + b[:, None], axis=0) <= 1]
    problem = cvxpy.Problem(cvxpy.Minimize(-2 * cvxpy.log_det(A) + padding), rules)
    problem.solve(solver=cvxpy.CLARABEL)
    assert found.value == pytest.approx(problem.value, abs=1e-5)
    assert found.bound <= problem.value + 1e-6
    assert found.value - found.bound <= 1e-8


@pytest.mark.parametrize("shape", ["full rank", "few"])
def test_if_nobody_lacks_anything_it_is_eq_6(shape):
    x = np.random.default_rng(1).random((20 if shape == "full rank" else 4, 3))
    exact = fit_ellipsoid(x)
    shares = np.full(len(x), 1 / len(x))
    found = free_ellipsoid(x, shares, starts=2, tol=1e-9)
    assert found.factor == pytest.approx(exact.region.factor, abs=1e-5)
    assert found.center == pytest.approx(exact.region.center, abs=1e-5)


@pytest.mark.parametrize("make", [lambda s: cloud(s, 25, 4), lambda s: exclusive(s, 24)])
@pytest.mark.parametrize("seed", range(3))
def test_every_task_is_inside_and_no_step_makes_it_larger(make, seed):
    x = make(seed)
    more, _ = with_room(x)
    shares = np.where(np.arange(len(more)) < len(x), 1 / len(x), 0.0)
    found = free_ellipsoid(more, shares, starts=1)
    assert (np.diff(found.path) <= 0).all()
    assert found.value == pytest.approx(mean_log_shadow(found.factor, x))
    assert found.gap <= 1e-5
    fit = fit_ellipsoid(x)
    full = fit.region.complete(x)
    assert fit.region.contains(full).all()
    assert ((full >= 0) & (full <= 1)).all() and ((fit.region.center >= 0).all())
    assert (fit.region.norm(full) > 1 - 1e-4).any()  # and it touches someone


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_smaller_by_brute_force(seed):
    """Two or three parameters, eight tasks: any ellipsoid, from many starts of a plain solver."""
    p = 2 + seed % 2
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 0.9, (8, p))
    x[:2, 0], x[2:4, 1] = np.nan, np.nan
    found = fit_ellipsoid(x)
    best = min(_brute_force(x, rng) for _ in range(5))
    assert mean_log_shadow(found.region.factor, x) <= best + 1e-3


def _brute_force(x: np.ndarray, rng: np.random.Generator) -> float:
    p = x.shape[1]
    places = np.tril_indices(p)

    def ellipsoid(theta):
        factor = np.zeros((p, p))
        factor[places] = theta[p:]
        return theta[:p], factor + 1e-9 * np.eye(p)

    def room(theta):
        center, factor = ellipsoid(theta)
        inverse = np.linalg.inv(factor)
        full = completed(x, center, inverse)
        return 1 - (((full - center) @ inverse.T) ** 2).sum(axis=1)

    start = np.concatenate([rng.uniform(0.3, 0.7, p), rng.standard_normal(len(places[0]))])
    answer = minimize(
        lambda theta: mean_log_shadow(ellipsoid(theta)[1], x),
        start,
        constraints={"type": "ineq", "fun": room},
        method="SLSQP",
        options={"maxiter": 300},
    )
    return float(answer.fun) if room(answer.x).min() > -1e-6 else np.inf


def test_the_volume_itself_has_no_least_value_if_parameters_exclude_each_other():
    """Why shadows are measured: completions fit on a plane."""
    x = exclusive(0, 12)
    for thickness in (1e-1, 1e-3, 1e-5):
        normal = np.array([0.2, 1.0, 1.0])
        along = np.linalg.qr(np.column_stack([normal, np.eye(3)[:, :2]]))[0]
        factor = lower_triangular(along * np.array([thickness, 2.0, 2.0]))
        flat = Ellipsoid(np.full(3, 0.5), factor)
        assert flat.contains(completed(x, flat.center, flat.inverse)).all()
        assert flat.log_volume < np.log(20 * thickness)


def test_that_everyone_lacks_something_is_not_enough_for_that():
    """Completions stay in the cube: each of two of three parameters at all corners of a square."""
    square = np.array(list(np.ndindex(2, 2)), dtype=float)
    x = np.vstack([np.insert(square, j, np.nan, axis=1) for j in range(3)])
    normals = np.random.default_rng(0).standard_normal((2000, 3))
    normals = np.vstack([np.ones(3), normals])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    known = np.nan_to_num(x) @ normals.T
    free = np.isnan(x).astype(float)
    low, high = (known + free @ part(normals, 0).T for part in (np.minimum, np.maximum))
    thinnest = low.max(axis=0) - high.min(axis=0)
    assert thinnest[0] == pytest.approx(1 / np.sqrt(3)) and thinnest.min() > 1 / np.sqrt(3) - 1e-9


def test_a_further_task_may_make_one_cloud_smaller():
    """Known of the objective, a mean over the tasks; the exact region of eq. 6 only grows."""
    rng = np.random.default_rng(2)
    changes = []
    for _ in range(6):
        x = rng.uniform(0.1, 0.9, (14, 3))
        x[np.arange(14) % 3 != 1, 1] = np.nan
        x[np.arange(14) % 3 != 2, 2] = np.nan
        few, all_ = (fit_ellipsoid(points).region for points in (x[:-1], x))
        changes.append(all_.log_volume - few.log_volume)
    assert min(changes) < -1e-4 and max(changes) > 0


def test_what_nobody_has_together_stays_nearly_independent_in_this_cloud():
    found = fit_ellipsoid(exclusive(1, 30)).region
    precision = np.linalg.inv(found.factor @ found.factor.T)
    scale = np.sqrt(np.diag(precision))
    assert abs(precision[1, 2]) < 0.05 * scale[1] * scale[2]


def test_units_and_order_do_not_matter():
    x = cloud(5, 30, 3) * 0.5 + 0.25  # so that the cube does not bind
    swapped = fit_ellipsoid(x[::-1, [2, 0, 1]]).region
    plain = fit_ellipsoid(x).region
    S, T = (each.factor @ each.factor.T for each in (plain, swapped))
    assert pytest.approx(S[np.ix_([2, 0, 1], [2, 0, 1])], abs=2e-3) == T


def test_a_coordinate_that_one_task_has_gets_the_room_of_few_tasks():
    rng = np.random.default_rng(2)
    x = np.column_stack([rng.random(20), np.full(20, np.nan)])
    x[3, 1] = 0.5
    fit = fit_ellipsoid(x)
    assert fit.widened == 1
    assert fit.region.contains(np.array([[x[3, 0], 0.5 - FEW_TASKS_REACH]])).all()
    alone = np.ptp(x[:, 0]) / 2  # the others determine the first coordinate exactly
    assert np.linalg.norm(fit.region.factor[0]) == pytest.approx(alone, rel=0.05)


def test_gaps_that_say_nothing_are_refused():
    x = np.array([[0.1, np.nan], [0.2, np.nan]])
    with pytest.raises(FitError, match="no task has one of the coordinates"):
        fit_ellipsoid(x)


@pytest.mark.parametrize("outliers", [0.1, 0.3])
def test_outliers_leave_enough_outside_and_less_volume(outliers):
    x = cloud(7, 30, 3)
    all_of_them, fit = fit_ellipsoid(x), fit_ellipsoid(x, outliers)
    outside = ~fit.region.contains(fit.region.complete(x))
    assert (outside == (fit.slack > 0)).all()
    assert n_outliers(outliers, 30) <= outside.sum() <= n_outliers(outliers, 30) + 4
    size = [mean_log_shadow(each.region.factor, x) for each in (all_of_them, fit)]
    assert size[1] < size[0]


def test_a_task_of_its_own_is_the_one_that_leaves():
    rng = np.random.default_rng(3)
    x = 0.3 + 0.1 * rng.random((20, 3))
    x[5] = [0.95, 0.9, np.nan]
    x[::2, 2] = np.nan
    assert (fit_ellipsoid(x, 0.05).slack > 0).nonzero()[0].tolist() == [5]


def test_eq_8_as_printed_around_completions():
    """λ is s/Q, s of the grid, and the region solves eq. 8 around the completed tasks."""
    x = exclusive(4, 24)
    units = Units(np.zeros(3), np.full(3, 20.0), np.zeros((2, 3)))
    fit = fit_literal_ellipsoid(x, units, 0.1)
    assert (fit.slack > 0).sum() >= 3 and fit.gap <= 1e-6
    assert fit.penalty is not None
    more, _ = with_room(x)
    shares = np.where(np.arange(len(more)) < len(x), 1 / len(x), 0.0)
    full = free_ellipsoid(more, shares).points[: len(x)]
    A, b = cvxpy.Variable((3, 3), PSD=True), cvxpy.Variable(3)
    xi = cvxpy.Variable(len(x), nonneg=True)
    norms = cvxpy.norm(A @ full.T + b[:, None], axis=0)
    total = -fit.penalty * cvxpy.log_det(A) + cvxpy.sum(xi) / len(x)
    cvxpy.Problem(cvxpy.Minimize(total), [norms <= 1 + xi]).solve(solver=cvxpy.CLARABEL)
    ours = fit.region.norm(full)
    assert ours == pytest.approx(norms.value, abs=1e-3)


def test_a_box_with_gaps_has_each_range_from_those_who_know_it():
    x = cloud(9, 12, 3)
    fit = fit_box(x)
    assert fit.region.lower == pytest.approx(np.nanmin(x, axis=0))
    assert fit.region.upper == pytest.approx(np.nanmax(x, axis=0))
    slack = fit_box(x, 0.25)
    outside = ~slack.region.contains(slack.region.complete(x))
    assert outside.sum() >= 3 and (slack.region.upper <= fit.region.upper + 1e-9).all()


def test_patterns_are_all_of_them_once():
    x = cloud(11, 40, 3)
    seen = np.zeros(40, dtype=int)
    for has, rows in patterns(x):
        assert (~np.isnan(x[rows]) == has).all()
        seen += rows
    assert (seen == 1).all()


def test_a_start_far_off_ends_the_same():
    x = exclusive(6, 30)
    shares = np.full(30, 1 / 30)
    values = [
        descend(x, shares, np.array(c), 0.1 * np.eye(3), tol=1e-7).value
        for c in itertools.product((0.1, 0.9), (0.1, 0.9), (0.5,))
    ]
    assert max(values) - min(values) < 1e-4


def test_which_points_have_what_is_looked_up_once_a_descent(monkeypatch):
    calls = []
    monkeypatch.setattr(descent, "patterns", lambda x: calls.append(x) or patterns(x))
    x = np.random.default_rng(5).uniform(0.2, 0.8, (12, 3))
    x[::2, 1] = np.nan
    free_ellipsoid(x, np.full(12, 1 / 12), starts=2)
    assert len(calls) == 2


def test_the_same_points_are_fitted_once():
    x = np.random.default_rng(6).uniform(0.2, 0.8, (14, 2))
    x[::3, 0] = np.nan
    first = fit_ellipsoid(x)
    before = gaps._remembered.cache_info()
    again = fit_ellipsoid(x.copy())
    after = gaps._remembered.cache_info()
    assert (after.hits - before.hits, after.misses - before.misses) == (1, 0)
    assert again.region.factor.tolist() == first.region.factor.tolist()
    gaps._remembered.cache_clear()
    assert fit_ellipsoid(x).region.factor.tolist() == first.region.factor.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_a_start_near_the_answer_gives_the_same_ellipsoid(seed):
    """Without one of the tasks, from the ellipsoid of all: as small as from three starts."""
    x = cloud(seed, 24, 3)
    everyone = fit_ellipsoid(x)
    rest = np.delete(x, seed, axis=0)
    plain, near = fit_ellipsoid(rest), fit_ellipsoid(rest, near=everyone)
    values = [mean_log_shadow(fit.region.factor, rest) for fit in (plain, near)]
    assert values[1] <= values[0] + 5e-3
    assert near.region.contains(near.region.complete(rest)).all()


def test_a_start_is_not_used_if_it_could_say_what_no_task_shows():
    x = exclusive(0, 12)  # nobody has the last two coordinates together
    leaning = fit_ellipsoid(np.clip(0.5 + 0.1 * np.random.default_rng(0).random((9, 3)), 0, 1))
    plain, near = fit_ellipsoid(x), fit_ellipsoid(x, near=leaning)
    assert np.array_equal(plain.region.factor, near.region.factor)
