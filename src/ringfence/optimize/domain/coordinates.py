"""Coordinates for the numeric parameters of some rows, such that every point is inside.

A row keeps its categories and what they switch off; each block of numeric parameters has
coordinates of its own, which its region provides: those of a cube (`CubeCoordinates`), for methods
that want one, or smooth ones (`SmoothCoordinates`), for searches by gradients. The cube of a union
holds all parts, while with smooth coordinates a row stays in its part: a search runs in each, and
the best wins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.optimize.domain.layout import Layout
from ringfence.regions import Region
from ringfence.regions.region import Pullback

Piece: TypeAlias = tuple[Region, IntArray, IntArray]
"""A region, the columns of its coordinates, and the rows that it maps."""


@dataclass(frozen=True, eq=False)
class RowCoordinates(ABC):
    """The coordinates of some rows."""

    layout: Layout
    base: FloatArray
    """Rows whose categories stay as they are, (n, names)."""

    @cached_property
    def numeric(self) -> IntArray:
        """The columns of rows that have a coordinate."""
        return np.flatnonzero([axis is not None for axis in self.layout.axes])

    @property
    def start(self) -> FloatArray:
        """The coordinates of the base rows, (n, q); 1/2 if inactive, or those of its completion if
        others of the same region are active."""
        full = np.full(self.base.shape, 0.5)
        for region, columns, rows in self._pieces:
            active = rows[~np.isnan(self.base[np.ix_(rows, columns)]).all(axis=1)]
            piece = np.ix_(active, columns)
            full[piece] = self.encode(region, region.complete(self.base[piece]))
        start: FloatArray = full[:, self.numeric]
        return start

    def rows(self, u: FloatArray) -> FloatArray:
        """Coordinates → rows inside the region, before rounding."""
        rows, full = self.base.copy(), self._full(u)
        for region, columns, numbers in self._pieces:
            piece = np.ix_(numbers, columns)
            rows[piece] = self.decode(region, full[piece])
        rows[self._inactive] = np.nan
        return rows

    @abstractmethod
    def encode(self, region: Region, points: FloatArray) -> FloatArray:
        """The coordinates of points of one block."""

    @abstractmethod
    def decode(self, region: Region, coordinates: FloatArray) -> FloatArray:
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
        pieces: list[Piece] = []
        for block in self.layout.learned.blocks:
            columns = np.array([self.layout.position(name) for name in block.names])
            parts = self.rows_by_part(block.region, columns)
            pieces += [(region, columns, rows) for region, rows in parts]
        return pieces

    def rows_by_part(self, region: Region, columns: IntArray) -> list[tuple[Region, IntArray]]:
        """The parts that have a map of their own, each with its rows; here all share the region's
        map."""
        return [(region, np.arange(len(self.base)))]


class CubeCoordinates(RowCoordinates):
    """Every coordinate in [0, 1]."""

    def encode(self, region: Region, points: FloatArray) -> FloatArray:
        """By the region's map to a cube."""
        return region.to_cube(points)

    def decode(self, region: Region, coordinates: FloatArray) -> FloatArray:
        """Undo `encode`."""
        return region.from_cube(coordinates)


@dataclass(frozen=True, eq=False)
class SmoothCoordinates(RowCoordinates):
    """Coordinates for a search by gradients, and the model's inputs as a function of them."""

    context: FloatArray | None = None
    """Further columns of the model's inputs, the same for all rows."""

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of the coordinates; infinite if a region needs none."""
        lower, upper = np.zeros(len(self.layout.names)), np.ones(len(self.layout.names))
        for region, columns, _ in self._pieces:
            lower[columns], upper[columns] = region.coordinates.bounds
        return lower[self.numeric], upper[self.numeric]

    def encode(self, region: Region, points: FloatArray) -> FloatArray:
        """By the region's smooth coordinates."""
        return region.coordinates.encode(points)

    def decode(self, region: Region, coordinates: FloatArray) -> FloatArray:
        """Undo `encode`."""
        return region.coordinates.decode(coordinates)

    def rows_by_part(self, region: Region, columns: IntArray) -> list[tuple[Region, IntArray]]:
        """Each row of a union has the map of the part that it lies in."""
        nearest = region.nearest(np.nan_to_num(self.base[:, columns], nan=0.5))
        parts = [(part, np.flatnonzero(nearest == k)) for k, part in enumerate(region.parts)]
        return [(part, rows) for part, rows in parts if len(rows)]

    def to_features(self, u: FloatArray) -> FloatArray:
        """Coordinates → the inputs of a model."""
        return with_context(self.layout.features(self.rows(u)), self.context)

    def linearized(self, u: FloatArray) -> tuple[FloatArray, Pullback]:
        """The inputs of a model, and what turns gradients by them into gradients by u."""
        rows, pull = self.linearized_rows(u)
        features = with_context(self.layout.features(rows), self.context)
        return features, lambda gradient: pull(self.layout.by_rows(gradient))

    def linearized_rows(self, u: FloatArray) -> tuple[FloatArray, Pullback]:
        """The rows, and what turns gradients by their numeric columns into gradients by u; those of
        the same array are remembered, since a model and its weights ask in turn."""
        if self._last and self._last[0] is u:
            return self._last[1], self._last[2]
        rows, full, pulls = self.base.copy(), self._full(u), []
        for region, columns, numbers in self._pieces:
            piece = np.ix_(numbers, columns)
            rows[piece], pull = region.coordinates.linearized(full[piece])
            pulls.append((piece, pull))
        rows[self._inactive] = np.nan
        self._last[:] = [u, rows, partial(self._pullback, pulls)]
        return self._last[1], self._last[2]

    @cached_property
    def _last(self) -> list[Any]:
        """What was asked for last, and the answer."""
        return []

    def _pullback(
        self, pulls: Sequence[tuple[tuple[IntArray, ...], Pullback]], gradient: FloatArray
    ) -> FloatArray:
        by_rows, by_u = np.where(self._inactive, 0.0, gradient), np.zeros(self.base.shape)
        for piece, pull in pulls:
            by_u[piece] = pull(by_rows[piece])
        result: FloatArray = by_u[:, self.numeric]
        return result


def with_context(X: FloatArray, context: FloatArray | None) -> FloatArray:
    """Features with the same further columns in every row."""
    if context is None:
        return X
    return np.hstack([X, np.broadcast_to(context, (len(X), len(context)))])
