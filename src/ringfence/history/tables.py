"""Any table as a polars frame with plain columns: numbers, booleans, text; missing is null."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.spreadsheets.notation import look_at, may_be_lists
from ringfence.history.spreadsheets.notation import numbers as numbers_in
from ringfence.incoming.limits import CELLS

NUMBERS = (int, float, Decimal)
INTEGERS_END = 2**63
"""Integers from here on do not fit a column of them; they become floats."""


def as_table(frame: Any, *, index: bool = True) -> pl.DataFrame:
    """A pandas, polars or Arrow table, or a list of dicts, as a plain polars frame; levels of the
    index of pandas that have a name become columns, unless `index` is false."""
    return plain_table(as_polars(frame, index=index))


def as_polars(frame: Any, *, index: bool = True) -> pl.DataFrame:
    """The same with columns of any kind, and NaN where the table has it."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    elif not isinstance(frame, pl.DataFrame):
        origin = type(frame).__module__.partition(".")[0]
        if origin == "pandas" and hasattr(frame, "columns"):
            frame = _from_pandas(frame, index)
        elif hasattr(frame, "__arrow_c_stream__"):
            frame = pl.DataFrame(frame)
        elif isinstance(frame, (list, tuple)) and all(isinstance(row, Mapping) for row in frame):
            frame = from_rows(frame)
        else:
            raise HistoryError(
                f"expected a pandas or polars DataFrame, not {type(frame).__name__}; "
                "files are read with read_history"
            )
    require_literal(frame.columns)
    polars_frame: pl.DataFrame = frame
    return polars_frame


def plain_table(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with plain columns."""
    return pl.DataFrame([_plain(column) for column in frame.get_columns()])


def require_literal(names: Iterable[str]) -> None:
    """HistoryError for a name that means other columns to polars, which no quotes prevent."""
    for name in names:
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            raise HistoryError(
                f"a column cannot be called {name!r}, which is a pattern for other columns; "
                "rename it"
            )


def is_frame(source: Any) -> bool:
    """Whether this is a table of pandas, polars or Arrow, or one that speaks Arrow; not one that
    stays in its engine, as those of Ibis do."""
    if isinstance(source, (pl.DataFrame, pl.LazyFrame)):
        return True
    origin = type(source).__module__.partition(".")[0]
    if origin == "pandas":
        return hasattr(source, "columns")
    return origin != "ibis" and hasattr(source, "__arrow_c_stream__")


def from_rows(rows: Sequence[Mapping[str, Any]], where: str = "the list of rows") -> pl.DataFrame:
    """A frame of dicts, one row each; `where` they come from is for the error message."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    CELLS.allow(len(rows) * len(names), where)
    return pl.DataFrame(
        [_kept(name, [row.get(name) for row in rows], keeps_nan=True) for name in names]
    )


def _kept(name: str, values: list[Any], *, keeps_nan: bool = False) -> pl.Series:
    """A column of Python objects, dicts as they are if all are."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, Mapping) for value in present):
        return pl.Series(name, values, dtype=pl.Object)
    return from_objects(name, values, keeps_nan=keeps_nan)


def _plain(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if kind.is_float():
        return column.cast(pl.Float64).fill_nan(None)
    if kind.is_decimal():
        return column.cast(pl.Float64)
    if kind in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if kind == pl.Object:
        return _kept(column.name, column.to_list())
    if kind == pl.Null:
        return column.cast(pl.Float64)
    return column


def _from_pandas(frame: Any, index: bool) -> pl.DataFrame:
    names = [str(name) for name in frame.columns]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise HistoryError(f"the column {repeated[0]!r} occurs twice in the table")
    columns = {}
    for level, name in enumerate(frame.index.names if index else ()):
        if name is not None and str(name) not in names:
            columns[str(name)] = frame.index.get_level_values(level)
    columns |= {name: frame.iloc[:, i] for i, name in enumerate(names)}
    return pl.DataFrame([_from_pandas_column(name, column) for name, column in columns.items()])


def _from_pandas_column(name: str, column: Any) -> pl.Series:
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, np.dtype) and kind in "biuf":
        return pl.Series(name, column.to_numpy())
    values = [None if missing else v for v, missing in zip(column.astype(object), column.isna())]
    if kind == "M":
        return pl.Series(name, [None if v is None else v.to_pydatetime(warn=False) for v in values])
    return from_cells(name, values)


def from_cells(name: str, values: list[Any]) -> pl.Series:
    """A column of cells as people fill them in: numbers, dates, text, and numbers in text with
    decimal commas beside real ones."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, date) for value in present):
        return pl.Series(name, _converted(values, _midnight))
    texts = [value for value in present if isinstance(value, str)]
    if texts and len(texts) < len(present):
        look = look_at(pl.Series(texts))
        whole = all(isinstance(v, (str, int)) for v in present)
        if look.fits == {"comma"} and not look.percent and not (whole and may_be_lists(look)):
            numbers = dict(zip(look.raw, numbers_in(look, "comma")))
            values = [numbers.get(v) if isinstance(v, str) else v for v in values]
    return _kept(name, values)


def _midnight(day: date) -> datetime:
    return day if isinstance(day, datetime) else datetime.combine(day, time())


def from_objects(name: str, values: list[Any], *, keeps_nan: bool = False) -> pl.Series:
    """A column of Python objects: numbers if all are, booleans if all are, else text. NaN is
    missing, unless it is kept."""
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    if kinds <= {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds <= {int} and all(abs(value) < INTEGERS_END for value in present):
        return pl.Series(name, values, dtype=pl.Int64)
    if bool not in kinds and all(issubclass(kind, NUMBERS) for kind in kinds):
        numbers = pl.Series(name, _converted(values, as_float), dtype=pl.Float64)
        return numbers if keeps_nan else numbers.fill_nan(None)
    return pl.Series(name, _converted(values, _text), dtype=pl.String)


def as_float(number: Any) -> float:
    """The nearest float; an infinity for integers beyond all of them."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of name_, name__, … that is not taken."""
    while name in taken:
        name += "_"
    return name


def _converted(values: list[Any], convert: Callable[[Any], Any]) -> list[Any]:
    return [None if value is None else convert(value) for value in values]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
