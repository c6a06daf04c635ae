"""A scrambled Sobol design over any region, for quasi-random search and for first points.

A region maps the cube onto itself such that uniform points stay uniform (`uniform_from_cube`);
points that fall outside the original bounds, or outside the region after rounding, are passed
over. From a list of candidates the nearest to each point is taken.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import ExhaustedError
from ringfence.optimize.domain.domain import Domain

FIRST = 64  # points made at first; their number doubles as more are needed
LONGEST = 1 << 14  # points of the sequence to look at before plain draws take over


class Design:
    """The valid points of one scrambled sequence, made as they are needed."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self.domain = domain
        self.seed = seed
        self._rows = np.empty((0, len(domain.layout.names)))
        self._n_made = 0  # points of the sequence, valid or not
        self._next = 0  # the first of `_rows` that may be untried

    def next(self, tried: Set[bytes], rng: np.random.Generator) -> FloatArray:
        """The first point that was not tried, shape (1, names)."""
        if self.domain.pool is not None:
            return self._nearest(tried)
        keys = self.domain.layout.keys
        while self._next < len(self._rows) or self._extend():
            for row in self._rows[self._next :, None]:  # none, if all new points lie outside
                if keys(row)[0] not in tried:
                    return np.asarray(row)
                self._next += 1
        return self.domain.fresh(tried, rng)

    def first(self, n: int, rng: np.random.Generator) -> FloatArray:
        """The first `n` points, (n, names), no matter whether some are the same configuration."""
        while len(self._rows) < n and self._extend():
            pass
        missing = n - len(self._rows)
        if missing <= 0:
            return self._rows[:n]
        return np.concatenate([self._rows, self.domain.layout.snap(self.domain.draw(missing, rng))])

    def _nearest(self, tried: Set[bytes]) -> FloatArray:
        """The untried candidate nearest to the sequence's next point."""
        rows = self.domain.untried(tried)
        while self._n_made <= len(tried) and self._extend():
            pass
        if len(tried) >= len(self._rows):
            raise ExhaustedError(f"the design ends after {len(self._rows)} points")
        features = self.domain.layout.features
        gaps = features(rows) - features(self._rows[len(tried)][None])
        return rows[[np.argmin(np.einsum("ij,ij->i", gaps, gaps))]]

    def _extend(self) -> bool:
        """Twice as many points; False at the end of the sequence."""
        if self._n_made >= LONGEST:
            return False
        n = self._n_made or FIRST
        rows = self._from_cube(self._engine.random(n))
        if self.domain.pool is None:
            rows = rows[self.domain.layout.inside(rows)]
        self._rows = np.concatenate([self._rows, rows])
        self._n_made += n
        return True

    @cached_property
    def _engine(self) -> Any:
        from scipy.stats.qmc import Sobol

        return Sobol(max(len(self.domain.layout.names), 1), seed=self.seed)

    def _from_cube(self, cube: FloatArray) -> FloatArray:
        """Points of the cube, a coordinate for each parameter → rows, integers rounded."""
        layout, learned = self.domain.layout, self.domain.learned
        rows = np.empty((len(cube), len(layout.names)))
        for name in learned.choices:
            j, positions = layout.position(name), self.domain.positions(name)
            cells = (cube[:, j] * len(positions)).astype(int)
            rows[:, j] = positions[np.minimum(cells, len(positions) - 1)]
        for block in learned.blocks:
            columns = [layout.position(name) for name in block.names]
            rows[:, columns] = block.cell_region.uniform_from_cube(cube[:, columns])
        numeric = [axis is not None for axis in layout.axes]
        in_cube = ((rows >= 0) & (rows <= 1))[:, numeric].all(axis=1)
        return layout.snap(rows[in_cube])
