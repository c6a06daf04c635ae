"""Which column is the task: one called like it that groups the runs."""

from __future__ import annotations

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.names import TASKS
from ringfence.words import some

KEYS = ("key", "variable", "param", "parameter", "metric")
"""Where a table with a row for each value of a run has the names of parameters and metrics."""
RUNS = ("run", "run_id", "run_uuid", "trial", "trial_id", "id")
"""Where it has the run."""
WANDB = {"State", "Created", "Runtime"}
"""Columns of a table of runs as Weights & Biases exports it."""


def guess_task(frame: pl.DataFrame) -> str:
    """The first column called like a task; not one that is the same in all rows, or another in
    each, if there is a better one. HistoryError if two group the runs differently."""
    by_lower = {name.lower(): name for name in frame.columns}
    names = [by_lower[name] for name in TASKS if name in by_lower]
    if not names:
        refuse_long(frame)
        exported = set(frame.columns) >= WANDB
        tool = "; an export of Weights & Biases wants format='wandb' (--format wandb)"
        raise HistoryError(
            "cannot tell which column is the task; name it with task=… (--task …); "
            f"the columns are {some(frame.columns, 30)}{tool if exported else ''}"
        )
    grouping = [name for name in names if 1 < frame[name].n_unique() < frame.height] or names[:1]
    first, *others = grouping
    different = [name for name in others if not _group_alike(frame, first, name)]
    if different:
        raise HistoryError(
            f"which column is the task? candidates: {some([first, *different], 30)}, which group "
            "the runs differently; name it with task=… (--task …)"
        )
    return first


def refuse_long(frame: pl.DataFrame) -> None:
    """Raise HistoryError if the columns are called as in a table with a row for each value of a
    run, where names of parameters and metrics are cells."""
    by_lower = {name.lower(): name for name in frame.columns}
    keys = [by_lower[name] for name in KEYS if name in by_lower]
    if keys and "value" in by_lower and frame[keys[0]].dtype == pl.String:
        runs = next((by_lower[name] for name in RUNS if name in by_lower), "run")
        columns = (runs, keys[0], by_lower["value"])
        raise HistoryError(
            f"the table seems to have a row for each value of a run ({some(columns)}); pivot it to "
            f"a row for each run, or read it through Ibis with long={columns!r}"
        )


def _group_alike(frame: pl.DataFrame, one: str, other: str) -> bool:
    pairs = frame.select(one, other).n_unique()
    return pairs == frame[one].n_unique() == frame[other].n_unique()
