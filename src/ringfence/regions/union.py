"""A union of boxes or of clipped ellipsoids: what overlaps counts once.

symbol   meaning                                              shape
parts    the regions B_1 … B_k                                (k,)
m(x)     number of parts that hold x                          (n,)

A uniform point of a part that is kept with probability 1/m(x) is uniform over the union, if parts
are taken in proportion to their volumes. For the same reason the volume of the union is the sum
over the parts of V_i E_i[1/m], the mean taken within part i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.regions.box import Box
from ringfence.regions.clipped import VOLUME_DRAWS, Clipped

MOST_PARTS = 8
"""The exact volume of overlapping boxes takes up to 2^k steps."""


@dataclass(frozen=True, eq=False)
class Union:
    """All points of at least one of the parts, two or more of the same kind."""

    parts: tuple[Box | Clipped, ...]

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return self.parts[0].dim

    @cached_property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest value of each coordinate, over all parts."""
        lower, upper = zip(*(part.bounds for part in self.parts))
        return np.min(lower, axis=0), np.max(upper, axis=0)

    @cached_property
    def log_volume(self) -> float:
        """Natural logarithm of the volume: exact for boxes, and for ellipsoids that do not meet as
        exact as theirs; overlaps are measured by 65,536 fixed draws, an error below 1 %."""
        boxes = [part for part in self.parts if isinstance(part, Box)]
        if len(boxes) == len(self.parts):
            return math.log(max(_union_volume(boxes), 1e-300))
        rng = np.random.default_rng(0)
        shares = [self._share(part, rng) for part in self.parts]
        volumes = [part.log_volume + math.log(s) for part, s in zip(self.parts, shares)]
        return float(np.logaddexp.reduce(volumes))

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie in at least one part."""
        return self.count(points) > 0

    def count(self, points: FloatArray) -> IntArray:
        """m(x): how many parts hold each row of `points` (n, p)."""
        total: IntArray = np.sum([part.contains(points) for part in self.parts], axis=0)
        return total

    def nearest(self, points: FloatArray) -> IntArray:
        """The part that each row of `points` (n, p) lies in, the deepest, or else is nearest to, by
        the parts' own norms."""
        norms = np.array([part.norm(points) for part in self.parts])
        return np.asarray(norms.argmin(axis=0))

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Uniform points of the union, as many as `n` proposals leave, in random order."""
        sizes = np.array([part.proposal.log_volume for part in self.parts])
        weights = np.exp(sizes - sizes.max())
        counts = rng.multinomial(n, weights / weights.sum())
        drawn = [part.propose(int(c), rng) for part, c in zip(self.parts, counts)]
        return rng.permutation(self.once(np.concatenate(drawn), rng))

    def once(self, points: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Points drawn from the parts, each kept with probability 1/m(x)."""
        return points[rng.random(len(points)) * self.count(points) < 1.0]

    def _share(self, part: Box | Clipped, rng: np.random.Generator) -> float:
        """E[1/m] within a part."""
        others = [other for other in self.parts if other is not part]
        if not any(_meet(part, other) for other in others):
            return 1.0
        points = part.propose(VOLUME_DRAWS // len(self.parts), rng)
        if len(points) < 100 and isinstance(part, Clipped):
            points = part.wander(1000, rng)
        return float((1.0 / np.maximum(self.count(points), 1)).mean())


Region: TypeAlias = Box | Clipped | Union


def _meet(one: Box | Clipped, other: Box | Clipped) -> bool:
    """Whether the boxes around two regions overlap."""
    (low, high), (lower, upper) = one.bounds, other.bounds
    return bool((np.maximum(low, lower) < np.minimum(high, upper)).all())


def _union_volume(boxes: Sequence[Box]) -> float:
    """V(B ∪ rest) = V(B) + V(rest) - V(rest ∩ B), box by box; the rest that misses B is dropped."""
    if not boxes:
        return 0.0
    first, rest = boxes[0], boxes[1:]
    shared = [
        Box(np.maximum(first.lower, box.lower), np.minimum(first.upper, box.upper))
        for box in rest
        if _meet(first, box)
    ]
    return math.exp(first.log_volume) + _union_volume(rest) - _union_volume(shared)
