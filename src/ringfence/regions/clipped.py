"""Ellipsoid ∩ unit cube: what an ellipsoid means for a search space with bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.regions.box import Box
from ringfence.regions.ellipsoid import Ellipsoid
from ringfence.regions.walk import walk

VOLUME_DRAWS = 1 << 16
"""So many draws measure a volume that has no closed form: a share of 1 % to about 4 %."""
MARGIN = 0.02  # how far inside the cube the anchor lies where the ellipsoid leaves room


@dataclass(frozen=True, eq=False)
class Clipped:
    """The part of `ellipsoid` that lies in the unit cube. The center must lie in the cube."""

    ellipsoid: Ellipsoid

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return self.ellipsoid.dim

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The ellipsoid's bounds cut to the cube: no point inside lies beyond them."""
        lower, upper = self.ellipsoid.bounds
        return np.maximum(lower, 0.0), np.minimum(upper, 1.0)

    @cached_property
    def anchor(self) -> FloatArray:
        """A point well inside: the center, moved off the faces of the cube that it touches."""
        center = self.ellipsoid.center
        inward = np.clip(center, MARGIN, 1 - MARGIN) - center
        length = float(self.ellipsoid.norm((center + inward)[None])[0])
        point: FloatArray = center + inward * min(1.0, 0.5 / max(length, 1e-300))
        return point

    @cached_property
    def anchor_in_ball(self) -> FloatArray:
        """F⁻¹(anchor - c): the anchor where the ellipsoid is the unit ball."""
        return np.asarray(self.ellipsoid.inverse @ (self.anchor - self.ellipsoid.center))

    @cached_property
    def proposal(self) -> Ellipsoid | Box:
        """What rejection sampling draws from: the ellipsoid or its bounding box, the smaller."""
        box = Box(*self.bounds)
        return self.ellipsoid if self.ellipsoid.log_volume <= box.log_volume else box

    @cached_property
    def log_volume(self) -> float:
        """Natural logarithm of the volume: exact inside the cube, else by 65,536 fixed draws."""
        lower, upper = self.ellipsoid.bounds
        if (lower >= 0).all() and (upper <= 1).all():
            return self.ellipsoid.log_volume
        draws = self.proposal.draw(VOLUME_DRAWS, np.random.default_rng(0))
        share = float(self.contains(draws).mean())
        if share * VOLUME_DRAWS >= 100:
            return self.proposal.log_volume + math.log(share)
        return self._log_volume_by_growth()

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie inside."""
        return Box.unit(self.dim).contains(points) & self.ellipsoid.contains(points)

    def norm(self, points: FloatArray) -> FloatArray:
        """The ellipsoid's norm of each row of `points` (n, p); the cube does not count."""
        return self.ellipsoid.norm(points)

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Uniform points of the region, as many as `n` proposals leave."""
        points = self.proposal.draw(n, rng)
        return points[self.contains(points)]

    def wander(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` ends of random walks from the anchor, for when proposals leave too few."""
        starts = np.repeat(self.anchor[None], n, axis=0)
        return walk(self.ellipsoid, starts, 20 * self.dim + 50, rng, self._admit_all)

    def _log_volume_by_growth(self, walkers: int = 1000) -> float:
        """Volume by steps: shrink the ellipsoid about the anchor until it fits into the cube, then
        let it grow back, each time doubling the volume it would have without the cube, and measure
        with random walks which share of the larger set the smaller one holds."""
        rng = np.random.default_rng(0)
        full, anchor = self.ellipsoid, self.anchor
        offset = full.center - anchor
        room = np.minimum(anchor, 1 - anchor)
        reach = np.abs(offset) + np.sqrt((full.factor**2).sum(axis=1))
        scale = float((room / reach).min())
        total = full.log_volume + self.dim * math.log(scale)
        points = np.repeat(anchor[None], walkers, axis=0)
        while scale < 1.0:
            smaller = Ellipsoid(anchor + scale * offset, scale * full.factor)
            scale = min(1.0, scale * 2 ** (1 / self.dim))
            larger = Ellipsoid(anchor + scale * offset, scale * full.factor)
            points = walk(larger, points, 2 * self.dim + 10, rng, Clipped(larger)._admit_all)
            total -= math.log(max(float(smaller.contains(points).mean()), 1 / walkers))
        return total

    def _admit_all(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        return points, self.contains(points)
