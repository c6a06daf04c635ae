"""A learned space as SMAC sees it: a cube, and positions among the kept choices.

symbol    meaning                                                              shape
vectors   cube coordinates of numeric parameters, positions among the kept     (n, names)
          choices of the others; 1/2 or 0 if inactive, never NaN
inputs    vectors of what they stand for: integers rounded, and SMAC's marks   (n, names)
          if inactive, -1 or the number of kept choices

SMAC does not see the conditions. Its local search (2.4) compares vectors by ≠, so that one NaN in a
configuration makes it skip all its neighbors; the marks are set here instead, which also serves
conditions on integers.
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
    def kept_choices(self) -> dict[int, FloatArray]:
        """By column, the positions of a category's kept choices."""
        layout, positions = self.domain.layout, self.domain.positions
        return {layout.position(name): positions(name) for name in layout.learned.choices}

    def vectors(self, rows: FloatArray) -> FloatArray:
        """Rows → vectors."""
        coordinates = CubeCoordinates(self.domain.layout, rows)
        vectors = np.zeros(rows.shape)
        vectors[:, coordinates.numeric] = coordinates.start
        for j, positions in self.kept_choices.items():
            vectors[:, j] = np.argmax(rows[:, j, None] == positions, axis=1)
        return vectors

    def rows(self, vectors: FloatArray) -> FloatArray:
        """Vectors → the rows they stand for, rounded, which may put a row outside an ellipsoid."""
        base = vectors.copy()
        for j, positions in self.kept_choices.items():
            base[:, j] = positions[vectors[:, j].astype(int)]
        coordinates = CubeCoordinates(self.domain.layout, base)
        return self.domain.layout.snap(coordinates.rows(vectors[:, coordinates.numeric]))

    def inputs(self, vectors: FloatArray) -> FloatArray:
        """Vectors → what the forest is trained on, and predicts at."""
        if self._is_plain:
            return vectors
        rows = self.rows(vectors)
        marks = np.full(rows.shape[1], -1.0)
        for j, positions in self.kept_choices.items():
            marks[j] = len(positions)
        return np.where(np.isnan(rows), marks, self.vectors(rows))

    @cached_property
    def _is_plain(self) -> bool:
        """Whether every vector stands for itself: nothing to round, nothing to switch off."""
        layout = self.domain.layout
        rounded = any(axis is not None and axis.has_cells for axis in layout.axes)
        return not rounded and not layout.space.conditions
