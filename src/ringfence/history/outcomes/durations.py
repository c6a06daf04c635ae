"""Durations as people and tools write them, in seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from ringfence.history.guessing.results import name_words
from ringfence.history.spreadsheets.notation import Decimal, is_open, look_at, notation, numbers

FACTORS = {
    **dict.fromkeys(("us", "µs", "μs", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "milliseconds"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sekunden"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "minuten"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "stunden"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}
"""Seconds of a unit of time, by its name."""
PART = re.compile(r"(\d+(?:[.,]\d+)?|\.\d+)\s*([a-zµμ]+)\s*,?\s*")
"""One part of 1h 20m or 2 min 5 s."""
CLOCK = re.compile(r"(?:(\d+)(?:-|\s*days?,?\s*))?(\d+):(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?")
"""1:23:45.6, 0:35, 1 day, 2:03:04 and Slurm's 1-02:03:04; two numbers are minutes and seconds."""
HOURS = re.compile(r"(\d+)\s*h\s*(\d{1,2})")
"""1h20: an hour and 20 minutes."""
ISO = re.compile(r"p(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?)?")
"""PT1H20M5S, in lower case."""
LONGEST = 40
"""Letters; a text that is longer is no duration."""


def unit_in(words: Sequence[str]) -> float | None:
    """The seconds of the unit that the words of a name end with, such as train, time, ms; None if
    they end with none."""
    last = words[-1] if words else ""
    return FACTORS.get(last) if len(last) > 1 or last in ("s", "h") else None


def unit_word(words: Sequence[str]) -> str | None:
    """The unit that the words of a name end with if it is not the second, else None."""
    return words[-1] if unit_in(words) not in (None, 1.0) else None


def in_seconds(column: pl.Series) -> pl.Series:
    """A column of durations in seconds, in the unit that its name says; null where there is none.
    Numbers without a unit stay as they are."""
    factor = unit_in(name_words(column.name)) or 1.0
    kind = column.dtype
    if kind == pl.Duration:
        seconds = column.dt.total_microseconds() / 1e6
    elif kind == pl.Time:
        seconds = column.cast(pl.Int64) / 1e9
    elif kind == pl.String:
        if (plain := plain_numbers(column)) is not None:
            return plain * factor
        texts = column.drop_nulls().unique()
        values = [_seconds_of(text, factor) for text in texts]
        seconds = column.replace_strict(texts, values, default=None, return_dtype=pl.Float64)
    elif kind.is_numeric():
        seconds = column.cast(pl.Float64) * factor
    else:
        seconds = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(column))
    return seconds.cast(pl.Float64).alias(column.name)


def plain_numbers(column: pl.Series) -> pl.Series | None:
    """A column of text as numbers, with a decimal point or comma; None if some are none, or nothing
    tells what the commas are."""
    text = look_at(column, zeros=True)
    if not text.fits or text.percent or is_open(text):
        return None
    either: Decimal = "point" if "point" in text.fits else "comma"
    values = numbers(text, notation(text) or either)
    return text.placed(column, values.cast(pl.Float64))


def _seconds_of(text: str, factor: float) -> float | None:
    """The seconds of a text; a number alone is in units of `factor` seconds."""
    text = text.strip().lower()
    if not text or len(text) > LONGEST:
        return None
    try:
        return float(text) * factor
    except ValueError:
        pass
    if clock := CLOCK.fullmatch(text):
        days, *parts = clock.groups()
        numbers = [float(part) for part in parts if part is not None]
        return float(days or 0) * 86400.0 + sum(n * 60.0**i for i, n in enumerate(numbers[::-1]))
    if text != "p" and (iso := ISO.fullmatch(text)):
        scale = (86400.0, 3600.0, 60.0, 1.0)
        return sum(float(n or 0) * seconds for n, seconds in zip(iso.groups(), scale))
    if hours := HOURS.fullmatch(text):
        return float(hours[1]) * 3600.0 + float(hours[2]) * 60.0
    return _sum_of_parts(text)


def _sum_of_parts(text: str) -> float | None:
    total, end = 0.0, 0
    while end < len(text):
        part = PART.match(text, end)
        if part is None or part[2] not in FACTORS:
            return None
        total += float(part[1].replace(",", ".")) * FACTORS[part[2]]
        end = part.end()
    return total
