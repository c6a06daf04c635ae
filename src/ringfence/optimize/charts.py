"""Charts: coordinates for the numeric parameters of some rows, such that every point is inside.

A row keeps its categories and what they switch off; each block of numeric parameters has
coordinates of its own. Boxes are stretched over [0, 1]. Clipped ellipsoids have two charts: the
cube of the gauge map (`CubeChart`), for methods that want a cube, and the smooth unbounded one of
the sine map (`SmoothChart`), for searches by gradients. Of a union the cube holds all parts, while
in a smooth chart a row stays in its part: a search runs in each, and the best wins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.optimize.layout import Layout
from ringfence.regions import Box, Clipped, Region, Union
from ringfence.regions.sine import Pullback, sine_from, sine_linearized, sine_to
from ringfence.regions.slabs import from_cube, to_cube

Piece: TypeAlias = tuple[Region, IntArray, IntArray]
"""A region, the columns of its coordinates, and the rows that it maps."""


@dataclass(frozen=True, eq=False)
class Chart(ABC):
    """The chart around some rows."""

    layout: Layout
    base: FloatArray
    """Rows whose categories are kept, (n, names)."""

    @cached_property
    def numeric(self) -> IntArray:
        """The columns of rows that have a coordinate."""
        return np.flatnonzero([axis is not None for axis in self.layout.axes])

    @property
    def start(self) -> FloatArray:
        """The coordinates of the base rows, (n, q); 1/2 where inactive."""
        full = np.full(self.base.shape, 0.5)
        for region, at, rows in self._pieces:
            active = rows[~np.isnan(self.base[np.ix_(rows, at)]).any(axis=1)]
            here = np.ix_(active, at)
            full[here] = self.coordinates(region, self.base[here])
        start: FloatArray = full[:, self.numeric]
        return start

    def rows(self, u: FloatArray) -> FloatArray:
        """Coordinates → rows inside the region, before rounding."""
        rows, full = self.base.copy(), self._full(u)
        for region, at, some in self._pieces:
            here = np.ix_(some, at)
            rows[here] = self.points(region, full[here])
        rows[self._inactive] = np.nan
        return rows

    @abstractmethod
    def coordinates(self, region: Region, points: FloatArray) -> FloatArray:
        """The coordinates of points of one block."""

    @abstractmethod
    def points(self, region: Region, coordinates: FloatArray) -> FloatArray:
        """The points of one block."""

    def _full(self, u: FloatArray) -> FloatArray:
        full = np.full(self.base.shape, 0.5)
        full[:, self.numeric] = u
        return full

    @cached_property
    def _inactive(self) -> BoolArray:
        return np.isnan(self.base)

    @cached_property
    def _pieces(self) -> list[Piece]:
        """The region that each row is mapped to in each block, with its columns and its rows."""
        every = np.arange(len(self.base))
        found: list[Piece] = []
        for block in self.layout.learned.blocks:
            at = np.array([self.layout.position(name) for name in block.names])
            found += [(region, at, rows) for region, rows in self.divided(block.region, at, every)]
        return found

    def divided(
        self, region: Region, at: IntArray, rows: IntArray
    ) -> list[tuple[Region, IntArray]]:
        """Which rows have a map of their own; here all share that of the region."""
        return [(region, rows)]


class CubeChart(Chart):
    """Every coordinate in [0, 1]."""

    def coordinates(self, region: Region, points: FloatArray) -> FloatArray:
        """A box is stretched, an ellipsoid goes through the gauge map, a union into slabs."""
        return to_cube(region, points)

    def points(self, region: Region, coordinates: FloatArray) -> FloatArray:
        """Undo `coordinates`."""
        return from_cube(region, coordinates)


@dataclass(frozen=True, eq=False)
class SmoothChart(Chart):
    """Coordinates for a search by gradients, and the model's inputs as a function of them."""

    context: FloatArray | None = None
    """Further columns of the model's inputs, the same for all rows."""

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of the coordinates: 0 and 1 for boxes, none for ellipsoids."""
        lower, upper = np.zeros(len(self.layout.names)), np.ones(len(self.layout.names))
        for region, at, _ in self._pieces:
            if isinstance(region, Clipped):
                lower[at], upper[at] = -np.inf, np.inf
        return lower[self.numeric], upper[self.numeric]

    def coordinates(self, region: Region, points: FloatArray) -> FloatArray:
        """A box is stretched, an ellipsoid goes through the sine map."""
        return sine_to(region, points) if isinstance(region, Clipped) else to_cube(region, points)

    def points(self, region: Region, coordinates: FloatArray) -> FloatArray:
        """Undo `coordinates`."""
        if isinstance(region, Clipped):
            return sine_from(region, coordinates)
        return from_cube(region, coordinates)

    def divided(
        self, region: Region, at: IntArray, rows: IntArray
    ) -> list[tuple[Region, IntArray]]:
        """Each row of a union has the map of the part that it lies in."""
        if not isinstance(region, Union):
            return [(region, rows)]
        part = region.nearest(np.nan_to_num(self.base[:, at], nan=0.5))
        return [(one, rows[part == k]) for k, one in enumerate(region.parts) if (part == k).any()]

    def to_features(self, u: FloatArray) -> FloatArray:
        """Coordinates → the inputs of a model."""
        return with_context(self.layout.features(self.rows(u)), self.context)

    def linearized(self, u: FloatArray) -> tuple[FloatArray, Pullback]:
        """The inputs of a model, and what turns gradients by them into gradients by u."""
        rows, full, pulls = self.base.copy(), self._full(u), []
        for region, at, some in self._pieces:
            here = np.ix_(some, at)
            if isinstance(region, Clipped):
                rows[here], pull = sine_linearized(region, full[here])
            else:
                assert isinstance(region, Box)
                rows[here] = region.from_cube(full[here])
                pull = partial(np.multiply, region.upper - region.lower)
            pulls.append((here, pull))
        rows[self._inactive] = np.nan
        features = with_context(self.layout.features(rows), self.context)
        return features, partial(self._pullback, pulls)

    def _pullback(
        self, pulls: Sequence[tuple[tuple[IntArray, ...], Pullback]], gradient: FloatArray
    ) -> FloatArray:
        lower, upper = self.layout.spans
        by_rows, pulled = np.zeros(self.base.shape), np.zeros(self.base.shape)
        by_rows[:, self.numeric] = gradient[:, self._columns] / (upper - lower)[self.numeric]
        by_rows[self._inactive] = 0.0
        for here, pull in pulls:
            pulled[here] = pull(by_rows[here])
        result: FloatArray = pulled[:, self.numeric]
        return result

    @cached_property
    def _columns(self) -> IntArray:
        """The model's inputs that stand for a coordinate."""
        return np.searchsorted(self.layout.groups, self.numeric)


def with_context(X: FloatArray, context: FloatArray | None) -> FloatArray:
    """Features with the same further columns in every row."""
    if context is None:
        return X
    return np.hstack([X, np.broadcast_to(context, (len(X), len(context)))])
