"""Numbers in an engine's columns: what counts as one, and their ranges, in few passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ringfence.history.readers.ibis.different import different_values
from ringfence.space.inference import Numbers
from ringfence.space.scales import MOST_GRID_VALUES, spans_decades, suggests_log


def plain(column: Any) -> Any:
    """The column as the readers of files would have it: NaN is missing, decimals are floats."""
    kind = column.type()
    if kind.is_decimal():
        return column.cast("float64")
    if kind.is_floating():
        return _without(column.isnan(), column.cast("float64"))
    return column


def number(column: Any) -> Any:
    """A plain column as numbers; missing where it is not a number."""
    kind = column.type()
    if kind.is_string():
        numbers = column.strip().try_cast("float64")
        return _without(numbers.isnan(), numbers)
    return column if kind.is_floating() else column.cast("float64")


def is_finite(numbers: Any) -> Any:
    """Where a column of `number` holds a finite one; never missing."""
    return numbers.notnull() & ~numbers.isinf()


def _without(where: Any, numbers: Any) -> Any:
    import ibis

    return ibis.ifelse(where, ibis.null("float64"), numbers)


def first_row(table: Any, aggregates: Mapping[str, Any]) -> dict[str, Any]:
    """The aggregates of a table, by name."""
    if not aggregates:
        return {}
    return dict(table.aggregate(**aggregates).to_polars().row(0, named=True))


@dataclass(frozen=True)
class Range:
    """What the finite numbers of a column range over, and how many there are."""

    numbers: Numbers
    n: int


def ranges(
    rows: Any, columns: Mapping[str, Any], integer: Mapping[str, bool], more: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Range | None]]:
    """The `more` aggregates of the rows, and the range of each of the `columns` of numbers (None
    if none is finite); `integer` says whether all numbers are, as far as that is known."""
    facts = first_row(rows, {**more, **_extremes(columns, integer)})
    infinite = [name for name in columns if math.inf in map(abs, _ends(facts, name))]
    columns = dict(columns)
    for name in infinite:  # a second pass; leaving infinities out of all columns would slow all
        columns[name] = _without(columns[name].isinf(), columns[name])
    facts |= first_row(rows, _extremes({name: columns[name] for name in infinite}, integer))
    medians = _medians(rows, columns, facts)
    grids = _grids(rows, columns, facts)
    found = {name: _range(name, facts, integer, medians, grids) for name in columns}
    return facts, found | _beside_zero(rows, columns, found)


def _beside_zero(
    rows: Any, columns: Mapping[str, Any], found: Mapping[str, Range | None]
) -> dict[str, Range]:
    """The ranges of the columns of zeros and of positive numbers that are spread on a log scale."""
    maybe = {name: one for name, one in found.items() if one and one.numbers.low == 0}
    above = {name: _without(columns[name] <= 0, columns[name]) for name in maybe}
    facts = first_row(rows, _extremes(above, dict.fromkeys(above, True)))
    medians = _medians(rows, above, facts)
    beside = {}
    for name, median in medians.items():
        least, high = _ends(facts, name)
        if suggests_log(least, high, median):
            one = maybe[name]
            zeros = one.n - facts[f"{name}:n"]
            numbers = replace(one.numbers, count=one.n, zeros=zeros, above_zero=least)
            beside[name] = Range(numbers, one.n)
    return beside


def _extremes(columns: Mapping[str, Any], integer: Mapping[str, bool]) -> dict[str, Any]:
    aggregates: dict[str, Any] = {}
    for name, x in columns.items():
        aggregates |= {f"{name}:n": x.count(), f"{name}:low": x.min(), f"{name}:high": x.max()}
        if name not in integer:
            aggregates[f"{name}:fractional"] = (x % 1 != 0).any()
    return aggregates


def _ends(facts: Mapping[str, Any], name: str) -> list[float]:
    return [end for end in (facts[f"{name}:low"], facts[f"{name}:high"]) if end is not None]


def _range(
    name: str,
    facts: Mapping[str, Any],
    integer: Mapping[str, bool],
    medians: Mapping[str, float],
    grids: Mapping[str, list[float]],
) -> Range | None:
    if not (ends := _ends(facts, name)):
        return None
    is_integer = integer[name] if name in integer else not facts[f"{name}:fractional"]
    numbers = Numbers(ends[0], ends[1], is_integer, medians.get(name), grids.get(name, ()))
    return Range(numbers, facts[f"{name}:n"])


def _grids(
    rows: Any, columns: Mapping[str, Any], facts: Mapping[str, Any]
) -> dict[str, list[float]]:
    """The different values of each column of positive numbers that has few of them."""
    positive = [name for name in columns if (ends := _ends(facts, name)) and ends[0] > 0]
    found = different_values(rows, {n: columns[n] for n in positive}, MOST_GRID_VALUES + 1)
    finite = {name: values.filter(values.is_finite()) for name, values in found.items()}
    return {n: grid.sort().to_list() for n, grid in finite.items() if len(grid) <= MOST_GRID_VALUES}


def _medians(rows: Any, columns: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, float]:
    """A median for each column that may deserve a log scale: not the exact one, which would need a
    sort, but one of which `suggests_log` says the same. Counting decides on which side of the
    turning point the exact one lies; its neighbors are looked up only if it lies astride."""
    ends = {name: _ends(facts, name) for name in columns}
    turns = {n: turning_point(*pair) for n, pair in ends.items() if pair and spans_decades(*pair)}
    aggregates: dict[str, Any] = {}
    for name, turn in turns.items():
        aggregates[f"{name}:lowest"] = (columns[name] == ends[name][0]).sum()
        aggregates[f"{name}:below"] = (columns[name] < turn).sum()
    counts = first_row(rows, aggregates)
    astride = [name for name in turns if 2 * counts[f"{name}:below"] == facts[f"{name}:n"]]
    neighbors: dict[str, Any] = {}
    for name in astride:
        x, turn = columns[name], turns[name]
        neighbors[f"{name}:last"] = x.max(where=x < turn)
        neighbors[f"{name}:next"] = x.min(where=x >= turn)
    beside = first_row(rows, neighbors)
    medians = {}
    for name in turns:
        low, high = ends[name]
        n, below = facts[f"{name}:n"], counts[f"{name}:below"]
        if 2 * counts[f"{name}:lowest"] > n:
            medians[name] = low
        elif name in astride:
            medians[name] = (beside[f"{name}:last"] + beside[f"{name}:next"]) / 2
        else:
            medians[name] = low * (high / low) ** 0.5 if 2 * below > n else high
    return medians


def turning_point(low: float, high: float) -> float:
    """The least median, between the middles of the two scales, that does not suggest a log scale;
    by bisection down to the last digit."""
    log, linear = low * (high / low) ** 0.5, low + (high - low) / 2
    while log < (middle := log + (linear - log) / 2) < linear:
        if suggests_log(low, high, middle):
            log = middle
        else:
            linear = middle
    return linear
