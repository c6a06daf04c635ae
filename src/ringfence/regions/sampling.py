"""Uniform points of a region: Algorithm 1, in bounded time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.regions.region import Region, Snap

LOOK = 4096
"""Proposals after which a share of none is believed: a walk is then the quicker way, and with
fewer than one in thousands it is the better one for any number of draws."""


@dataclass(frozen=True)
class Draws:
    """Points sampled from a region, and how."""

    points: FloatArray  # (n, p)
    acceptance: float  # share of the proposals that were kept
    method: Literal["rejection", "random walk"]


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

    `snap` moves a point to the configuration that it stands for (integers rounded); a draw counts
    only if it is inside before and after. `known` are points inside, (m, p), from which a random
    walk starts if rejection would keep too few of `max_proposals` (at least 100 n). Whether it
    would is judged by how many are kept, never by which: that leaves their law as it is.
    """
    snap = snap or (lambda points: points)
    kept: list[FloatArray] = []
    proposed = n_kept = 0
    budget = max(max_proposals, 100 * n)
    while n_kept < n and proposed < budget and not _hopeless(n, n_kept, proposed, budget):
        rate = (n_kept + 1) / (proposed + 2)
        most = budget - proposed if n_kept else LOOK
        batch = int(min(max(1.1 * (n - n_kept) / rate, 64), most, 1_000_000))
        points = snap(region.propose(batch, rng))
        points = points[region.contains(points)]
        kept.append(points)
        n_kept += len(points)
        proposed += batch
    if n_kept >= n:
        return Draws(np.concatenate(kept)[:n], n_kept / proposed if proposed else 1.0, "rejection")
    inside = np.concatenate([*kept, region.anchor[None] if known is None else known])
    return Draws(region.walk(inside, n, rng, snap), n_kept / max(proposed, 1), "random walk")


def _hopeless(n: int, n_kept: int, proposed: int, budget: int) -> bool:
    """Whether rejection will not get there: nothing in a first look, or far too little."""
    return proposed >= LOOK and (n_kept == 0 or n / n_kept * proposed > 4 * budget)
