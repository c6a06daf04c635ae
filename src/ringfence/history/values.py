"""A table's values as numbers: what a parameter's column says, whatever type the table gave it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from ringfence import words
from ringfence.errors import HistoryError, SpaceError
from ringfence.space import Categorical, Choice, Constant, Float, Int, Parameter, choice_key
from ringfence.space.spellings import LEADING_ZERO, spelling_key

WRITTEN = ":"
"""In front of a column's name: the column of its cells as they were written, where they hold no
number. No parameter's name begins so."""
LACKS = ":lacks:"
"""In front of a parameter's name: the column that is true where the source of a row does not have
the parameter, so that a missing value is neither None nor inactive."""
ROUNDING = 1e-7
"""Relative distance from a bound that counts as rounding, as of single precision."""


def describe(parameter: Parameter) -> str:
    """What a parameter accepts, in words."""
    if isinstance(parameter, Categorical):
        return f"one of {words.choices(parameter.choices)}"
    if isinstance(parameter, Constant):
        return f"the constant {parameter.value}"
    kind = "an integer" if isinstance(parameter, Int) else "a number"
    words_of_off = "" if parameter.off is None else f"{parameter.off:g} or "
    return f"{words_of_off}{kind} from {parameter.low:g} to {parameter.high:g}"


def require_plain(column: pl.Series) -> None:
    """Raise HistoryError unless the column holds numbers, text or booleans."""
    kind = column.dtype
    if not (kind.is_numeric() or kind in (pl.String, pl.Boolean)):
        raise HistoryError(
            f"the column {column.name!r} holds {kind}; only numbers, text and booleans can be used"
        )


def without_values(table: pl.DataFrame, name: str, mask: pl.Series) -> pl.DataFrame:
    """The table with the cells of a column where the mask is true as missing; a column beside it
    keeps what was written there."""
    column = table[name]
    written = pl.select(pl.when(mask).then(column.cast(pl.String))).to_series()
    gone = pl.when(mask).then(None).otherwise(column)
    return with_written(table.with_columns(gone.alias(name)), name, written)


def with_written(table: pl.DataFrame, name: str, cells: pl.Series) -> pl.DataFrame:
    """The table with the cells of a column as they were written, where these are not null."""
    beside = f"{WRITTEN}{name}"
    if beside in table.columns:
        cells = cells.zip_with(cells.is_not_null(), table[beside])
    return table.with_columns(cells.alias(beside))


def as_written(table: pl.DataFrame, name: str, row: int) -> object:
    """A cell as it was written."""
    beside = f"{WRITTEN}{name}"
    shown = table[beside][row] if beside in table.columns else None
    return table[name][row] if shown is None else shown


def as_number(column: pl.Series) -> pl.Series:
    """The column as floats; null where it is not a number."""
    require_plain(column)
    if column.dtype == pl.String:
        column = column.str.strip_chars()
    return column.cast(pl.Float64, strict=False)


def numbers_of(parameter: Parameter, raw: pl.Series) -> pl.Series:
    """The column as numbers, positions among the choices for categories: NaN for a value that is
    not one of the parameter's, null for a missing one. What rounding put past a bound is put back.
    """
    require_plain(raw)
    if isinstance(parameter, (Float, Int)):
        numbers = _within(parameter, as_number(raw).fill_null(math.nan))
        return pl.select(pl.when(raw.is_null()).then(None).otherwise(numbers)).to_series()
    choices = parameter.choices if isinstance(parameter, Categorical) else (parameter.value,)
    values = [value for value in raw.unique().to_list() if value is not None]
    positions = [position_of(choices, value) for value in values]
    column = raw.replace_strict(values, positions, default=None, return_dtype=pl.Float64)
    # Tables write None as text, and text that says None may have been read as nothing.
    nothing = [number for number, choice in enumerate(choices) if choice in (None, "None")]
    return column.fill_null(float(nothing[0])) if len(nothing) == 1 else column


def wanted_numbers(parent: Parameter, values: Sequence[Choice]) -> list[float]:
    """The values of a condition as `numbers_of` has them."""
    if isinstance(parent, Categorical):
        return [float(i) for value in values if (i := parent.index(value)) is not None]
    return [float(value) for value in values if isinstance(value, (int, float))]


def _within(parameter: Float | Int, values: pl.Series) -> pl.Series:
    """The values inside the range, with slivers of rounding cut off, and those that switch off; NaN
    for the others."""
    low, high = float(parameter.low), float(parameter.high)
    scale = max(abs(low), abs(high))
    below, above = (abs(low), abs(high)) if parameter.log else (scale, scale)
    inside = values.is_between(low - ROUNDING * below, high + ROUNDING * above)
    is_off = values == parameter.off if parameter.off is not None else pl.lit(False)
    if isinstance(parameter, Int):
        integers = values.round()
        inside &= (values - integers).abs() <= ROUNDING * integers.abs().clip(1.0)
        values = integers
    clipped = values.clip(low, high)
    kept = pl.when(is_off).then(values).when(inside).then(clipped)
    return pl.select(kept.otherwise(math.nan)).to_series()


def position_of(choices: Sequence[Choice], value: object) -> float:
    """Position of a value among the choices, NaN if it is none of them. The exact value
    wins; else tables may have turned numbers and booleans into text, or text into numbers."""
    for same in (_same_value, _same_text):
        for position, choice in enumerate(choices):
            if same(choice, value):
                return float(position)
    alike = [i for i, choice in enumerate(choices) if _same_spelling(choice, value)]
    return float(alike[0]) if len(alike) == 1 else math.nan


def require_apart(choices: Sequence[Choice], column: pl.Series) -> None:
    """Raise SpaceError if two choices are the same cell of the column that holds them all, as 1
    and "1" are once both are text."""
    for choice, cell in zip(choices, column):
        other = choice if cell is None else choices[int(position_of(choices, cell))]
        if choice_key(other) != choice_key(choice):
            raise SpaceError(
                f"its choices {choice!r} and {other!r} cannot be told apart in a column of a table"
            )


def one_of_each(choices: Iterable[Choice]) -> list[Choice]:
    """The choices, those that are the same in a column of mixed types once: 16 for 16 and "16",
    True for True, "true" and 1. Text gives way, and a number to a boolean."""
    kept: list[Choice] = []
    for choice in choices:
        same = [i for i, k in enumerate(kept) if _same_value(k, choice) or _same_text(k, choice)]
        if not same:
            kept.append(choice)
        elif _rank(choice) > _rank(kept[same[0]]):
            kept[same[0]] = choice
    return kept


def _rank(choice: Choice) -> int:
    return 2 if isinstance(choice, bool) else int(not isinstance(choice, str))


def other_spellings(parameter: Parameter, raw: pl.Series) -> dict[str, str]:
    """The texts of a column that are a choice in another case, or with blanks around it."""
    if raw.dtype != pl.String or not isinstance(parameter, Categorical):
        return {}
    exact = {label for choice in parameter.choices for label in _labels(choice)}
    others = {}
    for text in raw.drop_nulls().unique().sort().to_list():
        if text in exact or not math.isfinite(position := position_of(parameter.choices, text)):
            continue
        choice = str(parameter.choices[int(position)])
        if text != choice and spelling_key(text) == spelling_key(choice):
            others[text] = choice
    return others


def _same_spelling(choice: Choice, value: object) -> bool:
    return (
        isinstance(choice, str)
        and isinstance(value, str)
        and spelling_key(choice) == spelling_key(value)
    )


def _same_value(choice: Choice, value: object) -> bool:
    return choice_key(choice) == choice_key(value)


def _same_text(choice: Choice, value: object) -> bool:
    if choice is None:
        return False
    return not set(_labels(choice)).isdisjoint(_labels(value))


def _labels(value: object) -> Iterator[str]:
    """What the value may look like elsewhere: True as "true" or 1, 16 as "16" or 16.0;
    007 as nothing else."""
    if isinstance(value, bool):
        yield str(value).lower()
        yield repr(float(value))
        return
    text = str(value).strip()
    yield text.lower() if text.lower() in ("true", "false") else text
    if re.match(LEADING_ZERO, text):
        return
    try:
        yield repr(float(text))
    except ValueError:
        return
