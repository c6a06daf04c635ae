"""Incumbents: the best configuration of each task, x*_t."""

from __future__ import annotations

import numpy as np
import polars as pl

from ringfence.history.usable import ROW, TASK, VALUE

COUNT = ":n_evaluations"


def incumbents(
    rows: pl.DataFrame,
    *,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
) -> pl.DataFrame:
    """The best of the usable `rows` of each task, one row a task, with its number of rows (COUNT).

    `n_evaluations` (the paper's n_t) takes only so many rows of a task: the first, or with a `seed`
    a random choice that does not depend on the other tasks. `average_repeats` first replaces rows
    of the same task and configuration by their mean. Among equals the earliest row wins.
    """
    if average_repeats:
        rows = _average(rows)
    if n_evaluations is not None:
        rows = _take(rows, n_evaluations, seed)
    best = pl.col(VALUE).arg_min()
    return (
        rows.group_by(TASK, maintain_order=True)
        .agg(pl.len().alias(COUNT), pl.exclude(TASK).get(best))
        .sort(ROW)
    )


def _average(rows: pl.DataFrame) -> pl.DataFrame:
    configuration = [name for name in rows.columns if name not in (ROW, VALUE)]
    return (
        rows.group_by(configuration, maintain_order=True)
        .agg(pl.col(ROW).first(), pl.col(VALUE).mean())
        .select(rows.columns)
    )


def _take(rows: pl.DataFrame, n: int, seed: int | None) -> pl.DataFrame:
    if seed is None:
        return rows.filter(pl.int_range(pl.len()).over(TASK) < n)
    groups = rows.with_row_index(":at").group_by(TASK, maintain_order=True).agg(":at")
    chosen = [
        np.random.default_rng([seed, *task.encode()]).permutation(places)[:n]
        for task, places in groups.iter_rows()
    ]
    return rows[np.sort(np.concatenate(chosen))]
