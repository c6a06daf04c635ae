"""The header of a table that people keep by hand: where it is, and which columns it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.names import is_label
from ringfence.history.tables import require_literal

PREAMBLE = 20
"""The header is looked for in so many rows; what stands above it is a title."""


@dataclass(frozen=True)
class TablePart:
    """The table of one file."""

    name: str
    frame: pl.DataFrame
    numbers: pl.Series | None = None
    """The number of each row in the file; None if they count from 0."""
    unit: str = "row"
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    """The sheets of a file of several whose first was read because none was named."""


def header_row(filled: Sequence[int]) -> int:
    """Which of the first rows is the header, given how many cells of each are filled: the first
    that is at least half as wide as the widest. A title above it has a cell or two."""
    widest = max(filled, default=0)
    rows = (i for i, count in enumerate(filled) if count and 2 * count >= widest)
    return next(rows, 0)


def column_names(cells: Sequence[str], where: str) -> list[str]:
    """A name for each column; those without one, and repeated ones, get one from their place."""
    names: dict[str, None] = {}
    for i, cell in enumerate(cells):
        name = cell.strip() or f"unnamed:{i}"
        names[name if name not in names else f"{name} (column {letter(i)})"] = None
    _require_names(cells, where)
    require_literal(names)
    return list(names)


def tidy(
    frame: pl.DataFrame, cells: Sequence[str], where: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The table without empty columns that have no name, and without columns that say again what
    another of the same name says. Two of one name that differ are an error."""
    blank = [c for c in frame.columns if c.startswith("unnamed:") and not frame[c].count()]
    notes = []
    places: dict[str, int] = {}
    for i, name in enumerate(cell.strip() for cell in cells):
        first = places.setdefault(name, i)
        if not name or first == i:
            continue
        again = frame.columns[i]
        if frame[again].equals(frame[frame.columns[first]], null_equal=True):
            blank.append(again)
            notes.append(f"the column {name!r} occurs twice with the same values; took it once")
        elif not is_label(name):
            raise HistoryError(
                f"the column {name!r} occurs twice in the header of {where}, as columns "
                f"{letter(first)} and {letter(i)}, with different values; rename or delete one"
            )
    return frame.drop(blank), tuple(notes)


def repeats(rows: Sequence[int]) -> tuple[str, ...]:
    """What to say of the rows, by their numbers, that say again what the header says."""
    if not rows:
        return ()
    shown = f"{len(rows)} row{'s' * (len(rows) != 1)} that repeat{'s' * (len(rows) == 1)}"
    return (f"left out {shown} the header (first: row {rows[0]})",)


def letter(index: int) -> str:
    """What spreadsheets call the column at this position (from 0): A, B, …, Z, AA, …"""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _require_names(cells: Sequence[str], where: str) -> None:
    """Raise HistoryError for a first row of values. Numbers can be names (0, 1, 2 of an array),
    but then they count the columns."""
    numbers = [number for cell in cells if (number := _number(cell)) is not None]
    fractions = [number for number in numbers if number % 1]
    counting = [int(n) for n in numbers if not n % 1] in (
        list(range(len(numbers))),
        list(range(1, len(numbers) + 1)),
    )
    if fractions or (2 * len(numbers) >= len(cells) and numbers and not counting):
        shown = ", ".join(cells[:4])
        raise HistoryError(
            f"{where} has no header row: its first row holds values ({shown}…); add a row with the "
            "names of the columns"
        )


def _number(cell: str) -> float | None:
    try:
        number = float(cell.strip().replace(",", "."))
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None
