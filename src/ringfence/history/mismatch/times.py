"""When each task last ran, as far as a table says: what decides which of them is the latest."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import time

import polars as pl

NAMES = (
    "end_time", "ended", "ended_at", "finished_at", "completed_at", "datetime_complete",
    "start_time", "started", "started_at", "datetime_start", "created", "created_at", "updated",
    "updated_at", "timestamp", "datetime", "date", "day", "time",
)  # fmt: skip
"""What columns of time stamps are called, the most telling first; blanks are as underscores."""
SECONDS = (9e8, 5e9)
"""Numbers between these are seconds since 1970, from 1998 to 2128; a thousand times that,
milliseconds."""


def table_times(table: pl.DataFrame, tasks: pl.Series, taken: Iterable[str]) -> dict[str, float]:
    """The last time stamp of each of the `tasks` of the rows, in seconds since 1970; none if the
    columns that play no part, not `taken`, hold no time stamps."""
    free = {name.lower().replace(" ", "_"): name for name in table.columns if name not in {*taken}}
    dates = [name for name in free.values() if table[name].dtype in (pl.Datetime, pl.Date)]
    for name in [*(free[usual] for usual in NAMES if usual in free), *dates]:
        seconds = _seconds(table[name])
        if seconds is not None:
            last = pl.DataFrame({"task": tasks, "time": seconds}).drop_nulls()
            return dict(last.group_by("task", maintain_order=True).agg(pl.col("time").max()).rows())
    return {}


def _seconds(column: pl.Series) -> pl.Series | None:
    """The column in seconds since 1970; None if it is not one of time stamps."""
    if column.dtype == pl.String:
        days = column.str.slice(0, 10).str.to_datetime("%Y-%m-%d", strict=False)
        clock = column.str.slice(11, 8).str.to_time("%H:%M:%S", strict=False)
        both = pl.DataFrame({"day": days, "clock": clock.fill_null(time())})
        column = both.select(pl.col("day").dt.combine(pl.col("clock"))).to_series()
    if column.dtype in (pl.Datetime, pl.Date):
        return column.cast(pl.Datetime("us")).dt.epoch("us") / 1e6 if column.count() else None
    if not column.dtype.is_numeric() or not column.count():
        return None
    low, high = float(column.min()), float(column.max())  # type: ignore[arg-type]
    for unit in (1.0, 1e3):
        if SECONDS[0] * unit <= low and high <= SECONDS[1] * unit:
            return column.cast(pl.Float64) / unit
    return None
