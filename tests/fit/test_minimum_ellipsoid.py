"""The exact ellipsoid (eq. 6): closed forms, optimality conditions, invariances, and an oracle."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_triangular

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers import minimum_ellipsoid as module
from ringfence.fit.solvers.minimum_ellipsoid import MinimumEllipsoid, minimum_ellipsoid


def norms(e: MinimumEllipsoid, points: FloatArray) -> FloatArray:
    return np.linalg.norm(solve_triangular(e.factor, (points - e.center).T, lower=True), axis=0)


def log_volume(e: MinimumEllipsoid) -> float:
    """Relative to the unit ball."""
    return float(np.log(e.factor.diagonal()).sum())


def assert_certified(points: FloatArray, e: MinimumEllipsoid, gap: float = 1e-6) -> None:
    """John's conditions, measured in the ellipsoid's own coordinates."""
    dim = points.shape[1]
    assert (np.triu(e.factor, 1) == 0).all()
    assert (e.factor.diagonal() > 0).all()
    assert norms(e, points).max() <= 1 + 1e-12

    assert (e.weights >= 0).all()
    assert e.weights.sum() == pytest.approx(1, abs=1e-12)
    v = solve_triangular(e.factor, (points - e.center).T, lower=True)
    scatter = dim * (v * e.weights) @ v.T
    assert np.abs(v @ e.weights).max() <= 1e-6
    assert np.abs(scatter - np.eye(dim)).max() <= 10 * gap
    assert (e.weights * (1 - (v**2).sum(axis=0))).max() <= 10 * gap
    # Weak duality: no ellipsoid that holds the points has a smaller log det than p S has, halved.
    excess = -0.5 * np.linalg.slogdet(scatter)[1]
    assert excess <= e.gap + 1e-9
    assert 0 <= e.gap <= gap


def assert_same(one: MinimumEllipsoid, other: MinimumEllipsoid) -> None:
    """Within `gap` of the unique optimum, ellipsoids differ by a multiple of √gap at most."""
    ratio = solve_triangular(one.factor, other.factor, lower=True)
    shift = solve_triangular(one.factor, other.center - one.center, lower=True)
    allowed = 10 * np.sqrt(one.gap + other.gap)
    assert np.linalg.norm(ratio @ ratio.T - np.eye(len(ratio))) <= allowed
    assert np.linalg.norm(shift) <= allowed
    assert log_volume(one) == pytest.approx(log_volume(other), abs=one.gap + other.gap + 1e-9)


def assert_is(e: MinimumEllipsoid, center: FloatArray, shape: FloatArray) -> None:
    """The ellipsoid is {x : (x - center)ᵀ shape⁻¹ (x - center) ≤ 1}."""
    exact = MinimumEllipsoid(center, np.linalg.cholesky(shape), np.empty(0), 0.0)
    assert_same(e, exact)


def simplex(dim: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    points = np.vstack([np.zeros(dim), np.eye(dim)])
    return points, points.mean(axis=0), dim * np.cov(points.T, bias=True).reshape(dim, dim)


def cube(dim: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=dim)))
    return corners, np.zeros(dim), dim * np.eye(dim)


def cross_polytope(dim: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    return np.vstack([np.eye(dim), -np.eye(dim)]), np.zeros(dim), np.eye(dim)


def stretched_cube(dim: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Corners, and points inside the ball around them."""
    corners, center, shape = cube(dim)
    inner = np.random.default_rng(dim).standard_normal((50, dim))
    inner *= 0.99 * np.sqrt(dim) / np.linalg.norm(inner, axis=1, keepdims=True)
    return np.vstack([corners, inner]), center, shape


CLOSED = [
    *((simplex, dim) for dim in (1, 2, 3, 10, 50)),
    *((cube, dim) for dim in (1, 2, 3, 7, 10)),
    *((cross_polytope, dim) for dim in (1, 2, 3, 10, 50)),
    *((stretched_cube, dim) for dim in (2, 4)),
]
Closed = Callable[[int], tuple[FloatArray, FloatArray, FloatArray]]


@pytest.mark.parametrize(("body", "dim"), CLOSED)
def test_closed_forms(body: Closed, dim: int) -> None:
    points, center, shape = body(dim)
    e = minimum_ellipsoid(points, tol=1e-10)
    assert_certified(points, e)
    assert_is(e, center, shape)


@pytest.mark.parametrize(("body", "dim"), CLOSED)
def test_closed_forms_under_affine_maps(body: Closed, dim: int) -> None:
    points, center, shape = body(dim)
    rng = np.random.default_rng(dim)
    linear, shift = rng.standard_normal((dim, dim)) + 2 * np.eye(dim), rng.standard_normal(dim)
    e = minimum_ellipsoid(points @ linear.T + shift, tol=1e-10)
    assert_certified(points @ linear.T + shift, e)
    assert_is(e, linear @ center + shift, linear @ shape @ linear.T)


@pytest.mark.parametrize("values", [[0.0, 1.0], [3.0, -1.0, 2.0], [5.0, 5.0, 5.5], [1e8, -1e-8]])
def test_in_one_dimension_it_is_the_interval(values: list[float]) -> None:
    e = minimum_ellipsoid(np.array(values)[:, None], tol=1e-12)
    assert e.center[0] == pytest.approx((max(values) + min(values)) / 2, abs=1e-11 * max(values))
    assert e.factor[0, 0] == pytest.approx((max(values) - min(values)) / 2, rel=1e-11)


@pytest.mark.parametrize("dim", [1, 2, 5, 20, 50])
def test_a_simplex_has_equal_weights(dim: int) -> None:
    points = np.random.default_rng(dim).standard_normal((dim + 1, dim))
    e = minimum_ellipsoid(points)
    np.testing.assert_allclose(e.weights, 1 / (dim + 1), rtol=1e-9)
    np.testing.assert_allclose(norms(e, points), 1, rtol=1e-9)


CLOUDS: dict[str, Callable[[np.random.Generator, int, int], FloatArray]] = {
    "normal": lambda rng, count, dim: rng.standard_normal((count, dim)),
    "uniform": lambda rng, count, dim: rng.uniform(size=(count, dim)),
    "Cauchy": lambda rng, count, dim: rng.standard_cauchy((count, dim)),
    "sphere": lambda rng, count, dim: _unit(rng.standard_normal((count, dim + 1)))[:, :dim],
    "repeated": lambda rng, count, dim: rng.standard_normal((count, dim)).repeat(3, axis=0),
    "outlier": lambda rng, count, dim: np.vstack(
        [rng.standard_normal((count, dim)), 1e4 * rng.standard_normal(dim)]
    ),
    "decades": lambda rng, count, dim: (
        rng.standard_normal((count, dim)) * 10.0 ** rng.uniform(-8, 8, dim)
    ),
    "grid": lambda rng, count, dim: np.vstack(
        [np.eye(dim + 1, dim), rng.integers(0, 4, (count, dim))]
    ),
}


def _unit(x: FloatArray) -> FloatArray:
    unit: FloatArray = x / np.linalg.norm(x, axis=1, keepdims=True)
    return unit


@pytest.mark.parametrize("kind", CLOUDS)
def test_a_thousand_clouds_are_certified(kind: str) -> None:
    rng = np.random.default_rng(list(CLOUDS).index(kind))
    for dim in [*range(1, 51), *range(1, 26), *range(1, 26), *range(1, 26)]:  # 8 kinds × 125
        points = CLOUDS[kind](rng, dim + 1 + int(rng.integers(0, 2 * dim + 10)), dim)
        assert_certified(points, minimum_ellipsoid(points))


@pytest.mark.parametrize("kind", CLOUDS)
def test_many_points_are_solved_on_a_working_set(kind: str) -> None:
    points = CLOUDS[kind](np.random.default_rng(3), 20_000, 6)
    e = minimum_ellipsoid(points)
    assert_certified(points, e)
    assert (e.weights > 0).sum() < 1000


def cvxpy_log_volume(points: FloatArray) -> float:
    dim = points.shape[1]
    A, b = cp.Variable((dim, dim), PSD=True), cp.Variable((1, dim))
    problem = cp.Problem(cp.Minimize(-cp.log_det(A)), [cp.norm(points @ A + b, 2, axis=1) <= 1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem.solve(solver=cp.CLARABEL)
    except cp.SolverError:
        pytest.skip("CVXPY does not solve this one")
    if problem.status != cp.OPTIMAL:
        pytest.skip(f"CVXPY reports {problem.status}")
    return float(problem.value)


@pytest.mark.parametrize("kind", ["normal", "uniform", "repeated", "grid", "sphere"])
@pytest.mark.parametrize(("count", "dim"), [(5, 2), (30, 3), (40, 6), (120, 4), (25, 12)])
def test_agrees_with_cvxpy(kind: str, count: int, dim: int) -> None:
    points = CLOUDS[kind](np.random.default_rng(count), count, dim)
    assert log_volume(minimum_ellipsoid(points)) == pytest.approx(
        cvxpy_log_volume(points), abs=2e-6
    )


SEEDS = st.integers(0, 2**32)


@settings(deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(0, 60))
def test_affine_equivariance(seed: int, dim: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((dim + 2 + more, dim))
    rotation = np.linalg.qr(rng.standard_normal((dim, dim)))[0]
    linear, shift = rotation * 10.0 ** rng.uniform(-2, 2, dim), rng.standard_normal(dim)
    e = minimum_ellipsoid(points, tol=1e-9)
    image = minimum_ellipsoid(points @ linear.T + shift, tol=1e-9)
    mapped = np.linalg.qr((linear @ e.factor).T, mode="r").T
    mapped *= np.sign(mapped.diagonal())
    assert_same(
        image, MinimumEllipsoid(linear @ e.center + shift, mapped, e.weights, e.gap + 1e-10)
    )


@settings(deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(0, 60))
def test_points_inside_change_nothing(seed: int, dim: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((dim + 1 + more, dim))
    e = minimum_ellipsoid(points, tol=1e-9)
    inside = _unit(rng.standard_normal((200, dim))) * rng.uniform(0, 1 - 1e-4, (200, 1))
    assert_same(e, minimum_ellipsoid(np.vstack([points, e.center + inside @ e.factor.T]), tol=1e-9))


@settings(deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(0, 60))
def test_a_point_outside_makes_it_larger(seed: int, dim: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((dim + 1 + more, dim))
    e = minimum_ellipsoid(points)
    outside = e.center + 1.5 * _unit(rng.standard_normal((1, dim))) @ e.factor.T
    larger = minimum_ellipsoid(np.vstack([points, outside]))
    assert_certified(np.vstack([points, outside]), larger)
    assert log_volume(larger) > log_volume(e) + 0.01


@settings(deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(0, 100))
def test_order_and_repetition_do_not_matter(seed: int, dim: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((dim + 1 + more, dim))
    e = minimum_ellipsoid(points, tol=1e-9)
    assert_same(e, minimum_ellipsoid(rng.permutation(points), tol=1e-9))
    often = points.repeat(rng.integers(1, 5, len(points)), axis=0)
    assert_same(e, minimum_ellipsoid(often, tol=1e-9))


def exact_certificate(points: FloatArray, e: MinimumEllipsoid) -> tuple[Fraction, float]:
    """Largest squared norm, and log volume over the dual bound, both in rational arithmetic."""
    x = [[Fraction(value) for value in row] for row in points.tolist()]
    F = [[Fraction(value) for value in row] for row in e.factor.tolist()]
    total = sum(map(Fraction, e.weights.tolist()))
    u = [Fraction(weight) / total for weight in e.weights.tolist()]
    axes = range(len(F))

    def squared_norm(row: list[Fraction]) -> Fraction:
        v: list[Fraction] = []
        for i in axes:
            rest = row[i] - Fraction(e.center[i]) - sum(F[i][j] * v[j] for j in range(i))
            v.append(rest / F[i][i])
        return sum((value**2 for value in v), Fraction(0))

    mean = [sum(w * row[i] for w, row in zip(u, x, strict=True)) for i in axes]
    scatter = [
        [
            len(F) * sum(w * (r[i] - mean[i]) * (r[j] - mean[j]) for w, r in zip(u, x, strict=True))
            for j in axes
        ]
        for i in axes
    ]
    ratio = Fraction(1)  # det F Fᵀ / det p S, by elimination on p S
    for k in axes:
        ratio *= F[k][k] ** 2 / scatter[k][k]
        for i in range(k + 1, len(F)):
            lead = scatter[i][k] / scatter[k][k]
            scatter[i] = [a - lead * b for a, b in zip(scatter[i], scatter[k], strict=True)]
    return max(map(squared_norm, x)), 0.5 * float(np.log1p(float(ratio - 1)))


@st.composite
def awkward_clouds(draw: st.DrawFn) -> FloatArray:
    """Small clouds that span: repeated, nearly flat, far from 0, in units decades apart."""
    dim = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(SEEDS))
    points = np.vstack([np.eye(dim + 1, dim), rng.integers(-2, 3, (draw(st.integers(0, 6)), dim))])
    points = points + draw(st.sampled_from([0.0, 1e-9, 0.1])) * rng.standard_normal(points.shape)
    points[:, 0] *= draw(st.sampled_from([1.0, 1e-4, 1e-8]))
    if draw(st.booleans()):
        points = points @ np.linalg.qr(rng.standard_normal((dim, dim)))[0]
    points = points + draw(st.sampled_from([0.0, 1.0, 100.0]))
    return points * 10.0 ** (draw(st.sampled_from([0, 8])) * rng.uniform(-1, 1, dim))


@settings(deadline=None)
@given(awkward_clouds())
def test_the_certificate_holds_in_exact_arithmetic(points: FloatArray) -> None:
    e = minimum_ellipsoid(points)
    farthest, excess = exact_certificate(points, e)
    assert farthest <= 1
    assert excess <= e.gap <= 1e-4


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-7, 1e-10])
def test_the_gap_meets_the_tolerance_and_is_honest(tol: float) -> None:
    points = np.random.default_rng(5).uniform(size=(40, 3))
    e = minimum_ellipsoid(points, tol=tol)
    farthest, excess = exact_certificate(points, e)
    assert farthest <= 1
    assert excess <= e.gap <= tol
    best = log_volume(minimum_ellipsoid(points, tol=1e-11))
    assert best - 1e-11 <= log_volume(e) <= best + e.gap


@pytest.mark.parametrize("dim", [2, 5, 20, 50])
def test_a_cloud_of_aspect_1e_8_in_a_general_direction(dim: int) -> None:
    rng = np.random.default_rng(dim)
    thin = rng.standard_normal((3 * dim, dim)) * np.r_[1e-8, np.ones(dim - 1)]
    points = thin @ np.linalg.qr(rng.standard_normal((dim, dim)))[0]
    e = minimum_ellipsoid(points)
    assert norms(e, points).max() <= 1 + 1e-12
    assert e.gap <= 1e-6 * dim
    # Rotating thin data rounds it by 1e-8 of its thickness, so the volumes agree to about that.
    straight = minimum_ellipsoid(thin)
    assert straight.gap <= 1e-7
    assert log_volume(e) == pytest.approx(log_volume(straight), abs=1e-6 * dim)


@settings(deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 12))
def test_an_integer_grid_is_fitted_if_and_only_if_it_spans(seed: int, dim: int, count: int) -> None:
    points = np.random.default_rng(seed).integers(0, 3, (count, dim)).astype(np.float64)
    if np.linalg.matrix_rank(points - points[0]) == dim:
        assert_certified(points, minimum_ellipsoid(points))
    else:
        with pytest.raises(FitError, match=f"of {dim} dimensions"):
            minimum_ellipsoid(points)


def test_repeated_far_points_do_not_crowd_out_the_others() -> None:
    """Two points hold every extreme of every coordinate; the working set must still span."""
    rng = np.random.default_rng(0)
    far = np.full((20, 8), 1e4)
    points = np.vstack([rng.standard_normal((4000, 8)), far, -far])
    assert_certified(points, minimum_ellipsoid(points))


def test_bad_points_are_refused() -> None:
    points = np.random.default_rng(0).standard_normal((10, 3))
    points[3, 1] = np.nan
    with pytest.raises(FitError, match="coordinate 1"):
        minimum_ellipsoid(points)
    with pytest.raises(FitError, match="span only 1 of 2"):
        minimum_ellipsoid(np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]))
    with pytest.raises(FitError, match="shape"):
        minimum_ellipsoid(np.zeros(3))


@pytest.mark.parametrize("limit", ["ROUNDS", "STEPS"])
def test_an_answer_that_is_not_certified_is_not_given(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = np.random.default_rng(0).standard_normal((500, 5))
    minimum_ellipsoid(points)
    monkeypatch.setattr(module, limit, 1 if limit == "ROUNDS" else 0)
    with pytest.raises(FitError, match="certified to only"):
        minimum_ellipsoid(points)


def test_the_same_points_give_the_same_bits_and_leave_the_generator_alone() -> None:
    points = np.random.default_rng(0).standard_normal((2000, 7))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one, other = minimum_ellipsoid(points), minimum_ellipsoid(points.copy())
    assert np.array_equal(one.factor, other.factor)
    assert np.array_equal(one.center, other.center)
    assert np.array_equal(one.weights, other.weights)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002
