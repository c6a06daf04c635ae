"""A frame in memory as `Columns`, the view through which the rules of `inference` see a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ringfence.space.inference import (
    Inferred,
    Numbers,
    empty_column,
    infer_from,
    no_finite_value,
    spans_decades,
    wrong_type,
)
from ringfence.space.parameters import Choice

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Inferred", "infer_from_table"]


def infer_from_table(
    table: pl.DataFrame,
    names: Sequence[str],
    tasks: pl.Series,
    where: Callable[[int], str] = "row {}".format,
) -> Inferred:
    """`inference.infer_from` for a frame in memory. `where` names a row in a message."""
    return infer_from(_TableColumns(table, tasks, where), names)


class _TableColumns:
    """Implements `Columns`; `tasks` has the task of each row."""

    def __init__(self, table: pl.DataFrame, tasks: pl.Series, where: Callable[[int], str]) -> None:
        self.table, self.tasks, self.where = table, tasks, where

    def observed(self, name: str) -> Numbers | Sequence[Choice]:
        import polars as pl

        values = self.table[name].drop_nulls()
        if not len(values):
            raise empty_column(name)
        if values.dtype == pl.String:
            numbers = values.str.strip_chars().cast(pl.Float64, strict=False)
            values = numbers if numbers.null_count() == 0 else values
        if values.dtype.is_numeric():
            return _numbers(values.cast(pl.Float64))
        if values.dtype in (pl.String, pl.Boolean):
            choices: list[Choice] = sorted(values.unique().to_list())
            return choices
        raise wrong_type(name, values.dtype)

    def has_gaps(self, name: str) -> bool:
        return self.table[name].null_count() > 0

    def shares_given(self, child: str, parent: str) -> Sequence[tuple[Choice, float]]:
        import polars as pl

        return self.table.group_by(parent).agg(pl.col(child).is_not_null().mean()).rows()

    def unexplained_gap(self, name: str) -> str | None:
        gap = self.table[name].is_null()
        if not self.tasks.filter(gap).is_in(self.tasks.filter(~gap).implode()).any():
            return None
        return self.where(gap.arg_max() or 0)


def _numbers(values: pl.Series) -> Numbers:
    values = values.filter(values.is_finite())
    if not len(values):
        raise no_finite_value(values.name)
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    median = float(values.median()) if spans_decades(low, high) else None  # type: ignore[arg-type]
    return Numbers(low, high, bool((values % 1 == 0).all()), median)
