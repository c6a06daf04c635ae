"""The gauge map: any convex region as a cube, for methods that only know boxes.

A bijection cube ↔ region: nothing ever leaves the space, so any optimizer of a box searches the
region unchanged. Rays from the anchor are stretched: a point at the share s of the way to the
cube's face goes to the share s of the way to the region's boundary.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ringfence.arrays import FloatArray


class Anchored(Protocol):
    """A convex region with a point inside from which rays go out."""

    @property
    def anchor(self) -> FloatArray:
        """The point, (p,)."""
        ...

    def chord(self, points: FloatArray, lines: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each row, the smallest and largest t with point + t line inside."""
        ...


def gauge_from_cube(region: Anchored, cube: FloatArray) -> FloatArray:
    """Rows of `cube` in [0, 1]^p → points of the region, shape (n, p)."""
    share, rays = _split(2.0 * np.asarray(cube, float) - 1.0)
    reach = _reach(region, rays)
    return np.clip(region.anchor + (share * reach)[:, None] * rays, 0.0, 1.0)


def gauge_to_cube(region: Anchored, points: FloatArray) -> FloatArray:
    """Undo `gauge_from_cube`; points outside the region go to the nearest face along their ray."""
    length, rays = _split(np.asarray(points, float) - region.anchor)
    share = np.minimum(length / _reach(region, rays), 1.0)
    return np.clip(0.5 + 0.5 * share[:, None] * rays, 0.0, 1.0)


def _split(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each row as length times direction, in the maximum norm."""
    length = np.abs(vectors).max(axis=1)
    directions = vectors / np.where(length > 0, length, 1.0)[:, None]
    directions[length == 0] = 1.0
    return length, directions


def _reach(region: Anchored, rays: FloatArray) -> FloatArray:
    """How far each ray from the anchor goes until it leaves the region."""
    return region.chord(np.broadcast_to(region.anchor, rays.shape), rays)[1]
