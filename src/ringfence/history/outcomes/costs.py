"""What each run cost: the one rule for costs that cannot be.

A cost that is missing, not positive or not finite is unknown. So is one that is far above those of
the other runs of its task, as of a job that slept over night: above the third quartile times the
cube of the ratio of the third quartile to the first, and times at least FAR. It is a rule on
logarithms, which costs are spread on, and leaves alone what is wide throughout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ringfence.history.guessing.costs import is_timed
from ringfence.history.outcomes.durations import in_seconds

if TYPE_CHECKING:
    from ringfence.history.history import History
    from ringfence.history.roles import Roles

ENOUGH = 8
"""Known costs of a task below which their quartiles say nothing."""
WIDTHS = 3.0
"""Distances between the quartiles of the log costs that lie between the third and the fence."""
FAR = 50.0
"""A cost below this multiple of the third quartile is never too far, however alike the others are:
a run that waited is not told from one that had more to do."""


def cost_unit(roles: Roles) -> str:
    """What costs are counted in: 'seconds' for times, else what the column is called."""
    assert roles.cost is not None, "a history without costs has no unit of them"
    return "seconds" if roles.timed else roles.cost.lstrip(":")


def cost_numbers(frame: pl.DataFrame, roles: Roles) -> pl.Series:
    """The costs as they were written, times in seconds; null where there is no number."""
    assert roles.cost is not None, "asked for only where there are costs"
    column = frame[roles.cost]
    if roles.timed or column.dtype in (pl.Duration, pl.Time):
        return in_seconds(column)
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    return column.cast(pl.Float64, strict=False)


def known_costs(history: History) -> tuple[pl.Series, list[str]]:
    """(rows,) the cost of each run, null where it is unknown; and a note on costs that cannot
    be."""
    numbers = cost_numbers(history.frame, history.roles)
    is_cost = (numbers.is_finite() & (numbers > 0)).fill_null(value=False)
    table = pl.DataFrame({"task": history.task_column(), "cost": numbers}).with_columns(
        log=pl.when(is_cost).then(pl.col("cost").log())
    )
    log = pl.col("log")
    first, third = (log.quantile(q, "linear").over("task") for q in (0.25, 0.75))
    reach = pl.max_horizontal(WIDTHS * (third - first), pl.lit(FAR).log())
    too_far = (log.count().over("task") >= ENOUGH) & (log > third + reach)
    is_far = table.select(too_far.fill_null(value=False)).to_series()
    is_wrong = ~is_cost & numbers.is_not_null()
    costs = pl.select(pl.when(is_cost & ~is_far).then(numbers)).to_series()
    name = history.roles.cost
    notes = [
        f"{_counted(mask)} {name!r} {_are(mask)} unknown: {why} "
        f"(first: {history.where(mask.arg_max() or 0)})"
        for mask, why in (
            (is_wrong, "not positive and finite"),
            (is_far, "far above those of the task's other runs"),
        )
        if mask.any()
    ]
    return costs, notes


def time_like(column: pl.Series) -> bool:
    """Whether the numbers of a column of costs are times."""
    return column.dtype in (pl.Duration, pl.Time) or is_timed(column.name)


def _counted(mask: pl.Series) -> str:
    count = int(mask.sum())
    return f"{count:,} cost{'s' * (count != 1)} in"


def _are(mask: pl.Series) -> str:
    return "is" if mask.sum() == 1 else "are"
