"""A union of regions of one kind: what overlaps counts once.

symbol   meaning                                              shape
parts    the regions B_1 … B_k                                (k,)
m(x)     number of parts that hold x                          (n,)

A uniform point of a part that is kept with probability 1/m(x) is uniform over the union, if parts
are taken in proportion to their volumes. For the same reason the volume of the union is the sum
over the parts of V_i E_i[1/m], the mean taken within part i.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, cast

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.errors import FileError, FitError
from ringfence.regions.box import Box
from ringfence.regions.clipped import FEW_DRAWS, VOLUME_DRAWS
from ringfence.regions.maps.slabs import Slabs
from ringfence.regions.region import Bounds, Coordinates, PartRecord, Region, RegionRecord, Snap

MOST_PARTS = 8
"""The exact volume of overlapping boxes takes up to 2^k steps."""
ROUNDS = 100  # of random walks in the parts, until enough are left
WALKERS = 1000  # that measure an overlap if rejection leaves too few draws
THINNEST = 0.25  # of an even share: a part that a search never enters, it cannot judge


@dataclass(frozen=True, eq=False)
class Union:
    """All points of at least one of the parts, two or more of the same kind."""

    parts: tuple[Region, ...]

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return self.parts[0].dim

    @cached_property
    def bounds(self) -> Bounds:
        """Smallest and largest value of each coordinate, over all parts."""
        lower, upper = zip(*(part.bounds for part in self.parts))
        return np.min(lower, axis=0), np.max(upper, axis=0)

    @property
    def is_box(self) -> bool:
        """No, even if its parts are boxes."""
        return False

    def clipped(self) -> Union:
        """The union itself."""
        return self

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume: exact for boxes, and for other parts that do not meet as
        exact as theirs; overlaps are measured by 65,536 fixed draws, an error below 1 %."""
        return self._measured[0]

    @property
    def log_volume_error(self) -> float:
        """The standard error of `log_volume`: of the parts' volumes, and of their overlaps."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[float, float]:
        """The logarithm of the volume, and its standard error."""
        boxes = [part for part in self.parts if isinstance(part, Box)]
        if len(boxes) == len(self.parts):
            return math.log(max(_union_volume(boxes), 1e-300)), 0.0
        rng = np.random.default_rng(0)
        shares, errors = zip(*(self._share(part, rng) for part in self.parts))
        volumes = [part.log_volume + math.log(s) for part, s in zip(self.parts, shares)]
        total = float(np.logaddexp.reduce(volumes))
        relative = [math.hypot(part.log_volume_error, e) for part, e in zip(self.parts, errors)]
        return total, math.hypot(*(math.exp(v - total) * e for v, e in zip(volumes, relative)))

    @property
    def anchor(self) -> FloatArray:
        """That of the largest part, (p,)."""
        return self.parts[self._largest].anchor

    @property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean (p,) and covariance (p, p) of the uniform law, overlaps aside."""
        sizes = self._log_volumes
        weights = np.exp(sizes - np.logaddexp.reduce(sizes))
        means, covariances = (np.array(each) for each in zip(*(p.moments for p in self.parts)))
        mean = weights @ means
        apart = np.einsum("k,ki,kj->ij", weights, means - mean, means - mean)
        return mean, np.einsum("k,kij->ij", weights, covariances) + apart

    @property
    def coordinates(self) -> Coordinates:
        """None of its own: a smooth search stays in one part."""
        raise FitError("a union has no smooth coordinates: search each of its parts")

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie in at least one part."""
        return self.count(points) > 0

    def count(self, points: FloatArray) -> IntArray:
        """m(x): how many parts hold each row of `points` (n, p)."""
        total: IntArray = np.sum([part.contains(points) for part in self.parts], axis=0)
        return total

    def norm(self, points: FloatArray) -> FloatArray:
        """The norm of each row of `points` (n, p) in the part that it is deepest in."""
        norms: FloatArray = self._norms(points).min(axis=0)
        return norms

    def complete(self, points: FloatArray) -> FloatArray:
        """Points (n, p), completed for the part in which they lie deepest then."""
        ways = [part.complete(points) for part in self.parts]
        norms = [part.norm(way) for part, way in zip(self.parts, ways)]
        return np.asarray(np.array(ways)[np.argmin(norms, axis=0), np.arange(len(points))])

    def nearest(self, points: FloatArray) -> IntArray:
        """The part that each row of `points` (n, p) lies in, the deepest, or else is nearest to, by
        the parts' own norms."""
        return np.asarray(self._norms(points).argmin(axis=0))

    def margin(self, points: Any, xp: Any = np) -> Any:
        """The largest of the parts'."""
        return xp.amax(xp.stack([part.margin(points, xp) for part in self.parts]), 0)

    @property
    def proposal_log_volume(self) -> float:
        """That of all parts' proposals together."""
        return float(np.logaddexp.reduce([part.proposal_log_volume for part in self.parts]))

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Uniform points of the union, as many as `n` proposals leave, in random order."""
        sizes = np.array([part.proposal_log_volume for part in self.parts])
        weights = np.exp(sizes - sizes.max())
        counts = rng.multinomial(n, weights / weights.sum())
        drawn = [part.propose(int(c), rng) for part, c in zip(self.parts, counts)]
        return rng.permutation(self._once(np.concatenate(drawn), rng))

    def walk(self, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap) -> FloatArray:
        """Walks within the parts, taken in proportion to their volumes, overlaps thinned out."""
        sizes = self._log_volumes
        weights = np.exp(sizes - sizes.max())
        ends: list[FloatArray] = []
        for _ in range(ROUNDS):
            counts = rng.multinomial(n, weights / weights.sum())
            for part, count in zip(self.parts, counts):
                if count:
                    starts = inside[part.contains(inside)]
                    with suppress(FitError):  # of this part nothing survives the snapping
                        ends.append(self._once(part.walk(starts, int(count), rng, snap), rng))
            if sum(map(len, ends)) >= n:
                return rng.permutation(np.concatenate(ends))[:n]
        raise FitError("no configuration of the union survives the rounding of its integers")

    def from_cube(self, cube: FloatArray) -> FloatArray:
        """Points of a cube → points of the parts, which lie side by side in it."""
        numbers, rows = self.split_cube(cube)
        points = np.empty(cube.shape)
        for number, part in enumerate(self.parts):
            points[numbers == number] = part.from_cube(rows[numbers == number])
        return points

    def to_cube(self, points: FloatArray) -> FloatArray:
        """Undo `from_cube`; points outside go to the boundary of the nearest part."""
        numbers = self.nearest(points)
        rows = np.empty(points.shape)
        for number, part in enumerate(self.parts):
            rows[numbers == number] = part.to_cube(points[numbers == number])
        return self._slabs.join(numbers, rows)

    def split_cube(self, cube: FloatArray) -> tuple[IntArray, FloatArray]:
        """The number of the part that each row of the cube stands for, and its row in the part's
        own cube."""
        return self._slabs.split(cube)

    @property
    def cube_center(self) -> FloatArray:
        """The row of the cube that stands for the middle of the largest part, (p,)."""
        middle = self.parts[self._largest].cube_center[None]
        row: FloatArray = self._slabs.join(np.array([self._largest]), middle)[0]
        return row

    @property
    def uniform_log_volume(self) -> float:
        """That of all parts together."""
        return float(np.logaddexp.reduce([part.uniform_log_volume for part in self.parts]))

    def uniform_from_cube(self, cube: FloatArray) -> FloatArray:
        """Each part has a slab of the cube in proportion to its volume. In overlaps the points of
        the first part count, those of the others are NaN."""
        sizes = np.array([part.uniform_log_volume for part in self.parts])
        numbers, rows = Slabs.of(self.parts, np.exp(sizes - sizes.max())).split(cube)
        points = np.empty(cube.shape)
        for number, part in enumerate(self.parts):
            here = np.flatnonzero(numbers == number)
            points[here] = part.uniform_from_cube(rows[here])
            for earlier in self.parts[:number]:
                points[here[earlier.contains(points[here])]] = np.nan
        return points

    def outline(self, i: int, j: int) -> FloatArray:
        """The outlines of all parts, divided by rows of NaN."""
        gap = np.full((1, 2), np.nan)
        return np.concatenate([np.vstack([p.outline(i, j), gap]) for p in self.parts])[:-1]

    def surface(self, places: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """The surfaces of all parts in one list."""
        corners, triangles = zip(*(part.surface(places) for part in self.parts))
        first = np.cumsum([0, *map(len, corners[:-1])])
        return np.concatenate(corners), np.concatenate(
            [t + start for t, start in zip(triangles, first)]
        )

    def with_cells(self, widened: Callable[[Bounds], Bounds]) -> Union:
        """The union of the parts with the whole cells of their integers."""
        return Union(tuple(part.with_cells(widened) for part in self.parts))

    def record(self) -> UnionRecord:
        """The union as a record of a file."""
        return UnionRecord(tuple(cast("PartRecord", part.record()) for part in self.parts))

    @cached_property
    def _log_volumes(self) -> FloatArray:
        return np.array([part.log_volume for part in self.parts])

    @property
    def _largest(self) -> int:
        return int(np.argmax(self._log_volumes))

    @cached_property
    def _slabs(self) -> Slabs:
        """Slabs in proportion to the parts' volumes, none thinner than a quarter of an even
        share."""
        shares = np.exp(self._log_volumes - self._log_volumes.max())
        even = THINNEST / len(self.parts)
        return Slabs.of(self.parts, np.maximum(shares / shares.sum(), even))

    def _norms(self, points: FloatArray) -> FloatArray:
        return np.array([part.norm(points) for part in self.parts])

    def _once(self, points: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Points drawn from the parts, each kept with probability 1/m(x)."""
        return points[rng.random(len(points)) * self.count(points) < 1.0]

    def _share(self, part: Region, rng: np.random.Generator) -> tuple[float, float]:
        """E[1/m] within a part, and its relative standard error."""
        others = [other for other in self.parts if other is not part]
        if not any(_meet(part, other) for other in others):
            return 1.0, 0.0
        points = part.propose(VOLUME_DRAWS // len(self.parts), rng)
        if len(points) < FEW_DRAWS:
            points = part.walk(np.empty((0, self.dim)), WALKERS, rng, lambda drawn: drawn)
        shares = 1.0 / np.maximum(self.count(points), 1)
        share = float(shares.mean())
        return share, float(shares.std()) / share / math.sqrt(len(points))


class UnionRecord(
    msgspec.Struct,
    RegionRecord,
    frozen=True,
    tag_field="type",
    tag="union",
    forbid_unknown_fields=True,
):
    """All points of at least one part."""

    parts: Annotated[tuple[PartRecord, ...], msgspec.Meta(min_length=2, max_length=MOST_PARTS)]

    def region(self, dim: int) -> Union:
        """The union; FileError if a part is not legal, or they are of several kinds."""
        if len({type(part) for part in self.parts}) > 1:
            raise FileError("a union mixes several shapes")
        return Union(tuple(part.region(dim) for part in self.parts))


def _meet(one: Region, other: Region) -> bool:
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
