"""Conditions behind define-by-run: which parameter tells when another one is missing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    midway: tuple[str, ...] = ()
    """Parameters that came or went in the middle of a study."""


def activity(
    finished: pl.DataFrame,
    parameters: Mapping[str, Parameter],
    required: Sequence[str],
    mixed: Collection[str] = (),
) -> Activity:
    """Explain the gaps. `finished` has a row for each trial that counts, with its `:study`, numbers
    (positions for choices) and null for a missing parameter. A parameter that came or went in the
    middle of a study stays: the other trials did not tune it. One whose gaps nothing explains is
    left out unless `required`; one that is in `mixed` explains no other's."""
    midway: list[str] = []
    used: dict[str, Parameter] = {}
    conditions: list[Condition] = []
    notes: list[str] = []
    for name, parameter in parameters.items():
        switches = {other: kind for other, kind in used.items() if other not in mixed}
        presence = _presence(name, finished, switches)
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
        elif presence.n_gaps:
            midway.append(name)
    if not used:
        raise HistoryError("no parameter can be used: " + "; ".join(notes))
    return Activity(tuple(used), tuple(conditions), tuple(notes), tuple(midway))


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
    midway: bool
    """Whether the gaps of each study are its first trials, or its last ones."""

    @property
    def unexplained(self) -> bool:
        return self.n_gaps > 0 and self.condition is None and not self.midway

    def problem(self) -> str:
        """Why the parameter should not be used; "" if it can be."""
        if self.unexplained:
            return (
                f"missing in {self.n_gaps} of {self.n_trials} finished trials here and there, and "
                "no other parameter tells when"
            )
        return ""

    def notes(self) -> list[str]:
        """What a user of the parameter should know."""
        notes = []
        if self.n_with < self.n_studies:
            notes.append(f"{self.name} is in {self.n_with} of {self.n_studies} studies")
        if self.condition is not None:
            notes.append(in_words(self.condition))
        elif self.n_gaps:
            notes.append(
                f"{self.name} came or went in the middle of a study: {self.n_gaps} of "
                f"{self.n_trials} finished trials did not tune it"
            )
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
        midway=_midway(name, rows),
    )


def _midway(name: str, rows: pl.DataFrame) -> bool:
    """Whether each study has the parameter from some trial on, or up to one: it was added to the
    code, or taken out of it."""
    given = rows.sort(":number").select(":study", given=pl.col(name).is_not_null())
    changes = (pl.col("given") != pl.col("given").shift()).sum().over(":study")
    return not (given.select(changes.alias("n"))["n"] > 1).any()


def condition_of(
    child: str, rows: pl.DataFrame, before: Mapping[str, Parameter]
) -> Condition | None:
    """The condition on the first of the parameters suggested `before` that tells exactly when
    `child` is missing, in the studies that have both."""
    for parent, parameter in before.items():
        if not _can_switch(parameter):
            continue
        share = pl.col(child).is_not_null().mean().alias(":share")
        both = rows.filter(pl.col(parent).is_not_null().any().over(":study"))
        if not both[child].null_count():
            continue
        shares = both.group_by(parent).agg(share)
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
