"""The functions of a configuration that the chance of failure may depend on.

symbol   meaning                                                           shape
X        features of a layout, about 0 to 1                                (n, d)
Phi      columns of X, squares and products of two parameters, centered    (n, p)

On a log scale a product of two parameters is a sum of columns; the products of columns let the
edge of what fails bend. Every column is scaled to a deviation of one on the rows it was made from,
so that one prior fits all of a kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray

LINEAR, BENT = 0, 1  # kinds of columns, each with a prior of its own
MOST_COLUMNS = 120  # with all products; beyond, an edge is a plane, with squares if they fit
FLAT = 1e-6  # deviation of a column that says nothing


@dataclass(frozen=True, eq=False)
class Basis:
    """Which columns there are, and how they are scaled."""

    first: IntArray  # (p,) columns of X; second is -1 for the column itself
    second: IntArray  # (p,)
    mean: FloatArray  # (p,)
    scale: FloatArray  # (p,)

    @classmethod
    def of(cls, X: FloatArray, groups: IntArray) -> Basis:
        """The basis for rows like X; `groups` says to which parameter a column belongs."""
        d = X.shape[1]
        numeric = np.bincount(groups, minlength=d)[groups] == 1
        squares = [(j, j) for j in range(d) if numeric[j]]
        pairs = [(i, j) for i in range(d) for j in range(i + 1, d) if groups[i] != groups[j]]
        chosen = [(j, -1) for j in range(d)]
        for further in (squares, pairs):
            if len(chosen) + len(further) <= MOST_COLUMNS:
                chosen += further
        first, second = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
        raw = _raw(X, first, second)
        scale = raw.std(axis=0)
        kept = scale > FLAT
        return cls(first[kept], second[kept], raw.mean(axis=0)[kept], scale[kept])

    @property
    def kinds(self) -> IntArray:
        """(p,) LINEAR or BENT."""
        return np.where(self.second < 0, LINEAR, BENT)

    def combination(self, b: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Phi b as a constant, a vector (d,) and a matrix (d, d), for which centered features
        give the same without Phi."""
        d = int(max(self.first.max(initial=-1), self.second.max(initial=-1))) + 1
        slopes, linear, square = b / self.scale, np.zeros(d), np.zeros((d, d))
        alone = self.second < 0
        np.add.at(linear, self.first[alone], slopes[alone])
        np.add.at(square, (self.first[~alone], self.second[~alone]), slopes[~alone])
        return -float(self.mean @ slopes), linear, square

    def at(self, X: FloatArray) -> FloatArray:
        """Phi at features X."""
        return (_raw(X, self.first, self.second) - self.mean) / self.scale


def _raw(X: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    centered = X - 0.5
    factor = np.where(second < 0, 1.0, centered[:, second])
    return np.asarray(centered[:, first] * factor)
