"""A box in unit coordinates: lower ≤ x ≤ upper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.errors import FileError, FitError
from ringfence.regions.nets import CUBE, CUBE_SIDES
from ringfence.regions.region import Bounds, PartRecord, Pullback, Snap

TOLERANCE = 1e-9
"""How far outside a point may lie, in unit coordinates, and still count as inside."""


@dataclass(frozen=True, eq=False)
class Box:
    """All points between `lower` and `upper`, both of shape (p,)."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def unit(cls, dim: int) -> Box:
        """The whole unit cube."""
        return cls(np.zeros(dim), np.ones(dim))

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return len(self.lower)

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value of each coordinate."""
        return self.lower, self.upper

    @property
    def parts(self) -> tuple[Box, ...]:
        """The box alone."""
        return (self,)

    @property
    def is_box(self) -> bool:
        """Yes: the bounds are the box."""
        return True

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume; the unit cube has 0."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.upper - self.lower).sum())

    @property
    def log_volume_error(self) -> float:
        """None: the volume is exact."""
        return 0.0

    @property
    def anchor(self) -> FloatArray:
        """The middle, (p,)."""
        middle: FloatArray = (self.lower + self.upper) / 2
        return middle

    @property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean (p,) and covariance (p, p) of the uniform law."""
        return self.anchor, np.diag((self.upper - self.lower) ** 2 / 12)

    @property
    def coordinates(self) -> Stretched:
        """The unit cube, stretched over the box."""
        return Stretched(self)

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie inside."""
        inside = (points >= self.lower - TOLERANCE) & (points <= self.upper + TOLERANCE)
        return np.asarray(inside.all(axis=1))

    def norm(self, points: FloatArray) -> FloatArray:
        """How far each row of `points` (n, p) is from the middle, 1 on the boundary."""
        half = (self.upper - self.lower) / 2
        norms: FloatArray = (np.abs(points - self.anchor) / np.maximum(half, 1e-300)).max(axis=1)
        return norms

    def complete(self, points: FloatArray) -> FloatArray:
        """Points (n, p) with the middle of the box where they lack a coordinate."""
        return np.where(np.isnan(points), self.anchor, points)

    def nearest(self, points: FloatArray) -> IntArray:
        """The only part there is."""
        return np.zeros(len(points), dtype=np.int64)

    def margin(self, points: Any, xp: Any = np) -> Any:
        """The distance to the nearest face, negative outside."""
        lower, upper = xp.asarray(self.lower), xp.asarray(self.upper)
        return xp.amin(xp.minimum(points - lower, upper - points), -1)

    @property
    def proposal_log_volume(self) -> float:
        """The box's own: it is drawn from directly."""
        return self.log_volume

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """The same as `draw`, since no proposal is lost."""
        return self.draw(n, rng)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` independent uniform points, shape (n, p)."""
        return self.from_cube(rng.random((n, self.dim)))

    def walk(self, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap) -> FloatArray:
        """Nowhere to walk to: no draw lands inside after rounding."""
        raise FitError("no configuration of the box survives the rounding of its integers")

    def from_cube(self, cube: FloatArray) -> FloatArray:
        """Stretch the unit cube over the box."""
        points: FloatArray = self.lower + cube * (self.upper - self.lower)
        return points

    def to_cube(self, points: FloatArray) -> FloatArray:
        """Undo `from_cube`; points outside go to the boundary."""
        width = np.maximum(self.upper - self.lower, 1e-300)
        cube: FloatArray = np.clip((points - self.lower) / width, 0.0, 1.0)
        return cube

    def split_cube(self, cube: FloatArray) -> tuple[IntArray, FloatArray]:
        """All rows stand for the box itself."""
        return np.zeros(len(cube), dtype=np.int64), cube

    @property
    def cube_center(self) -> FloatArray:
        """The middle of the cube."""
        return np.full(self.dim, 0.5)

    @property
    def uniform_log_volume(self) -> float:
        """The box's own."""
        return self.log_volume

    def uniform_from_cube(self, cube: FloatArray) -> FloatArray:
        """The same as `from_cube`, which keeps volumes in proportion."""
        return self.from_cube(cube)

    def outline(self, i: int, j: int) -> FloatArray:
        """The rectangle that it is seen along all coordinates but i and j, (5, 2)."""
        (x0, y0), (x1, y1) = self.lower[[i, j]], self.upper[[i, j]]
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]])

    def surface(self, places: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """The cuboid of three coordinates: its corners (8, 3) and twelve triangles."""
        lower, upper = (bound[list(places)] for bound in self.bounds)
        return lower + CUBE * (upper - lower), CUBE_SIDES

    def with_cells(self, widened: Callable[[Bounds], Bounds]) -> Box:
        """The box with the whole cells of its integers."""
        return Box(*widened(self.bounds))

    def clipped(self) -> Box:
        """The box itself, which is fitted inside the cube."""
        return self

    def record(self) -> BoxRecord:
        """The box as a record of a file."""
        return BoxRecord(tuple(self.lower.tolist()), tuple(self.upper.tolist()))


@dataclass(frozen=True, eq=False)
class Stretched:
    """Coordinates w in [0, 1] of a box."""

    box: Box
    bounds: tuple[float, float] = (0.0, 1.0)

    def encode(self, points: FloatArray) -> FloatArray:
        """Points → coordinates."""
        return self.box.to_cube(points)

    def decode(self, w: FloatArray) -> FloatArray:
        """Coordinates → points."""
        return self.box.from_cube(w)

    def linearized(self, w: FloatArray) -> tuple[FloatArray, Pullback]:
        """The points at w; a gradient by them is stretched."""
        return self.decode(w), partial(np.multiply, self.box.upper - self.box.lower)


class BoxRecord(
    msgspec.Struct, PartRecord, frozen=True, tag_field="type", tag="box", forbid_unknown_fields=True
):
    """A box in unit coordinates."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def region(self, dim: int) -> Box:
        """The box; FileError if it is not one of `dim` coordinates in the cube."""
        lower, upper = np.array(self.lower), np.array(self.upper)
        if len(lower) != dim or len(upper) != dim:
            raise FileError(f"a box has {len(lower)} and {len(upper)} bounds for {dim} parameters")
        if not ((lower >= 0) & (lower < upper) & (upper <= 1)).all():
            raise FileError("a box leaves the unit cube or has lower bounds above upper ones")
        return Box(lower, upper)
