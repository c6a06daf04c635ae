"""Incumbents: the best configuration of each task, x*_t, or its best few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.mismatch.extras import EXTRA
from ringfence.history.usable import COST, COUNT, ROW, TASK, VALUE

ROUNDING = 1e-9
"""A share of a task's rows that is this near to an integer is that integer."""

HUGE = 1e290
"""Smaller values have a finite sum, however many rows a table has."""

MOST_GOOD = 64
"""Rows of a task that may stand for it: more do not make the region smaller by much."""


@dataclass(frozen=True)
class RowChoice:
    """Which of a task's usable rows count."""

    n_evaluations: int | None = None
    """The paper's n_t: at most this many rows of a task; None takes all."""
    seed: int | None = None
    """None takes the first of them, a seed a random choice that does not depend on the other
    tasks."""
    average_repeats: bool = False
    """Whether rows of the same task and configuration are first replaced by their mean."""

    @property
    def takes_all(self) -> bool:
        """Whether every row counts as it is."""
        return self.n_evaluations is None and not self.average_repeats


def incumbents(
    rows: pl.DataFrame,
    choice: RowChoice | None = None,
    *,
    top: float = 0.0,
    tolerance: float = 0.0,
) -> pl.DataFrame:
    """The best of the usable `rows` of each task, with the task's number of rows (COUNT); among
    equals the earliest.

    With `top`, the best share `top` of each task's rows, at least one: the best row of every task
    comes first, followed by the others of that task. With `tolerance`, likewise the rows of a
    task whose regret is at most that, at most MOST_GOOD.
    """
    choice = choice or RowChoice()
    if COUNT in rows.columns:
        if not choice.takes_all:
            _need_rows(rows, 1.0, "n_evaluations or average_repeats")
        _need_rows(rows, 1.0 if tolerance else top, "a tolerance" if tolerance else f"top={top:g}")
    rows = considered_rows(rows, choice)
    if top > 0:
        return _top(rows, (top * pl.col(COUNT) + ROUNDING).floor())
    if tolerance > 0:
        half = pl.col(VALUE) / 2.0  # differences of the largest numbers overflow
        best, median = half.min().over(TASK), half.median().over(TASK)
        good = half <= best + tolerance * (median - best)
        return _top(rows, good.sum().over(TASK).clip(upper_bound=MOST_GOOD))
    best = pl.col(VALUE).arg_min()
    return (
        rows.group_by(TASK, maintain_order=True)
        .agg(_count(rows).alias(COUNT), pl.exclude(TASK, COUNT).get(best))
        .sort(ROW)
    )


def considered_rows(rows: pl.DataFrame, choice: RowChoice) -> pl.DataFrame:
    """The rows among which the best is sought."""
    if choice.average_repeats:
        rows = _average(rows)
    return rows if choice.n_evaluations is None else _take(rows, choice.n_evaluations, choice.seed)


def _count(rows: pl.DataFrame) -> pl.Expr:
    """Rows per task: counted here or, for a preselected history, before the selection."""
    return pl.col(COUNT).first() if COUNT in rows.columns else pl.len()


def _need_rows(rows: pl.DataFrame, share: float, what: str) -> None:
    """Raise HistoryError if the rows of a task are fewer than this share of all it has."""
    here, count = pl.len().over(TASK), pl.col(COUNT)
    short = rows.select(((here < count) & (here < share * count - ROUNDING)).any()).item()
    if short:
        raise HistoryError(
            f"the history holds only the best rows of each task, too few for {what}: read it with "
            "a larger best=…, or best=None for every row"
        )


def _top(rows: pl.DataFrame, n_best: pl.Expr) -> pl.DataFrame:
    """Tasks in the order of their best rows; each with its `n_best` rows, the best first, at least
    one."""
    count = _count(rows).over(TASK).alias(COUNT)
    rank = pl.int_range(pl.len()).over(TASK).alias(":rank")
    ranked = rows.sort(VALUE, ROW).with_columns(count).with_columns(rank)
    first = pl.col(ROW).first().over(TASK).alias(":first")
    ordered = (
        ranked.filter(pl.col(":rank") < n_best.clip(lower_bound=1))
        .with_columns(first)
        .sort(":first", ":rank")
    )
    return ordered.select(TASK, COUNT, pl.exclude(TASK, COUNT, ":rank", ":first"))


def _average(rows: pl.DataFrame) -> pl.DataFrame:
    extras = [name for name in rows.columns if name.startswith(EXTRA)]
    means = [VALUE, *(name for name in (COST, *extras) if name in rows.columns)]
    configuration = [name for name in rows.columns if name not in (ROW, *means)]
    # Sums of values near the largest float overflow; the means of a part of each do not.
    part = 2.0 ** -(len(rows).bit_length()) if (rows[VALUE].abs() > HUGE).any() else 1.0
    return (
        rows.group_by(configuration, maintain_order=True)
        .agg(pl.col(ROW).first(), (pl.col(means) * part).mean() / part)
        .select(rows.columns)
    )


def _take(rows: pl.DataFrame, n: int, seed: int | None) -> pl.DataFrame:
    if seed is None:
        return rows.filter(pl.int_range(pl.len()).over(TASK) < n)
    groups = rows.with_row_index(":index").group_by(TASK, maintain_order=True).agg(":index")
    chosen = [
        np.random.default_rng([seed, *task.encode()]).permutation(indices)[:n]
        for task, indices in groups.iter_rows()
    ]
    return rows[np.sort(np.concatenate(chosen))]
