"""Charts: coordinates for the numeric parameters of some rows, such that every point is inside.

A row keeps its categories and what they switch off; each block of numeric parameters has
coordinates of its own. Boxes are stretched over [0, 1]. Clipped ellipsoids have two charts: the
cube of the gauge map (`CubeChart`), for methods that want a cube, and the smooth unbounded one of
the sine map (`SmoothChart`), for searches by gradients.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.optimize.layout import Layout
from ringfence.regions import Box, Clipped
from ringfence.regions.cube import gauge_from_cube, gauge_to_cube
from ringfence.regions.sine import Pullback, sine_from, sine_linearized, sine_to


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
        for region, at in self._regions:
            active = np.flatnonzero(~np.isnan(self.base[:, at]).any(axis=1))[:, None]
            full[active, at] = self.coordinates(region, self.base[active, at])
        start: FloatArray = full[:, self.numeric]
        return start

    def rows(self, u: FloatArray) -> FloatArray:
        """Coordinates → rows inside the region, before rounding."""
        rows, full = self.base.copy(), self._full(u)
        for region, at in self._regions:
            rows[:, at] = self.points(region, full[:, at])
        rows[self._inactive] = np.nan
        return rows

    @abstractmethod
    def coordinates(self, region: Box | Clipped, points: FloatArray) -> FloatArray:
        """The coordinates of points of one block."""

    @abstractmethod
    def points(self, region: Box | Clipped, coordinates: FloatArray) -> FloatArray:
        """The points of one block."""

    def _full(self, u: FloatArray) -> FloatArray:
        full = np.full(self.base.shape, 0.5)
        full[:, self.numeric] = u
        return full

    @cached_property
    def _inactive(self) -> BoolArray:
        return np.isnan(self.base)

    @cached_property
    def _regions(self) -> list[tuple[Box | Clipped, list[int]]]:
        return [
            (b.region, [self.layout.position(name) for name in b.names])
            for b in self.layout.learned.blocks
        ]


class CubeChart(Chart):
    """Every coordinate in [0, 1]."""

    def coordinates(self, region: Box | Clipped, points: FloatArray) -> FloatArray:
        """A box is stretched, an ellipsoid goes through the gauge map."""
        return (
            gauge_to_cube(region, points) if isinstance(region, Clipped) else _unit(region, points)
        )

    def points(self, region: Box | Clipped, coordinates: FloatArray) -> FloatArray:
        """Undo `coordinates`."""
        if isinstance(region, Clipped):
            return gauge_from_cube(region, coordinates)
        return region.from_cube(coordinates)


@dataclass(frozen=True, eq=False)
class SmoothChart(Chart):
    """Coordinates for a search by gradients, and the model's inputs as a function of them."""

    context: FloatArray | None = None
    """Further columns of the model's inputs, the same for all rows."""

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of the coordinates: 0 and 1 for boxes, none for ellipsoids."""
        lower, upper = np.zeros(len(self.layout.names)), np.ones(len(self.layout.names))
        for region, at in self._regions:
            if isinstance(region, Clipped):
                lower[at], upper[at] = -np.inf, np.inf
        return lower[self.numeric], upper[self.numeric]

    def coordinates(self, region: Box | Clipped, points: FloatArray) -> FloatArray:
        """A box is stretched, an ellipsoid goes through the sine map."""
        return sine_to(region, points) if isinstance(region, Clipped) else _unit(region, points)

    def points(self, region: Box | Clipped, coordinates: FloatArray) -> FloatArray:
        """Undo `coordinates`."""
        if isinstance(region, Clipped):
            return sine_from(region, coordinates)
        return region.from_cube(coordinates)

    def to_features(self, u: FloatArray) -> FloatArray:
        """Coordinates → the inputs of a model."""
        return with_context(self.layout.features(self.rows(u)), self.context)

    def linearized(self, u: FloatArray) -> tuple[FloatArray, Pullback]:
        """The inputs of a model, and what turns gradients by them into gradients by u."""
        rows, full, pulls = self.base.copy(), self._full(u), []
        for region, at in self._regions:
            if isinstance(region, Clipped):
                rows[:, at], pull = sine_linearized(region, full[:, at])
            else:
                rows[:, at] = region.from_cube(full[:, at])
                pull = partial(np.multiply, region.upper - region.lower)
            pulls.append((at, pull))
        rows[self._inactive] = np.nan
        features = with_context(self.layout.features(rows), self.context)
        return features, partial(self._pullback, pulls)

    def _pullback(
        self, pulls: Sequence[tuple[list[int], Pullback]], gradient: FloatArray
    ) -> FloatArray:
        lower, upper = self.layout.spans
        by_rows, pulled = np.zeros(self.base.shape), np.zeros(self.base.shape)
        by_rows[:, self.numeric] = gradient[:, self._columns] / (upper - lower)[self.numeric]
        by_rows[self._inactive] = 0.0
        for at, pull in pulls:
            pulled[:, at] = pull(by_rows[:, at])
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


def _unit(box: Box, points: FloatArray) -> FloatArray:
    width = np.maximum(box.upper - box.lower, 1e-300)
    unit: FloatArray = np.clip((points - box.lower) / width, 0.0, 1.0)
    return unit
