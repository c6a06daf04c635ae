"""The parts of a union side by side in one cube.

The cube is cut into slabs across one coordinate, the one that tells the parts apart best, in their
order along it: each slab is the cube of one part. So every point of the cube stands for a point of
the union, and neighbors stay neighbors but for the few that a cut divides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.regions.region import Region

EDGE = 1e-9  # off a slab's faces, which belong to its neighbor as well


@dataclass(frozen=True, eq=False)
class Slabs:
    """The unit cube in slabs across coordinate `axis`, one for each part."""

    axis: int
    order: IntArray
    """(k,) the part of each slab, from 0 upwards."""
    edges: FloatArray
    """(k + 1,) where the slabs begin and end."""

    @classmethod
    def of(cls, parts: Sequence[Region], shares: FloatArray) -> Slabs:
        """Slabs as thick as the `shares` (k,) of their parts."""
        lower, upper = (np.array(ends) for ends in zip(*(part.bounds for part in parts)))
        middles, widths = (lower + upper) / 2, (upper - lower).mean(axis=0)
        axis = int(np.argmax(np.std(middles, axis=0) / np.maximum(widths, 1e-300)))
        order = np.argsort(middles[:, axis], kind="stable")
        edges = np.concatenate([[0.0], np.cumsum(shares[order] / shares.sum())])
        return cls(axis, order, edges)

    def split(self, cube: FloatArray) -> tuple[IntArray, FloatArray]:
        """Rows of the cube → the part of each, and its row in the part's own cube."""
        along = cube[:, self.axis]
        slab = np.searchsorted(self.edges[1:-1], along, side="right")
        start, stop = self.edges[slab], self.edges[slab + 1]
        rows = cube.copy()
        rows[:, self.axis] = np.clip((along - start) / (stop - start), 0.0, 1.0)
        return self.order[slab], rows

    def join(self, part: IntArray, rows: FloatArray) -> FloatArray:
        """Undo `split`."""
        slab = np.argsort(self.order)[part]
        start, stop = self.edges[slab], self.edges[slab + 1]
        cube = rows.copy()
        inner = np.clip(rows[:, self.axis], EDGE, 1.0 - EDGE)
        cube[:, self.axis] = start + inner * (stop - start)
        return cube
