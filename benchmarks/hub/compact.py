"""The rows that an entry keeps: of many tasks the most telling, so that the package stays small."""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks.hub.runs import HubRuns
from ringfence.learned.hub.past import DATA_SET, KIND, LOSS, ROWS, TASK

MOST_TASKS, MOST_ROWS = 64, 64
"""Of an entry that is dense, and of a task. More would make every search slower at its start."""
BEST_SHARE = 0.5
"""Of the rows of a task that are its best; the others are spread over its ranks."""
DIGITS = 5
"""Of numbers; a table of errors on two thousand rows has no more."""


def compact(runs: HubRuns) -> pl.DataFrame:
    """At most MOST_ROWS rows a task: the best ones, and others spread evenly over its ranks."""
    names = dict.fromkeys(name for space in runs.spaces.values() for name in space)
    rows = runs.frame.drop_nulls(LOSS).filter(pl.col(TASK).is_in(_kept_tasks(runs)))
    tasks = [_telling(each) for _, each in rows.group_by(TASK, maintain_order=True)]
    frame = pl.concat(tasks).select(TASK, DATA_SET, KIND, ROWS, LOSS, *names)
    numbers = [LOSS, *(name for name in names if frame[name].dtype.is_float())]
    return frame.with_columns(pl.col(numbers).round_sig_figs(DIGITS))


def _kept_tasks(runs: HubRuns) -> list[str]:
    """All tasks; of dense ones at most MOST_TASKS, evenly spread over kinds and sizes."""
    tasks = runs.frame.select(TASK, KIND, ROWS).unique().sort(KIND, ROWS, TASK)[TASK].to_list()
    if not runs.dense or len(tasks) <= MOST_TASKS:
        return tasks
    return [tasks[i * len(tasks) // MOST_TASKS] for i in range(MOST_TASKS)]


def _telling(rows: pl.DataFrame) -> pl.DataFrame:
    if rows.height <= MOST_ROWS:
        return rows
    ranked = rows.sort(LOSS, maintain_order=True)
    best = int(MOST_ROWS * BEST_SHARE)
    spread = np.linspace(best, rows.height - 1, MOST_ROWS - best).round().astype(int)
    return ranked[[*range(best), *spread.tolist()]]
