"""The least ellipsoid around points that lack coordinates: small in the eyes of every point.

A point is inside if some completion of it in the unit cube is. The volume cannot be what is made
least: if no point has two of some coordinates together, completions can be chosen on one plane, and
the volume is 0.
A point sees of the ellipsoid only its shadow on the coordinates O that the point has. What is made
least is the mean, over the points, of the log volume of that shadow:

    minimize  (1/2n) Σ_t log det S_OO   over c and S = F F',   some completion of x_t inside

If nothing is missing, that is eq. 6. It is not convex. Each step replaces it by a convex problem
that lies above it and touches it where we are (padded.py): points are completed with the least
norm, log det S_OO becomes log det S + tr S⁻¹C_t with C_t = cov(missing | known) of S, up to a
constant. So no step makes the objective larger, and the answer is certified where the steps end:
given its own completions and paddings, no ellipsoid is better by more than the gap. Every third
ellipsoid is moved on along the last steps if that helps (squared extrapolation: Varadhan and
Roland, Scand. J. Statist. 35, 2008).

Coordinates that no point has together stay independent, given the others: the start has them so.

symbol   meaning                                                              shape
x        points, NaN where they lack a coordinate                             (n, p)
c, F     E = {c + F z : ‖z‖ ≤ 1}                                              (p,), (p, p)
ω        how much the shadow of each point counts, Σ ω = 1                    (n,)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.free_ellipsoid.padded import Padded, padded_ellipsoid
from ringfence.fit.solvers.triangular import lower_triangular
from ringfence.regions.completion import Pattern, completed, patterns

TOL = 1e-5
"""Nats of mean log volume: the gap at which the steps end."""
MOST_STEPS = 300
"""Some tens as a rule. The more is missing the more they are: each recovers the known share."""
WIDEST = 1e-2
"""A gap at which the last of these steps is still an answer: 1 % of a volume."""
EXACTNESS = 0.05
"""Of the last gap: how exactly a step is solved."""
STARTS = 3
"""From how many starts the steps are taken: one is nearly always enough (`python -m
benchmarks.gaps`), but it may be next to a saddle."""


@dataclass(frozen=True, eq=False)
class FreeEllipsoid:
    """The ellipsoid, with the completions that prove the points to be inside."""

    center: FloatArray  # (p,)
    factor: FloatArray  # (p, p) lower triangular
    points: FloatArray  # (n, p) completed
    value: float  # (1/2) Σ ω log det S_OO
    gap: float  # nats, for the completed and padded problem
    path: tuple[float, ...]  # the values on the way, never growing


@dataclass(frozen=True, eq=False)
class _Problem:
    points: FloatArray
    shares: FloatArray

    @cached_property
    def kinds(self) -> list[Pattern]:
        """The sets of coordinates that points have, and which points."""
        return patterns(self.points)

    @cached_property
    def shadows(self) -> list[tuple[BoolArray, float]]:
        """The coordinates of each kind of point, and how much its shadow counts."""
        kinds = [(has, float(self.shares[rows].sum())) for has, rows in self.kinds]
        return [(has, share) for has, share in kinds if share > 0]


def free_ellipsoid(
    points: FloatArray,
    shares: FloatArray,
    *,
    starts: int = STARTS,
    tol: float = TOL,
    near: tuple[FloatArray, FloatArray] | None = None,
) -> FreeEllipsoid:
    """The least ellipsoid found around `points` (n, p), each of which counts by its share. Those
    that have the same coordinates must determine their shadow (room.py). `near` is the center and
    the factor of one around much the same points: the only start, if it is given."""
    rng = np.random.default_rng(0)
    begin = [near] if near else [_start(points, rng, number) for number in range(starts)]
    best = descend(points, shares, *begin[0], tol=tol)
    for start in begin[1:]:
        found = descend(points, shares, *start, tol=tol)
        best = found if found.value < best.value - tol else best
    return best


def descend(
    points: FloatArray, shares: FloatArray, center: FloatArray, factor: FloatArray, *, tol: float
) -> FreeEllipsoid:
    """The steps from one ellipsoid, which need not hold the points."""
    problem = _Problem(points, shares)
    at = _holding(problem, center, factor)
    weights = np.full(len(points), 1.0 / len(points))
    path, exactness = [at.value], EXACTNESS
    while True:
        here = [at]
        for _ in range(2):
            step, weights = _step(problem, here[-1], weights, exactness)
            exactness = max(EXACTNESS * min(step.gap, 1.0), EXACTNESS * tol)
            stalled = step.after is here[-1] and exactness <= EXACTNESS * tol
            if step.gap <= tol or stalled or len(path) > MOST_STEPS:
                if step.gap > WIDEST:
                    raise FitError(
                        f"the ellipsoid around {len(points)} points that lack coordinates was not "
                        f"found in {MOST_STEPS} steps: too few of them have the same parameters"
                    )
                return _answer(step, path)
            here.append(step.after)
            path.append(step.after.value)
        at = _extrapolated(problem, here)
        path.append(at.value)


@dataclass(frozen=True, eq=False)
class _At:
    """An ellipsoid that holds the points, and their completions."""

    center: FloatArray
    factor: FloatArray
    points: FloatArray
    value: float


@dataclass(frozen=True, eq=False)
class _Step:
    before: _At
    gap: float
    after: _At


def _step(
    problem: _Problem, at: _At, weights: FloatArray, exactness: float
) -> tuple[_Step, FloatArray]:
    """The convex problem at an ellipsoid, solved: how much it is better at most, and where."""
    inverse = np.asarray(np.linalg.inv(at.factor), dtype=float)
    y = (at.points - at.center) @ inverse.T
    padding = _padding(problem, inverse)
    answer: Padded = padded_ellipsoid(y, padding, weights, exactness)
    gap = 0.5 * (float(np.trace(padding)) - answer.bound)  # in this frame S is the identity
    center = at.center + at.factor @ answer.center
    factor = lower_triangular(at.factor @ np.linalg.cholesky(answer.scatter))
    after = _holding(problem, center, factor)
    if after.value > at.value:  # within the tolerance of the convex problem
        after = at
    return _Step(at, gap, after), answer.weights


def _padding(problem: _Problem, inverse: FloatArray) -> FloatArray:
    """Σ ω C_t in the frame of the ellipsoid, (p, p)."""
    total = np.zeros_like(inverse)
    for has, share in problem.shadows:
        columns = inverse[:, ~has]
        if columns.size:
            basis = np.linalg.qr(columns)[0]  # A C A' projects on the span of A's columns
            total += share * (basis @ basis.T)
    return total


def _holding(problem: _Problem, center: FloatArray, factor: FloatArray) -> _At:
    """The ellipsoid at the size at which it just holds all points."""
    inverse = np.asarray(np.linalg.inv(factor), dtype=float)
    full = completed(problem.points, center, inverse, problem.kinds)
    away = (full - center) @ inverse.T
    size = float(np.sqrt(np.einsum("ij,ij->i", away, away).max()))
    value = 0.0
    for has, share in problem.shadows:
        shadow = np.linalg.qr((size * factor[has]).T, mode="r")
        value += share * float(np.log(np.abs(np.diag(shadow))).sum())
    return _At(center, size * factor, full, value)


def _extrapolated(problem: _Problem, here: list[_At]) -> _At:
    """Two steps prolonged, if that makes the objective smaller than they do; else their end."""
    first, second, third = (_coordinates(each) for each in here)
    step, turn = second - first, (third - second) - (second - first)
    length = float(np.linalg.norm(turn))
    if length == 0.0:
        return here[-1]
    stride = max(float(np.linalg.norm(step)) / length, 1.0)
    moved = first + 2 * stride * step + stride**2 * turn
    center, factor = _from_coordinates(moved, len(here[0].center))
    if not np.isfinite(factor).all() or not ((center >= 0) & (center <= 1)).all():
        return here[-1]
    there = _holding(problem, center, factor)
    return there if there.value < here[-1].value else here[-1]


def _coordinates(at: _At) -> FloatArray:
    """Center and factor as numbers without bounds: the diagonal by its logarithm."""
    L = at.factor
    below = L[np.tril_indices_from(L, -1)] / np.repeat(np.diag(L), np.arange(len(L)))
    return np.concatenate([at.center, np.log(np.diag(L)), below])


def _from_coordinates(moved: FloatArray, dim: int) -> tuple[FloatArray, FloatArray]:
    diagonal = np.exp(np.clip(moved[dim : 2 * dim], -40, 40))
    factor = np.diag(diagonal)
    factor[np.tril_indices(dim, -1)] = moved[2 * dim :] * np.repeat(diagonal, np.arange(dim))
    return moved[:dim], factor


def _start(
    points: FloatArray, rng: np.random.Generator, number: int
) -> tuple[FloatArray, FloatArray]:
    """The ball in units of the coordinates' ranges; further starts lean in random directions."""
    lower, upper = np.fmin.reduce(points, axis=0), np.fmax.reduce(points, axis=0)
    center, half = (lower + upper) / 2, np.maximum((upper - lower) / 2, 1e-6)
    if number == 0:
        return center, np.diag(half)
    mixed = rng.standard_normal((len(center), len(center)))
    return center, lower_triangular(half[:, None] * mixed)


def _answer(step: _Step, path: list[float]) -> FreeEllipsoid:
    at = step.before
    return FreeEllipsoid(at.center, at.factor, at.points, at.value, max(step.gap, 0.0), tuple(path))
