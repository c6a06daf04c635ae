"""Conditions behind define-by-run: which parameter tells when another one is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.space import Categorical, Choice, Condition, Int, Parameter
from ringfence.space.conditions import in_words

MOST_VALUES = 64
"""An integer with more values than this is not a switch."""


@dataclass(frozen=True)
class Activity:
    """The parameters that can be used, when they are active, and why others cannot."""

    parameters: tuple[str, ...]
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]


def activity(
    finished: pl.DataFrame, parameters: Mapping[str, Parameter], required: Sequence[str]
) -> Activity:
    """Explain the gaps. `finished` has a row for each trial that counts, with its `:study`, numbers
    (positions for choices) and null for a missing parameter. A parameter whose gaps nothing
    explains, or that fewer than half of the studies have, is left out unless `required`."""
    used: dict[str, Parameter] = {}
    conditions: list[Condition] = []
    notes: list[str] = []
    for name, parameter in parameters.items():
        presence = _presence(name, finished, used)
        problem = presence.problem()
        if name in required:
            if presence.unexplained:
                raise HistoryError(f"the parameter {name!r} cannot be used: {problem}")
        elif problem:
            notes.append(f"left out {name}: {problem}")
            continue
        used[name] = parameter
        notes += presence.notes()
        if presence.condition is not None:
            conditions.append(presence.condition)
    if not used:
        raise HistoryError("no parameter can be used: " + "; ".join(notes))
    return Activity(tuple(used), tuple(conditions), tuple(notes))


@dataclass(frozen=True)
class _Presence:
    """Which studies and trials have a parameter; trials of studies without it do not count."""

    name: str
    n_studies: int
    n_with: int
    """Studies that have it in a trial."""
    n_trials: int
    n_gaps: int
    """Trials, of those studies, that lack it."""
    condition: Condition | None
    """What explains the gaps, if they can be explained."""

    @property
    def unexplained(self) -> bool:
        return self.n_gaps > 0 and self.condition is None

    def problem(self) -> str:
        """Why the parameter should not be used; "" if it can be."""
        if self.unexplained:
            return (
                f"missing in {self.n_gaps} of {self.n_trials} finished trials, and no "
                "other parameter tells when; declare the space with its condition to keep it"
            )
        if 2 * self.n_with < self.n_studies:
            return f"only {self.n_with} of {self.n_studies} studies have it"
        return ""

    def notes(self) -> list[str]:
        """What a user of the parameter should know."""
        notes = []
        if self.n_with < self.n_studies:
            notes.append(
                f"{self.name} is in {self.n_with} of {self.n_studies} studies; "
                "the others do not count"
            )
        if self.condition is not None:
            notes.append(in_words(self.condition))
        return notes


def _presence(name: str, finished: pl.DataFrame, before: Mapping[str, Parameter]) -> _Presence:
    """`before` are the parameters that may explain the gaps."""
    studies = finished.filter(pl.col(name).is_not_null())[":study"].unique()
    rows = finished.filter(pl.col(":study").is_in(studies.implode()))
    gaps = rows[name].null_count()
    return _Presence(
        name,
        n_studies=finished[":study"].n_unique(),
        n_with=len(studies),
        n_trials=rows.height,
        n_gaps=gaps,
        condition=condition_of(name, rows, before) if gaps else None,
    )


def condition_of(
    child: str, rows: pl.DataFrame, before: Mapping[str, Parameter]
) -> Condition | None:
    """The condition on the first of the parameters suggested `before` that tells exactly when
    `child` is missing."""
    for parent, parameter in before.items():
        if not _can_switch(parameter):
            continue
        share = pl.col(child).is_not_null().mean().alias(":share")
        shares = rows.group_by(parent).agg(share)
        present = shares.filter(pl.col(":share") == 1.0)[parent]
        if shares[":share"].is_in([0.0, 1.0]).all() and not present.null_count():
            absent = shares.filter(pl.col(":share") == 0.0)[parent].drop_nulls()
            return Condition(child, parent, _values(parameter, sorted(present), sorted(absent)))
    return None


def _can_switch(parameter: Parameter) -> bool:
    if isinstance(parameter, Int):
        return parameter.high - parameter.low < MOST_VALUES
    return isinstance(parameter, Categorical)


def _values(
    parameter: Parameter, present: Sequence[float], absent: Sequence[float]
) -> tuple[Choice, ...]:
    """The parent's values that switch the child on. An integer that no trial had goes with the
    nearest that one had, as more layers have more widths."""
    if isinstance(parameter, Categorical):
        return tuple(parameter.choices[int(position)] for position in present)
    assert isinstance(parameter, Int)

    def distance(value: int, others: Sequence[float]) -> float:
        return min((abs(value - other) for other in others), default=float("inf"))

    values = range(parameter.low, parameter.high + 1)
    return tuple(v for v in values if distance(v, present) <= distance(v, absent))
