"""How each parameter of each task fits today's: the same, missing, extra, or in what it differs.

A task is judged by the space that its source declares; where none is declared, by its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from ringfence.history.mismatch.fixed import fixed_by_task
from ringfence.history.mismatch.unknown import lacks, tuned_by_task
from ringfence.history.usable import finished_rows
from ringfence.history.values import as_number, numbers_of, wanted_numbers
from ringfence.quoting import literal
from ringfence.space import (
    Categorical,
    Choice,
    Constant,
    Float,
    Int,
    Parameter,
    Space,
    allows,
    axis_of,
    choice_key,
    value_of,
)
from ringfence.space.display import range_of
from ringfence.words import percent

if TYPE_CHECKING:
    from ringfence.history.history import History

Kind: TypeAlias = Literal[
    "same", "missing", "inactive", "extra", "fixed", "other range", "other scale", "other type"
]


@dataclass(frozen=True)
class Fit:
    """One parameter in one task, or in a group of tasks that have the same fit."""

    parameter: str
    kinds: tuple[Kind, ...]
    """What is to be said of it; several if it differs in more than one way."""
    declared: str = ""
    """Its range then, in words, if it was another; empty if only values are known."""
    overlap: float = 1.0
    """The share of today's range that the one of then covers; of values, the share that counts."""
    values: int = 0
    """Number of its values."""
    inside: int = 0
    """How many of them are values of today's parameter."""

    @property
    def words(self) -> str:
        """The fit in a few words."""
        text = ", ".join(self.kinds)
        if len(self.kinds) > 1:
            text = text.replace("missing", "missing in some runs")
        text += f": {self.declared}" if self.declared else ""
        if "other range" in self.kinds:
            share = percent(self.overlap)
            text += f" ({share} of today's)" if self.declared else f": {share} of its values count"
        return text


def fits_of(history: History, space: Space) -> dict[str, tuple[Fit, ...]]:
    """The fits of each task of the history, in the order of the space, then the extras."""
    tuned = tuned_by_task(history)
    extras = [name for name in history.roles.parameters if name not in space]
    numbers = _numbers(history, space)
    fixed = fixed_by_task(history, space, numbers, ":task")
    fits = {}
    for row in _counts(numbers, space).iter_rows(named=True):
        task = row[":task"]
        declared = history.task_spaces.get(task)
        each = [
            _fixed(space[name], name, row, history.said.get(task, {}))
            if task in fixed.get(name, ()) or name in history.said.get(task, ())
            else _fit(space, name, row, declared)
            for name in space
        ]
        each = [_in_part(fit) if row.get(f":lacking:{fit.parameter}") else fit for fit in each]
        more = [Fit(name, ("extra",)) for name in extras if name in tuned[task]]
        fits[task] = (*each, *more)
    return fits


def _numbers(history: History, space: Space) -> pl.DataFrame:
    """The finished runs: of each parameter its values as numbers, null if there is none, NaN if it
    is none of today's (NAME), whether it is a word where today has numbers (:words:NAME), and
    whether the source of the run lacks it (:lacking:NAME)."""
    rows = finished_rows(history)
    table = history.frame[rows]
    known = [name for name in space if name in history.roles.parameters]
    numbers = {n: numbers_of(space[n], table[n]).set(lacks(table, n), None) for n in known}
    columns = [column.alias(name) for name, column in numbers.items()]
    columns += [_words(space[name], table[name]).alias(f":words:{name}") for name in numbers]
    columns += [lacks(table, name).alias(f":lacking:{name}") for name in numbers]
    tasks = history.task_column().gather(rows).alias(":task")
    return pl.DataFrame([tasks, *columns])


def _counts(numbers: pl.DataFrame, space: Space) -> pl.DataFrame:
    """Of each task and parameter, how many values it has (NAME), how many of them are values of
    today's (:inside:NAME), whether some are words where today has numbers (:words:NAME), whether
    the source of some runs lacks it (:lacking:NAME), whether a condition switches it off in all
    runs (:off:NAME), and one of the values (:one:NAME)."""
    counts = []
    for name in [name for name in space if name in numbers.columns]:
        counts.append(pl.col(name).fill_nan(None).drop_nulls().first().alias(f":one:{name}"))
        counts.append(pl.col(name).count())
        counts.append(pl.col(f":lacking:{name}").any())
        counts.append(pl.col(name).is_not_nan().sum().alias(f":inside:{name}"))
        counts.append(pl.col(f":words:{name}").any())
    for name in space:
        off = pl.lit(value=False)
        for condition in space.conditions_of(name):
            if condition.parent in numbers.columns:
                parent = pl.col(condition.parent)
                wanted = wanted_numbers(space[condition.parent], condition.values)
                off = off | ((parent.count() > 0) & ~parent.is_in(wanted).any())
        counts.append(off.alias(f":off:{name}"))
    return numbers.group_by(":task", maintain_order=True).agg(counts)


def _fixed(today: Parameter, name: str, row: Mapping[str, Any], said: Mapping[str, Choice]) -> Fit:
    """A parameter that had one value throughout, perhaps as the user `said`."""
    value = row.get(f":one:{name}")  # None if it is no value of today's
    shown = "" if value is None else range_of(Constant(value_of(today, value)))
    if value is None and name in said and row.get(name, 0):
        shown = f"{range_of(Constant(said[name]))} (outside today's)"
    return Fit(name, ("fixed",), shown, 0.0, row.get(name, 0), row.get(f":inside:{name}", 0))


def _fit(space: Space, name: str, row: Mapping[str, Any], declared: Space | None) -> Fit:
    today = space[name]
    then = declared[name] if declared is not None and name in declared else None
    values, inside = row.get(name, 0), row.get(f":inside:{name}", 0)
    if not values and not isinstance(then, Constant):
        if isinstance(today, Constant):
            return Fit(name, ("same",))
        if then is None:
            return Fit(name, ("inactive" if row[f":off:{name}"] else "missing",))
    if then is not None:
        kinds, overlap = compared(then, today)
        shown = "" if kinds == ("same",) else range_of(then)
        return Fit(name, kinds, shown, overlap, values, inside)
    if inside == values:
        return Fit(name, ("same",), "", 1.0, values, inside)
    kinds = ("other type", "other range") if row.get(f":words:{name}") else ("other range",)
    return Fit(name, kinds, "", inside / values, values, inside)


def _in_part(fit: Fit) -> Fit:
    """The fit of a parameter that some runs of the task have and others lack."""
    return replace(fit, kinds=(*fit.kinds, "missing")) if fit.values else fit


def _words(parameter: Parameter, column: pl.Series) -> pl.Series:
    """Where a column has words although the parameter is a number."""
    if not isinstance(parameter, (Float, Int)) or column.dtype != pl.String:
        return pl.Series([False]).new_from_index(0, len(column))
    return column.is_not_null() & as_number(column).is_null()


def compared(then: Parameter, today: Parameter) -> tuple[tuple[Kind, ...], float]:
    """In what a parameter differs from today's, and the share of today's range that it covers."""
    if then == today:
        return ("same",), 1.0
    if isinstance(then, Constant):
        return ("fixed",), 0.0
    kinds: list[Kind] = []
    if not isinstance(then, type(today)):
        kinds.append("other type")
    if isinstance(then, (Float, Int)) and isinstance(today, (Float, Int)):
        if (then.low, then.high, then.off) != (today.low, today.high, today.off):
            kinds.append("other range")
        if then.log != today.log:
            kinds.append("other scale")
        return tuple(kinds), _covered(then, today)
    if isinstance(then, Categorical) and isinstance(today, Categorical):
        if _keys(then) == _keys(today) and not (then.ordered or today.ordered):
            return ("same",), 1.0
        kinds.append("other range" if _keys(then) != _keys(today) else "other scale")
        return tuple(kinds), len(_keys(then) & _keys(today)) / len(_keys(today))
    return tuple(kinds or ["other type"]), 1.0


def _covered(then: Float | Int, today: Float | Int) -> float:
    """The share of today's range, on its scale, within the one of then."""
    axis = axis_of(today)
    assert axis is not None, "numbers have a scale"
    low, high = max(then.low, today.low), min(then.high, today.high)
    off = 0.0
    if today.off is not None and allows(then, today.off):
        start, stop = axis.cell(np.array([today.off], dtype=float))
        off = float(stop[0] - start[0])
    if high < low:
        return off
    ends = np.array([low, high], dtype=float)
    starts, stops = axis.cell(ends)
    return min(float(stops[1] - starts[0]) + off, 1.0)


def _keys(parameter: Categorical) -> set[tuple[str, object]]:
    return {choice_key(choice) for choice in parameter.choices}


def as_code(parameter: Parameter) -> str:
    """A parameter as Python writes it."""
    if isinstance(parameter, Constant):
        return f"rf.Constant({literal(parameter.value)})"
    if isinstance(parameter, Categorical):
        return f"rf.Categorical({literal(parameter.choices)}{', ordered=True' * parameter.ordered})"
    ends = f"{literal(parameter.low)}, {literal(parameter.high)}"
    off = "" if parameter.off is None else f", off={literal(parameter.off)}"
    return f"rf.{type(parameter).__name__}({ends}{', log=True' * parameter.log}{off})"
