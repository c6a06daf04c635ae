"""The different values of many columns, in two queries.

A query for each column would make the engine, and Ibis before it, work through a table of n columns
n times: a table that was made wide has hundreds of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

MARGIN = 2
"""Engines that count roughly are off by less than this factor."""


def different_values(table: Any, columns: Mapping[str, Any], most: int) -> dict[str, pl.Series]:
    """The different values of each column that has not far more than `most` of them; missing is
    one, too."""
    facts: dict[str, Any] = {}
    for name, column in columns.items():
        facts |= {f"{name}:about": column.approx_nunique(), f"{name}:gaps": column.isnull().any()}
    seen = _row(table, facts)
    few = {name: columns[name] for name in columns if seen[f"{name}:about"][0] <= MARGIN * most}
    lists = _lists(table, few)
    if lists is None:
        return {name: _first(table, column, most) for name, column in few.items()}
    found = {}
    for name in few:
        values = lists[name].explode().drop_nulls()
        missing = [None] if seen[f"{name}:gaps"][0] else []
        found[name] = values.extend(pl.Series(missing, dtype=values.dtype))
    return found


def choices(table: Any, names: Sequence[str], most: int) -> dict[str, pl.Series]:
    """The different values of each of these columns, missing included; of one with more than
    `most`, some that are more."""
    found = different_values(table, {name: table[name] for name in names}, most)
    return {n: found[n] if n in found else _first(table, table[n], most) for n in names}


def _first(table: Any, column: Any, most: int) -> pl.Series:
    """At most one more than `most` different values of a column, missing included."""
    values: pl.DataFrame = table.select(x=column).distinct().limit(most + 1).to_polars()
    return values["x"]


def _lists(table: Any, columns: Mapping[str, Any]) -> dict[str, pl.Series] | None:
    """A list of the different values of each column; None if the engine has no such lists, which
    each says in its own way: a query for each column does the same, or says what is wrong."""
    try:
        lists = _row(table, {name: x.collect(distinct=True) for name, x in columns.items()})
    except Exception:
        return None
    return lists if all(isinstance(one.dtype, pl.List) for one in lists.values()) else None


def _row(table: Any, aggregates: Mapping[str, Any]) -> dict[str, pl.Series]:
    """The aggregates of a table by name, each as a column of one row."""
    if not aggregates:
        return {}
    numbered = {f"x{i}": aggregate for i, aggregate in enumerate(aggregates.values())}
    frame: pl.DataFrame = table.aggregate(**numbered).to_polars()
    return dict(zip(aggregates, frame.get_columns()))
