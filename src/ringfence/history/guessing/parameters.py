"""Which columns are parameters: those that a tool marked so, or all that play no other part."""

from __future__ import annotations

import polars as pl

from ringfence.history.guessing.names import (
    COUNTER,
    PARAMETER_PREFIXES,
    TASKS,
    is_label,
    why_no_parameter,
)
from ringfence.history.guessing.results import OUTCOMES
from ringfence.history.guessing.statuses import STATUSES, is_like_status, tells_of_failure


def reasons_against(
    frame: pl.DataFrame, finished: pl.Series | None, valued: pl.Series
) -> tuple[dict[str, str | None], list[str]]:
    """For each column why it is no parameter, in a word or two, None if it is one; and notes.
    `finished` says which runs did, if that is known, `valued` which have an objective."""
    done = valued if finished is None else finished
    reasons = {column.name: _reason(column, finished, done) for column in frame}
    marks = sorted({mark for n, why in reasons.items() if not why and (mark := _mark(n))})
    if marks:
        called = " or ".join(f"{mark}…" for mark in marks)
        others = {name for name in reasons if not _mark(name)}
        reasons = {n: why or (f"not called {called}" * (n in others)) for n, why in reasons.items()}
        note = f"the parameters are the columns called {called}, and keep these names"
        return {name: why or None for name, why in reasons.items()}, [note]
    if None not in reasons.values():  # a small table may well have tried 1, 2, 3, …
        reasons = {name: None if why == COUNTER else why for name, why in reasons.items()}
    return reasons, []


def _reason(column: pl.Series, finished: pl.Series | None, done: pl.Series) -> str | None:
    name = column.name.lower()
    if mark := _mark(name):
        is_fact = is_label(name.removeprefix(mark))
        return "empty" if not column.count() else "labels" if is_fact else None
    if name in TASKS:
        return "called like a task"
    if name in STATUSES or is_like_status(column):
        return "called like a status"
    why = why_no_parameter(column, finished)
    return "tells of failed runs" if why is None and tells_of_failure(column, done) else why


def _mark(name: str) -> str:
    """What a tool wrote in front of the name of a parameter; empty if it did not."""
    name = name.lower()
    marks = [mark for mark in PARAMETER_PREFIXES if name.startswith(mark)]
    return marks[0] if marks and name not in OUTCOMES else ""
