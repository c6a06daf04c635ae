"""The ellipsoid around incumbents that lack coordinates: inside is who has a completion inside.

Without outliers it is the ellipsoid of solvers/free_ellipsoid. With outliers, the completions of
that one are kept, and eq. 8 around them says who leaves: in turns with its own completions, eq. 8
would shrink to nothing, as eq. 6 would. The region is the one without outliers around those who
stay. (Eq. 8's own region hardly shrinks, or grows, since it does not know of shadows:
docs/method.md. It is the answer only if the paper is taken literally.) A task is outside if none of
its completions is inside, and as many more are asked to leave as it takes for enough of them to be
outside in this sense.

symbol   meaning                                                       shape
points   incumbents in unit coordinates, NaN if a task lacks one       (T, p)
full     the same, completed                                           (T, p)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import Fit
from ringfence.fit.solvers.free_ellipsoid.descent import free_ellipsoid
from ringfence.fit.solvers.free_ellipsoid.room import with_room
from ringfence.regions import Ellipsoid

REMEMBERED = 2048
"""Fits that are kept: outliers, refits and checks ask for the same points again and again."""
SolveComplete = Callable[[FloatArray, float], Fit[Ellipsoid]]
"""Points without gaps and a share of outliers → the slack ellipsoid around them."""


def fit_with_gaps(
    points: FloatArray,
    outliers: float,
    solve: SolveComplete,
    *,
    literal: bool = False,
    near: Fit[Ellipsoid] | None = None,
) -> Fit[Ellipsoid]:
    """The ellipsoid around `points`; `solve` is for outliers, and its own region is the answer if
    `literal`. `near` is a fit of nearly the same points."""
    n_tasks = len(points)
    if np.isnan(points).all(axis=0).any() or np.isnan(points).all(axis=1).any():
        raise FitError("no task has one of the coordinates, or one task has none: leave it out")
    exact, full = _exact(points, None if near is None else near.region)
    wanted = n_outliers(outliers, n_tasks)
    best = exact
    for asked in range(wanted, n_tasks) if wanted else ():
        try:
            fit = _judged(solve(full, asked / n_tasks), points)
            if not literal:
                fit = _around_the_rest(fit, points, exact)
        except FitError:
            if literal and best is exact:
                raise
            continue
        if _n_outside(fit) > _n_outside(best):
            best = fit
        if _n_outside(fit) >= wanted:
            break
    return best


def _n_outside(fit: Fit[Ellipsoid]) -> int:
    return int((fit.slack > 0).sum())


def _around_the_rest(
    slack: Fit[Ellipsoid], points: FloatArray, everyone: Fit[Ellipsoid]
) -> Fit[Ellipsoid]:
    """The ellipsoid around those that a slack ellipsoid holds, in the coordinates that all have,
    found from the one around everyone: FitError if a coordinate would be lost."""
    stay = slack.slack == 0
    if np.isnan(points[stay]).all(axis=0).any():
        raise FitError("the outliers are the only ones that have some coordinate")
    fit, _ = _exact(points[stay], everyone.region)
    return _judged(replace(fit, penalty=slack.penalty), points)


def _exact(points: FloatArray, near: Ellipsoid | None = None) -> tuple[Fit[Ellipsoid], FloatArray]:
    """The ellipsoid without outliers, and the points completed. It is begun at `near` if enough
    points have any two coordinates together: else what `near` has from others would stay."""
    has = (~np.isnan(points)).astype(float)
    use = near is not None and (has.T @ has).min() > points.shape[1]
    start = np.vstack([near.center, near.factor]).tobytes() if near is not None and use else b""
    return _remembered(np.ascontiguousarray(points).tobytes(), points.shape, start)


@lru_cache(maxsize=REMEMBERED)
def _remembered(
    content: bytes, shape: tuple[int, int], start: bytes
) -> tuple[Fit[Ellipsoid], FloatArray]:
    points = np.frombuffer(content).reshape(shape)
    frame = np.frombuffer(start).reshape(-1, shape[1])
    near = (frame[0], frame[1:]) if start else None
    n_tasks = len(points)
    with_pairs, widened = with_room(points)
    shares = np.zeros(len(with_pairs))
    shares[:n_tasks] = 1 / n_tasks
    found = free_ellipsoid(with_pairs, shares, near=near)
    region = Ellipsoid(found.center, found.factor)
    farthest = float(region.norm(region.complete(points)).max())
    region = region.scaled(region.center, max(farthest, 1.0))  # by rounding
    nothing = np.zeros(n_tasks, dtype=bool)  # without a task, the others' shadows count more
    fit = Fit(region, np.zeros(n_tasks), None, found.gap, widened, nothing)
    return fit, found.points[:n_tasks]


def _judged(fit: Fit[Ellipsoid], points: FloatArray) -> Fit[Ellipsoid]:
    """The fit with the slack of the points at their best completions."""
    excess = fit.region.norm(fit.region.complete(points)) - 1.0
    slack = np.where(excess > fit.region.tolerance, excess, 0.0)
    return replace(fit, slack=slack, removable=np.zeros(len(points), dtype=bool))
