"""Layout: configurations ↔ rows of numbers ↔ the inputs of a model.

symbol   meaning                                                             shape
rows     a coordinate in [0, 1] for each numeric or ordered parameter, the   (n, len(names))
         position among the choices for each other, NaN if inactive
X        what a model sees: numeric columns stretched so that the learned    (n, d)
         region spans [0, 1], 1/2 if inactive; categories one-hot / √2
groups   the parameter behind each column of X                               (d,)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.learned.space import LearnedSpace
from ringfence.space import (
    Axis,
    Categorical,
    Choice,
    Config,
    Constant,
    Parameter,
    Space,
    axis_of,
    choice_key,
    value_of,
)

INACTIVE = 0.5  # what a model sees of a numeric parameter that is switched off


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of a learned space."""

    learned: LearnedSpace

    @property
    def space(self) -> Space:
        """The full space."""
        return self.learned.space

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters that vary, in the order of the space."""
        return tuple(n for n in self.space if not isinstance(self.space[n], Constant))

    @cached_property
    def axes(self) -> tuple[Axis | None, ...]:
        """The scale of each of `names`; None for categories without order."""
        return tuple(axis_of(self.space[name]) for name in self.names)

    def position(self, name: str) -> int:
        """The column of `name`."""
        return self.names.index(name)

    def encode(self, configs: Iterable[Mapping[str, object]]) -> FloatArray:
        """Configurations → rows."""
        configs = list(configs)
        rows = np.full((len(configs), len(self.names)), np.nan)
        for j, (name, axis) in enumerate(zip(self.names, self.axes)):
            parameter = self.space[name]
            numbers = np.array(
                [_number(parameter, c[name]) if name in c else np.nan for c in configs], float
            )
            rows[:, j] = numbers if axis is None else axis.encode(numbers)
        return self.without_inactive(rows)

    def decode(self, rows: FloatArray) -> list[Config]:
        """Rows → configurations in the user's units and types."""
        columns: dict[str, list[Choice]] = {}
        for j, (name, axis) in enumerate(zip(self.names, self.axes)):
            column = rows[:, j]
            active = ~np.isnan(column)
            numbers = np.zeros(len(rows))
            numbers[active] = column[active] if axis is None else axis.decode(column[active])
            columns[name] = [value_of(self.space[name], number) for number in numbers.tolist()]
        return [self._config(columns, rows[i], i) for i in range(len(rows))]

    def snap(self, rows: FloatArray) -> FloatArray:
        """The rows of the configurations that `rows` stand for: integers rounded, inactive
        parameters blanked."""
        snapped = rows.copy()
        for j, axis in enumerate(self.axes):
            if axis is not None and axis.has_cells:
                snapped[:, j] = axis.encode(axis.decode(rows[:, j]))
        return self.without_inactive(snapped)

    def without_inactive(self, rows: FloatArray) -> FloatArray:
        """`rows` with NaN wherever a condition switches a parameter off."""
        if not self.space.conditions:
            return rows
        rows = rows.copy()
        on: dict[str, BoolArray] = {}
        for name in self.space.parents_first:
            on[name] = np.ones(len(rows), dtype=bool)
            for condition in self.space.conditions_of(name):
                holds = self._holds(rows, condition.parent, condition.values)
                on[name] &= on[condition.parent] & holds
            if name in self.names:
                rows[~on[name], self.position(name)] = np.nan
        return rows

    def columns(self, rows: FloatArray) -> dict[str, FloatArray]:
        """Rows as the columns of numbers that `LearnedSpace.inside` takes."""
        return {
            name: rows[:, j] if axis is None else axis.decode(rows[:, j])
            for j, (name, axis) in enumerate(zip(self.names, self.axes))
        }

    def inside(self, rows: FloatArray) -> BoolArray:
        """Which rows lie in the learned space."""
        if not self.names:
            return np.ones(len(rows), dtype=bool)
        return self.learned.inside(self.columns(rows))

    @cached_property
    def spans(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper end of the learned region in each column; 0 and 1 for categories."""
        lower, upper = np.zeros(len(self.names)), np.ones(len(self.names))
        for block in self.learned.blocks:
            columns = [self.position(name) for name in block.names]
            lower[columns], upper[columns] = block.spans
        flat = upper - lower < 1e-9
        lower[flat], upper[flat] = lower[flat] - 0.5, lower[flat] + 0.5
        return lower, upper

    def features(self, rows: FloatArray) -> FloatArray:
        """Rows → X, the inputs of a model."""
        lower, upper = self.spans
        unit = np.where(np.isnan(rows), INACTIVE, (rows - lower) / (upper - lower))
        columns, positions = self._one_hot
        if not columns.size:
            return unit
        X = unit[:, self.groups]
        X[:, columns] = (rows[:, self.groups[columns]] == positions) / np.sqrt(2.0)
        return X

    def by_rows(self, gradient: FloatArray) -> FloatArray:
        """Gradients by X (m, d) as gradients by the numeric columns of rows; 0 for the others."""
        numeric, columns, widths = self._numeric
        found = np.zeros((len(gradient), len(self.names)))
        found[:, numeric] = gradient[:, columns] / widths
        return found

    @cached_property
    def _numeric(self) -> tuple[IntArray, IntArray, FloatArray]:
        """The numeric columns of rows, those of X for them, and their spans."""
        numeric = np.flatnonzero([axis is not None for axis in self.axes])
        lower, upper = self.spans
        return numeric, np.searchsorted(self.groups, numeric), (upper - lower)[numeric]

    @cached_property
    def groups(self) -> IntArray:
        """For each column of X, the number of its parameter."""
        widths = [
            1 if axis is not None else _n_choices(self.space[name])
            for name, axis in zip(self.names, self.axes)
        ]
        return np.repeat(np.arange(len(self.names)), widths)

    def columns_of(self, names: Iterable[str]) -> BoolArray:
        """Which columns of X stand for one of these parameters, (d,)."""
        return np.isin(self.groups, [self.position(name) for name in names])

    @cached_property
    def _one_hot(self) -> tuple[IntArray, IntArray]:
        """The columns of X that stand for a choice, and the position of that choice."""
        unordered = np.array([axis is None for axis in self.axes], dtype=bool)[self.groups]
        columns = np.flatnonzero(unordered)
        return columns, columns - np.searchsorted(self.groups, self.groups[columns])

    def keys(self, rows: FloatArray) -> list[bytes]:
        """What makes two rows the same configuration."""
        rounded = np.round(rows, 9) + 0.0
        rounded[np.isnan(rounded)] = -1.0
        return [row.tobytes() for row in rounded]

    def _holds(self, rows: FloatArray, parent: str, values: Iterable[Choice]) -> BoolArray:
        parameter = self.space[parent]
        if isinstance(parameter, Constant):
            keys = {choice_key(value) for value in values}
            return np.full(len(rows), choice_key(parameter.value) in keys)
        numbers = np.array([_number(parameter, value) for value in values])
        j = self.position(parent)
        axis = self.axes[j]
        targets = numbers if axis is None else axis.encode(numbers)
        return np.asarray((np.abs(rows[:, j, None] - targets) < 1e-9).any(axis=1))

    def _config(self, columns: Mapping[str, list[Choice]], row: FloatArray, i: int) -> Config:
        off = {name for j, name in enumerate(self.names) if np.isnan(row[j])}
        config: Config = {}
        for name, parameter in self.space.parameters.items():
            if isinstance(parameter, Constant):
                config[name] = parameter.value
            elif name not in off:
                config[name] = columns[name][i]
        if not self._has_conditional_constants:
            return config
        return {name: config[name] for name in self.space.active(config)}

    @cached_property
    def _has_conditional_constants(self) -> bool:
        return any(isinstance(self.space[c.child], Constant) for c in self.space.conditions)


def _number(parameter: Parameter, value: object) -> float:
    if isinstance(parameter, Categorical):
        position = parameter.index(value)
        return np.nan if position is None else float(position)
    return float(value)  # type: ignore[arg-type]


def _n_choices(parameter: Parameter) -> int:
    return len(parameter.choices) if isinstance(parameter, Categorical) else 1
