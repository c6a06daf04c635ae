"""The box of the paper: eq. 5 in closed form, eq. 7 with outliers.

symbol    meaning                                  shape
points    incumbents x*_t in unit coordinates      (T, p)
l, u      lower and upper bounds                   (p,)
ξ         slack: how far a task lies outside       (T,)

Eq. 5 is a product: each coordinate has the range of the tasks that have it. One that no task has
keeps all of its range, and is counted as not determined. One that fewer tasks have than the others
is a problem of its own, with that number of tasks, and so has at least their room (result.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import RESOLUTION, Fit, least_reach, solve_patiently
from ringfence.regions import Box

WELL_INSIDE = 1e-6
"""A point this far inside the faces of a slack box has no multiplier, whatever the gap."""


def fit_box(
    points: FloatArray, outliers: float = 0.0, near: Fit[Box] | None = None, *, mixed: bool = False
) -> Fit[Box]:
    """The smallest box around the incumbents, at least a share `outliers` of them left outside. A
    coordinate that one lacks, NaN, is free: it is unknown, or in a `mixed` block perhaps inactive.

    `near`, the fit of nearly the same points with nearly as many outside, saves time.
    """
    seen = np.asarray(~np.isnan(points).all(axis=0))
    if not seen.all():
        return unfolded(fit_box(points[:, seen], outliers, mixed=mixed), seen)
    lower, upper = np.fmin.reduce(points, axis=0), np.fmax.reduce(points, axis=0)
    if outliers > 0 and (upper - lower).max() > RESOLUTION:
        fit = _slack_box(points, outliers, near)
        return fit if mixed else _roomier(fit, points)
    region, widened = with_room(lower, upper, _counts(points))
    removable = _well_inside(points, region, 0.0) & (widened == 0)
    fit = Fit(region, np.zeros(len(points)), None, 0.0, widened, removable)
    return fit if mixed else _roomier(fit, points)


def unfolded(fit: Fit[Box], seen: BoolArray) -> Fit[Box]:
    """The fit with all of the range of the coordinates that no task has."""
    lower, upper = np.zeros(len(seen)), np.ones(len(seen))
    lower[seen], upper[seen] = fit.region.bounds
    unseen = int((~seen).sum())
    return replace(fit, region=Box(lower, upper), widened=fit.widened + unseen)


def _slack_box(points: FloatArray, outliers: float, near: Fit[Box] | None) -> Fit[Box]:
    from ringfence.fit.solvers.slack_box.penalty import slack_box_for

    start, dim = None, points.shape[1]
    if near is not None and near.penalty and not near.widened and near.region.dim == dim:
        start = near.penalty, np.stack([near.region.lower, -near.region.upper])
    answer = solve_patiently(lambda tol: slack_box_for(points, outliers, tol=tol, start=start))
    region, widened = with_room(answer.lower, answer.upper, _counts(points))
    enough = answer.n_outside >= n_outliers(outliers, len(points))
    removable = _well_inside(points, region, WELL_INSIDE) & (enough and widened == 0)
    return Fit(region, answer.slack.sum(axis=1), answer.penalty, answer.gap, widened, removable)


def _roomier(fit: Fit[Box], points: FloatArray) -> Fit[Box]:
    """The fit with the room of few tasks in the coordinates that some of the points lack, unless
    that would bring in who was left outside."""
    counts = _counts(points)
    rare = counts < len(points)
    if not rare.any():
        return fit
    middle = (fit.region.lower + fit.region.upper) / 2
    reach = np.where(rare, [least_reach(count, 1) for count in counts.tolist()], 0.0)
    lower = np.minimum(fit.region.lower, np.clip(middle - reach, 0.0, 1.0))
    upper = np.maximum(fit.region.upper, np.clip(middle + reach, 0.0, 1.0))
    beyond = np.fmax(np.fmax(lower - points, points - upper), 0.0)
    outside = np.asarray((np.nan_to_num(beyond) > RESOLUTION).any(axis=1))
    region = Box(lower, upper) if outside[fit.slack > RESOLUTION].all() else fit.region
    return replace(fit, region=region, removable=np.zeros(len(points), dtype=bool))


def _well_inside(points: FloatArray, box: Box, margin: float) -> BoolArray:
    """Which points lie farther than `margin` from every face of the box."""
    inside = (points > box.lower + margin) & (points < box.upper - margin) | np.isnan(points)
    return np.asarray(inside.all(axis=1))


def _counts(points: FloatArray) -> IntArray:
    """How many points have each coordinate, (p,)."""
    return np.asarray((~np.isnan(points)).sum(axis=0))


def with_room(lower: FloatArray, upper: FloatArray, n_tasks: IntArray) -> tuple[Box, int]:
    """The box, widened about its middle in the coordinates where it has no width; `n_tasks` (p,)
    have each of them."""
    flat = upper - lower <= RESOLUTION
    reach = np.where(flat, [least_reach(max(n, 1), len(lower)) for n in n_tasks.tolist()], 0.0)
    box = Box(np.clip(lower - reach, 0.0, 1.0), np.clip(upper + reach, 0.0, 1.0))
    return box, int(flat.sum())
