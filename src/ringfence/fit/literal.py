"""Eqs. 7 and 8 as the paper prints them, for regions in unit coordinates (`literal=True`).

Points are put back into the units that the parameters were declared in (their logarithms for a log
scale). There the slack of the box is measured in |l0| and |u0|, and λ = s/Q for the first s of a
grid that leaves enough points outside. Q, the objective of eq. 5 or 6 at its optimum, is ½ ‖u - l‖²
for the box and log det A⁻¹ for the ellipsoid.

symbol     meaning                                                          shape
points     incumbents in unit coordinates, NaN if a task lacks one          (T, p)
start      what 0 and 1 of a unit coordinate stand for, in declared units   (p,)
stop
ends       l0 and u0, the smallest and largest value, in declared units     (2, p)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.box import unfolded, with_room
from ringfence.fit.gaps import fit_with_gaps
from ringfence.fit.result import RESOLUTION, Fit, solve_patiently
from ringfence.fit.solvers.affine import affine_frame
from ringfence.regions import Box, Ellipsoid


@dataclass(frozen=True, eq=False)
class Units:
    """The units that the coordinates were declared in."""

    start: FloatArray
    stop: FloatArray
    ends: FloatArray

    @property
    def size(self) -> FloatArray:
        """The length of a unit coordinate, (p,)."""
        return self.stop - self.start


def fit_literal_box(points: FloatArray, units: Units, outliers: float) -> Fit[Box]:
    """Eq. 7 as printed; a coordinate that a task lacks is free."""
    from ringfence.fit.solvers.slack_box.penalty import paper_grid_box

    seen = np.asarray(~np.isnan(points).all(axis=0))
    if not seen.all():
        some = Units(units.start[seen], units.stop[seen], units.ends[:, seen])
        return unfolded(fit_literal_box(points[:, seen], some, outliers), seen)
    declared = units.start + points * units.size
    scales = np.abs(units.ends)
    answer = solve_patiently(lambda tol: paper_grid_box(declared, outliers, scales=scales, tol=tol))
    lower, upper = ((bound - units.start) / units.size for bound in (answer.lower, answer.upper))
    region, widened = with_room(lower, upper, (~np.isnan(points)).sum(axis=0))
    slack = answer.slack.sum(axis=1)
    nothing = np.zeros(len(points), dtype=bool)
    return Fit(region, slack, answer.penalty, answer.gap, widened, nothing)


def fit_literal_ellipsoid(points: FloatArray, units: Units, outliers: float) -> Fit[Ellipsoid]:
    """Eq. 8 as printed; tasks that lack coordinates are completed (gaps.py). Ellipsoids move with
    any linear change of units, so that only Q depends on them. FitError if the paper's λ is not
    defined."""

    def solve(full: FloatArray, share: float) -> Fit[Ellipsoid]:
        return _literal_ellipsoid(full, units, share)

    if np.isnan(points).any():
        return fit_with_gaps(points, outliers, solve, literal=True)
    return solve(points, outliers)


def _literal_ellipsoid(points: FloatArray, units: Units, outliers: float) -> Fit[Ellipsoid]:
    from ringfence.fit.solvers.slack_ellipsoid.paper_grid import paper_grid

    if affine_frame(points, RESOLUTION).rank < points.shape[1]:
        raise FitError(
            f"eq. 8 as printed needs tasks whose best configurations span all {points.shape[1]} "
            f"numeric parameters; these {len(points)} do not: leave literal out, or give more tasks"
        )
    log_units = float(np.log(units.size).sum())
    answer = solve_patiently(lambda tol: paper_grid(points, outliers, log_units=log_units, tol=tol))
    slack = np.maximum(answer.norms - 1.0, 0.0)
    region = Ellipsoid(answer.center, answer.factor)
    nothing = np.zeros(len(points), dtype=bool)
    return Fit(region, slack, answer.penalty, answer.gap, 0, nothing)
