"""A table that stays in its engine, seen the way the rules of inference see a frame in memory.

Every method here is one aggregate or less: what travels are counts, extremes and categories.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from ringfence.errors import SpaceError
from ringfence.space import Choice
from ringfence.space.inference import (
    Numbers,
    empty_column,
    no_finite_value,
    spans_decades,
    suggests_log,
)

MOST_CHOICES = 1000
"""A column of text with more different values is no categorical parameter."""


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


def different_values(table: Any, name: str) -> pl.Series:
    """The different values of a column, missing included: at most one more than MOST_CHOICES."""
    found: pl.DataFrame = table.select(name).distinct().limit(MOST_CHOICES + 1).to_polars()
    return found[name]


class EngineColumns:
    """The finished rows of a table in an engine, through `ringfence.space.inference.Columns`."""

    def __init__(self, rows: Any, names: Sequence[str], n_rows: int) -> None:
        self._rows = rows
        self._n_rows = n_rows
        self._choices: dict[str, list[Choice]] = {}
        self._numeric: dict[str, Any] = {}
        for name in names:
            self._sort_out(name)
        gaps = {f"{name}:gaps": rows[name].isnull().sum() for name in names}
        self._seen = first_row(rows, {**gaps, **self._extremes(self._numeric)})
        self._medians = self._find_medians()

    def observed(self, name: str) -> Numbers | Sequence[Choice]:
        """The numbers of a column, or its sorted choices."""
        if self._seen[f"{name}:gaps"] == self._n_rows:
            raise empty_column(name)
        if name in self._choices:
            return self._choices[name]
        low, high, broken = (self._seen[f"{name}:{what}"] for what in ("low", "high", "broken"))
        if low is None:
            raise no_finite_value(name)
        return Numbers(low, high, not broken, self._medians.get(name))

    def has_gaps(self, name: str) -> bool:
        """Whether a value is missing."""
        return bool(self._seen[f"{name}:gaps"])

    def is_sound(self, name: str) -> bool:
        """Whether each row has a value, and one that lies in a range inferred from all."""
        return bool(self._seen.get(f"{name}:n", self._n_rows) == self._n_rows) and not (
            self.has_gaps(name)
        )

    def shares_given(self, child: str, parent: str) -> Sequence[tuple[Choice, float]]:
        """For each value of `parent` the share of rows where `child` is given."""
        share = self._rows[child].notnull().cast("float64").mean()
        rows: list[tuple[Choice, float]]
        rows = self._rows.group_by(parent).aggregate(share=share).to_polars().rows()
        return rows

    def unexplained_gap(self, name: str) -> str | None:
        """A task that has some values of the column and lacks others."""
        column = self._rows[name]
        tasks = self._rows.group_by(":task").aggregate(
            given=column.notnull().sum(), gaps=column.isnull().sum()
        )
        found = tasks.filter((tasks.given > 0) & (tasks.gaps > 0)).limit(1).to_polars()
        return f"task {found[':task'][0]!r}" if found.height else None

    def _sort_out(self, name: str) -> None:
        """Whether a column holds numbers, as such or as text, or choices."""
        column = self._rows[name]
        kind = column.type()
        if kind.is_numeric():
            self._numeric[name] = number(column)
            return
        if not (kind.is_string() or kind.is_boolean()):
            raise SpaceError(f"the column {name!r} holds {kind}, which is no parameter's type")
        values = different_values(self._rows, name).drop_nulls()
        if kind.is_string() and self._all_numbers(name, values):
            self._numeric[name] = number(column)
        elif len(values) > MOST_CHOICES:
            raise SpaceError(
                f"the column {name!r} holds more than {MOST_CHOICES} different texts; "
                "leave it out of the parameters (ignore=…)"
            )
        else:
            self._choices[name] = sorted(values.to_list())

    def _all_numbers(self, name: str, values: pl.Series) -> bool:
        if not len(values) or values.str.strip_chars().cast(pl.Float64, strict=False).has_nulls():
            return False
        column = self._rows[name]
        words = column.notnull() & number(column).isnull()
        return len(values) <= MOST_CHOICES or not first_row(self._rows, {"n": words.sum()})["n"]

    def _extremes(self, names: Collection[str]) -> dict[str, Any]:
        wanted = {}
        for name in names:
            x = self._numeric[name]
            wanted[f"{name}:n"] = x.count()
            wanted[f"{name}:low"] = x.min()
            wanted[f"{name}:high"] = x.max()
            wanted[f"{name}:broken"] = (x % 1 != 0).any()
        return wanted

    def _leave_out_infinities(self) -> None:
        """A second look at the columns that have some; the filter would slow down all the rest."""
        ends = {
            name: (self._seen[f"{name}:low"], self._seen[f"{name}:high"]) for name in self._numeric
        }
        odd = [
            name for name, pair in ends.items() if None not in pair and math.inf in map(abs, pair)
        ]
        for name in odd:
            x = self._numeric[name]
            self._numeric[name] = _without(x.isinf(), x)
        self._seen |= first_row(self._rows, self._extremes(odd))

    def _find_medians(self) -> dict[str, float]:
        """A median for each column that may deserve a log scale: not the exact one, which would
        need a sort, but one on the same side of the point where `suggests_log` turns."""
        wanted = {}
        for name, x in self._numeric.items():
            low, high = self._seen[f"{name}:low"], self._seen[f"{name}:high"]
            if low is not None and spans_decades(low, high):
                turn = turning_point(low, high)
                wanted[f"{name}:lowest"] = (x == low).sum()
                wanted[f"{name}:below"] = (x < turn).sum()
                wanted[f"{name}:last"] = x.max(where=x < turn)
                wanted[f"{name}:next"] = x.min(where=x >= turn)
        found = first_row(self._rows, wanted)
        return {
            name: self._median(name, found) for name in self._numeric if f"{name}:below" in found
        }

    def _median(self, name: str, found: Mapping[str, Any]) -> float:
        n, lowest, below = self._seen[f"{name}:n"], found[f"{name}:lowest"], found[f"{name}:below"]
        last, after = found[f"{name}:last"], found[f"{name}:next"]
        if 2 * lowest > n:
            return float(self._seen[f"{name}:low"])
        if 2 * below == n:
            return float((last + after) / 2)
        return float(last if 2 * below > n else after)


def turning_point(low: float, high: float) -> float:
    """The least median, between the middles of the two scales, that suggests no log scale."""
    yes, no = low * (high / low) ** 0.5, low + (high - low) / 2
    while True:
        middle = yes + (no - yes) / 2
        if not yes < middle < no:
            return no
        if suggests_log(low, high, middle):
            yes = middle
        else:
            no = middle
