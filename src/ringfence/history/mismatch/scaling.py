"""Parameters in other units: a history whose numbers are converted by what its user says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from ringfence.arrays import FloatArray
from ringfence.errors import HistoryError, SpaceError
from ringfence.history.mismatch.mending import Mend
from ringfence.history.mismatch.spaces import union_of
from ringfence.history.values import WRITTEN, as_number
from ringfence.space import (
    Categorical,
    Choice,
    Condition,
    Constant,
    Float,
    Int,
    Parameter,
    Space,
)
from ringfence.words import counted, did_you_mean, some

if TYPE_CHECKING:
    from ringfence.history.history import History

_Number = TypeVar("_Number", float, FloatArray)

WHOLE = 1e-9
"""A factor this near to one over a whole number is a division by it: 57 times 0.01 is not 0.57."""


def scaled(
    history: History, factors: Mapping[str, float], tasks: Sequence[str] | None = None
) -> History:
    """`History.scaled`."""
    wanted = _checked(history, factors, tasks)
    here = history.task_column().is_in(list(wanted)).fill_null(value=False)
    everyone = set(wanted) == set(history.tasks)
    frame, notes = history.frame, list(history.notes)
    for name, factor in factors.items():
        column, count = _converted(frame[name], here, factor)
        if not count:
            raise HistoryError(
                f"there is no number of {name!r} to convert{'' if everyone else ' in these tasks'}"
            )
        frame = frame.with_columns(column).drop(f"{WRITTEN}{name}", strict=False)
        where = "" if everyone else f" in {some(list(wanted), 3)}"
        notes.append(
            f"took {factor:g} times {name}{where} ({counted(count, 'value')}), as you said"
        )
    task_spaces = {
        task: _scaled_space(space, factors) if task in wanted else space
        for task, space in history.task_spaces.items()
    }
    space = history.space
    if space is not None and everyone:
        space = _scaled_space(space, factors)
    elif space is not None:  # in which units it is cannot be told if it is not that of the tasks
        whole = set(task_spaces) >= set(history.tasks)
        space = union_of(list(task_spaces.values()))[0] if whole else None
    return replace(
        history,
        frame=frame,
        space=space,
        notes=tuple(notes),
        task_spaces=task_spaces,
        said={
            task: _scaled_values(values, factors) if task in wanted else values
            for task, values in history.said.items()
        },
        off={n: off * factors.get(n, 1.0) if everyone else off for n, off in history.off.items()},
        mends=(*history.mends, Mend(dict(factors), "scaled", () if everyone else wanted)),
    )


def _checked(
    history: History, factors: Mapping[str, float], tasks: Sequence[str] | None
) -> tuple[str, ...]:
    """The tasks that are meant, or HistoryError."""
    if not isinstance(factors, Mapping) or not factors:
        raise HistoryError(
            "scaled takes a dict from parameters to what their numbers are to be multiplied by: "
            "{'dropout': 0.01}"
        )
    if history.selection is not None:
        raise HistoryError(history.selection.every_row_needed("converting units"))
    known = history.roles.parameters
    for name, factor in factors.items():
        if name not in known:
            hint = did_you_mean(name, known) or f"the parameters are {some(known, 30)}"
            raise HistoryError(f"there is no parameter {name!r} to convert; {hint}")
        if isinstance(factor, bool) or not isinstance(factor, (int, float)):
            raise HistoryError(f"{name!r} is multiplied by a number, not by {factor!r}")
        if not math.isfinite(factor) or factor <= 0:
            raise HistoryError(f"{name!r} is multiplied by a positive number, not by {factor!r}")
    wanted = (
        (tasks,) if isinstance(tasks, str) else tuple(history.tasks if tasks is None else tasks)
    )
    for task in wanted:
        if task not in history.tasks:
            hint = did_you_mean(str(task), history.tasks)
            raise HistoryError(f"the history has no task {task!r}{f'; {hint}' if hint else ''}")
    return wanted


def _converted(column: pl.Series, here: pl.Series, factor: float) -> tuple[pl.Series, int]:
    """The column with the numbers of some rows converted, and how many these are. Words stay."""
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        return column, 0
    numbers = as_number(column)
    is_new = here & numbers.is_not_null()
    kind = pl.String if column.dtype == pl.String else pl.Float64
    new = pl.Series(_times(numbers.fill_null(math.nan).to_numpy(), factor)).cast(kind)
    return new.zip_with(is_new, column.cast(kind)).alias(column.name), int(is_new.sum())


def _times(value: _Number, factor: float) -> _Number:
    """The number times the factor, with the digits that people would write."""
    parts = 1.0 / factor
    if parts > 1 and abs(parts - round(parts)) < WHOLE * parts:
        return value / round(parts)
    return value * factor


def _scaled_space(space: Space, factors: Mapping[str, float]) -> Space:
    """The space with the ranges of some parameters converted."""
    parameters = {
        name: _scaled_parameter(parameter, factors[name]) if name in factors else parameter
        for name, parameter in space.parameters.items()
    }
    conditions = [
        Condition(c.child, c.parent, [_scaled_choice(v, factors[c.parent]) for v in c.values])
        if c.parent in factors
        else c
        for c in space.conditions
    ]
    try:
        return Space(parameters, conditions)
    except SpaceError as error:
        raise HistoryError(f"{some(list(factors))} cannot be converted: {error}") from error


def _scaled_parameter(parameter: Parameter, factor: float) -> Parameter:
    try:
        if isinstance(parameter, (Float, Int)):
            low, high = (_times(float(end), factor) for end in (parameter.low, parameter.high))
            off = None if parameter.off is None else _times(float(parameter.off), factor)
            if isinstance(parameter, Int) and low.is_integer() and float(factor).is_integer():
                return Int(int(low), int(high), parameter.log, None if off is None else int(off))
            return Float(low, high, parameter.log, off)
        if isinstance(parameter, Constant):
            return Constant(_scaled_choice(parameter.value, factor))
        choices = [_scaled_choice(choice, factor) for choice in parameter.choices]
        return Categorical(choices, ordered=parameter.ordered)
    except SpaceError as error:
        raise HistoryError(f"the range cannot be multiplied by {factor:g}: {error}") from error


def _scaled_choice(choice: Choice, factor: float) -> Choice:
    if isinstance(choice, bool) or not isinstance(choice, (int, float)):
        return choice
    return _times(float(choice), factor)


def _scaled_values(values: Mapping[str, Choice], factors: Mapping[str, float]) -> dict[str, Choice]:
    return {n: _scaled_choice(v, factors[n]) if n in factors else v for n, v in values.items()}
