"""Body ∩ unit cube: what an ellipsoid, or any convex body, means for a search space with bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.errors import FitError
from ringfence.regions.box import Box
from ringfence.regions.maps.gauge import gauge_from_cube, gauge_to_cube
from ringfence.regions.maps.sine import SineMap
from ringfence.regions.nets import cut_to_cube
from ringfence.regions.region import Body, Bounds, PartRecord, Snap
from ringfence.regions.walk import walk

VOLUME_DRAWS = 1 << 16
"""Number of draws that measure a volume without a closed form: a share of 1 % to about 4 %."""
MARGIN = 0.02  # how far inside the cube the anchor lies if the body leaves room
RETURNS = 3  # walks begun again, if some start where their own point is outside once snapped
FEW_DRAWS = 100  # fewer draws inside than this measure no share


@dataclass(frozen=True, eq=False)
class Clipped:
    """The part of `body` that lies in the unit cube. Its center must lie in the cube."""

    body: Body

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return self.body.dim

    @property
    def bounds(self) -> Bounds:
        """The body's bounds cut to the cube: no point inside lies beyond them."""
        lower, upper = self.body.bounds
        return np.maximum(lower, 0.0), np.minimum(upper, 1.0)

    @property
    def parts(self) -> tuple[Clipped, ...]:
        """The region alone."""
        return (self,)

    @property
    def is_box(self) -> bool:
        """No: the bounds of the body do not tell its shape."""
        return False

    def clipped(self) -> Clipped:
        """The region itself."""
        return self

    @cached_property
    def anchor(self) -> FloatArray:
        """A point well inside: the center, moved off the faces of the cube that it touches."""
        center = self.body.center
        inward = np.clip(center, MARGIN, 1 - MARGIN) - center
        length = float(self.body.norm((center + inward)[None])[0])
        point: FloatArray = center + inward * min(1.0, 0.5 / max(length, 1e-300))
        return point

    @property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """The anchor (p,) and the body's covariance (p, p), cuts by the cube aside."""
        return self.anchor, self.body.covariance

    @cached_property
    def coordinates(self) -> SineMap:
        """The whole of R^p, by the sine map."""
        return SineMap(self.body, self.anchor)

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume: exact inside the cube, else an estimate."""
        return self._measured[0]

    @property
    def log_volume_error(self) -> float:
        """The standard error of `log_volume`, which is the relative error of the volume."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[float, float]:
        """The logarithm of the volume and its error, by whichever way has the smaller one."""
        lower, upper = self.body.bounds
        if (lower >= 0).all() and (upper <= 1).all():
            return self.body.log_volume, 0.0
        draws = self._proposal.draw(VOLUME_DRAWS, np.random.default_rng(0))
        share = float(self.contains(draws).mean())
        by_draws = by_cuts = (0.0, math.inf)
        if share * VOLUME_DRAWS >= FEW_DRAWS:
            error = math.sqrt((1.0 - share) / (share * VOLUME_DRAWS))
            by_draws = self.proposal_log_volume + math.log(share), error
        cut = self.body.log_share_in_cube() if by_draws[1] > 0.0 else None
        if cut is not None:
            by_cuts = self.body.log_volume + cut[0], cut[1]
        best = min(by_draws, by_cuts, key=lambda found: found[1])
        return best if math.isfinite(best[1]) else self._by_growth()

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie inside."""
        return self._cube.contains(points) & self.body.contains(points)

    @cached_property
    def _cube(self) -> Box:
        return Box.unit(self.dim)

    def norm(self, points: FloatArray) -> FloatArray:
        """The body's norm of each row of `points` (n, p); the cube does not count."""
        return self.body.norm(points)

    def complete(self, points: FloatArray) -> FloatArray:
        """Points (n, p) with the missing coordinates in the cube that give the least norm."""
        return self.body.complete(points)

    def nearest(self, points: FloatArray) -> IntArray:
        """The only part there is."""
        return np.zeros(len(points), dtype=np.int64)

    def margin(self, points: Any, xp: Any = np) -> Any:
        """The body's; the cube does not count."""
        return self.body.margin(points, xp)

    @property
    def proposal_log_volume(self) -> float:
        """That of the body or of its bounding box, the smaller."""
        return self._proposal.log_volume

    @cached_property
    def _proposal(self) -> Body | Box:
        box = Box(*self.bounds)
        return self.body if self.body.log_volume <= box.log_volume else box

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Uniform points of the region, as many as `n` proposals leave."""
        points = self._proposal.draw(n, rng)
        return points[self.contains(points)]

    def walk(self, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap) -> FloatArray:
        """`n` ends of random walks from points inside, (m, p), or from the anchor, snapped. The
        walks stay where rejection keeps a point: inside before and after it is snapped."""

        def admit(points: FloatArray) -> BoolArray:
            return self.contains(snap(points))

        inside = inside if len(inside) else self.anchor[None]
        for _ in range(RETURNS):
            starts = inside[rng.integers(len(inside), size=n)]
            ends = walk(self.chord, self.body.factor, starts, 20 * self.dim + 50, rng, admit)
            snapped = snap(ends)
            arrived = self.contains(snapped)
            if arrived.all():
                return snapped
            inside = ends[arrived] if arrived.any() else inside  # the others never got inside
        raise FitError("no configuration of the region survives the rounding of its integers")

    def chord(self, points: FloatArray, lines: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each row, the smallest and largest t with point + t line inside, 0 among them."""
        with np.errstate(divide="ignore", invalid="ignore"):
            to_low, to_high = -points / lines, (1.0 - points) / lines
        flat = lines == 0.0
        back = np.where(flat, -np.inf, np.minimum(to_low, to_high)).max(axis=1)
        ahead = np.where(flat, np.inf, np.maximum(to_low, to_high)).min(axis=1)
        low, high = self.body.chord(points, lines)
        return np.minimum(np.maximum(low, back), 0.0), np.maximum(np.minimum(high, ahead), 0.0)

    def from_cube(self, cube: FloatArray) -> FloatArray:
        """Points of a cube → points of the region, by the gauge map."""
        return gauge_from_cube(self, cube)

    def to_cube(self, points: FloatArray) -> FloatArray:
        """Undo `from_cube`; points outside go to the boundary on their ray."""
        return gauge_to_cube(self, points)

    def split_cube(self, cube: FloatArray) -> tuple[IntArray, FloatArray]:
        """All rows stand for the region itself."""
        return np.zeros(len(cube), dtype=np.int64), cube

    @property
    def cube_center(self) -> FloatArray:
        """The middle of the cube."""
        return np.full(self.dim, 0.5)

    @property
    def uniform_log_volume(self) -> float:
        """That of the body, before the cube cuts it."""
        return self.body.log_volume

    def uniform_from_cube(self, cube: FloatArray) -> FloatArray:
        """The body's map; points that the cube cuts off lie outside the cube."""
        return self.body.uniform_from_cube(cube)

    def outline(self, i: int, j: int) -> FloatArray:
        """The body's, which may leave the unit square."""
        return self.body.outline(i, j)

    def surface(self, places: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """The body's, cut to the unit cube."""
        return cut_to_cube(*self.body.surface(places))

    def with_cells(self, widened: Callable[[Bounds], Bounds]) -> Clipped:
        """The region as it is: its sides are not parallel to the axes."""
        return self

    def record(self) -> PartRecord:
        """The body's record."""
        return self.body.record()

    def _by_growth(self, walkers: int = 1000) -> tuple[float, float]:
        """The logarithm of the volume of any body, and its error, by steps: shrink the body about
        the anchor until it fits into the cube, then let it grow back, each time doubling the volume
        it would have without the cube, and measure with random walks which share of the larger set
        the smaller one holds."""
        rng = np.random.default_rng(0)
        full, anchor = self.body, self.anchor
        lower, upper = full.bounds
        reach = np.maximum(upper - anchor, anchor - lower)
        scale = float((np.minimum(anchor, 1 - anchor) / reach).min())
        total = full.log_volume + self.dim * math.log(scale)
        variance = 0.0
        points = np.repeat(anchor[None], walkers, axis=0)
        while scale < 1.0:
            smaller = full.scaled(anchor, scale)
            scale = min(1.0, scale * 2 ** (1 / self.dim))
            larger = Clipped(full.scaled(anchor, scale))
            points = walk(
                larger.chord, larger.body.factor, points, 2 * self.dim + 10, rng, larger.contains
            )
            share = max(float(smaller.contains(points).mean()), 1 / walkers)
            total -= math.log(share)
            variance += (1.0 - share) / (share * walkers)  # of independent walkers, at least
        return total, math.sqrt(variance)
