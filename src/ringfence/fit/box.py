"""The box of the paper: eq. 5 in closed form, eq. 7 with outliers.

symbol    meaning                                  shape
points    incumbents x*_t in unit coordinates      (T, p)
l, u      lower and upper bounds                   (p,)
ξ         slack: how far a task lies outside       (T,)
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.fit.fit import RESOLUTION, Fit, least_reach, solve_patiently
from ringfence.regions import Box


def fit_box(points: FloatArray, outliers: float = 0.0) -> Fit[Box]:
    """The smallest box around the incumbents, at least a share `outliers` of them left outside."""
    if outliers > 0 and np.ptp(points, axis=0).max() > RESOLUTION:
        return _slack_box(points, outliers)
    region, widened = _with_room(points.min(axis=0), points.max(axis=0), len(points))
    return Fit(region, np.zeros(len(points)), None, 0.0, widened)


def _slack_box(points: FloatArray, outliers: float) -> Fit[Box]:
    from ringfence.fit.solvers.slack_box_penalty import slack_box_for

    answer = solve_patiently(lambda tol: slack_box_for(points, outliers, tol=tol))
    region, widened = _with_room(answer.lower, answer.upper, len(points))
    return Fit(region, answer.slack.sum(axis=1), answer.penalty, answer.gap, widened)


def _with_room(lower: FloatArray, upper: FloatArray, n_tasks: int) -> tuple[Box, int]:
    """The box, widened about its middle in the coordinates where it has no width."""
    flat = upper - lower <= RESOLUTION
    reach = np.where(flat, least_reach(n_tasks, len(lower)), 0.0)
    box = Box(np.clip(lower - reach, 0.0, 1.0), np.clip(upper + reach, 0.0, 1.0))
    return box, int(flat.sum())
