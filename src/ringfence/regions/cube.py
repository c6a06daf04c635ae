"""Ellipsoids for methods that only know boxes: two maps from the unit cube.

`gauge_*`    a bijection cube ↔ ellipsoid ∩ cube. Nothing ever leaves the space, so any optimizer
             of a box searches the clipped ellipsoid unchanged. Rays from the anchor are stretched:
             a point at the share s of the way to the cube's face goes to the share s of the way
             to the region's boundary.
`uniform_*`  a measure-preserving bijection cube ↔ ellipsoid. Uniform stays uniform, so it carries
             quasi-random designs; points that fall outside the original cube must be dropped.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.regions.clipped import Clipped
from ringfence.regions.ellipsoid import Ellipsoid
from ringfence.regions.walk import chord


def gauge_from_cube(region: Clipped, cube: FloatArray) -> FloatArray:
    """Rows of `cube` in [0, 1]^p → points of the region, shape (n, p)."""
    rays = 2.0 * np.asarray(cube, float) - 1.0
    share, rays = _split(rays)
    reach = _reach(region, rays)
    return np.clip(region.anchor + (share * reach)[:, None] * rays, 0.0, 1.0)


def gauge_to_cube(region: Clipped, points: FloatArray) -> FloatArray:
    """Undo `gauge_from_cube`; points outside the region go to the nearest face along their ray."""
    length, rays = _split(np.asarray(points, float) - region.anchor)
    share = np.minimum(length / _reach(region, rays), 1.0)
    return np.clip(0.5 + 0.5 * share[:, None] * rays, 0.0, 1.0)


def uniform_from_cube(ellipsoid: Ellipsoid, cube: FloatArray) -> FloatArray:
    """Rows of `cube` in (0, 1)^p → points of the ellipsoid, uniform if the rows are.

    Normal quantiles give a direction; the chi-square law of their length gives the radius.
    """
    from scipy.special import gammainc, ndtri

    dim = ellipsoid.dim
    tiny = np.finfo(float).eps / 2
    normal = ndtri(np.clip(cube, tiny, 1 - tiny))
    square = np.einsum("ij,ij->i", normal, normal)
    radius = gammainc(dim / 2, square / 2) ** (1 / dim)
    return ellipsoid.from_ball(normal * (radius / np.sqrt(np.maximum(square, tiny)))[:, None])


def uniform_to_cube(ellipsoid: Ellipsoid, points: FloatArray) -> FloatArray:
    """Undo `uniform_from_cube` for points strictly inside the ellipsoid."""
    from scipy.special import gammaincinv, ndtr

    dim = ellipsoid.dim
    ball = (points - ellipsoid.center) @ ellipsoid.inverse.T
    radius = np.sqrt(np.einsum("ij,ij->i", ball, ball))
    length = np.sqrt(2 * gammaincinv(dim / 2, np.minimum(radius, 1.0) ** dim))
    cube: FloatArray = ndtr(ball * (length / np.maximum(radius, 1e-300))[:, None])
    return cube


def _split(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each row as length times direction, in the maximum norm."""
    length = np.abs(vectors).max(axis=1)
    directions = vectors / np.where(length > 0, length, 1.0)[:, None]
    directions[length == 0] = 1.0
    return length, directions


def _reach(region: Clipped, rays: FloatArray) -> FloatArray:
    """How far each ray from the anchor goes until it leaves the region."""
    starts = np.broadcast_to(region.anchor, rays.shape)
    return chord(region.ellipsoid, starts, rays)[1]
