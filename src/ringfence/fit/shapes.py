"""The table of shapes: every name of a shape in Python, on the command line and in files.

A further shape is a file in regions/ (the region, or a body to be cut to the cube, with its
record), a file in fit/ (the smallest one around points) and one entry of `SHAPES`.
CONTRIBUTING.md has the recipe, and tests/test_shapes.py follows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ringfence.arrays import FloatArray
    from ringfence.fit.result import Fit
    from ringfence.fit.unions.splitting import Splitting
    from ringfence.regions import PartRecord


class FitFunction(Protocol):
    """Fits one region of a shape."""

    def __call__(
        self, points: FloatArray, outliers: float = 0.0, near: Fit[Any] | None = None
    ) -> Fit[Any]:
        """The smallest region around the points (n, p), a share `outliers` of them left outside;
        `near`, the fit of nearly the same points, may save time. If the shape `takes_gaps`, a
        point may lack coordinates (NaN), and is inside if some completion of it is."""
        ...


@dataclass(frozen=True)
class Shape:
    """A shape that can be learned. What it needs is named as 'module:name' and imported when first
    used: boxes do without scipy, and help on the command line without either."""

    name: str
    fit_at: str
    """Where the `FitFunction` is."""
    record_at: str
    """Where the record of a region of this shape in a file is, a `PartRecord`."""
    paper_outliers: float
    """What outliers='paper' means."""
    takes_gaps: bool = False
    """Whether its fit takes points that lack coordinates, which are NaN and free."""
    union: str | None = None
    """The name of unions of this shape; None if there are none."""
    splitting_at: str | None = None
    """Where the `Splitting` of a cloud into parts of this shape is."""

    @cached_property
    def fit(self) -> FitFunction:
        """Fits one region."""
        function: FitFunction = _imported(self.fit_at)
        return function

    @cached_property
    def record(self) -> type[PartRecord]:
        """How a region of this shape is kept in a file."""
        record: type[PartRecord] = _imported(self.record_at)
        return record

    @cached_property
    def splitting(self) -> Splitting:
        """How a cloud is split into parts of this shape."""
        assert self.splitting_at is not None, f"there are no unions of the shape {self.name!r}"
        splitting: Splitting = _imported(self.splitting_at)
        return splitting


SHAPES: list[Shape] = [
    Shape(
        "box",
        "ringfence.fit.box:fit_box",
        "ringfence.regions.box:BoxRecord",
        paper_outliers=0.5,
        takes_gaps=True,
        union="boxes",
        splitting_at="ringfence.fit.unions.box_split:BOX_SPLITTING",
    ),
    Shape(
        "ellipsoid",
        "ringfence.fit.ellipsoid:fit_ellipsoid",
        "ringfence.regions.ellipsoid:EllipsoidRecord",
        paper_outliers=0.1,
        takes_gaps=True,
        union="ellipsoids",
        splitting_at="ringfence.fit.unions.ellipsoid_split:ELLIPSOID_SPLITTING",
    ),
]
"""`paper_outliers` is ν of the paper, chosen there on the toy problem of section 6.1."""


def shape_names() -> list[str]:
    """The names of all shapes: single regions first, then unions."""
    return [shape.name for shape in SHAPES] + [shape.union for shape in SHAPES if shape.union]


def shape_choices() -> list[str]:
    """What the argument `shape` can be: a name, 'full' for the full space, or 'auto'."""
    return [*shape_names(), "full", "auto"]


def shape_of(name: str) -> Shape:
    """The shape of this name, or of the parts of the union of this name."""
    return next(shape for shape in SHAPES if name in (shape.name, shape.union))


def is_union(name: str) -> bool:
    """Whether this is the name of a union."""
    return any(name == shape.union for shape in SHAPES)


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
