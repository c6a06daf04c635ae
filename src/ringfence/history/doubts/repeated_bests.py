"""The same best value in several tasks, far from all others: what a program logs for a crash.

Ties for the best are common, as of runs without an error; then the next values follow closely.
benchmarks/doubts.py counts false alarms and catches.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ringfence.history.usable import ROW, TASK, VALUE

SEVERAL = 3
"""Two tasks may have the same best by chance, as small test sets have few different errors."""
ENOUGH_RUNS = 4
"""Of a task with fewer other runs nobody can say how they are spread."""
GAP = 1.0
"""How far the others lie from the best, against the spread of their better half."""
FAILED_RUNS = "are these failed runs? empty their objective, or say so in a column called status"
"""How a note of this kind ends."""


def repeated_best(rows: pl.DataFrame, sign: float, where: Callable[[int], str]) -> list[str]:
    """A note on usable `rows` of several tasks with the same best value, far from the others;
    values are times `sign` as they were written."""
    best = rows.group_by(TASK).agg(pl.col(VALUE).min())
    value = best[VALUE].value_counts(sort=True)[VALUE][0]
    of_tasks = rows.filter((pl.col(VALUE).min() == value).over(TASK))
    ties = of_tasks.filter(pl.col(VALUE) == value)
    gaps = _gaps(of_tasks.filter(pl.col(VALUE) != value), value)
    others = rows.filter(pl.col(VALUE) != value)[VALUE]
    only_negative = sign * value < 0 and bool((sign * others > 0).all())  # as -1 among losses
    is_far = only_negative or (gaps.quantile(0.25) or 0.0) >= GAP
    if len(gaps) < SEVERAL or not is_far:
        return []
    return [
        f"{ties.height:,} rows of {ties[TASK].n_unique()} tasks have the same best value, "
        f"{sign * value:g}, far from all others (first: {where(int(ties[ROW][0]))}): {FAILED_RUNS}"
    ]


def _gaps(others: pl.DataFrame, best: float) -> pl.Series:
    """For each task how far its other values lie from the best, against their spread."""
    value = pl.col(VALUE)
    tasks = others.group_by(TASK).agg(
        pl.len().alias("runs"), value.min().alias("next"), value.median().alias("middle")
    )
    tasks = tasks.filter(pl.col("runs") >= ENOUGH_RUNS)
    return tasks.select((pl.col("next") - best) / (pl.col("middle") - pl.col("next"))).to_series()
