"""When each task last ran, as far as a table says: what decides which of them is the latest."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ringfence.history.guessing.names import are_dates

NAMES = (
    "end_time", "ended", "ended_at", "finished_at", "completed_at", "datetime_complete",
    "start_time", "started", "started_at", "datetime_start", "created", "created_at", "updated",
    "updated_at", "timestamp", "datetime", "date", "day", "time", "zeitpunkt", "datum",
)  # fmt: skip
"""What columns of time stamps are called, the most telling first; blanks are as underscores."""
SECONDS = (9e8, 5e9)
"""Numbers between these are seconds since 1970, from 1998 to 2128; a thousand times that,
milliseconds."""


def table_times(table: pl.DataFrame, tasks: pl.Series, taken: Iterable[str]) -> dict[str, float]:
    """The last time stamp of each of the `tasks` of the rows, in seconds since 1970; none if the
    columns that play no part, not `taken`, hold no time stamps."""
    free = {name.lower().replace(" ", "_"): name for name in table.columns if name not in {*taken}}
    dates = [name for name in free.values() if _has_dates(table[name])]
    for name in [*(free[usual] for usual in NAMES if usual in free), *dates]:
        seconds = _seconds(table[name])
        if seconds is not None:
            last = pl.DataFrame({"task": tasks, "time": seconds}).drop_nulls()
            return dict(last.group_by("task", maintain_order=True).agg(pl.col("time").max()).rows())
    return {}


def _has_dates(column: pl.Series) -> bool:
    return column.dtype in (pl.Datetime, pl.Date) or are_dates(column)


def _parsed(texts: pl.Series) -> pl.Series:
    """Dates in text as such, null where they are none: 2026-05-01, and 01.05.2026 or 01.05.26, as
    Germans write it, with or without a time behind. Of 01/05/2026 nobody knows which is the
    month."""
    text = pl.col("text").str.strip_chars()
    iso = text.str.extract_groups(r"^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})")
    dots = text.str.extract_groups(
        r"^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}|\d{2})(?:\D|$)"
    )
    clock = text.str.extract_groups(r"[T ,](?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?")
    year, *days = [
        pl.coalesce(iso.struct.field(name), dots.struct.field(name))
        for name in ("year", "month", "day")
    ]
    year = pl.when(year.str.len_chars() == 2).then("20" + year).otherwise(year)
    times = [clock.struct.field(name).fill_null("0") for name in ("hour", "minute", "second")]
    parts = [part.str.zfill(2) for part in (*days, *times)]
    whole = pl.format("{}-{}-{} {}:{}:{}", year, *parts)
    moments = whole.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False)
    return texts.alias("text").to_frame().select(moments).to_series()


def _seconds(column: pl.Series) -> pl.Series | None:
    """The column in seconds since 1970; None if it is not one of time stamps."""
    if column.dtype == pl.String:
        column = _parsed(column)
    if column.dtype in (pl.Datetime, pl.Date):
        return column.cast(pl.Datetime("us")).dt.epoch("us") / 1e6 if column.count() else None
    if not column.dtype.is_numeric() or not column.count():
        return None
    low, high = float(column.min()), float(column.max())  # type: ignore[arg-type]
    for unit in (1.0, 1e3):
        if SECONDS[0] * unit <= low and high <= SECONDS[1] * unit:
            return column.cast(pl.Float64) / unit
    return None
