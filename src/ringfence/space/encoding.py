"""Encoding: values in the user's units ↔ coordinates in the unit cube.

symbol   meaning                                                       shape
u        coordinates of the numeric parameters, each in [0, 1]         (n, p)
values   the same in the user's units, one column for each parameter   (n,) each

Each parameter is stretched over [0, 1] on its own scale (linear or log). An integer owns a cell of
equal width (equal on that scale), so that uniform coordinates give uniform integers, and its
coordinate is the middle of the cell on that scale's raw axis: k lies at
(k - low + 1/2)/(high - low + 1). A value that switches the parameter off owns a cell at the end of
the axis where it lies (`axes.OffAxis`). Ordered choices are encoded as the integers 0 … k-1. An
inactive value is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.space.axes import Axis, Columns, OffAxis
from ringfence.space.parameters import Categorical, Choice, Float, Int, Parameter
from ringfence.space.space import Space


def axis_of(parameter: Parameter) -> Axis | None:
    """The scale of a numeric or ordered parameter; None for the others."""
    if isinstance(parameter, (Float, Int)):
        axis = Axis(parameter.low, parameter.high, parameter.log, isinstance(parameter, Int))
        return axis if parameter.off is None else OffAxis.of(axis, parameter.off)
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
        """Lower and upper edges (n, p) of the cells of the integers at these points, and of values
        that switch off; a real number is its own edge."""
        lower, upper = points.copy(), points.copy()
        for j, axis in enumerate(self.axes):
            if axis.has_cells:
                lower[:, j], upper[:, j] = axis.cell(axis.decode(points[:, j]))
        return lower, upper

    def cell_bounds(self, bounds: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Bounds (p,) moved to the outer edges of the cells whose middle they hold, so that uniform
        coordinates between them are uniform integers."""
        lower, upper = (bound.copy() for bound in bounds)
        for j, axis in enumerate(self.axes):
            lower[j], upper[j] = axis.whole_cells(lower[j], upper[j])
        return lower, upper

    def snap(self, points: FloatArray) -> FloatArray:
        """The coordinates of the configurations that `points` decode to."""
        if not self.names:
            return points
        snapped = points.copy()
        for axis, columns in self._alike:
            snapped[:, columns] = axis.encode(axis.decode(points[:, columns]))
        return snapped

    @cached_property
    def _alike(self) -> list[tuple[Axis, list[int]]]:
        """The axes that round and scale alike, together with their columns: one by one, sixty of
        them take sixty times as long. One with a value that switches off is alone."""
        kinds: dict[tuple[bool, bool, int], list[int]] = {}
        for j, axis in enumerate(self.axes):
            if axis.is_coarse:
                alone = j if isinstance(axis, OffAxis) else -1
                kinds.setdefault((axis.log, axis.integer, alone), []).append(j)
        return [
            (Columns.of(self.axes, columns) if alone < 0 else self.axes[alone], columns)
            for (_, _, alone), columns in kinds.items()
        ]

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
