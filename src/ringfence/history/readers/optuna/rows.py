"""What an Optuna storage holds, whichever kind it is: long tables, one row per value.

table        columns
trials       trial, study, number, state,    state in lower case
             seconds                         from start to end, null if one of them is not known
values       trial, objective, value         objective counts from 0
params       trial, name, value              of a choice, its position
attributes   trial, key, value               of the user attributes that are asked for, in JSON
reasons      trial, value                    why it failed, in JSON
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

import polars as pl

from ringfence.errors import FileError, HistoryError
from ringfence.incoming.parsing import json_of
from ringfence.words import did_you_mean, some

STATES = ("running", "complete", "pruned", "fail", "waiting")
"""In the order of Optuna's own numbers."""
DIRECTIONS = ("not set", "minimize", "maximize")
METRICS = "study:metric_names"

REASONS_KEYS = ("fail_reason", "STUDY_TELL_WARNING")
"""System attributes in which versions of Optuna keep why a trial failed."""

TRIALS = {
    "trial": pl.Int64,
    "study": pl.Int64,
    "number": pl.Int64,
    "state": pl.String,
    "seconds": pl.Float64,
}
VALUES = {"trial": pl.Int64, "objective": pl.Int64, "value": pl.Float64}
PARAMS = {"trial": pl.Int64, "name": pl.String, "value": pl.Float64}
ATTRIBUTES = {"trial": pl.Int64, "key": pl.String, "value": pl.String}
REASONS = {"trial": pl.Int64, "value": pl.String}


@dataclass(frozen=True)
class StudyInfo:
    """A study without its trials."""

    key: int
    name: str
    directions: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)


Choose: TypeAlias = Callable[[Sequence[StudyInfo]], tuple[StudyInfo, ...]]


@dataclass(frozen=True)
class Rows:
    """The trials of the chosen studies."""

    studies: tuple[StudyInfo, ...]
    trials: pl.DataFrame
    values: pl.DataFrame
    params: pl.DataFrame
    distributions: tuple[tuple[int, str, str], ...]
    """Study, parameter and distribution in JSON, in the order of first use."""
    attributes: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=ATTRIBUTES))
    notes: tuple[str, ...] = ()
    times: Mapping[int, float] = field(default_factory=dict)
    """When the last trial of each study began or ended, in seconds since 1970, if that is known."""
    reasons: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=REASONS))
    first_uses: tuple[int, ...] = ()
    """The storage's id of the first use of each of the distributions, if it has such ids."""


def long_table(rows: Sequence[tuple[Any, ...]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Rows as a frame of these columns, column by column: far faster than row by row."""
    columns = zip(*rows) if rows else ([] for _ in schema)
    return pl.DataFrame(
        [pl.Series(n, c, dtype=schema[n], strict=False) for n, c in zip(schema, columns)]
    )


def last_times(moments: Iterable[tuple[int, Any]]) -> dict[int, float]:
    """The last of the moments of each study: datetimes, or text that says one."""
    last: dict[int, float] = {}
    for study, moment in moments:
        time = moment_seconds(moment)
        if time is not None:
            last[study] = max(time, last.get(study, time))
    return last


def moment_seconds(moment: Any) -> float | None:
    """A datetime, or text that says one, in seconds since 1970; None for anything else."""
    try:
        moment = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return moment.timestamp() if isinstance(moment, datetime) else None
    except (ArithmeticError, OSError, ValueError):
        return None


def from_json(text: Any) -> Any:
    """The value of an attribute; None if what is kept of it is no JSON."""
    try:
        return json_of(text, "the attribute") if isinstance(text, (str, bytes)) else None
    except FileError:
        return None


def metric_names(names: Any, directions: Sequence[str]) -> tuple[str, ...]:
    """The names of a study's objectives; none unless there is one for each direction."""
    fits = isinstance(names, list) and len(names) == len(directions)
    return tuple(map(str, names)) if fits else ()


def chooser(wanted: str | Sequence[str] | None) -> Choose:
    """Selects studies by a name, a glob or a list of these; all of them for None."""
    patterns = [wanted] if isinstance(wanted, str) else wanted
    if patterns is not None and (
        not isinstance(patterns, Sequence)
        or not patterns
        or not all(isinstance(pattern, str) for pattern in patterns)
    ):
        raise HistoryError(f"studies must be names or globs of studies, not {wanted!r}")

    def choose(studies: Sequence[StudyInfo]) -> tuple[StudyInfo, ...]:
        if not studies:
            raise HistoryError("the storage has no studies")
        if patterns is None:
            return tuple(studies)
        names = sorted({study.name for study in studies})
        chosen = {name for pattern in patterns for name in _matches(pattern, names)}
        return tuple(study for study in studies if study.name in chosen)

    return choose


def _matches(pattern: str, names: Sequence[str]) -> list[str]:
    """The study of exactly this name, or else those that match it as a glob."""
    matches = [pattern] if pattern in names else [n for n in names if fnmatchcase(n, pattern)]
    if not matches:
        hint = did_you_mean(pattern, names) or f"it has {some(names, 10)}"
        raise HistoryError(f"the storage has no study {pattern!r}; {hint}")
    return matches
