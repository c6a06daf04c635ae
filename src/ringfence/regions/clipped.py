"""Ellipsoid ∩ unit cube: what an ellipsoid means for a search space with bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
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


@dataclass(frozen=True)
class Draws:
    """Points of a region and how they were had."""

    points: FloatArray  # (n, p)
    acceptance: float  # share of the proposals that were kept
    method: Literal["rejection", "random walk"]


Snap = Callable[[FloatArray], FloatArray]


def sample(
    region: Box | Clipped,
    n: int,
    rng: np.random.Generator,
    *,
    snap: Snap | None = None,
    known: FloatArray | None = None,
    max_proposals: int = 1_000_000,
) -> Draws:
    """Algorithm 1: `n` uniform points of the region, by rejection, in bounded time.

    `snap` moves a point to the configuration that it stands for (whole numbers rounded); a draw
    counts only if it is inside before and after. `known` are points inside, (m, p), from which a
    random walk starts in case rejection keeps too few of `max_proposals` (at least 100 n).
    """
    snap = snap or (lambda points: points)
    proposal = region if isinstance(region, Box) else region.proposal
    kept: list[FloatArray] = []
    proposed = found = 0
    budget = max(max_proposals, 100 * n)
    while found < n and proposed < budget:
        rate = (found + 1) / (proposed + 2)
        batch = int(min(max(1.1 * (n - found) / rate, 64), budget - proposed, 1_000_000))
        points = proposal.draw(batch, rng)
        points = snap(points[region.contains(points)])
        points = points[region.contains(points)]
        kept.append(points)
        found += len(points)
        proposed += batch
    if found >= n:
        return Draws(np.concatenate(kept)[:n], found / proposed if proposed else 1.0, "rejection")
    if isinstance(region, Box):
        raise FitError("no configuration of the box survives the rounding of its integers")
    inside = [*kept, known] if known is not None else [*kept, region.anchor[None]]
    return Draws(
        _walk_from(region, np.concatenate(inside), n, rng, snap), found / budget, "random walk"
    )


def _walk_from(
    region: Clipped, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap
) -> FloatArray:
    def admit(points: FloatArray) -> tuple[FloatArray, BoolArray]:
        snapped = snap(points)
        return snapped, region.contains(snapped)

    starts = inside[rng.integers(len(inside), size=n)]
    return walk(region.ellipsoid, starts, 20 * region.dim + 50, rng, admit)
