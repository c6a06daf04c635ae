"""A scrambled Sobol design over any region, for quasi-random search and for first points.

Boxes are stretched; ellipsoids go through the measure-preserving map of the cube, and points that
fall outside the original bounds, or outside the region after rounding, are passed over. Of a union
each part has a slab of the cube in proportion to its volume; where parts overlap, the points of the
first count. Of a list of candidates the nearest to each point is taken.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import ExhaustedError
from ringfence.optimize.domain import Domain
from ringfence.regions import Box, Clipped, Region
from ringfence.regions.cube import uniform_from_cube
from ringfence.regions.slabs import Slabs

FIRST = 64
LONGEST = 1 << 14
"""So many points of the sequence are looked at before plain draws take over."""


class Design:
    """The valid points of one scrambled sequence, made as they are needed."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self.domain = domain
        self.seed = seed
        self._rows = np.empty((0, len(domain.layout.names)))
        self._made = 0
        self._at = 0

    def next(self, tried: Set[bytes], rng: np.random.Generator) -> FloatArray:
        """The first point that was not tried, shape (1, names)."""
        if self.domain.pool is not None:
            return self._nearest(tried)
        keys = self.domain.layout.keys
        while self._at < len(self._rows) or self._extend():
            row = self._rows[self._at : self._at + 1]
            if keys(row)[0] not in tried:
                return row
            self._at += 1
        return self.domain.fresh(tried, rng)

    def _nearest(self, tried: Set[bytes]) -> FloatArray:
        """The untried candidate nearest to the sequence's next point."""
        left = self.domain.untried(tried)
        while self._made <= len(tried) and self._extend():
            pass
        if len(tried) >= len(self._rows):
            raise ExhaustedError(f"the design ends after {len(self._rows)} points")
        features = self.domain.layout.features
        gap = features(left) - features(self._rows[len(tried)][None])
        return left[[np.argmin(np.einsum("ij,ij->i", gap, gap))]]

    def _extend(self) -> bool:
        """Twice as many points; False at the end of the sequence."""
        if self._made >= LONGEST:
            return False
        n = self._made or FIRST
        rows = self._from_cube(self._engine.random(n))
        if self.domain.pool is None:
            rows = rows[self.domain.layout.inside(rows)]
        self._rows = np.concatenate([self._rows, rows])
        self._made += n
        return True

    @cached_property
    def _engine(self) -> Any:
        from scipy.stats.qmc import Sobol

        return Sobol(max(len(self.domain.layout.names), 1), seed=self.seed)

    def _from_cube(self, cube: FloatArray) -> FloatArray:
        """Points of the cube, one coordinate a parameter → rows, whole numbers rounded."""
        layout, learned = self.domain.layout, self.domain.learned
        rows = np.empty((len(cube), len(layout.names)))
        for name in learned.choices:
            j, places = layout.position(name), self.domain.places(name)
            cells = (cube[:, j] * len(places)).astype(int)
            rows[:, j] = places[np.minimum(cells, len(places) - 1)]
        for block in learned.blocks:
            at = [layout.position(name) for name in block.names]
            region = Box(*block.spans) if isinstance(block.region, Box) else block.region
            rows[:, at] = _uniform(region, cube[:, at])
        inside = ((rows >= 0) & (rows <= 1))[:, [a is not None for a in layout.axes]].all(axis=1)
        return layout.snap(rows[inside])


def _uniform(region: Region, cube: FloatArray) -> FloatArray:
    """Rows of the cube → points that are uniform over the region if the rows are; those outside the
    original bounds, or of NaN, are to be passed over."""
    if isinstance(region, Box):
        return region.from_cube(cube)
    if isinstance(region, Clipped):
        return uniform_from_cube(region.ellipsoid, cube)
    sizes = np.array([_log_size(part) for part in region.parts])
    numbers, own = Slabs.of(region.parts, np.exp(sizes - sizes.max())).split(cube)
    points = np.empty(cube.shape)
    for number, part in enumerate(region.parts):
        here = np.flatnonzero(numbers == number)
        points[here] = _uniform(part, own[here])
        for earlier in region.parts[:number]:
            points[here[earlier.contains(points[here])]] = np.nan
    return points


def _log_size(part: Box | Clipped) -> float:
    """Log volume of what `_uniform` fills."""
    return part.log_volume if isinstance(part, Box) else part.ellipsoid.log_volume
