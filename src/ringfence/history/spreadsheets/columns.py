"""A table as people keep it in a spreadsheet, its cells read for what they stand for.

Every conversion is said in a note; what cannot be decided is an error with the cell and a remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.spreadsheets.notation import (
    BLANKS,
    MISSING_WORDS,
    PATTERNS,
    Decimal,
    TextColumn,
    booleans,
    common,
    is_open,
    look_at,
    may_be_lists,
    notation,
    numbers,
    with_meaning,
)
from ringfence.space.spellings import LEADING_ZERO, PAIRS
from ringfence.words import some

Where = Callable[[int], str]

SLIPS = 0.1
"""Words in fewer than this share of a column's cells, the others being numbers, are slips."""
NUMBERS = 12
"""With more different numbers than this, a column was not meant as a list of choices."""

ANY_NUMBER = "|".join(f"(?:{pattern})" for pattern in PATTERNS.values())
"""A number in one of the notations."""


@dataclass(frozen=True)
class Cells:
    """A table whose texts that stand for something else were read."""

    table: pl.DataFrame
    notes: tuple[str, ...]
    nones: frozenset[str]
    """Columns in which a missing value was written as None."""
    words: Mapping[str, pl.Series]
    """For results that are words in some rows, these words; null in the other rows."""


def read_cells(
    table: pl.DataFrame,
    names: Collection[str],
    results: Collection[str],
    decimal: Decimal | None,
    where: Where,
) -> Cells:
    """The table with the columns of text among `names` as what they stand for. In the `results` a
    word is a missing number. `decimal` settles what could be either notation."""
    schema = table.schema  # made anew each time it is asked for
    written = [name for name in names if schema[name] == pl.String]
    meaning = {*results, *with_meaning(table, written)}
    texts = {
        name: look_at(table[name], zeros=name in results) for name in written if name in meaning
    }
    notes: list[str] = []
    words = {}
    for name in [name for name in results if name in texts and not texts[name].fits]:
        words[name] = _words(table[name], texts[name], notes)
        texts[name] = look_at(table[name].filter(words[name].is_null()), zeros=True)
    lists = set() if decimal else _lists(table, texts, results)
    settled = {name: text for name, text in texts.items() if name not in lists}
    decimals = _decimals(table, settled, decimal, where)
    converted, nones = [], set()
    said = _Said()
    for name, text in texts.items():
        column = table[name]
        if name in lists:
            _check_list(column, text, where)
            values = _choices(text)
            said.lists(name, text)
        elif text.fits:
            _check_percent(column, text, where)
            values = numbers(text, decimals[name])
            said.numbers(name, text, values, decimals[name])
        elif (values_or_none := booleans(text)) is not None:
            values = values_or_none
            said.booleans(name, text)
        else:
            _check_slips(column, text, where, may_be_objective=not results)
            values = _choices(text)
            said.names(name, text)
        if text.nones and values.filter(text.is_none).null_count():
            nones.add(name)
        said.missing(name, text, values)
        if values.dtype != pl.String or not values.equals(text.raw, null_equal=True):
            converted.append(text.placed(column, values))
    return Cells(table.with_columns(converted), (*notes, *said.notes), frozenset(nones), words)


def tidy_names(table: pl.DataFrame, task: str) -> tuple[pl.DataFrame, list[str]]:
    """The table with the names of tasks free of blanks around them."""
    column = table[task]
    if column.dtype != pl.String:
        return table, []
    raw = column.drop_nulls().unique()
    names = raw.str.strip_chars(BLANKS)
    notes = []
    if not names.equals(raw):
        table = table.with_columns(column.str.strip_chars(BLANKS).replace("", None))
        notes.append(f"blanks around the names in {task!r} are left out")
    names = names.unique().sort()
    twins = names.filter(names.str.to_lowercase().is_duplicated())
    if len(twins):
        notes.append(
            f"tasks that differ in case only are kept apart: {some(twins.to_list())}; "
            "give them one name if they are one task"
        )
    return table, notes


def _words(column: pl.Series, text: TextColumn, notes: list[str]) -> pl.Series:
    """The words of a result (OOM, diverged), which count as missing if most cells are numbers; null
    in the other rows."""
    bare = text.cells.str.strip_suffix("%").str.strip_chars()
    is_word = (~bare.str.contains(ANY_NUMBER)).fill_null(value=False)
    count = int(text.counts.filter(is_word).sum())
    if 2 * count >= int(text.counts.sum()):
        return pl.Series([None], dtype=pl.String).new_from_index(0, len(column))
    raw = text.raw.filter(is_word).sort().to_list()
    cells = (
        "1 cell without a number counts" if count == 1 else f"{count} cells without a number count"
    )
    notes.append(f"{column.name}: {cells} as missing ({some(raw, 3)})")
    is_gone = column.is_in(raw).fill_null(value=False)
    return pl.select(pl.when(is_gone).then(column)).to_series()


def _decimals(
    table: pl.DataFrame, texts: Mapping[str, TextColumn], decimal: Decimal | None, where: Where
) -> dict[str, Decimal]:
    """The notation of each column of numbers: its own, or else that of the others."""
    own = {name: notation(text) for name, text in texts.items() if text.fits}
    told = common(own.values())
    if not any(own.values()) and _has_fractions(table):
        told = "point"
    settled: dict[str, Decimal] = {}
    for name, text in texts.items():
        if not text.fits:
            continue
        found = decimal if decimal in text.fits else own[name] or told
        if found is None and is_open(text):
            index = table[name].str.contains(",", literal=True).arg_max() or 0
            cell = table[name][index].strip()
            raise HistoryError(
                f"{where(index)}, column {name!r}: nothing tells whether {cell!r} is "
                f"{cell.replace(',', '')} or {cell.replace(',', '.')}; say decimal='point' for the "
                "former or decimal='comma' for the latter (--option decimal=…)"
            )
        settled[name] = found if found in text.fits else next(iter(text.fits))
    return settled


def _lists(
    table: pl.DataFrame, texts: Mapping[str, TextColumn], results: Collection[str]
) -> set[str]:
    """The columns of commas that are no decimal commas, since the other columns have points."""
    lists = {name for name, text in texts.items() if name not in results and may_be_lists(text)}
    others = [text.fits for name, text in texts.items() if name not in lists and text.fits]
    points = _has_fractions(table) or {"point"} in others
    return lists if points and {"comma"} not in others else set()


def _check_list(column: pl.Series, text: TextColumn, where: Where) -> None:
    """Raise HistoryError if what may be lists are too many to be choices."""
    if len(text.shown) > NUMBERS:
        index = column.str.contains(",", literal=True).arg_max() or 0
        raise HistoryError(
            f"{where(index)}, column {column.name!r}: nothing tells whether {column[index]!r} is a "
            "number or a list, and the other columns have decimal points; say decimal='comma' or, "
            "for thousands, decimal='point' (--option decimal=…), write a list as [64,32], or "
            f"leave the column out (ignore={column.name!r}, --ignore …)"
        )


def _has_fractions(table: pl.DataFrame) -> bool:
    """Whether a column was read as numbers with a decimal point."""
    return any(c.dtype.is_float() and (c.drop_nulls() % 1 != 0).any() for c in table)


def _check_percent(column: pl.Series, text: TextColumn, where: Where) -> None:
    """Raise HistoryError if some cells have a per cent sign and others do not."""
    if not text.percent:
        return
    shown = text.cells.is_not_null()
    without = text.raw.filter(shown & ~text.raw.str.strip_chars().str.ends_with("%"))
    if len(without):
        cell = min(without.to_list(), key=lambda cell: column.index_of(cell) or 0)
        raise HistoryError(
            f"{where(column.index_of(cell) or 0)}, column {column.name!r}: {cell!r} has no per "
            "cent sign, and other cells have one; write all of them the same way"
        )


def _check_slips(
    column: pl.Series, text: TextColumn, where: Where, *, may_be_objective: bool
) -> None:
    """Raise HistoryError for a few words, or numbers with a zero in front, in a column of numbers,
    and for numbers in two notations."""
    both = _mixed_notations(text)
    if both is not None:
        raise HistoryError(
            f"column {column.name!r} has a decimal point in {both[0]!r} and a decimal comma in "
            f"{both[1]!r}; write all of them the same way"
        )
    is_slip = _slips(text)
    slips = text.raw.filter(is_slip).to_list()
    if not slips:
        return
    others = int(text.counts.filter(text.cells.is_not_null() & ~is_slip).sum())
    first = min(slips, key=lambda cell: column.index_of(cell) or 0)
    at = f"{where(column.index_of(first) or 0)}, column {column.name!r}: {first!r}"
    remedy = f"leave the column out (ignore={column.name!r}, --ignore …)"
    if pl.Series([first.strip()]).str.contains(ANY_NUMBER).all():
        raise HistoryError(
            f"{at} has a zero in front, as names have, and {others} other cells are numbers; write "
            f"it without, begin names with a letter, or {remedy}"
        )
    hint = (
        f"; if it is the objective, say objective={column.name!r} (--objective …), and the row "
        "is that of a failed run"
        if may_be_objective
        else ""
    )
    raise HistoryError(
        f"{at} is not a number, and {others} other cells are; correct or empty the cell, or "
        f"{remedy}{hint}"
    )


def _slips(text: TextColumn) -> pl.Series:
    """Which of the different cells are slips: a few words among many different numbers, or a few
    numbers with a zero in front. Where these are many, or all numbers have the same length, as
    codes have, they are names."""
    is_number = text.cells.str.contains(ANY_NUMBER).fill_null(value=False)
    is_zero = is_number & text.cells.str.contains(LEADING_ZERO).fill_null(value=False)
    is_word = text.cells.is_not_null() & ~is_number
    if is_zero.any() and text.cells.filter(is_number).str.len_chars().n_unique() == 1:
        return is_zero & False
    many = int((is_number & ~is_zero).sum()) > NUMBERS
    is_slip = is_zero | is_word if many else is_zero & (not is_word.any())
    cells = int(text.counts.filter(text.cells.is_not_null()).sum())
    return is_slip & (int(text.counts.filter(is_slip).sum()) < SLIPS * cells)


def _mixed_notations(text: TextColumn) -> tuple[str, str] | None:
    """A cell for each notation, if every cell is a number in one of the two."""
    matches = {kind: text.cells.str.contains(pattern) for kind, pattern in PATTERNS.items()}
    shown = text.cells.is_not_null()
    if not (matches["point"] | matches["comma"]).filter(shown).all():
        return None
    point = text.raw.filter((matches["point"] & ~matches["comma"]).fill_null(value=False))
    comma = text.raw.filter((matches["comma"] & ~matches["point"]).fill_null(value=False))
    return (point[0], comma[0]) if len(point) and len(comma) else None


def _choices(text: TextColumn) -> pl.Series:
    """The cells of a column of words. None is Python's None, unless the column has a choice that is
    called none; what stands for nothing is missing."""
    stripped = text.raw.str.strip_chars()
    gone = stripped.str.to_lowercase().is_in(MISSING_WORDS)
    if (stripped.filter(text.is_none) == "None").all():
        gone |= text.is_none
    return pl.select(pl.when(gone).then(None).otherwise(text.raw)).to_series()


class _Said:
    """What was converted, gathered by kind: a line for each, however many columns there are."""

    def __init__(self) -> None:
        self._columns: dict[str, list[str]] = {}
        self._examples: dict[str, str] = {}

    def numbers(self, name: str, text: TextColumn, values: pl.Series, decimal: Decimal) -> None:
        if text.percent:
            self._add("per cent signs as shares", name, text, values, "%")
        if decimal == "comma" and text.raw.str.contains(",", literal=True).any():
            self._add("decimal commas", name, text, values, ",")
        groups = "[,'’ \u00a0\u202f\u2009]" if decimal == "point" else "[.'’ \u00a0\u202f\u2009]"
        grouped = rf"\d{groups}\d"
        if text.cells.str.contains(grouped).any():
            self._add("marks of thousands", name, text, values, grouped)

    def booleans(self, name: str, text: TextColumn) -> None:
        """1 and 0, yes and no beside True and False."""
        cells = text.cells.str.to_lowercase()
        pairs = [f"{yes} and {no}" for yes, no in PAIRS[1:] if cells.is_in([yes, no]).any()]
        if pairs:
            self._columns.setdefault(f"{', '.join(pairs)} as True and False", []).append(name)

    def lists(self, name: str, text: TextColumn) -> None:
        """Commas that are neither decimal ones nor marks of thousands."""
        cell = text.raw.filter(text.raw.str.contains(",", literal=True)).sort()[0].strip()
        what = "lists, not numbers,"
        self._columns.setdefault(what, []).append(name)
        self._examples.setdefault(
            what,
            f": {cell} is a choice, since other columns have decimal points; decimal='comma' or "
            "'point' makes it a number",
        )

    def names(self, name: str, text: TextColumn) -> None:
        """Numbers that are kept as names for their zeros."""
        shown = text.cells.drop_nulls()
        zeros = shown.filter(shown.str.contains(LEADING_ZERO)).sort()
        if len(zeros) and shown.str.contains(ANY_NUMBER).all():
            self._columns.setdefault("numbers with leading zeros as names", []).append(name)
            self._examples.setdefault(
                "numbers with leading zeros as names", f": {zeros[0]} is no number"
            )

    def missing(self, name: str, text: TextColumn, values: pl.Series) -> None:
        words = text.raw.filter(values.is_null() & ~text.is_none).str.strip_chars()
        for word in words.unique().sort().to_list():
            if word:
                self._columns.setdefault(f"{word!r} as missing", []).append(name)

    def _add(self, what: str, name: str, text: TextColumn, values: pl.Series, pattern: str) -> None:
        self._columns.setdefault(what, []).append(name)
        has = text.raw.str.strip_chars().str.contains(pattern) & values.is_not_null()
        if what not in self._examples and has.any():
            raw, value = min(zip(text.raw.filter(has), values.filter(has)))
            self._examples[what] = f": {raw.strip()} is {value:g}"

    @property
    def notes(self) -> list[str]:
        return [
            f"read {what} in {some(columns)}{self._examples.get(what, '')}"
            for what, columns in self._columns.items()
        ]
