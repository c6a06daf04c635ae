"""A frame in memory as `Columns`, the view through which the rules of `inference` see a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ringfence.space.gaps import GapRule
from ringfence.space.inference import (
    Inferred,
    Numbers,
    empty_column,
    infer_with_gaps,
    no_finite_value,
    wrong_type,
)
from ringfence.space.parameters import Choice
from ringfence.space.scales import MOST_GRID_VALUES, spans_decades, suggests_log
from ringfence.space.spellings import LEADING_ZERO, in_words, spellings

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Inferred", "infer_from_table"]

SAMPLE = 1000
"""If so many of the first rows have too many different values for a grid, the others do not
matter."""


def infer_from_table(
    table: pl.DataFrame,
    names: Sequence[str],
    tasks: pl.Series,
    where: Callable[[int], str] = "row {}".format,
    rule: GapRule | None = None,
    off: Mapping[str, float] | None = None,
) -> Inferred:
    """`inference.infer_with_gaps` for a frame in memory. `where` names a row in a message, `off`
    has the values that are known to switch a number off."""
    table, notes = _one_spelling(table, names)
    columns = _TableColumns(table, tasks, where, off or {})
    inferred = infer_with_gaps(columns, names, GapRule() if rule is None else rule)
    return replace(inferred, notes=(*notes, *inferred.notes))


def _one_spelling(table: pl.DataFrame, names: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The table with one spelling of each choice, and a note for each column that had several."""
    import polars as pl

    notes, columns = [], []
    for name in names:
        if table[name].dtype == pl.String and (usual := spellings(table[name])):
            columns.append(table[name].replace(list(usual), list(usual.values())))
            notes.append(in_words(name, usual))
    return table.with_columns(columns), notes


class _TableColumns:
    """Implements `Gaps`; `tasks` has the task of each row, `off` what switches numbers off."""

    def __init__(
        self,
        table: pl.DataFrame,
        tasks: pl.Series,
        where: Callable[[int], str],
        off: Mapping[str, float],
    ) -> None:
        self.table, self.tasks, self.where, self.off = table, tasks, where, off

    @property
    def n_rows(self) -> int:
        return self.table.height

    def observed(self, name: str) -> Numbers | Sequence[Choice]:
        import polars as pl

        values = self.table[name].drop_nulls()
        if not len(values):
            raise empty_column(name)
        if values.dtype == pl.String:
            texts = values.str.strip_chars()
            numbers = texts.cast(pl.Float64, strict=False)
            if not numbers.null_count() and not texts.str.contains(LEADING_ZERO).any():
                values = numbers
        if values.dtype.is_numeric():
            return _numbers_beside(values.cast(pl.Float64), self.off.get(name))
        if values.dtype in (pl.String, pl.Boolean):
            choices: list[Choice] = sorted(values.unique().to_list())
            return choices
        raise wrong_type(name, values.dtype)

    def has_gaps(self, name: str) -> bool:
        return self.table[name].null_count() > 0

    def shares_given(self, child: str, parent: str) -> Sequence[tuple[Choice, float]]:
        import polars as pl

        rows = self.table.filter(self._tasks_with(child) & self._tasks_with(parent))
        return rows.group_by(parent).agg(pl.col(child).is_not_null().mean()).rows()

    def unexplained_gaps(self, name: str) -> tuple[int, str] | None:
        gaps = self._partly(name)
        return (int(gaps.sum()), self.where(gaps.arg_max() or 0)) if gaps.any() else None

    def rows_with_gaps(self, names: Sequence[str]) -> int:
        gaps = self._partly(names[0])
        for name in names[1:]:
            gaps |= self._partly(name)
        return int(gaps.sum())

    def _partly(self, name: str) -> pl.Series:
        """Where a value is missing although the task has others."""
        return self.table[name].is_null() & self._tasks_with(name)

    def _tasks_with(self, name: str) -> pl.Series:
        """The rows of the tasks that have a value: the others did not tune the parameter."""
        given = self.table[name].is_not_null()
        return self.tasks.is_in(self.tasks.filter(given).unique().implode())


def _numbers(column: pl.Series) -> Numbers:
    values = column.filter(column.is_finite())
    if not len(values):
        raise no_finite_value(values.name)
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    median = float(values.median()) if spans_decades(low, high) else None  # type: ignore[arg-type]
    numbers = Numbers(low, high, bool((values % 1 == 0).all()), median, _grid(values))
    numbers = replace(numbers, infinite=int(column.is_infinite().sum()))
    if low == -1.0 and numbers.integer and high > 1.0:
        return _minus_ones(values, numbers)
    if low != 0.0 or high == 0.0:
        return numbers
    above = values.filter(values > 0)
    least, middle = float(above.min()), float(above.median())  # type: ignore[arg-type]
    if not (spans_decades(least, high) and suggests_log(least, high, middle)):
        return numbers
    zeros = len(values) - len(above)
    return replace(numbers, count=len(values), zeros=zeros, above_zero=least)


def _numbers_beside(column: pl.Series, off: float | None) -> Numbers:
    """The numbers of which one value switches the parameter off, if the others are a range beside
    it."""
    if off is not None:
        rest = column.filter(column.is_finite() & (column != off))
        if rest.n_unique() > 1:
            numbers = _numbers(rest)
            if not numbers.low <= off <= numbers.high:
                return replace(numbers, off=off)
    return _numbers(column)


def _minus_ones(values: pl.Series, numbers: Numbers) -> Numbers:
    """The numbers with a count of -1, if it is what stands for none: all others are positive."""
    others = values.filter(values != -1.0)
    least = int(others.min())  # type: ignore[arg-type]
    if least < 1:
        return numbers
    return replace(numbers, minus_ones=len(values) - len(others), above_minus_one=least)


def _grid(values: pl.Series) -> list[float]:
    """The different values, sorted, if they are few."""
    if values.head(SAMPLE).n_unique() > MOST_GRID_VALUES:
        return []
    different = values.unique().sort()
    return different.to_list() if len(different) <= MOST_GRID_VALUES else []
