"""The shadow of a block's region on two or three of its coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from ringfence.arrays import FloatArray
from ringfence.blocks import Block
from ringfence.regions import Box, Clipped, Ellipsoid, Union

RINGS, SPOKES = 16, 32  # of the net that stands for a ball
CUBE = np.array(list(product((0.0, 1.0), repeat=3)))
CUBE_SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def outline(block: Block, i: int, j: int) -> FloatArray:
    """The boundary (k, 2) of the region seen along all other coordinates; an ellipsoid's may leave
    the unit square. The parts of a union are divided by rows of NaN."""
    parts = block.region.parts if isinstance(block.region, Union) else (block.region,)
    curves = [np.vstack([_curve(part, i, j), np.full((1, 2), np.nan)]) for part in parts]
    return np.concatenate(curves)[:-1]


def _curve(region: Box | Clipped, i: int, j: int) -> FloatArray:
    if isinstance(region, Box):
        (x0, y0), (x1, y1) = (bound[[i, j]] for bound in region.bounds)
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]])
    angle = np.linspace(0, 2 * np.pi, 361)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return _shadow(region.ellipsoid, [i, j], circle)


def surface(block: Block, places: Sequence[int]) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """The boundary of the region's shadow on three coordinates: corners (m, 3) and triangles
    (n, 3) of their numbers; an ellipsoid's may leave the unit cube. A union has one for each part,
    all in one list."""
    parts = block.region.parts if isinstance(block.region, Union) else (block.region,)
    corners, triangles = zip(*(_body(part, places) for part in parts))
    first = np.cumsum([0, *map(len, corners[:-1])])
    return np.concatenate(corners), np.concatenate([t + at for t, at in zip(triangles, first)])


def _body(region: Box | Clipped, places: Sequence[int]) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    if isinstance(region, Box):
        lower, upper = (bound[list(places)] for bound in region.bounds)
        return lower + CUBE * (upper - lower), CUBE_SIDES
    ball, triangles = _ball()
    return _shadow(region.ellipsoid, places, ball), triangles


def _shadow(ellipsoid: Ellipsoid, places: Sequence[int], ball: FloatArray) -> FloatArray:
    """Points of a unit sphere in few dimensions, moved to the boundary of the shadow: F z over the
    ball has the same image as R' z over the small one, where F' = Q R."""
    turned = np.linalg.qr(ellipsoid.factor[list(places)].T)
    boundary: FloatArray = ellipsoid.center[list(places)] + ball @ turned.R
    return boundary


def _ball() -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """The unit sphere as a net of triangles."""
    polar, around = np.meshgrid(
        np.linspace(0, np.pi, RINGS + 1),
        np.linspace(0, 2 * np.pi, SPOKES, endpoint=False),
        indexing="ij",
    )
    at = [np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)]
    corners = np.stack(at, axis=-1).reshape(-1, 3)
    ring, spoke = (grid.ravel() for grid in np.mgrid[:RINGS, :SPOKES])
    here, beside = ring * SPOKES + spoke, ring * SPOKES + (spoke + 1) % SPOKES
    triangles = np.concatenate(
        [
            np.column_stack([here, beside, here + SPOKES]),
            np.column_stack([beside, beside + SPOKES, here + SPOKES]),
        ]
    )
    return corners, triangles
