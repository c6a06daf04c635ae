"""Parameters that tasks tuned and the space does not have: what a model of such a task must know.

A number becomes a coordinate from 0 to 1 over the range that the task tried, on a log scale if its
values are spread on one; each choice becomes a column of its own, 1 where it was taken. A task that
did not vary one has null there.

column               values
:extra:NAME          0 to 1
:extra:NAME=CHOICE   0 or 1
"""

from __future__ import annotations

import polars as pl

from ringfence.space.scales import spans_decades, suggests_log
from ringfence.words import some

EXTRA = ":extra:"
MOST_CHOICES = 16
"""Text with more different values is a label rather than a parameter."""
MOST_COLUMNS = 32
"""A model of a few dozen runs learns nothing from more of them; the rest plays no part."""


def extra_columns(table: pl.DataFrame, tasks: pl.Series) -> tuple[list[pl.Series], list[str]]:
    """The columns of the parameters in `table`, whose rows belong to `tasks`; and what was done."""
    columns = [column for name in table.columns for column in _columns(table[name], tasks)]
    are = "are no parameters" if table.width > 1 else "is no parameter"
    notes = [f"{some(table.columns)} {are} of the space: the runs count by those that it has"]
    return columns[:MOST_COLUMNS], notes


def _columns(raw: pl.Series, tasks: pl.Series) -> list[pl.Series]:
    """The coordinate of a parameter, or those of its choices; none if it says nothing."""
    numbers = _numbers(raw)
    if numbers is not None:
        coordinates = [numbers.alias(f"{EXTRA}{raw.name}")]
    elif raw.dtype == pl.String and raw.n_unique() <= MOST_CHOICES:
        choices = raw.drop_nulls().unique().sort().to_list()
        coordinates = [(raw == c).cast(pl.Float64).alias(f"{EXTRA}{raw.name}={c}") for c in choices]
    else:
        return []
    columns = [_within_tasks(each, tasks) for each in coordinates]
    return [column for column in columns if column.count()]


def _numbers(raw: pl.Series) -> pl.Series | None:
    """The finite numbers of a column on their scale, null elsewhere; None if there are others."""
    if not (raw.dtype.is_numeric() or raw.dtype in (pl.Boolean, pl.String)):
        return None
    text = raw.str.strip_chars() if raw.dtype == pl.String else raw
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.null_count() > raw.null_count():
        return None
    numbers = pl.select(pl.when(numbers.is_finite()).then(numbers)).to_series()
    if not numbers.count():
        return numbers
    low, high, median = (float(x) for x in (numbers.min(), numbers.max(), numbers.median()))  # type: ignore[arg-type]
    log = spans_decades(low, high) and suggests_log(low, high, median)
    return numbers.log() if log else numbers


def _within_tasks(numbers: pl.Series, tasks: pl.Series) -> pl.Series:
    """From 0 at the least of each task to 1 at its largest; null where these are the same."""
    x = pl.col("x")
    low, width = x.min().over("task"), (x.max() - x.min()).over("task")
    scaled = pl.when(width > 0).then((x - low) / width).alias(numbers.name)
    return pl.DataFrame({"task": tasks, "x": numbers}).select(scaled).to_series()
