"""A space inferred from a table: observed ranges, scales, and which parameter depends on which."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ringfence.errors import SpaceError
from ringfence.space.conditions import Condition
from ringfence.space.params import Categorical, Choice, Constant, Float, Int, Parameter
from ringfence.space.space import Space

if TYPE_CHECKING:
    import polars as pl

DECADES = 100.0
"""A log scale is suggested only where the largest value is at least so many times the smallest."""


@dataclass(frozen=True)
class Inferred:
    """A space and, in words, how it was read off the table."""

    space: Space
    notes: tuple[str, ...]


def infer_from_table(
    table: pl.DataFrame,
    names: Sequence[str],
    tasks: pl.Series,
    where: Callable[[int], str] = "row {}".format,
) -> Inferred:
    """The smallest space that holds every row of `table`, for the columns `names`.

    Numbers get their observed range (the paper's protocol for OpenML), on a log scale where they
    span two decades or more and their median lies nearer to the middle of the range on that scale.
    Text and booleans become categories, single values constants. A column with gaps must be
    missing exactly for certain categories of another column, then it is conditional on that one,
    or for whole tasks. `where` names a row in a message.
    """
    notes: list[str] = []
    parameters = {name: _parameter(table[name], notes) for name in names}
    conditions: list[Condition] = []
    for name in names:
        gap = table[name].is_null()
        if not gap.any():
            continue
        condition = _condition(table, name, parameters)
        if condition is not None:
            conditions.append(condition)
            values = ", ".join(str(value) for value in condition.values)
            notes.append(f"{name} is active only where {condition.parent} is {values}")
        elif tasks.filter(gap).is_in(tasks.filter(~gap).implode()).any():
            raise SpaceError(
                f"{where(gap.arg_max() or 0)}, column {name!r}: the value is missing, and no other "
                "column tells when it is; fill it in, leave the column out of the parameters, or "
                "declare the space"
            )
    return Inferred(Space(parameters, tuple(conditions)), tuple(notes))


def _parameter(column: pl.Series, notes: list[str]) -> Parameter:
    import polars as pl

    name = column.name
    values = column.drop_nulls()
    if not len(values):
        raise SpaceError(f"the column {name!r} is empty; leave it out of the parameters")
    if column.dtype == pl.String:
        numbers = values.str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.null_count() == 0:
            values = numbers
    if not (values.dtype.is_numeric() or values.dtype in (pl.String, pl.Boolean)):
        raise SpaceError(f"the column {name!r} holds {values.dtype}, which is no parameter's type")
    if values.dtype.is_numeric():
        return _numeric(name, values.cast(pl.Float64), notes)
    choices: list[Choice] = sorted(values.unique().to_list())
    if len(choices) == 1:
        notes.append(f"{name} is always {choices[0]}")
        return Constant(choices[0])
    notes.append(f"{name} is one of {', '.join(str(choice) for choice in choices)}")
    return Categorical(tuple(choices))


def _numeric(name: str, values: pl.Series, notes: list[str]) -> Parameter:
    values = values.filter(values.is_finite())
    if not len(values):
        raise SpaceError(f"the column {name!r} has no finite value")
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    whole = bool((values % 1 == 0).all())
    if low == high:
        notes.append(f"{name} is always {low:g}")
        return Constant(int(low) if whole else low)
    log = _looks_logarithmic(low, high, values)
    kind = "a whole number" if whole else "a number"
    scale = " on a log scale" if log else ""
    notes.append(f"{name} is {kind} from {low:g} to {high:g}{scale}")
    return Int(int(low), int(high), log) if whole else Float(low, high, log)


def _looks_logarithmic(low: float, high: float, values: pl.Series) -> bool:
    if low <= 0 or high / low < DECADES:
        return False
    median = float(values.median())  # type: ignore[arg-type]
    on_line = (median - low) / (high - low)
    on_log = math.log(median / low) / math.log(high / low)
    return abs(on_log - 0.5) < abs(on_line - 0.5)


def _condition(
    table: pl.DataFrame, child: str, parameters: dict[str, Parameter]
) -> Condition | None:
    """A condition on the first categorical column that tells exactly where `child` is missing."""
    import polars as pl

    given = pl.col(child).is_not_null()
    for parent, parameter in parameters.items():
        if parent == child or not isinstance(parameter, Categorical):
            continue
        shares = table.group_by(parent).agg(given.mean().alias("share"))
        present = shares.filter(pl.col("share") == 1.0)[parent]
        absent = shares.filter(pl.col("share") == 0.0)[parent]
        if len(present) + len(absent) == len(shares) and present.null_count() == 0:
            values = [choice for choice in parameter.choices if choice in set(present.to_list())]
            return Condition(child, parent, tuple(values))
    return None
