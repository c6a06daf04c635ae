"""What each run cost: the one rule for costs that cannot be.

A cost that is missing, not positive or not finite is unknown. So is one of the largest tenth of a
task that a gap parts from all smaller ones, as of a job that slept over night: more than FAR times
the next smaller cost, and more than the ratio of the quartiles to a power: 3 for twelve costs, less
for more, since these leave smaller gaps by chance. It is a rule on logarithms, on which costs are
spread, and on gaps, which the long tails of real costs do not have: the largest are hundreds of
times the ninth decile, each near the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.costs import is_timed
from ringfence.history.outcomes.durations import in_seconds, plain_numbers

if TYPE_CHECKING:
    from ringfence.history.history import History
    from ringfence.history.roles import Roles

ENOUGH = 12
"""Known costs of a task below which their quartiles say nothing."""
WIDTHS, WIDTHS_OF_FEW = 1.5, 18.0
"""Distances between the quartiles of the log costs that a gap is wider than, of any number of costs
and divided by their number: of twelve normal log costs the largest is so far from the next in 0.4 %
of tasks, and more seldom of more."""
FAR = 20.0
"""A smaller ratio is no gap, however alike the others are: a run that waited is not told from one
that had more to do."""
TAIL = 0.1
"""The share of a task's costs that may be parted, at least one."""
MOST = 1e300
"""A cost that is not smaller could not even be added to another."""
CURRENCIES = "$€£¥ "
"""What stands before or behind a price, as in $1.20."""


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
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        column = column.str.strip_chars(CURRENCIES)
        if (plain := plain_numbers(column)) is not None:
            return plain
    if not (column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean, pl.Null)):
        return pl.Series(column.name, [None], pl.Float64).new_from_index(0, len(column))
    return column.cast(pl.Float64, strict=False)


def known_costs(history: History) -> tuple[pl.Series, list[str]]:
    """(rows,) the cost of each run, null where it is unknown; and a note on costs that cannot
    be."""
    numbers = cost_numbers(history.frame, history.roles)
    is_cost = ((numbers > 0) & (numbers < MOST)).fill_null(value=False)
    is_far = _parted(history.task_column(), numbers, is_cost)
    is_wrong = ~is_cost & numbers.is_not_null()
    is_text = numbers.is_null() & history.frame[history.roles.cost or ""].is_not_null()
    costs = pl.select(pl.when(is_cost & ~is_far).then(numbers)).to_series()
    name = history.roles.cost
    notes = [
        f"{_counted(mask)} {name!r} {_are(mask)} unknown: {why} "
        f"(first: {history.where(mask.arg_max() or 0)})"
        for mask, why in (
            (is_wrong, "not positive and finite"),
            (is_text, "no numbers that can be read"),
            (is_far, "far above all others of the task"),
        )
        if mask.any()
    ]
    return costs, notes


def check_costs(frame: pl.DataFrame, roles: Roles) -> None:
    """Raise HistoryError if the column of costs has values, and none of them can be read."""
    assert roles.cost is not None, "asked for only where there are costs"
    column = frame[roles.cost].drop_nulls()
    if len(column) and not cost_numbers(frame, roles).count():
        raise HistoryError(
            f"the cost {roles.cost!r} holds values such as {column[0]!r}, which cannot be read as "
            "costs; write numbers, or name another column with cost=… (--cost …)"
        )


def _parted(tasks: pl.Series, costs: pl.Series, is_cost: pl.Series) -> pl.Series:
    """Which costs a gap parts from all smaller ones of their task."""
    table = pl.DataFrame({"task": tasks, "log": costs}).with_row_index("row").filter(is_cost)
    log = pl.col("log")
    first, third = (log.quantile(q, "linear") for q in (0.25, 0.75))
    gap = log - log.shift(1)
    widths = WIDTHS + WIDTHS_OF_FEW / pl.len()
    wide = gap > pl.max_horizontal(widths * (third - first), pl.lit(FAR).log())
    is_tail = pl.int_range(pl.len()) >= pl.len() - pl.max_horizontal(1, (TAIL * pl.len()).floor())
    parted = (wide & is_tail & (pl.len() >= ENOUGH)).fill_null(value=False).cum_max()
    judged = table.with_columns(log.log()).sort("task", "log")
    judged = judged.with_columns(parted.over("task").alias("parted"))
    rows = judged.filter("parted")["row"]
    return pl.Series(range(len(costs)), dtype=pl.UInt32).is_in(rows.implode())


def time_like(column: pl.Series) -> bool:
    """Whether the numbers of a column of costs are times."""
    return column.dtype in (pl.Duration, pl.Time) or is_timed(column.name)


def _counted(mask: pl.Series) -> str:
    count = int(mask.sum())
    return f"{count:,} cost{'s' * (count != 1)} in"


def _are(mask: pl.Series) -> str:
    return "is" if mask.sum() == 1 else "are"
