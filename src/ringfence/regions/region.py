"""Region: what a learned shape must know of itself, so that no other module asks for its kind.

symbol   meaning                                                       shape
x        points in the coordinates of the unit cube                    (n, p)
u        points of another unit cube that stands for the region        (n, p)
w        coordinates for a search by gradients                         (n, p)

`Box`, `Clipped` (any `Body` cut to the unit cube) and `Union` are regions. A further shape is one
file with a region or a body, one with its fit, and one line in fit/shapes.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray

Snap: TypeAlias = Callable[[FloatArray], FloatArray]
"""Moves points (n, p) to the configurations that they stand for, integers rounded."""

Pullback: TypeAlias = Callable[[FloatArray], FloatArray]
"""The gradient by the coordinates from the gradient by the points, both (n, p)."""

Bounds: TypeAlias = tuple[FloatArray, FloatArray]
"""Smallest and largest value of each coordinate, (p,) each."""


class RegionRecord:
    """A region as a record of a file: the base of frozen msgspec structs, tagged by their type."""

    __slots__ = ()

    def region(self, dim: int) -> Region:
        """The region; FileError if it is not a legal one of `dim` coordinates in the cube."""
        raise NotImplementedError


class PartRecord(RegionRecord):
    """The record of a region of one part."""

    __slots__ = ()


class Coordinates(Protocol):
    """A smooth map from coordinates w onto a region of one part."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Ends of every coordinate, infinite if there are none."""
        ...

    def encode(self, points: FloatArray) -> FloatArray:
        """Points x → coordinates w; points outside go to the boundary."""
        ...

    def decode(self, w: FloatArray) -> FloatArray:
        """Coordinates w → points x of the region."""
        ...

    def linearized(self, w: FloatArray) -> tuple[FloatArray, Pullback]:
        """The points at w, and what turns gradients by them into gradients by w."""
        ...


class Fitted(Protocol):
    """What a fit returns: a region, or a body that may reach beyond the unit cube."""

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        ...

    def contains(self, points: FloatArray) -> BoolArray:
        """Which points lie inside, (n,)."""
        ...

    def norm(self, points: FloatArray) -> FloatArray:
        """How far each point is from the middle, 1 on the boundary, (n,)."""
        ...

    def complete(self, points: FloatArray) -> FloatArray:
        """The points (n, p) with every NaN replaced such that they lie as deep inside as they can
        within the unit cube: a coordinate that a point lacks is free."""
        ...

    def clipped(self) -> Region:
        """What it means for a search space with bounds: its part in the unit cube."""
        ...


class Region(Protocol):
    """A set of points in the unit cube."""

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        ...

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value of each coordinate."""
        ...

    @property
    def parts(self) -> tuple[Region, ...]:
        """The parts of a union; any other region is its own only part."""
        ...

    @property
    def is_box(self) -> bool:
        """Whether the bounds say all there is to say."""
        ...

    def clipped(self) -> Region:
        """The region itself: it lies in the unit cube."""
        ...

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume; the unit cube has 0."""
        ...

    @property
    def log_volume_error(self) -> float:
        """The standard error of `log_volume`, if that is an estimate; 0 if it is exact."""
        ...

    @property
    def anchor(self) -> FloatArray:
        """A point well inside, (p,)."""
        ...

    @property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean (p,) and covariance (p, p) of the uniform law, cuts by the cube and overlaps
        aside."""
        ...

    @property
    def coordinates(self) -> Coordinates:
        """Coordinates for a search by gradients; a union has none, its parts have."""
        ...

    def contains(self, points: FloatArray) -> BoolArray:
        """Which points lie inside, (n,)."""
        ...

    def norm(self, points: FloatArray) -> FloatArray:
        """How far each point is from the middle, 1 on the boundary, (n,)."""
        ...

    def complete(self, points: FloatArray) -> FloatArray:
        """The points (n, p) with every NaN replaced such that they lie as deep inside as they can:
        a coordinate that a point lacks is free."""
        ...

    def nearest(self, points: FloatArray) -> IntArray:
        """The number of the part that each point lies in or is nearest to, (n,)."""
        ...

    def margin(self, points: Any, xp: Any = np) -> Any:
        """What is positive inside, negative outside and 0 on the boundary, (…,), for points (…, p)
        of numpy or of another array library `xp` that derives it."""
        ...

    # Sampling: by proposals, and by random walks in case too few of them are left.

    @property
    def proposal_log_volume(self) -> float:
        """Log volume of what `propose` draws from."""
        ...

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Uniform points of the region, as many as `n` proposals leave."""
        ...

    def walk(self, inside: FloatArray, n: int, rng: np.random.Generator, snap: Snap) -> FloatArray:
        """`n` ends of random walks over snapped points, from points `inside` (m, p), or from the
        anchor if there are none. FitError if nothing survives the snapping."""
        ...

    # Cubes: for tools that only know boxes, and for designs.

    def from_cube(self, cube: FloatArray) -> FloatArray:
        """Points u of a cube → points of the region, one to one."""
        ...

    def to_cube(self, points: FloatArray) -> FloatArray:
        """Undo `from_cube`; points outside go to the boundary."""
        ...

    def split_cube(self, cube: FloatArray) -> tuple[IntArray, FloatArray]:
        """The number of the part that each row of the cube stands for, and its row in the part's
        own cube."""
        ...

    @property
    def cube_center(self) -> FloatArray:
        """The row of the cube that stands for the middle of the region, (p,); of a union, for that
        of its largest part."""
        ...

    @property
    def uniform_log_volume(self) -> float:
        """Log volume of what `uniform_from_cube` fills."""
        ...

    def uniform_from_cube(self, cube: FloatArray) -> FloatArray:
        """Points u of a cube → points that are uniform over the region if the rows are. Points that
        the cube cuts off lie outside it, those to be passed over are NaN."""
        ...

    # Drawing and keeping.

    def outline(self, i: int, j: int) -> FloatArray:
        """The boundary (k, 2) of the region seen along all coordinates but i and j. It may leave
        the unit square; parts are divided by rows of NaN."""
        ...

    def surface(self, places: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """The boundary of the region's shadow on three coordinates: corners (m, 3) and triangles
        (n, 3) of their numbers, counterclockwise as seen from outside."""
        ...

    def with_cells(self, widened: Callable[[Bounds], Bounds]) -> Region:
        """The region with the whole cells of its integers, if its sides are parallel to the axes:
        `widened` maps bounds to those of the cells. Any other region stays as it is."""
        ...

    def record(self) -> RegionRecord:
        """The region as a record of a file."""
        ...


class Body(Protocol):
    """A convex body {c + F z : ‖z‖ ≤ 1} for some norm, or gauge, which may reach beyond the unit
    cube.

    symbol   meaning                                                        shape
    c        `center`                                                       (p,)
    F        `factor`; F⁻¹ is `inverse`                                     (p, p)
    z        points in the frame of the body, F⁻¹(x - c)                    (n, p)
    """

    @property
    def center(self) -> FloatArray:
        """c, in the unit cube."""
        ...

    @property
    def factor(self) -> FloatArray:
        """F."""
        ...

    @property
    def inverse(self) -> FloatArray:
        """F⁻¹."""
        ...

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        ...

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest value of each coordinate."""
        ...

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume."""
        ...

    def log_share_in_cube(self) -> tuple[float, float] | None:
        """The logarithm of the share of the body that lies in the unit cube, and its standard
        error; None if there is no better way than random draws."""
        ...

    @property
    def covariance(self) -> FloatArray:
        """The covariance of the uniform law, (p, p)."""
        ...

    def scaled(self, about: FloatArray, factor: float) -> Body:
        """The body shrunk or grown about a point (p,)."""
        ...

    def clipped(self) -> Region:
        """What the body means for a search space with bounds."""
        ...

    def norm(self, points: FloatArray) -> FloatArray:
        """‖F⁻¹(x - c)‖ of each point, (n,)."""
        ...

    def contains(self, points: FloatArray) -> BoolArray:
        """Which points lie inside, (n,)."""
        ...

    def complete(self, points: FloatArray) -> FloatArray:
        """As that of a region, within the unit cube."""
        ...

    def margin(self, points: Any, xp: Any = np) -> Any:
        """As that of a region."""
        ...

    def leave(self, b: FloatArray, w: FloatArray) -> FloatArray:
        """The t > 0 at which the rays b + t w, (p,) and (n, p), leave the body in its frame."""
        ...

    def normal(self, z: FloatArray) -> FloatArray:
        """Outward normals, of any length, at points z (n, p) of the boundary in the frame."""
        ...

    def chord(self, points: FloatArray, lines: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each row, the smallest and largest t with point + t line inside."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` independent uniform points, shape (n, p)."""
        ...

    def uniform_from_cube(self, cube: FloatArray) -> FloatArray:
        """Points of the unit cube → points that are uniform over the body if the rows are."""
        ...

    def outline(self, i: int, j: int) -> FloatArray:
        """As that of a region."""
        ...

    def surface(self, places: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """As that of a region. It may leave the unit cube."""
        ...

    def record(self) -> PartRecord:
        """As that of a region."""
        ...
