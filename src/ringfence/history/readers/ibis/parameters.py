"""A declared parameter's column in an engine: which rows have which of its values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.readers.ibis.columns import MOST_CHOICES
from ringfence.history.readers.ibis.numbers import number
from ringfence.history.values import ROUNDING, describe, numbers_of, wanted_numbers
from ringfence.space import Choice, Constant, Float, Int, Parameter


class ParameterColumn:
    """Where one parameter is wrong, missing (`gap`; None if missing is a value), or has certain
    values."""

    def __init__(self, rows: Any, name: str, parameter: Parameter, raw: pl.Series) -> None:
        """`raw` are the different values, needed unless the parameter is a range."""
        self.column, self.parameter = rows[name], parameter
        self.gap = self.column.isnull()
        if isinstance(parameter, (Float, Int)):
            inside = _within(parameter, number(self.column)).fill_null(False)
            self.wrong = self.column.notnull() & ~inside
            return
        self.raw = raw
        if len(self.raw) > MOST_CHOICES:
            raise HistoryError(
                f"the column {name!r} has more than {MOST_CHOICES} different values, too many for "
                f"{describe(parameter)}"
            )
        self.positions = numbers_of(parameter, self.raw)
        self.wrong = self.column.notnull() & ~self._is(self.positions.is_not_nan())
        if isinstance(parameter, Constant) or None in parameter.choices:
            self.gap = None

    def among(self, values: Sequence[Choice]) -> Any:
        """Where the parameter has one of these values."""
        numbers = wanted_numbers(self.parameter, values)
        if isinstance(self.parameter, Int):
            matches = [(number(self.column) - wanted).abs() < 0.5 for wanted in numbers]
            return reduce(or_, matches).fill_null(False)
        return self._is(self.positions.is_in(numbers))

    def may_be(self, values: Sequence[Choice]) -> Any:
        """Where the parameter has one of these values, or none at all: then it is unknown."""
        among = self.among(values)
        return among if self.gap is None else among | self.gap

    def _is(self, chosen: pl.Series) -> Any:
        """Where the column has one of the chosen ones of its different values."""
        values = self.raw.filter(chosen.fill_null(False))
        matches = self.column.isin(values.drop_nulls().to_list()).fill_null(False)
        return matches | self.column.isnull() if values.has_nulls() else matches


def _within(parameter: Float | Int, numbers: Any) -> Any:
    """Where numbers lie in the range, up to rounding, as `values.numbers_of` has it."""
    import ibis

    low, high = float(parameter.low), float(parameter.high)
    scale = max(abs(low), abs(high))
    below, above = (abs(low), abs(high)) if parameter.log else (scale, scale)
    inside = numbers.between(low - ROUNDING * below, high + ROUNDING * above)
    if isinstance(parameter, Int):
        rest = (numbers % 1).abs()
        distance = ibis.least(rest, 1.0 - rest)  # to the next integer
        inside &= distance <= ROUNDING * ibis.greatest(numbers.abs(), 1.0)
    return inside if parameter.off is None else inside | (numbers == float(parameter.off))
