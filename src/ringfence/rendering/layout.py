"""Sentences and tables as lines that fit a width, with tones that a terminal shows as colors.

A text is a list of parts: sentences, tables, and choices between a wide way to say something and a
narrower one. Without a width nothing is folded, shortened or left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, TypeAlias

from ringfence.words import plain, shortened

Tone: TypeAlias = Literal["good", "unsure", "bad", "title", "mark"]
Paint: TypeAlias = Callable[[str, Tone], str]

GAP = 2  # blanks between columns
INDENT = 2  # blanks before what is left of a sentence that did not fit its line
NARROWEST = 40  # columns: nothing readable is narrower


class Toned(str):
    """Text that a terminal may color."""

    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Toned:
        """The text with its tone."""
        toned = super().__new__(cls, text)
        toned.tone = tone
        return toned


Sentence: TypeAlias = str | tuple[str, ...]
"""Text, or pieces of it one after the other, some of them toned."""


@dataclass(frozen=True)
class Table:
    """Rows of cells, the first of them the head."""

    rows: Sequence[Sequence[str]]
    floors: Mapping[int, int] = field(default_factory=dict)
    """Columns whose cells may be shortened in the middle, each with the width that it keeps."""
    right: Sequence[int] = ()
    """Columns that end flush, as numbers do."""

    def widths(self) -> list[int]:
        """The width of each column as it comes."""
        return [max(map(columns_of, cells)) for cells in zip(*self.rows)]


@dataclass(frozen=True)
class Either:
    """Ways to say the same, the widest first: the first one that fits is taken, else the last."""

    ways: Sequence[Sequence[Part]]


Part: TypeAlias = Sentence | Table | Either


def lay_out(
    parts: Sequence[Part], width: int | None = None, paint: Paint | None = None
) -> list[str]:
    """The parts as lines of at most `width` columns, but for words that are longer themselves."""
    width = None if width is None else max(width, NARROWEST)
    return [line for part in parts for line in _lines(part, width, paint)]


def _lines(part: Part, width: int | None, paint: Paint | None) -> Iterator[str]:
    if isinstance(part, Either):
        fitting = (way for way in part.ways if _fits(way, width))
        yield from lay_out(next(fitting, part.ways[-1]), width, paint)
    elif isinstance(part, Table):
        yield from _table_lines(part, width, paint)
    else:
        yield from _folded((part,) if isinstance(part, str) else part, width, paint)


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes, once it is plain."""
    text = plain(text)
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _fits(parts: Sequence[Part], width: int | None) -> bool:
    """Whether nothing needs to be shortened."""
    if width is None:
        return True
    tables = [part for part in parts if isinstance(part, Table)]
    return all(_total(table.widths()) <= width for table in tables)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _table_lines(table: Table, width: int | None, paint: Paint | None) -> Iterator[str]:
    """The table; if it is too wide with its longest cells shortened, in several tables below each
    other, each with the first column."""
    if not table.rows:
        return
    widths = table.widths()
    if width is None:
        yield from _aligned(table, range(len(widths)), widths, paint)
        return
    narrowed = _narrowed(widths, table.floors, width)
    if _total(narrowed) <= width:
        widths = narrowed
    else:
        most = {column: max(floor, width // 3) for column, floor in table.floors.items()}
        widths = [min(own, most.get(column, own)) for column, own in enumerate(widths)]
    for number, columns in enumerate(_stacked(widths, width)):
        if number:
            yield ""
        yield from _aligned(table, columns, widths, paint)


def _narrowed(widths: Sequence[int], floors: Mapping[int, int], width: int) -> list[int]:
    """Widths with the longest of the columns that may be shortened cut first."""
    narrowed = list(widths)
    while _total(narrowed) > width:
        longest = max(
            (column for column, floor in floors.items() if narrowed[column] > floor),
            key=lambda column: narrowed[column] - floors[column],
            default=None,
        )
        if longest is None:
            break
        narrowed[longest] -= 1
    return narrowed


def _stacked(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """The columns of each table, the first column in all of them."""
    columns: list[int] = []
    for column in range(len(widths)):
        if len(columns) > 1 and _total([widths[c] for c in [*columns, column]]) > width:
            yield columns
            columns = [0]
        columns.append(column)
    yield columns


def _aligned(
    table: Table, columns: Sequence[int], widths: Sequence[int], paint: Paint | None
) -> Iterator[str]:
    for number, row in enumerate(table.rows):
        cells = []
        for column in columns:
            text = _cut(plain(row[column]), widths[column])
            blanks = " " * (widths[column] - columns_of(text))
            tone: Tone | None = getattr(row[column], "tone", None if number else "title")
            shown = paint(text, tone) if paint and tone and text else text
            cells.append(blanks + shown if column in table.right else shown + blanks)
        yield (" " * GAP).join(cells).rstrip()


def _cut(text: str, width: int) -> str:
    """The text with as much of its middle left out as the width asks for."""
    most = width
    while columns_of(text) > width:
        text, most = shortened(text, most), most - 1
    return text


def _folded(pieces: Sequence[str], width: int | None, paint: Paint | None) -> Iterator[str]:
    """A sentence on as many lines as it needs, broken at blanks."""
    letters = [
        (letter, getattr(piece, "tone", None)) for piece in pieces for letter in plain(piece)
    ]
    text = "".join(letter for letter, _ in letters)
    margin = len(text) - len(text.lstrip(" "))
    for number, (start, stop) in enumerate(_line_ends(text, width, margin)):
        runs = groupby(letters[start:stop], key=lambda pair: pair[1])
        parts = [(tone, "".join(letter for letter, _ in run)) for tone, run in runs]
        line = "".join(paint(part, tone) if paint and tone else part for tone, part in parts)
        yield " " * (margin + INDENT) + line if number else line


def _line_ends(text: str, width: int | None, margin: int) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends in the text; a word longer than a line stays whole."""
    start = stop = 0
    room = width
    for word in re.finditer(r"\S+", text):
        if room is not None and stop > start and columns_of(text[start : word.end()]) > room:
            yield start, stop
            start, room = word.start(), (width or 0) - margin - INDENT
        stop = word.end()
    yield start, stop
