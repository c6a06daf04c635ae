"""Pick one of the optimal boxes of eq. 7, and put its faces on the points that they touch.

The widths of the optimal boxes are the same, the position need not be: a box that slides between
two points changes the slack on one side as much as on the other. Each coordinate is moved to the
middle of the positions that are optimal for it. Notation in problem.py.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.fit.solvers.slack_box.problem import Problem

SNAPS = (1e-5, 1e-7, 1e-9, 1e-11)
"""A bound this near a point, in widths, is put on it: the largest distance that the certificate
allows."""
FREE = 1e-12
"""A relative gap that is rounding."""


def polished(
    problem: Problem, bounds: FloatArray, penalty: float, pull: FloatArray
) -> tuple[FloatArray, float]:
    """Bounds in the middle of the optimum and on points, if the certificate agrees, and the gap."""
    bounds = _centered(problem, _ordered(bounds))
    bounds = np.clip(bounds, problem.hull, -problem.hull[::-1])
    gap = problem.gap(bounds, penalty, pull)
    distance = np.abs(problem.sides - bounds[:, None, :])
    for snap in SNAPS:
        touches = distance <= snap * -bounds.sum(axis=0)
        on_points = np.where(touches, problem.sides, np.inf).min(axis=1)
        on_points = np.where(touches.any(axis=1), on_points, bounds)
        gap_on_points = problem.gap(on_points, penalty, pull)
        if gap_on_points <= max(gap, FREE):
            return on_points, gap_on_points
    return bounds, gap


def _ordered(bounds: FloatArray) -> FloatArray:
    """Lower at most upper, if rounding has it otherwise."""
    middle = 0.5 * (bounds[0] - bounds[1])
    ordered: FloatArray = np.minimum(bounds, np.stack([middle, -middle]))
    return ordered


def _centered(problem: Problem, bounds: FloatArray) -> FloatArray:
    """Each coordinate in turn moved to the middle of its best positions, at unchanged width.

    Along a move d of both bounds, the slack of a row has one kink, where the coordinate takes over
    from the others. With a = b the slope is (number of lower kinks below d) - (number of upper
    kinks above d), so that the best d lie between the middle two of the 2T kinks.
    """
    bounds = bounds.copy()
    T = problem.n_tasks
    violations = problem.violations(bounds)
    for j in np.flatnonzero((problem.scales[0] == problem.scales[1]) & ~problem.hard[0]):
        violation = violations[:, :, j].copy()
        violations[:, :, j] = 0.0
        kinks = violations.max(axis=2) - violation
        middle = np.partition(np.concatenate([kinks[0], -kinks[1]]), (T - 1, T))[T - 1 : T + 1]
        shift = 0.5 * middle.sum()
        violations[:, :, j] = violation + np.array([[shift], [-shift]])
        bounds[:, j] += problem.scales[:, j] * np.array([shift, -shift])
    return bounds
