"""A random sample of each task and its best row, chosen inside the engine in one pass.

A window over all rows would sort all of them. So each row has a number from 0 to 1 that looks
random and follows from the row alone, rows far above what a task needs are left out first, and only
the rest are sorted. The median of such a sample is that of the task, up to chance, so all that
compares a task's runs by it can be done with the sample: starting points, models, the check.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import polars as pl

from ringfence.history.tables import as_table

SPARE = 8.0  # deviations more rows than wanted: a task has fewer than 64 once in 10^9 tasks
FEW = 64  # wanted rows below which all rows are sorted, since that many times may not be enough
PARTS = 2**30  # different random numbers


def sampled_rows(
    rows: Any, sample: int, per_task: pl.DataFrame, parameters: Sequence[str]
) -> pl.DataFrame:
    """The best row of each task and `sample` others at random, in the order of the table (by :task
    if it has none). `per_task` has each :task with its number of rows `n` and `least` :value."""
    import ibis

    has_order = ":order" in rows.columns
    wanted = sample + SPARE * math.sqrt(sample) if sample >= FEW else math.inf
    share = (wanted / pl.col("n")).clip(upper_bound=1.0)
    limits = per_task.select(
        pl.col(":task").alias(":of"), share.alias(":share"), pl.col("least").alias(":least")
    )
    small = ibis.memtable(limits)
    rows = rows.mutate(**{":chance": _chance(rows, has_order, parameters)})
    joined = rows.left_join(small, rows[":task"] == small[":of"])
    near = joined.filter(
        (joined[":chance"] <= joined[":share"]) | (joined[":value"] == joined[":least"])
    )
    ties = [":order"] if has_order else list(parameters)
    by_value = ibis.window(group_by=":task", order_by=[":value", *ties])
    by_chance = ibis.window(group_by=":task", order_by=[":chance", ":value", *ties])
    ranked = near.mutate(
        **{
            ":best": ibis.row_number().over(by_value),
            ":drawn": ibis.row_number().over(by_chance),
        }
    )
    chosen = ranked.filter((ranked[":best"] == 0) | (ranked[":drawn"] < sample))
    ordered = chosen.order_by([":order"] if has_order else [":task", ":drawn"])
    return as_table(
        ordered.drop(*(name for name in ordered.columns if name[:1] == ":")).to_polars()
    )


def _chance(rows: Any, has_order: bool, parameters: Sequence[str]) -> Any:
    """The random number of each row, from its place in the table or from its values; the task is
    part of it, since places may count the runs of each task, as the numbers of trials do."""
    if has_order and rows[":order"].type().is_integer():
        number = (rows[":order"].hash() ^ rows[":task"].hash()).hash()
    else:
        names = [":task", ":value", *([":order"] if has_order else []), *parameters]
        key = reduce(add, [rows[name].cast("string").fill_null("") + "|" for name in names])
        number = key.hash()
    return (number % PARTS).abs() / PARTS
