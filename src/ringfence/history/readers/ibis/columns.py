"""A table that stays in its engine, as the rules of inference see it (`space.inference.Columns`).

Every method is one aggregate or less: what travels are counts, extremes and categories.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ringfence.errors import SpaceError
from ringfence.history.readers.ibis.different import choices
from ringfence.history.readers.ibis.numbers import first_row, number, ranges
from ringfence.space import Choice
from ringfence.space.inference import Numbers, empty_column, no_finite_value, wrong_type
from ringfence.space.spellings import LEADING_ZERO

MOST_CHOICES = 1000
"""A column of text with more different values is not a categorical parameter."""


class EngineColumns:
    """The finished rows of a table in an engine, through `ringfence.space.inference.Columns`."""

    def __init__(self, rows: Any, names: Sequence[str], n_rows: int, fractional: Collection[str]):
        """`names` are the parameters; those in `fractional` are known to hold fractions."""
        self._rows = rows
        self._n_rows = n_rows
        self._choices: dict[str, list[Choice]] = {}
        self._numeric: dict[str, Any] = {}
        texts = [n for n in names if rows[n].type().is_string() or rows[n].type().is_boolean()]
        values = choices(rows, texts, MOST_CHOICES)
        for name in names:
            self._sort_out(name, values.get(name))
        integer = dict.fromkeys(fractional, False)
        integer |= {name: True for name in names if rows[name].type().is_integer()}
        gaps = {f"{name}:gaps": rows[name].isnull().sum() for name in names}
        self._gaps, self._ranges = ranges(rows, self._numeric, integer, gaps)

    def observed(self, name: str) -> Numbers | Sequence[Choice]:
        """The numbers of a column, or its sorted choices."""
        if self._gaps[f"{name}:gaps"] == self._n_rows:
            raise empty_column(name)
        if name in self._choices:
            return self._choices[name]
        observed = self._ranges[name]
        if observed is None:
            raise no_finite_value(name)
        gaps = self._gaps[f"{name}:gaps"]
        return replace(observed.numbers, infinite=self._n_rows - gaps - observed.n)

    def has_gaps(self, name: str) -> bool:
        """Whether a value is missing."""
        return bool(self._gaps[f"{name}:gaps"])

    def has_infinities(self, name: str) -> bool:
        """Whether a value that is given lies outside every range."""
        observed = self._ranges.get(name)
        return observed is not None and observed.n + self._gaps[f"{name}:gaps"] < self._n_rows

    def shares_given(self, child: str, parent: str) -> Sequence[tuple[Choice, float]]:
        """For each value of `parent`, the share of rows that have a value of `child`, over the
        tasks that have values of both."""
        rows = self._rows
        tasks = rows.group_by(":task").aggregate(
            child=rows[child].notnull().any(), parent=rows[parent].notnull().any()
        )
        lacking = tasks.filter(~(tasks.child & tasks.parent))[":task"].to_polars().to_list()
        if lacking:
            rows = rows.filter(~rows[":task"].isin(lacking))
        share = rows[child].notnull().cast("float64").mean()
        shares: list[tuple[Choice, float]]
        shares = rows.group_by(parent).aggregate(**{":share": share}).to_polars().rows()
        return shares

    def unexplained_gaps(self, name: str) -> tuple[int, str] | None:
        """A task that has some values of the column and lacks others, and how many it lacks."""
        column = self._rows[name]
        tasks = self._rows.group_by(":task").aggregate(
            given=column.notnull().sum(), gaps=column.isnull().sum()
        )
        mixed = tasks.filter((tasks.given > 0) & (tasks.gaps > 0)).limit(1).to_polars()
        return (mixed["gaps"][0], f"task {mixed[':task'][0]!r}") if mixed.height else None

    def _sort_out(self, name: str, values: pl.Series | None) -> None:
        """Whether a column holds numbers, as such or as text, or choices."""
        column = self._rows[name]
        kind = column.type()
        if kind.is_numeric():
            self._numeric[name] = number(column)
            return
        if values is None:
            raise wrong_type(name, kind)
        values = values.drop_nulls()
        if kind.is_string() and self._all_numbers(name, values):
            self._numeric[name] = number(column)
        elif len(values) > MOST_CHOICES:
            raise SpaceError(
                f"the column {name!r} holds more than {MOST_CHOICES} different texts; "
                "leave it out of the parameters (ignore=…, --ignore …)"
            )
        else:
            self._choices[name] = sorted(values.to_list())

    def _all_numbers(self, name: str, values: pl.Series) -> bool:
        texts = values.str.strip_chars()
        if not len(texts) or texts.cast(pl.Float64, strict=False).has_nulls():
            return False
        if texts.str.contains(LEADING_ZERO).any():
            return False
        column = self._rows[name]
        words = column.notnull() & number(column).isnull()
        return len(values) <= MOST_CHOICES or not first_row(self._rows, {"n": words.sum()})["n"]
