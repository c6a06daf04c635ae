"""The paper's own choice of the penalty of eq. 8, kept for comparison (section 5).

λ = s/Q with Q = log det A⁻¹ of the exact ellipsoid (eq. 6) and s from "a small, scale-free, grid".
But Q is a log volume: it changes with the units of the parameters, and is negative if the
ellipsoid is smaller than a unit ball, the usual case in unit coordinates. `slack_ellipsoid_for`
has neither fault.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid
from ringfence.fit.solvers.slack_ellipsoid.answer import SlackEllipsoid
from ringfence.fit.solvers.slack_ellipsoid.penalty import n_outside
from ringfence.fit.solvers.slack_ellipsoid.solve import slack_ellipsoid

HALF_DECADES = tuple(10.0 ** (e / 2) for e in range(-6, 7))
"""The paper does not give its grid: 1e-3 … 1e3, two a decade, as wide as any data seen needed."""


def paper_grid(
    points: FloatArray,
    outliers: float,
    grid: Sequence[float] = HALF_DECADES,
    *,
    log_units: float = 0.0,
    tol: float = 1e-9,
) -> SlackEllipsoid:
    """The slack ellipsoid of `points` (T, p) for the smallest s of the `grid` that leaves a share
    `outliers` of them outside. `log_units` is the log volume of the unit cube in the units in
    which Q is to be measured."""
    exact = minimum_ellipsoid(points)
    scale = float(np.log(exact.factor.diagonal()).sum()) + log_units
    if scale <= 0:
        raise FitError(
            "the paper's penalty s/Q needs Q > 0, the log det of the exact ellipsoid, but Q is "
            f"{scale:.3g} in these units: leave literal out, which needs no Q"
        )
    for s in sorted(grid):
        fit = slack_ellipsoid(points, s / scale, tol=tol)
        if n_outside(fit) >= n_outliers(outliers, len(points)):
            return fit
    raise FitError(
        f"no s in the grid, up to {max(grid):g}, leaves a share {outliers:.3g} of the "
        f"{len(points)} tasks outside: extend the grid"
    )
