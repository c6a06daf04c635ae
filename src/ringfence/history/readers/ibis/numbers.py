"""Numbers in an engine's columns: what counts as one, and what they range over in few passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ringfence.space.inference import Numbers, spans_decades, suggests_log


def plain(column: Any) -> Any:
    """The column as the readers of files would have it: NaN is missing, decimals are floats."""
    kind = column.type()
    if kind.is_decimal():
        return column.cast("float64")
    if kind.is_floating():
        return _without(column.isnan(), column.cast("float64"))
    return column


def number(column: Any) -> Any:
    """A plain column as numbers; missing where it is none."""
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
    rows: Any, columns: Mapping[str, Any], whole: Mapping[str, bool], more: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Range | None]]:
    """The `more` aggregates of the rows, and the range of each of the `columns` of numbers (None
    where none is finite); `whole` tells of some whether all numbers are."""
    seen = first_row(rows, {**more, **_extremes(columns, whole)})
    odd = [name for name in columns if math.inf in map(abs, _ends(seen, name))]
    columns = dict(columns)
    for name in odd:  # a second look; leaving infinities out of all columns would slow down all
        columns[name] = _without(columns[name].isinf(), columns[name])
    seen |= first_row(rows, _extremes({name: columns[name] for name in odd}, whole))
    middles = _medians(rows, columns, seen)
    return seen, {name: _range(name, seen, whole, middles) for name in columns}


def _extremes(columns: Mapping[str, Any], whole: Mapping[str, bool]) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    for name, x in columns.items():
        wanted |= {f"{name}:n": x.count(), f"{name}:low": x.min(), f"{name}:high": x.max()}
        if name not in whole:
            wanted[f"{name}:broken"] = (x % 1 != 0).any()
    return wanted


def _ends(seen: Mapping[str, Any], name: str) -> list[float]:
    return [end for end in (seen[f"{name}:low"], seen[f"{name}:high"]) if end is not None]


def _range(
    name: str, seen: Mapping[str, Any], whole: Mapping[str, bool], middles: Mapping[str, float]
) -> Range | None:
    if not (ends := _ends(seen, name)):
        return None
    is_whole = whole[name] if name in whole else not seen[f"{name}:broken"]
    return Range(Numbers(ends[0], ends[1], is_whole, middles.get(name)), seen[f"{name}:n"])


def _medians(rows: Any, columns: Mapping[str, Any], seen: Mapping[str, Any]) -> dict[str, float]:
    """A median for each column that may deserve a log scale: not the exact one, which would need a
    sort, but one of which `suggests_log` says the same. Counting decides on which side of the
    turning point the exact one lies; only where it lies astride are its neighbors looked up."""
    ends = {name: _ends(seen, name) for name in columns}
    turns = {n: turning_point(*pair) for n, pair in ends.items() if pair and spans_decades(*pair)}
    wanted: dict[str, Any] = {}
    for name, turn in turns.items():
        wanted[f"{name}:lowest"] = (columns[name] == ends[name][0]).sum()
        wanted[f"{name}:below"] = (columns[name] < turn).sum()
    counts = first_row(rows, wanted)
    middles = {}
    for name, turn in turns.items():
        low, high = ends[name]
        n, below = seen[f"{name}:n"], counts[f"{name}:below"]
        if 2 * counts[f"{name}:lowest"] > n:
            middles[name] = low
        elif 2 * below == n:
            x = columns[name]
            pair = {"last": x.max(where=x < turn), "next": x.min(where=x >= turn)}
            middles[name] = sum(first_row(rows, pair).values()) / 2
        else:
            middles[name] = low * (high / low) ** 0.5 if 2 * below > n else high
    return middles


def turning_point(low: float, high: float) -> float:
    """The least median, between the middles of the two scales, that suggests no log scale."""
    yes, no = low * (high / low) ** 0.5, low + (high - low) / 2
    while yes < (middle := yes + (no - yes) / 2) < no:
        if suggests_log(low, high, middle):
            yes = middle
        else:
            no = middle
    return no
