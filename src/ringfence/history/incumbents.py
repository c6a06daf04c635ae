"""Incumbents: the best configuration of each task, x*_t, or its best few."""

from __future__ import annotations

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.usable import COUNT, ROW, TASK, VALUE

ROUNDING = 1e-9  # of a number of rows that should be whole


def incumbents(
    rows: pl.DataFrame,
    *,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    top: float = 0.0,
) -> pl.DataFrame:
    """The best of the usable `rows` of each task, one row a task, with its number of rows (COUNT).

    With `top` the best share `top` of its rows, at least one: a task's best first, then the others.
    `n_evaluations` (the paper's n_t) takes only so many rows of a task: the first, or with a `seed`
    a random choice that does not depend on the other tasks. `average_repeats` first replaces rows
    of the same task and configuration by their mean. Among equals the earliest row wins.
    """
    if COUNT in rows.columns:
        _check_selection(rows, n_evaluations is not None or average_repeats, top)
    rows = considered_rows(
        rows, n_evaluations=n_evaluations, seed=seed, average_repeats=average_repeats
    )
    if top > 0:
        return _top(rows, top)
    best = pl.col(VALUE).arg_min()
    return (
        rows.group_by(TASK, maintain_order=True)
        .agg(_count(rows).alias(COUNT), pl.exclude(TASK, COUNT).get(best))
        .sort(ROW)
    )


def considered_rows(
    rows: pl.DataFrame, *, n_evaluations: int | None, seed: int | None, average_repeats: bool
) -> pl.DataFrame:
    """The rows among which the best is sought, as `incumbents` explains."""
    if average_repeats:
        rows = _average(rows)
    return rows if n_evaluations is None else _take(rows, n_evaluations, seed)


def _count(rows: pl.DataFrame) -> pl.Expr:
    """The number of a task's rows: of those here, or of those that these are the best of."""
    return pl.col(COUNT).first() if COUNT in rows.columns else pl.len()


def _check_selection(rows: pl.DataFrame, every: bool, top: float) -> None:
    """Raise HistoryError where the best rows of each task are not enough."""
    here, count = pl.len().over(TASK), pl.col(COUNT)
    short = rows.select(((here < count) & (here < top * count - ROUNDING)).any()).item()
    if every or short:
        what = "n_evaluations or average_repeats" if every else f"top={top:g}"
        raise HistoryError(
            f"the history holds only the best rows of each task, too few for {what}: read it with "
            "a larger best=…, or best=None for every row"
        )


def _top(rows: pl.DataFrame, share: float) -> pl.DataFrame:
    """Tasks in the order of their best rows; each with its best rows, the best first."""
    count = _count(rows).over(TASK).alias(COUNT)
    place = pl.int_range(pl.len()).over(TASK)
    ranked = rows.sort(VALUE, ROW).with_columns(count).with_columns(place.alias(":place"))
    kept = ranked.filter(
        pl.col(":place") < (share * pl.col(COUNT) + ROUNDING).floor().clip(lower_bound=1)
    )
    first = pl.col(ROW).first().over(TASK).alias(":first")
    ordered = kept.with_columns(first).sort(":first", ":place")
    return ordered.select(TASK, COUNT, pl.exclude(TASK, COUNT, ":place", ":first"))


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
