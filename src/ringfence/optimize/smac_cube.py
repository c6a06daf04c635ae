"""A learned space as SMAC sees it: a cube, and positions among the kept choices.

    symbol    meaning                                                              shape
    vectors   coordinates coordinates in [0, 1] of numeric parameters, positions among    (n, names)
              the kept choices of the others; full, 1/2 or 0 where inactive
    inputs    vectors of what they stand for: whole numbers rounded, and SMAC's     (n, names)
              marks where inactive, -1 or the number of kept choices

SMAC is told of no conditions. Its local search (2.4) compares vectors by ≠, so that one NaN in a
configuration makes it pass over all its neighbors; the marks are set here instead, which serves
conditions on whole numbers as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.coordinates import CubeCoordinates
from ringfence.optimize.domain.domain import Domain


@dataclass(frozen=True, eq=False)
class SmacCube:
    """The maps between the rows of a domain and the vectors of SMAC."""

    domain: Domain

    @cached_property
    def kept(self) -> dict[int, FloatArray]:
        """By column, the positions of the choices that are left of a category."""
        layout = self.domain.layout
        return {layout.position(name): self.domain.places(name) for name in layout.learned.choices}

    def vectors(self, rows: FloatArray) -> FloatArray:
        """Rows → vectors."""
        coordinates = CubeCoordinates(self.domain.layout, rows)
        vectors = np.zeros(rows.shape)
        vectors[:, coordinates.numeric] = coordinates.start
        for j, places in self.kept.items():
            vectors[:, j] = np.argmax(rows[:, j, None] == places, axis=1)
        return vectors

    def rows(self, vectors: FloatArray) -> FloatArray:
        """Vectors → the rows they stand for, rounded; of ellipsoids some may then be outside."""
        base = vectors.copy()
        for j, places in self.kept.items():
            base[:, j] = places[vectors[:, j].astype(int)]
        coordinates = CubeCoordinates(self.domain.layout, base)
        return self.domain.layout.snap(coordinates.rows(vectors[:, coordinates.numeric]))

    def inputs(self, vectors: FloatArray) -> FloatArray:
        """Vectors → what the forest is trained on and asked about."""
        if self._is_plain:
            return vectors
        rows = self.rows(vectors)
        marks = np.full(rows.shape[1], -1.0)
        for j, places in self.kept.items():
            marks[j] = len(places)
        return np.where(np.isnan(rows), marks, self.vectors(rows))

    @cached_property
    def _is_plain(self) -> bool:
        """Whether every vector stands for itself: nothing to round, nothing to switch off."""
        layout = self.domain.layout
        rounded = any(axis is not None and axis.integer for axis in layout.axes)
        return not rounded and not layout.space.conditions
