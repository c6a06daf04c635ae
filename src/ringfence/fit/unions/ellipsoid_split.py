"""The cut of a cloud that leaves little volume in two ellipsoids.

Two ellipsoids that do not overlap are separated by a plane, but there are too many planes to try
all. Those are tried that stand across a coordinate, a principal axis, or a direction in which the
whitened points have an extreme fourth moment, as they have across the gap between two clouds. The
covariances of the two sides decide which cut is best; ellipsoids are fitted for that one only.

symbol   meaning                                                          shape
z        whitened points of the affine hull: mean 0, covariance 1         (n, r)
along    the points along the directions that are tried, a column each    (n, m)
blur     what the cells of integers add to a covariance of z              (r, r)
"""

from __future__ import annotations

import math

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.ellipsoid import WELL_INSIDE, fit_ellipsoid
from ringfence.fit.result import RESOLUTION
from ringfence.fit.solvers.affine import affine_frame
from ringfence.fit.unions.cells import Cells, Cut, sorting_lines
from ringfence.fit.unions.splitting import Splitting
from ringfence.regions import Ellipsoid

MOST_DIRECTIONS = 16
"""Directions that are tried: those along which two halves differ most."""
MOST_PLACES = 32
"""Cuts that are tried along a direction: in its widest gaps."""
TURNS = 20
"""Of the search for an extreme fourth moment, which converges cubically."""
LEAST_PART = 3
"""Points that a part must have; more in more than two dimensions, r + 1, to have a volume."""
RIDGE = 1e-9
"""Added to covariances of whitened points, so that flat ones have a determinant."""


def ellipsoid_cut(cells: Cells, enough: float = np.inf) -> Cut | None:
    """The best cut found, whether it gains `enough` or not; None if the points are too few."""
    points = cells.points
    agreed = np.ptp(points, axis=0) <= RESOLUTION
    frame = affine_frame(np.where(agreed, points[0], points), RESOLUTION)
    least = max(LEAST_PART, frame.rank + 1)
    if len(points) < 2 * least or frame.rank == 0:
        return None
    z = frame.whiten(points)
    blur = _room(cells)[:, None] * frame.dual
    left = _best_cut(z, _projections(points, z), least, blur.T @ blur)
    if left is None:
        return None
    ahead, behind = (ellipsoid_log_volume(cells.rows(side)) for side in (left, ~left))
    return Cut(left, ellipsoid_log_volume(cells) - float(np.logaddexp(ahead, behind)))


def ellipsoid_log_volume(cells: Cells) -> float:
    """Log volume, up to a constant, of the smallest ellipsoid, blurred by half a cell."""
    factor = fit_ellipsoid(cells.points).region.factor
    return 0.5 * float(np.linalg.slogdet(factor @ factor.T + np.diag(_room(cells) ** 2))[1])


def _room(cells: Cells) -> FloatArray:
    """Half the width of a cell in each coordinate, (p,)."""
    room: FloatArray = (cells.upper - cells.lower).mean(axis=0) / 2
    return room


def _projections(points: FloatArray, z: FloatArray) -> FloatArray:
    """The points along the directions that divide them best, (n, m)."""
    w = np.eye(z.shape[1])
    for _ in range(TURNS):
        w = z.T @ (z @ w) ** 3 / len(z) - 3.0 * w
        w /= np.maximum(np.linalg.norm(w, axis=0), 1e-300)
    along = np.hstack([sorting_lines(points), z @ w])
    best = np.argsort(-_contrast(along), kind="stable")[:MOST_DIRECTIONS]
    return along[:, best]


def _contrast(along: FloatArray) -> FloatArray:
    """For each column, the largest share of its variance that a cut in two explains."""
    ordered = np.sort(along - along.mean(axis=0), axis=0)
    n = len(ordered)
    first = np.arange(1, n)[:, None]
    between = np.cumsum(ordered, axis=0)[:-1] ** 2 * n / (first * (n - first))
    shares: FloatArray = between.max(axis=0) / np.maximum((ordered**2).sum(axis=0), 1e-300)
    return shares


def _best_cut(z: FloatArray, along: FloatArray, least: int, blur: FloatArray) -> BoolArray | None:
    """The side of the cut with the smallest sum of the sides' volumes, by their covariances."""
    best, left = np.inf, None
    for column in along.T:
        order = np.argsort(column, kind="stable")
        places = _places(column[order], least)
        if not len(places):
            continue
        ahead = _spreads(z[order], places, blur)
        behind = _spreads(z[order][::-1], len(z) - places, blur)
        volumes = np.logaddexp(ahead, behind)
        smallest = int(volumes.argmin())
        if volumes[smallest] < best:
            best = float(volumes[smallest])
            left = np.zeros(len(z), dtype=bool)
            left[order[: places[smallest]]] = True
    return left


def _places(ordered: FloatArray, least: int) -> IntArray:
    """How many points go to the left in each of the cuts that are tried: the widest gaps."""
    gaps = np.diff(ordered)[least - 1 : len(ordered) - least]
    widest = np.sort(np.argsort(-gaps, kind="stable")[:MOST_PLACES])
    widest = widest[gaps[widest] > 0]
    return np.asarray(widest + least)


def _spreads(z: FloatArray, counts: IntArray, blur: FloatArray) -> FloatArray:
    """½ log det of the covariance of the first n points, for each n of `counts`."""
    sums = np.cumsum(z, axis=0)[counts - 1]
    squares = np.cumsum(z[:, :, None] * z[:, None, :], axis=0)[counts - 1]
    mean = sums / counts[:, None]
    spread = squares / counts[:, None, None] - mean[:, :, None] * mean[:, None, :]
    ridge = RIDGE * np.eye(z.shape[1])
    halves: FloatArray = 0.5 * np.linalg.slogdet(spread + blur / z.shape[1] + ridge)[1]
    return halves


def ellipsoid_chance(n: int, dim: int) -> float:
    """What the best cut of one cloud saves in 99 of 100 clouds at most, in nats; n ≤ p points have
    no ellipsoid of their own. The constants are measured: docs/mixtures.md."""
    return 0.15 + 0.04 * dim + 8.0 * dim / (n - dim) if n > dim else math.inf


def stays_in_ellipsoid(points: FloatArray, ellipsoid: Ellipsoid) -> BoolArray:
    """Which points (n, p) lie inside the ellipsoid of the others: all that do not touch its
    boundary, and twins."""
    _, place, count = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    touches = ellipsoid.norm(points) > 1.0 - WELL_INSIDE
    twin = (count > 1)[place.ravel()] & ellipsoid.contains(points)
    return np.asarray(~touches | twin)


ELLIPSOID_SPLITTING = Splitting(
    ellipsoid_cut, ellipsoid_log_volume, ellipsoid_chance, stays_in_ellipsoid
)
