"""Uniform points of a region: Algorithm 1, in bounded time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
from ringfence.regions.box import Box
from ringfence.regions.clipped import Clipped
from ringfence.regions.union import Region, Union
from ringfence.regions.walk import walk

ROUNDS = 100  # of random walks in the parts of a union, until enough are left


@dataclass(frozen=True)
class Draws:
    """Points of a region and how they were had."""

    points: FloatArray  # (n, p)
    acceptance: float  # share of the proposals that were kept
    method: Literal["rejection", "random walk"]


Snap = Callable[[FloatArray], FloatArray]


def sample(
    region: Region,
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
    kept: list[FloatArray] = []
    proposed = found = 0
    budget = max(max_proposals, 100 * n)
    while found < n and proposed < budget:
        rate = (found + 1) / (proposed + 2)
        batch = int(min(max(1.1 * (n - found) / rate, 64), budget - proposed, 1_000_000))
        points = snap(region.propose(batch, rng))
        points = points[region.contains(points)]
        kept.append(points)
        found += len(points)
        proposed += batch
    if found >= n:
        return Draws(np.concatenate(kept)[:n], found / proposed if proposed else 1.0, "rejection")
    if known is None and isinstance(region, Clipped):
        known = region.anchor[None]
    inside = np.concatenate(kept if known is None else [*kept, known])
    return Draws(_walked(region, inside, n, rng, snap), found / budget, "random walk")


def _walked(
    region: Region, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap
) -> FloatArray:
    """`n` ends of random walks from points inside, (m, p), or from the anchor where there are
    none."""
    if isinstance(region, Box):
        raise FitError("no configuration of the box survives the rounding of its integers")
    if isinstance(region, Union):
        return _walked_by_parts(region, inside, n, rng, snap)

    def admit(points: FloatArray) -> tuple[FloatArray, BoolArray]:
        snapped = snap(points)
        return snapped, region.contains(snapped)

    inside = inside if len(inside) else region.anchor[None]
    starts = inside[rng.integers(len(inside), size=n)]
    return walk(region.ellipsoid, starts, 20 * region.dim + 50, rng, admit)


def _walked_by_parts(
    region: Union, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap
) -> FloatArray:
    """Walks within the parts, taken in proportion to their volumes, overlaps thinned out."""
    sizes = np.array([part.log_volume for part in region.parts])
    weights = np.exp(sizes - sizes.max())
    kept: list[FloatArray] = []
    for _ in range(ROUNDS):
        counts = rng.multinomial(n, weights / weights.sum())
        for part, count in zip(region.parts, counts):
            if isinstance(part, Clipped) and count:
                near = inside[part.contains(inside)]
                kept.append(region.once(_walked(part, near, int(count), rng, snap), rng))
        if sum(map(len, kept)) >= n:
            return rng.permutation(np.concatenate(kept))[:n]
    raise FitError("no configuration of the union survives the rounding of its integers")
