"""Points with the cells that they stand for, and a cut of them in two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.result import RESOLUTION


@dataclass(frozen=True, eq=False)
class Cells:
    """Points (n, p) and the cells that they stand for: an integer owns the coordinates that round
    to it, a real number owns itself alone."""

    points: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of_reals(cls, points: FloatArray) -> Cells:
        """Points without integers."""
        return cls(points, points, points)

    def rows(self, rows: IntArray | BoolArray) -> Cells:
        """Some of the points."""
        return Cells(self.points[rows], self.lower[rows], self.upper[rows])

    def varying(self) -> Cells:
        """The coordinates in which not all points agree: in the others they are the same."""
        varies = np.ptp(self.points, axis=0) > RESOLUTION
        return Cells(self.points[:, varies], self.lower[:, varies], self.upper[:, varies])


@dataclass(frozen=True, eq=False)
class Cut:
    """The best way found to divide a cloud in two."""

    left: BoolArray
    """(n,) the points of one side."""
    gain: float
    """log V - log(V_left + V_right): what two regions save against one, in nats."""


def sorting_lines(points: FloatArray) -> FloatArray:
    """The points along each coordinate and along the principal axes of the cloud, (n, 2p), in units
    of the coordinates' ranges."""
    extent = np.ptp(points, axis=0)
    scaled = (points - points.mean(axis=0)) / np.where(extent > 0, extent, 1.0)
    if points.shape[1] == 1:
        return np.asarray(scaled)
    axes = np.linalg.svd(scaled, full_matrices=False)[2]
    lines: FloatArray = np.hstack([scaled, scaled @ axes.T])
    return lines
