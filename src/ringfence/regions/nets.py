"""Nets of triangles for drawing: the cube and the ball in three dimensions, and convex bodies cut
to the unit cube. Seen from outside, the corners of a triangle go around counterclockwise."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray

RINGS, SPOKES = 16, 32  # of the net of the ball: fine enough to look round
SAME = 9  # digits: corners that agree to so many are one
CUBE = np.array(list(product((0.0, 1.0), repeat=3)))
"""The corners of the unit cube, (8, 3)."""
CUBE_SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""Two triangles for each of its sides, by numbers of corners, (12, 3)."""


def circle() -> FloatArray:
    """The unit circle, one point a degree, closed, (361, 2)."""
    angle = np.linspace(0, 2 * np.pi, 361)
    return np.column_stack([np.cos(angle), np.sin(angle)])


@cache
def ball() -> tuple[FloatArray, IntArray]:
    """The unit sphere: corners (m, 3) and triangles (n, 3) of their numbers."""
    polar, around = np.meshgrid(
        np.linspace(0, np.pi, RINGS + 1),
        np.linspace(0, 2 * np.pi, SPOKES, endpoint=False),
        indexing="ij",
    )
    sphere = [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)]
    corners = np.stack(sphere, axis=-1).reshape(-1, 3)
    ring, spoke = (grid.ravel() for grid in np.mgrid[:RINGS, :SPOKES])
    here, beside = ring * SPOKES + spoke, ring * SPOKES + (spoke + 1) % SPOKES
    triangles = np.concatenate(
        [
            np.column_stack([here, here + SPOKES, beside]),
            np.column_stack([beside, here + SPOKES, beside + SPOKES]),
        ]
    )
    return corners, triangles


def cut_to_cube(corners: FloatArray, triangles: IntArray) -> tuple[FloatArray, IntArray]:
    """What the inside of a closed convex net and the unit cube have in common, as a closed net:
    where the cube cuts it, a flat side closes it."""
    if corners.min() >= 0 and corners.max() <= 1:
        return corners, triangles
    polygons = list(_outward(corners[triangles]))
    for axis, limit in product(range(3), (0.0, 1.0)):
        beyond = [(p[:, axis] < 0) if limit == 0 else (p[:, axis] > 1) for p in polygons]
        if not any(outside.any() for outside in beyond):
            continue
        cut = [_cut(polygon, outside, axis, limit) for polygon, outside in zip(polygons, beyond)]
        polygons = [polygon for polygon in cut if len(polygon) > 2]
        polygons.append(_lid(np.concatenate(cut), axis, limit))
    polygons = [polygon for polygon in polygons if len(polygon) > 2]
    return _net(polygons) if polygons else (corners[:0], triangles[:0])


def _outward(triangles: FloatArray) -> FloatArray:
    """The triangles (n, 3, 3) of a closed net, turned around if they face inward."""
    a, b, c = triangles.transpose(1, 0, 2)
    return triangles[:, ::-1] if np.einsum("ij,ij->", a, np.cross(b, c)) < 0 else triangles


def _cut(polygon: FloatArray, outside: BoolArray, axis: int, limit: float) -> FloatArray:
    """A convex polygon (k, 3) without the corners outside, cut where the coordinate is `limit`."""
    kept = []
    for k in range(len(polygon)):
        here, there = polygon[k - 1], polygon[k]
        if outside[k - 1] != outside[k]:
            crossing = here + (limit - here[axis]) / (there[axis] - here[axis]) * (there - here)
            crossing[axis] = limit
            kept.append(crossing)
        if not outside[k]:
            kept.append(there)
    return np.array(kept).reshape(-1, 3)


def _lid(points: FloatArray, axis: int, limit: float) -> FloatArray:
    """The convex polygon around those of the points that lie in a side of the cube."""
    rim = np.unique(points[points[:, axis] == limit].round(SAME), axis=0)
    flat = np.delete(rim - rim.mean(axis=0), axis, axis=1) if len(rim) else np.empty((0, 2))
    around = rim[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
    return around[::-1] if (axis == 1) == (limit == 1) else around


def _net(polygons: list[FloatArray]) -> tuple[FloatArray, IntArray]:
    """Convex polygons as one net of triangles with shared corners."""
    corners, numbers = np.unique(np.concatenate(polygons).round(SAME), axis=0, return_inverse=True)
    first = np.cumsum([0, *map(len, polygons[:-1])])
    fans = [
        (start, start + k, start + k + 1)
        for start, polygon in zip(first, polygons)
        for k in range(1, len(polygon) - 1)
    ]
    return corners, numbers.reshape(-1)[np.array(fans)]
