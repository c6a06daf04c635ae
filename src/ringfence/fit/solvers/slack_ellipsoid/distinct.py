"""Tasks that share a point are one point with a larger share of the tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.errors import FitError


@dataclass(frozen=True)
class Tasks:
    """The distinct points of the tasks, and how many tasks sit at each."""

    points: FloatArray  # (m, p)
    copies: IntArray  # (m,)

    @property
    def shares(self) -> FloatArray:
        """Share ω (m,) of the tasks at each point; they sum to 1."""
        shares: FloatArray = self.copies / self.copies.sum()
        return shares

    def thinned(self) -> Tasks:
        """A fifth of the distinct points, the same at every call."""
        keep = np.random.default_rng(0).permutation(self.copies.size)[: self.copies.size // 5]
        return Tasks(self.points[keep], self.copies[keep])


def merge_duplicates(points: FloatArray) -> tuple[Tasks, IntArray]:
    """Merge equal rows of `points` (T, p); also return (T,) the distinct point of each row."""
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.size == 0:
        raise FitError(f"points must have shape (T, p) with T, p >= 1, not {points.shape}")
    if not np.isfinite(points).all():
        row, column = np.argwhere(~np.isfinite(points))[0]
        raise FitError(
            f"point {row} has the coordinate {column} = {points[row, column]}: "
            "all coordinates must be finite numbers"
        )
    distinct, rows, copies = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    return Tasks(distinct, copies), rows.reshape(-1)
