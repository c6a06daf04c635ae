"""Parameters that a task had at one value throughout: true inputs of its model, but no finding.

A value that nobody varied says nothing of where the best one is: it is the narrowest range of all.
So it shapes no region along its parameter, while rows, models and records keep it. A parameter
with one value only in a task was fixed there if

- the user said the value (`with_values`), or the task's source declares a constant, or
- other tasks vary it, and chance would hardly give the runs of this task the same value.

column           meaning                                                  type
:fixed:NAME      of usable rows: whether the task had NAME fixed          Boolean
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from ringfence.space import Constant, Space
from ringfence.words import counted, some

if TYPE_CHECKING:
    from ringfence.history.history import History

FIXED = ":fixed:"
CHANCE = 0.01
"""The chance that runs of a task agree in a value that was tuned, below which it was fixed."""


def fixed_by_task(
    history: History, space: Space, rows: pl.DataFrame, task: str
) -> dict[str, list[str]]:
    """The tasks that had each parameter fixed. `rows` have a column of numbers for each parameter
    of the space, null if inactive, NaN if unknown, and their tasks in the column `task`."""
    fixed = {}
    for name in space:
        if name in rows.columns and not isinstance(space[name], Constant):
            tasks = _fixed_in(history, name, rows, task)
            if tasks:
                fixed[name] = tasks
    return fixed


def _fixed_in(history: History, name: str, rows: pl.DataFrame, task: str) -> list[str]:
    known = rows.select(task, pl.col(name).fill_nan(None).alias("x")).drop_nulls()
    each = known.group_by(task, maintain_order=True).agg(
        pl.col("x").first(), pl.col("x").n_unique().alias("values"), pl.len().alias("runs")
    )
    one = each.filter(pl.col("values") == 1)
    if not one.height:
        return []
    varied = known.filter(~pl.col(task).is_in(one[task].implode()))["x"]
    # Of a selection only the best rows are here, which may well agree in what was tuned.
    by_values = len(varied) > 0 and history.selection is None
    different = _configurations(rows, name, task) if by_values else {}
    tasks = []
    for who, value in one.select(task, "x").iter_rows():
        declared = history.task_spaces.get(who)
        then = None if declared is None else declared.parameters.get(name)
        if name in history.said.get(who, ()) or isinstance(then, Constant):
            tasks.append(who)
        elif by_values and then is None:
            share = float((varied == value).mean() or 0.0)
            if different[who] > 1 and share ** (different[who] - 1) < CHANCE:
                tasks.append(who)
    return tasks


def _configurations(rows: pl.DataFrame, name: str, task: str) -> dict[str, int]:
    """How many different configurations with a value of the parameter each task tried: repeats of
    one say nothing of chance."""
    names = [each for each in rows.columns if not each.startswith(":")]
    known = rows.filter(pl.col(name).fill_nan(None).is_not_null())
    return dict(known.group_by(task).agg(pl.struct(names).n_unique()).iter_rows())


def with_fixed(
    rows: pl.DataFrame, task: str, fixed: Mapping[str, Sequence[str]]
) -> tuple[pl.DataFrame, list[str]]:
    """The rows with a column for each parameter that some tasks had fixed, and a note for each."""
    columns = [pl.col(task).is_in(list(who)).alias(f"{FIXED}{n}") for n, who in fixed.items()]
    notes = [
        f"{name} was fixed in {counted(len(who), 'task')} ({some(list(who), 3)}): its value there "
        "says nothing of the best one, and shapes no region"
        for name, who in fixed.items()
    ]
    return rows.with_columns(columns), notes


def unfixed(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with what was fixed as unknown: what tuning found."""
    names = [name[len(FIXED) :] for name in rows.columns if name.startswith(FIXED)]
    if not names:
        return rows
    return rows.with_columns(
        pl.when(pl.col(f"{FIXED}{n}") & pl.col(n).is_not_null())
        .then(math.nan)
        .otherwise(pl.col(n))
        .alias(n)
        for n in names
    )
