"""Encoding: values in the user's units ↔ coordinates in the unit cube.

symbol   meaning                                                       shape
u        coordinates of the numeric parameters, each in [0, 1]         (n, p)
values   the same in the user's units, one column for each parameter   (n,) each

Each parameter is stretched over [0, 1] on its own scale (linear or log). An integer owns a cell of
equal width (equal on that scale), so that uniform coordinates give uniform integers, and its
coordinate is the middle of the cell on that scale's raw axis: k lies at
(k - low + 1/2)/(high - low + 1). Ordered choices are encoded as the integers 0 … k-1. An inactive
value is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.space.parameters import Categorical, Choice, Float, Int, Parameter
from ringfence.space.space import Space

FINE = 1e-12
"""A step between floats of less than this share of a range does not matter to any region."""


@dataclass(frozen=True)
class Axis:
    """One numeric parameter's scale. `low`, `high` are its smallest and largest value."""

    low: Any
    """A number; an array (k,) stands for k parameters at once."""
    high: Any
    log: bool
    integer: bool

    def encode(self, values: FloatArray) -> FloatArray:
        """Values → unit coordinates; exactly 0 and 1 at the ends of a real range."""
        start, stop = self._edges()
        unit: FloatArray = (self._scale(values) - start) / (stop - start)
        return np.clip(unit, 0.0, 1.0)

    def decode(self, unit: FloatArray) -> FloatArray:
        """Unit coordinates → values, rounded if integer, never outside [low, high]."""
        start, stop = self._edges()
        raw = start + unit * (stop - start)
        values = np.exp(raw) if self.log else raw
        if self.integer:
            return np.asarray(np.clip(np.rint(values), self.low, self.high))
        values = np.where(unit <= 0.0, self.low, np.where(unit >= 1.0, self.high, values))
        return np.asarray(np.clip(values, self.low, self.high))

    def cell(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper edge of the coordinates that decode to these integers."""
        start, stop = self._edges()
        lower = (self._scale(values - 0.5) - start) / (stop - start)
        upper = (self._scale(values + 0.5) - start) / (stop - start)
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)

    @property
    def declared(self) -> tuple[float, float, float, float]:
        """In the declared units, logarithms for a log scale: what the coordinates 0 and 1 stand
        for, then the smallest and the largest value."""
        return *self._edges(), float(self._scale(self.low)), float(self._scale(self.high))

    def span(self, start: float, stop: float) -> tuple[float, float]:
        """Smallest and largest value whose coordinate lies in [start, stop], to rounding; if no
        integer's does, the nearest ones."""
        low, high = self.decode(np.array([start, stop])).tolist()
        if self.integer:
            first, last = self.encode(np.array([low, high])).tolist()
            low += first < start - 1e-9
            high -= last > stop + 1e-9
        return min(low, high), max(low, high)

    @property
    def is_coarse(self) -> bool:
        """Whether a coordinate differs from that of the value it stands for: that of an integer,
        and of a real number if its range is so narrow that floats are far apart in it."""
        start, stop = self._edges()
        return self.integer or np.spacing(max(abs(start), abs(stop))) > FINE * (stop - start)

    def _edges(self) -> tuple[Any, Any]:
        half = 0.5 if self.integer else 0.0
        return self._scale(self.low - half), self._scale(self.high + half)

    def _scale(self, values: Any) -> Any:
        return np.log(values) if self.log else values


@dataclass(frozen=True, eq=False)
class Columns(Axis):
    """The columns of several parameters whose scales are of one kind."""

    columns: tuple[int, ...] = ()

    def _edges(self) -> tuple[Any, Any]:
        return self._known_edges

    @cached_property
    def _known_edges(self) -> tuple[Any, Any]:
        return super()._edges()

    @classmethod
    def of(cls, axes: Sequence[Axis], columns: Sequence[int]) -> Columns:
        """Those of `axes` at these columns, all alike but for their ends."""
        first, ends = axes[columns[0]], np.array([(axes[j].low, axes[j].high) for j in columns])
        low, high = ends.astype(float).T
        return cls(low, high, first.log, first.integer, tuple(columns))


def axis_of(parameter: Parameter) -> Axis | None:
    """The scale of a numeric or ordered parameter; None for the others."""
    if isinstance(parameter, (Float, Int)):
        return Axis(parameter.low, parameter.high, parameter.log, isinstance(parameter, Int))
    if isinstance(parameter, Categorical) and parameter.ordered and len(parameter.choices) > 1:
        return Axis(0, len(parameter.choices) - 1, log=False, integer=True)
    return None


@dataclass(frozen=True)
class Encoding:
    """The numeric coordinates of some parameters of a space, in a fixed order."""

    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    axes: tuple[Axis, ...]

    @classmethod
    def of(cls, space: Space, names: Sequence[str] | None = None) -> Encoding:
        """The encoding of `names`, or of every parameter of `space` that has a scale."""
        wanted = [n for n in space if axis_of(space[n])] if names is None else list(names)
        axes = [axis for name in wanted if (axis := axis_of(space[name]))]
        return cls(tuple(wanted), tuple(space[name] for name in wanted), tuple(axes))

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return len(self.names)

    def encode(self, columns: Mapping[str, FloatArray]) -> FloatArray:
        """Columns of numbers (of positions, for ordered choices) → (n, p) coordinates."""
        if not self.names:
            return np.empty((0, 0))
        return np.column_stack(
            [axis.encode(np.asarray(columns[n], float)) for n, axis in zip(self.names, self.axes)]
        )

    def decode(self, points: FloatArray) -> dict[str, FloatArray]:
        """(n, p) coordinates → columns of numbers (of positions, for ordered choices)."""
        return {n: a.decode(points[:, j]) for j, (n, a) in enumerate(zip(self.names, self.axes))}

    def cells(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper edges (n, p) of the cells of the integers at these points; a real number
        is its own edge."""
        lower, upper = points.copy(), points.copy()
        for j, axis in enumerate(self.axes):
            if axis.integer:
                lower[:, j], upper[:, j] = axis.cell(axis.decode(points[:, j]))
        return lower, upper

    def cell_bounds(self, bounds: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Bounds (p,) moved to the outer edges of the cells of the integers whose middle they
        hold, so that uniform coordinates between them are uniform integers."""
        lower, upper = (bound.copy() for bound in bounds)
        for j, axis in enumerate(self.axes):
            if axis.integer:
                starts, stops = axis.cell(np.array(axis.span(lower[j], upper[j])))
                lower[j], upper[j] = starts[0], stops[1]
        return lower, upper

    def snap(self, points: FloatArray) -> FloatArray:
        """The coordinates of the configurations that `points` decode to."""
        if not self.names:
            return points
        snapped = points.copy()
        for axes in self._alike:
            snapped[:, axes.columns] = axes.encode(axes.decode(points[:, axes.columns]))
        return snapped

    @cached_property
    def _alike(self) -> list[Columns]:
        """The axes that round and scale alike, together: one by one, sixty of them take sixty times
        as long."""
        kinds: dict[tuple[bool, bool], list[int]] = {}
        for j, axis in enumerate(self.axes):
            if axis.is_coarse:
                kinds.setdefault((axis.log, axis.integer), []).append(j)
        return [Columns.of(self.axes, columns) for columns in kinds.values()]

    def point(self, config: Mapping[str, Any]) -> FloatArray:
        """One configuration's coordinates, shape (1, p), NaN for parameters that it lacks."""
        row = [
            self._number(p, config[n]) if n in config else float("nan")
            for n, p in zip(self.names, self.parameters)
        ]
        return self.encode({n: np.array([value]) for n, value in zip(self.names, row)})

    def values(self, points: FloatArray) -> dict[str, list[Choice]]:
        """(n, p) coordinates → columns of plain Python values in the user's units and types."""
        columns = self.decode(points)
        return {
            n: [value_of(p, number) for number in columns[n].tolist()]
            for n, p in zip(self.names, self.parameters)
        }

    @staticmethod
    def _number(parameter: Parameter, value: Any) -> float:
        if isinstance(parameter, Categorical):
            position = parameter.index(value)
            return float("nan") if position is None else float(position)
        return float(value)


def value_of(parameter: Parameter, number: float) -> Choice:
    """The plain Python value behind a decoded number."""
    if isinstance(parameter, Categorical):
        return parameter.choices[round(number)]
    return round(number) if isinstance(parameter, Int) else float(number)
