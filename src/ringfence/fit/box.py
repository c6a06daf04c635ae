"""The box of the paper: eq. 5 in closed form, eq. 7 with outliers.

symbol    meaning                                  shape
points    incumbents x*_t in unit coordinates      (T, p)
l, u      lower and upper bounds                   (p,)
ξ         slack: how far a task lies outside       (T,)
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import RESOLUTION, Fit, least_reach, solve_patiently
from ringfence.regions import Box

WELL_INSIDE = 1e-6
"""A point this far inside the faces of a slack box has no multiplier, whatever the gap."""


def fit_box(points: FloatArray, outliers: float = 0.0, near: Fit[Box] | None = None) -> Fit[Box]:
    """The smallest box around the incumbents, at least a share `outliers` of them left outside.

    `near`, the fit of nearly the same points with nearly as many outside, saves time.
    """
    if outliers > 0 and np.ptp(points, axis=0).max() > RESOLUTION:
        return _slack_box(points, outliers, near)
    region, widened = with_room(points.min(axis=0), points.max(axis=0), len(points))
    removable = _well_inside(points, region, 0.0) & (widened == 0)
    return Fit(region, np.zeros(len(points)), None, 0.0, widened, removable)


def _slack_box(points: FloatArray, outliers: float, near: Fit[Box] | None) -> Fit[Box]:
    from ringfence.fit.solvers.slack_box.penalty import slack_box_for

    start = None
    if near is not None and near.penalty and not near.widened:
        start = near.penalty, np.stack([near.region.lower, -near.region.upper])
    answer = solve_patiently(lambda tol: slack_box_for(points, outliers, tol=tol, start=start))
    region, widened = with_room(answer.lower, answer.upper, len(points))
    enough = answer.n_outside >= n_outliers(outliers, len(points))
    removable = _well_inside(points, region, WELL_INSIDE) & (enough and widened == 0)
    return Fit(region, answer.slack.sum(axis=1), answer.penalty, answer.gap, widened, removable)


def _well_inside(points: FloatArray, box: Box, margin: float) -> BoolArray:
    """Which points lie farther than `margin` from every face of the box."""
    inside = (points > box.lower + margin) & (points < box.upper - margin)
    return np.asarray(inside.all(axis=1))


def with_room(lower: FloatArray, upper: FloatArray, n_tasks: int) -> tuple[Box, int]:
    """The box, widened about its middle in the coordinates where it has no width."""
    flat = upper - lower <= RESOLUTION
    reach = np.where(flat, least_reach(n_tasks, len(lower)), 0.0)
    box = Box(np.clip(lower - reach, 0.0, 1.0), np.clip(upper + reach, 0.0, 1.0))
    return box, int(flat.sum())
