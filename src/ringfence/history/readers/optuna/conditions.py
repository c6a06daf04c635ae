"""Conditions behind define-by-run: which parameter tells where another one is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.space import Categorical, Choice, Condition, Int, Parameter

MOST_VALUES = 64
"""An integer with more values than this is no switch."""


@dataclass(frozen=True)
class Activity:
    """The parameters that can be used, when they are active, and why others cannot."""

    kept: tuple[str, ...]
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]


def activity(
    finished: pl.DataFrame, parameters: Mapping[str, Parameter], required: Sequence[str]
) -> Activity:
    """Explain the gaps. `finished` has a row for each trial that counts, with its `:study`, numbers
    (positions for choices) and null where a parameter is missing. A parameter whose gaps nothing
    explains, or that fewer than half of the studies have, is left out unless `required`."""
    kept: dict[str, Parameter] = {}
    conditions: list[Condition] = []
    notes: list[str] = []
    studies = finished[":study"].n_unique()
    for name, parameter in parameters.items():
        having = finished.filter(pl.col(name).is_not_null())[":study"].unique()
        rows = finished.filter(pl.col(":study").is_in(having.implode()))
        condition = condition_of(name, rows, kept) if rows[name].null_count() else None
        if rows[name].null_count() and condition is None:
            why = f"missing in {rows[name].null_count()} of {rows.height} finished trials, and no "
            why += "other parameter tells when; declare the space with its condition to keep it"
        elif 2 * len(having) < studies:
            why = f"only {len(having)} of {studies} studies have it"
        else:
            why = ""
        if why and name in required:
            if condition is None and rows[name].null_count():
                raise HistoryError(f"the parameter {name!r} cannot be used: {why}")
            why = ""
        if why:
            notes.append(f"left out {name}: {why}")
            continue
        kept[name] = parameter
        if len(having) < studies:
            notes.append(
                f"{name} is in {len(having)} of {studies} studies; the others do not count"
            )
        if condition is not None:
            conditions.append(condition)
            values = ", ".join(str(value) for value in condition.values)
            notes.append(f"{name} is active only where {condition.parent} is {values}")
    if not kept:
        raise HistoryError("no parameter can be used: " + "; ".join(notes))
    return Activity(tuple(kept), tuple(conditions), tuple(notes))


def condition_of(
    child: str, rows: pl.DataFrame, before: Mapping[str, Parameter]
) -> Condition | None:
    """The condition on the first of the parameters suggested `before` that tells exactly where
    `child` is missing."""
    for parent, parameter in before.items():
        if not _can_switch(parameter):
            continue
        given = pl.col(child).is_not_null().mean().alias(":given")
        shares = rows.group_by(parent).agg(given)
        present = shares.filter(pl.col(":given") == 1.0)[parent]
        if shares[":given"].is_in([0.0, 1.0]).all() and not present.null_count():
            absent = shares.filter(pl.col(":given") == 0.0)[parent].drop_nulls()
            return Condition(child, parent, _values(parameter, sorted(present), sorted(absent)))
    return None


def _can_switch(parameter: Parameter) -> bool:
    if isinstance(parameter, Int):
        return parameter.high - parameter.low < MOST_VALUES
    return isinstance(parameter, Categorical)


def _values(
    parameter: Parameter, present: Sequence[float], absent: Sequence[float]
) -> tuple[Choice, ...]:
    """The parent's values that switch the child on. A whole number that no trial had goes with the
    nearest that one had, as more layers have more widths."""
    if isinstance(parameter, Categorical):
        return tuple(parameter.choices[int(position)] for position in present)
    assert isinstance(parameter, Int)

    def distance(value: int, others: Sequence[float]) -> float:
        return min((abs(value - other) for other in others), default=float("inf"))

    every = range(parameter.low, parameter.high + 1)
    return tuple(v for v in every if distance(v, present) <= distance(v, absent))
