"""Cells of text that stand for numbers, booleans or nothing: what spreadsheets make of values.

A column is judged as a whole. Its numbers have either a decimal point (1,234.5) or a decimal comma
(1.234,5); blanks and apostrophes may group thousands in both. A column that could be either, such
as one of 1,234 alone, is settled by the other columns, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl

from ringfence.space.spellings import FLAGS, LEADING_ZERO, PAIRS

Decimal: TypeAlias = Literal["point", "comma"]

MISSING_WORDS = (
    "", "na", "n/a", "#n/a", "nan", "-nan", "null", "nil", "-", "--", "–", "—", "?", "missing",
    "n.d.", "n.a.",
    "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#nv", "#wert!", "<na>", "nat",
)  # fmt: skip
"""What stands in a cell without a value, in lower case; #… are the errors of spreadsheets."""
NONE = "none"
"""Python's word. Among texts, 'None' is the value None and 'none' a choice called so."""
BLANKS = " \t\r\n\u00a0\u202f\u2009"
"""The usual blanks, and those that keep thousands on one line."""

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_INFINITY = r"|(?i:inf|infinity)"
_GROUPS = r"[1-9][0-9]{0,2}(?:['’ \u00a0\u202f\u2009][0-9]{3})+"


def _pattern(mark: str, group: str) -> str:
    """Numbers with this decimal mark; Rust's \\d would also be the digits of other scripts."""
    integer = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+|{_GROUPS})"
    number = rf"(?:{integer}(?:{mark}[0-9]*)?|{mark}[0-9]+)"
    return rf"^[+-]?(?:{number}{_EXPONENT}{_INFINITY})$"


PATTERNS: dict[Decimal, str] = {"point": _pattern(r"\.", ","), "comma": _pattern(",", r"\.")}

INTEGERS = r"^[1-9]\d*(,([1-9]\d*|0))*$"
"""One integer or several; a list does not begin with 0, and 0,5 does."""

_WORDS = "|".join(
    map(re.escape, (*MISSING_WORDS, NONE, *(word for pair in PAIRS[:2] for word in pair)))
)
MEANING = rf"^(?:(?:{_WORDS})$|[+−-]?(?:[.,]?[0-9]|inf))"
"""What a cell without blanks, in lower case, looks like if it may stand for anything but itself:
it begins as numbers do, or says nothing, None, true or false (PAIRS)."""


@dataclass(frozen=True)
class TextColumn:
    """The different cells of a column of text, and what they could be."""

    raw: pl.Series
    """The different cells as they are, missing ones aside."""
    counts: pl.Series
    """How often each occurs."""
    cells: pl.Series
    """Stripped of blanks and per cent signs; null where there is no value."""
    is_none: pl.Series
    """Which of them say None."""
    percent: bool
    """Whether there are per cent signs."""
    fits: frozenset[Decimal]
    """The notations in which every cell is a number."""

    @property
    def shown(self) -> pl.Series:
        """The different values."""
        return self.cells.drop_nulls().unique()

    @property
    def nones(self) -> int:
        """How many cells say None."""
        return int(self.counts.filter(self.is_none).sum())

    def placed(self, column: pl.Series, values: pl.Series) -> pl.Series:
        """The values in the places of the raw cells that they stand for."""
        return column.replace_strict(
            self.raw, values, default=None, return_dtype=values.dtype
        ).alias(column.name)


def with_meaning(table: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """Those of the columns of text in which a cell may stand for anything but itself. All of them
    in one go: to look at each takes a millisecond, and a table may have thousands."""
    cells = pl.col(names).unique().str.strip_chars().str.to_lowercase()
    found = table.select(cells.str.contains(MEANING).any())
    return [column.name for column in found if column.any()]


def look_at(column: pl.Series, *, zeros: bool = False) -> TextColumn:
    """What the cells of a column of text could be. Only its different cells are looked at. With
    `zeros`, numbers may have some in front."""
    table = column.drop_nulls().value_counts(name=":count")
    raw, counts = table.get_columns()
    cells = raw.str.strip_chars(BLANKS)
    lower = cells.str.to_lowercase()
    is_none = lower == NONE
    none = pl.lit(None, pl.String)
    gone = lower.is_in(MISSING_WORDS) | is_none
    cells = pl.select(pl.when(gone).then(none).otherwise(cells)).to_series()
    percent = bool(cells.str.ends_with("%").any())
    if percent:
        cells = cells.str.strip_suffix("%").str.strip_chars(BLANKS)
    cells = cells.str.replace("−", "-", literal=True)
    shown = cells.drop_nulls()
    fits: frozenset[Decimal] = frozenset()
    if len(shown) and (zeros or not shown.str.contains(LEADING_ZERO).any()):
        fits = frozenset(k for k, pattern in PATTERNS.items() if shown.str.contains(pattern).all())
    return TextColumn(raw, counts, cells, is_none, percent, fits)


def notation(column: TextColumn) -> Decimal | None:
    """The notation that a column of numbers itself tells; None if it could be either, or if none
    of its cells has a mark."""
    shown = column.shown
    if not column.fits or not shown.str.contains("[.,]").any():
        return None
    return next(iter(column.fits)) if len(column.fits) == 1 else _by_groups(shown)


def is_open(column: TextColumn) -> bool:
    """Whether nothing in a column of numbers tells if its commas mark thousands or decimals. Of
    points alone, as in 1.234, programs and most people make decimals."""
    has_comma = bool(column.fits) and bool(column.shown.str.contains(",", literal=True).any())
    return has_comma and notation(column) is None


def may_be_lists(column: TextColumn) -> bool:
    """Whether the cells could be lists of integers, such as 64,32 or 128,128: no part begins with a
    zero, as those of 0,5 and 1,024 do. With one digit before three, 1,234 is a number."""
    shown = column.shown
    lists = shown.filter(shown.str.contains(",", literal=True))
    if column.percent or not len(lists) or not shown.str.contains(INTEGERS).all():
        return False
    return not (lists.str.contains(r"^\d{1,3}(,\d{3})+$").all() and lists.str.contains("^.,").any())


def _by_groups(cells: pl.Series) -> Decimal | None:
    """For cells such as 512 and 1,024, whose comma could mark thousands or decimals: if a number
    below 1000 has none, it marks thousands; if one from 1000 on has none, decimals."""
    bare = cells.filter(~cells.str.contains("[.,]")).cast(pl.Float64, strict=False).abs()
    if not len(bare) or not cells.str.contains(",", literal=True).any():
        return None
    return "comma" if (bare >= 1000).any() else "point"


def numbers(column: TextColumn, decimal: Decimal) -> pl.Series:
    """The cells as numbers, shares where they have per cent signs; integers if all are."""
    mark, group = (".", ",") if decimal == "point" else (",", ".")
    text = column.cells.str.replace_all(f"['’ \u00a0\u202f\u2009{group}]", "")
    text = text.str.replace(mark, ".", literal=True)
    if column.percent:  # 99.9 % is what 99.9e-2 is, which a division would not give exactly
        bare = text.str.contains(r"^[^a-zA-Z]*$")
        shares = pl.when(bare).then(text + "e-2").otherwise(None).cast(pl.Float64)
        return pl.select(shares.fill_null(text.cast(pl.Float64) / 100.0)).to_series()
    integers = text.drop_nulls().str.contains(r"^[+-]?\d{1,18}$").all()
    return text.cast(pl.Int64 if integers else pl.Float64)


def booleans(column: TextColumn) -> pl.Series | None:
    """The cells as booleans if all are: True and TRUE are how Python and spreadsheets write it,
    WAHR a German one. Beside them, 1 and 0, yes and no are the same; yes and no alone are words."""
    lower = column.cells.str.to_lowercase()
    shown = lower.drop_nulls()
    if column.percent or not len(shown) or not shown.is_in(list(FLAGS)).all():
        return None
    pairs = [pair for pair in PAIRS if shown.is_in(pair).any()]
    if len(pairs) == 1 and pairs[0] not in PAIRS[:2]:
        return None
    return lower.replace_strict(FLAGS, default=None, return_dtype=pl.Boolean)


def common(notations: Iterable[Decimal | None]) -> Decimal | None:
    """The notation of all that have one; None if none has, or they differ."""
    found = set(notations) - {None}
    return found.pop() if len(found) == 1 else None
