"""Nets of triangles for drawing: the cube and the ball in three dimensions."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from ringfence.arrays import FloatArray, IntArray

RINGS, SPOKES = 16, 32  # of the net of the ball: fine enough to look round
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
            np.column_stack([here, beside, here + SPOKES]),
            np.column_stack([beside, beside + SPOKES, here + SPOKES]),
        ]
    )
    return corners, triangles
