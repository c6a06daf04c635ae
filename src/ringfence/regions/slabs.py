"""Any region as a cube, for methods that only know boxes.

A box is stretched, a clipped ellipsoid goes through its gauge map (cube.py). For a union the cube
is cut into slabs across one coordinate, the one that tells the parts apart best, in their order
along it: each slab is the cube of one part. So every point of the cube stands for a point of the
union, and neighbors stay neighbors but for the few that a cut divides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.regions.box import Box
from ringfence.regions.clipped import Clipped
from ringfence.regions.cube import gauge_from_cube, gauge_to_cube
from ringfence.regions.union import Region, Union

EDGE = 1e-9  # off a slab's faces, which belong to its neighbor as well
THINNEST = 0.25  # of an even share: a part that a search never enters, it cannot judge


@dataclass(frozen=True, eq=False)
class Slabs:
    """The unit cube in slabs across coordinate `axis`, one a part."""

    axis: int
    order: IntArray
    """(k,) the part of each slab, from 0 upwards."""
    edges: FloatArray
    """(k + 1,) where the slabs begin and end."""

    @classmethod
    def of(cls, parts: Sequence[Box | Clipped], shares: FloatArray) -> Slabs:
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
        own = cube.copy()
        own[:, self.axis] = np.clip((along - start) / (stop - start), 0.0, 1.0)
        return self.order[slab], own

    def join(self, part: IntArray, own: FloatArray) -> FloatArray:
        """Undo `split`."""
        slab = np.argsort(self.order)[part]
        start, stop = self.edges[slab], self.edges[slab + 1]
        cube = own.copy()
        inner = np.clip(own[:, self.axis], EDGE, 1.0 - EDGE)
        cube[:, self.axis] = start + inner * (stop - start)
        return cube


def search_slabs(union: Union) -> Slabs:
    """Slabs in proportion to the parts' volumes, none thinner than a quarter of an even share."""
    sizes = np.array([part.log_volume for part in union.parts])
    shares = np.exp(sizes - sizes.max())
    return Slabs.of(union.parts, np.maximum(shares / shares.sum(), THINNEST / len(sizes)))


def from_cube(region: Region, cube: FloatArray) -> FloatArray:
    """Rows of `cube` in [0, 1]^p → points of the region, shape (n, p)."""
    if isinstance(region, Box):
        return region.from_cube(cube)
    if isinstance(region, Clipped):
        return gauge_from_cube(region, cube)
    numbers, own = search_slabs(region).split(cube)
    points = np.empty(cube.shape)
    for number, part in enumerate(region.parts):
        points[numbers == number] = from_cube(part, own[numbers == number])
    return points


def to_cube(region: Region, points: FloatArray) -> FloatArray:
    """Undo `from_cube`; points outside go to the boundary, of a union to that of the nearest
    part."""
    if isinstance(region, Box):
        width = np.maximum(region.upper - region.lower, 1e-300)
        unit: FloatArray = np.clip((points - region.lower) / width, 0.0, 1.0)
        return unit
    if isinstance(region, Clipped):
        return gauge_to_cube(region, points)
    numbers = region.nearest(points)
    own = np.empty(points.shape)
    for number, part in enumerate(region.parts):
        own[numbers == number] = to_cube(part, points[numbers == number])
    return search_slabs(region).join(numbers, own)
