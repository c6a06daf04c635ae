"""The best rows of each task, chosen inside the engine.

A window over all rows would sort all of them. If rows have a number, they are dealt into parts
by it first: the best row of each part is a different row, so the k-th best of those is a value that
at least k rows reach, and only the few rows that reach it are sorted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ringfence.history.tables import as_table

PARTS_PER_ROW = 4
"""With this many parts for each wanted row, about 1.15 times as many rows as wanted are sorted."""


def best_rows(rows: Any, best: int, most: int, parameters: Sequence[str]) -> pl.DataFrame:
    """At most `best` rows of each task with the least :value, in the order of the table (by :task
    and :value if it has none); `most` is the largest number of rows of a task."""
    import ibis

    has_order = ":order" in rows.columns
    if has_order and rows[":order"].type().is_integer() and most > PARTS_PER_ROW * best:
        rows = _within_reach(rows, best)
    ties = [":order"] if has_order else list(parameters)
    window = ibis.window(group_by=":task", order_by=[":value", *ties])
    ranked = rows.mutate(**{":rank": ibis.row_number().over(window)})
    chosen = ranked.filter(ranked[":rank"] < best)
    ordered = chosen.order_by(":order" if has_order else [":task", ":rank"])
    return as_table(
        ordered.drop(*(name for name in ordered.columns if name[:1] == ":")).to_polars()
    )


def joined_by_task(rows: Any, per_task: Any) -> Any:
    """The rows with what the other columns of `per_task` say of their :task. That table goes to the
    client and back: an engine that reads the rows twice in one query may keep a copy of them."""
    import ibis

    small = ibis.memtable(per_task.to_polars().rename({":task": ":of"}))
    return rows.left_join(small, rows[":task"] == small[":of"]).drop(":of")


def _within_reach(rows: Any, best: int) -> Any:
    """The rows among which the best of each task are; all of a task with fewer parts than that."""
    import ibis

    part = rows[":order"] % _prime_from(PARTS_PER_ROW * best)
    least = rows.group_by(":task", **{":part": part}).aggregate(**{":reach": rows[":value"].min()})
    window = ibis.window(group_by=":task", order_by=":reach")
    ranked = least.mutate(**{":rank": ibis.row_number().over(window)})
    reach = ranked.filter(ranked[":rank"] == best - 1).select(":task", ":reach")
    joined = joined_by_task(rows, reach)
    return joined.filter(joined[":reach"].isnull() | (joined[":value"] <= joined[":reach"]))


def _prime_from(least: int) -> int:
    """The first prime from `least`: tasks that take turns in the table still fill every part."""
    number = max(least, 2)
    while any(number % divisor == 0 for divisor in range(2, int(number**0.5) + 1)):
        number += 1
    return number
