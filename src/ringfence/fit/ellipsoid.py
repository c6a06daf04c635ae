"""The ellipsoid of the paper: eq. 6 (Löwner–John), eq. 8 with outliers.

symbol    meaning                                                     shape
points    incumbents x*_t in unit coordinates                         (T, p)
r         dimension of their affine hull, p if they determine all
c, F      center and factor: E = {c + F z : ‖z‖ ≤ 1}                  (p,), (p, p)
ξ         slack: max(‖F⁻¹(x - c)‖ - 1, 0)                             (T,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.fit.gaps import fit_with_gaps
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import RESOLUTION, Fit, least_reach, solve_patiently
from ringfence.fit.solvers.affine import Frame, affine_frame
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid
from ringfence.fit.solvers.slack_ellipsoid.penalty import n_outside, slack_ellipsoid_for
from ringfence.fit.solvers.triangular import lower_triangular
from ringfence.regions import Ellipsoid

WELL_INSIDE = 1e-4
"""A point whose norm is this far below 1 has no multiplier, whatever the gap."""


@dataclass(frozen=True, eq=False)
class _Answer:
    center: FloatArray
    factor: FloatArray
    slack: FloatArray
    penalty: float | None
    gap: float
    removable: BoolArray


def fit_ellipsoid(
    points: FloatArray, outliers: float = 0.0, near: Fit[Ellipsoid] | None = None
) -> Fit[Ellipsoid]:
    """The smallest ellipsoid around the incumbents, a share `outliers` of them left outside. One
    that lacks coordinates, NaN, is inside if some completion of it is (gaps.py).

    If they do not span the space: the smallest ellipsoid within their affine hull, with half-axes
    of `least_reach` across it; with T ≤ p tasks none of its half-axes is shorter. `near`
    is of use if coordinates are lacking; the other solvers gain nothing from a start.
    """
    if np.isnan(points).any():
        return fit_with_gaps(points, outliers, fit_ellipsoid, near=near)
    n_tasks, dim = points.shape
    agreed = np.ptp(points, axis=0) <= RESOLUTION
    frame = affine_frame(np.where(agreed, points[0], points), RESOLUTION)
    if frame.rank == dim:
        answer = _solve(points, outliers)
        region = Ellipsoid(answer.center, answer.factor)
    else:
        answer = _solve(frame.whiten(points), outliers)
        region = _around(_embed(frame, answer, n_tasks), points[answer.slack == 0])
    removable = answer.removable & (frame.rank == dim)
    return Fit(region, answer.slack, answer.penalty, answer.gap, dim - frame.rank, removable)


def _solve(points: FloatArray, outliers: float) -> _Answer:
    n_tasks, dim = points.shape
    if dim == 0:
        nothing = np.zeros(n_tasks, dtype=bool)
        return _Answer(np.zeros(0), np.zeros((0, 0)), np.zeros(n_tasks), None, 0.0, nothing)
    if outliers > 0 and n_tasks > dim + 1:  # in a simplex no corner lies farther out than another
        slack = solve_patiently(lambda tol: slack_ellipsoid_for(points, outliers, tol=tol))
        excess = np.maximum(slack.norms - 1.0, 0.0)
        enough = n_outside(slack) >= n_outliers(outliers, n_tasks)
        removable = (slack.norms < 1.0 - WELL_INSIDE) & enough
        return _Answer(slack.center, slack.factor, excess, slack.penalty, slack.gap, removable)
    exact = minimum_ellipsoid(points)
    removable = Ellipsoid(exact.center, exact.factor).norm(points) < 1.0 - WELL_INSIDE
    return _Answer(exact.center, exact.factor, np.zeros(n_tasks), None, exact.gap, removable)


def _embed(frame: Frame, answer: _Answer, n_tasks: int) -> Ellipsoid:
    """The ellipsoid of the affine hull as one of the full space."""
    dim = len(frame.origin)
    room = least_reach(n_tasks, dim)
    axes, lengths, _ = np.linalg.svd(frame.basis @ answer.factor, full_matrices=True)
    half_axes = np.full(dim, room)
    half_axes[: frame.rank] = np.maximum(lengths, room) if n_tasks <= dim else lengths
    return Ellipsoid(frame.restore(answer.center), lower_triangular(axes * half_axes))


def _around(region: Ellipsoid, points: FloatArray) -> Ellipsoid:
    """The ellipsoid, grown by the little that points miss it: what leaves the hull by less than the
    resolution was dropped, and is not little to an ellipsoid that is thin beside it."""
    most = float(region.norm(points).max(initial=0.0))
    return region.scaled(region.center, most) if most > 1.0 else region
