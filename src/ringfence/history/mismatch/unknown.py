"""What tasks did not tune, in words; `usable` has the rule by which it is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from ringfence.history.values import LACKS
from ringfence.space import Space
from ringfence.words import did_you_mean, some

if TYPE_CHECKING:
    from ringfence.history.history import History


def lacks(frame: pl.DataFrame, name: str) -> pl.Series:
    """Where the source of a row does not have the parameter at all."""
    if name not in frame.columns:
        return pl.Series([True]).new_from_index(0, frame.height)
    if f"{LACKS}{name}" not in frame.columns:
        return pl.Series([False]).new_from_index(0, frame.height)
    return frame[f"{LACKS}{name}"].fill_null(value=False)


def tuned_by_task(history: History) -> dict[str, frozenset[str]]:
    """The parameters that each task has a value of."""
    names = history.roles.parameters
    table = history.frame.select(names).with_columns(history.task_column().alias(":task"))
    given = table.group_by(":task", maintain_order=True).agg(pl.col(names).is_not_null().any())
    return {
        row[":task"]: frozenset(name for name in names if row[name])
        for row in given.iter_rows(named=True)
        if row[":task"] is not None
    }


def is_unknown(name: str) -> pl.Expr:
    """Where a parameter of usable rows is unknown, and not merely inactive."""
    return pl.col(name).is_nan().fill_null(value=False)


def unknown_notes(rows: pl.DataFrame, task: str, space: Space, extras: Sequence[str]) -> list[str]:
    """A line for each parameter that some tasks of the usable `rows` did not tune. `extras` are the
    parameters that the space does not have, one of which may be the same under another name."""
    notes = []
    for name in space:
        if name not in rows.columns:
            continue
        tasks = rows.filter(is_unknown(name))[task].unique(maintain_order=True).to_list()
        if not tasks:
            continue
        if not rows[name].fill_nan(None).count():
            hint = did_you_mean(name, extras)
            more = f"; {hint} history.rename can say so (--rename …)" if hint else ""
            notes.append(f"no task tuned {name}: its range stays as it is{more}")
        elif len(tasks) == 1:
            notes.append(f"task {tasks[0]} did not tune {name}: it counts with what it has")
        else:
            notes.append(
                f"{len(tasks)} tasks did not tune {name}: they count with what they have "
                f"({some(tasks, 3)})"
            )
    return notes
