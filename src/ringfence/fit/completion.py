"""Incumbents that lack coordinates, completed for shapes whose fit needs every one.

A task that did not tune a parameter is inside a region if some completion of its incumbent is. The
one taken here is that of the nearest task, by the coordinates that both have, which has the missing
one; so tasks that agree stay together. It is a choice, not an optimum.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.fit.unions.cells import Cells

MIDDLE = 0.5
"""Of a coordinate that no task has."""


def completed(cells: Cells) -> Cells:
    """The cells (n, p) with a value for each coordinate that is NaN, cell edges included."""
    lower, points, upper = (each.copy() for each in (cells.lower, cells.points, cells.upper))
    free = np.isnan(cells.points)
    for row in np.flatnonzero(free.any(axis=1)):
        nearest = np.argsort(_distances(cells.points, cells.points[row]), kind="stable")
        for j in np.flatnonzero(free[row]):
            known = nearest[~free[nearest, j]]
            for side, source in zip(
                (lower, points, upper), (cells.lower, cells.points, cells.upper)
            ):
                side[row, j] = source[known[0], j] if len(known) else MIDDLE
    return Cells(points, lower, upper)


def _distances(points: FloatArray, one: FloatArray) -> FloatArray:
    """Mean squared distance of all points (n,) from one, over the coordinates that both have;
    infinite where they have none."""
    squares = (points - one) ** 2
    shared = ~np.isnan(squares)
    total = np.where(shared, squares, 0.0).sum(axis=1)
    counts = shared.sum(axis=1)
    distances: FloatArray = np.where(counts > 0, total / np.maximum(counts, 1), np.inf)
    return distances
