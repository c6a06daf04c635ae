"""Excel files (.xlsx): the values of one sheet, as they were last calculated."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ringfence.errors import HistoryError, MissingExtraError
from ringfence.history.readers.shared.header import (
    PREAMBLE,
    TablePart,
    column_names,
    header_row,
    repeats,
    tidy,
)
from ringfence.history.tables import from_cells
from ringfence.incoming.limits import BYTES, CELL, CELLS, COLUMNS
from ringfence.incoming.parsing import guarded
from ringfence.words import some


def read_excel(content: bytes, name: str, sheet: str | int | None) -> TablePart:
    """The table on the first sheet, or on the one of this name or number (from 1). Formulas have
    the value that the spreadsheet calculated last, cells shown as 95 % are 0.95."""
    rows, titles, filled = _rows(content, name, sheet)
    if sheet is not None or len(titles) == 1:
        return _part(rows, name)
    try:
        part = _part(rows, name)
    except HistoryError as error:
        raise HistoryError(f"{error}{on_other_sheets(filled)}") from None
    said = f"read the first of the sheets {some(titles)}; sheet=… (--option sheet=…) reads another"
    return replace(part, notes=(said, *part.notes), sheets=tuple(filled))


def on_other_sheets(titles: Sequence[str]) -> str:
    """What to do if the first sheet holds no runs, in words; empty if the others are blank."""
    if len(titles) < 2:
        return ""
    return (
        f"; this is the first of its sheets, {some(titles)}; say which one has the runs, such as "
        f"sheet={titles[1]!r} (--option sheet=…)"
    )


def _part(rows: list[tuple[Any, ...]], name: str) -> TablePart:
    """The table in the rows of a sheet."""
    filled = [sum(cell is not None for cell in row) for row in rows[:PREAMBLE]]
    above = header_row(filled)
    if not any(filled):
        raise HistoryError(f"{name}: the sheet is empty")
    width = max(len(row) for row in rows)
    rows = [(*row, *[None] * (width - len(row))) for row in rows]
    cells = ["" if cell is None else str(cell) for cell in rows[above]]
    names = column_names(cells, name)
    header, first = rows[above], above + 2
    again = [i for i, row in enumerate(rows[above + 1 :], first) if row == header]
    kept = sorted(set(range(first, len(rows) + 1)).difference(again))
    numbers = pl.Series(kept, dtype=pl.UInt32)
    values = list(zip(*(rows[i - 1] for i in numbers))) or [()] * width
    frame = pl.DataFrame([from_cells(n, list(column)) for n, column in zip(names, values)])
    if not frame.height:
        raise HistoryError(f"{name} has a header and no rows below it")
    frame, said = tidy(frame, cells, name)
    is_filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    notes = (
        [f"left out {above} row{'s' * (above != 1)} above the header"]
        if any(filled[:above])
        else []
    )
    return TablePart(
        name,
        frame.filter(is_filled),
        numbers.filter(is_filled),
        notes=(*notes, *repeats(again), *said),
    )


def _rows(
    content: bytes, name: str, sheet: str | int | None
) -> tuple[list[tuple[Any, ...]], list[str], list[str]]:
    """The values of each row, blank text as None; the names of all sheets, and of the first and
    those others that hold a table."""
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        raise MissingExtraError("openpyxl", "excel") from error
    with guarded(name, "xlsx"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            BYTES.allow(sum(entry.file_size for entry in archive.infolist()), name)
        with warnings.catch_warnings(action="ignore"):  # on styles and validations we do not read
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            titles = [page.title for page in book.worksheets]
            page = _page(book.worksheets, name, sheet)
            page.reset_dimensions()  # some programs write them wrong
            rows = _values(page, name)
            filled = [
                titles[0],
                *(other.title for other in book.worksheets[1:] if _is_table(other)),
            ]
            book.close()
    while rows and not any(cell is not None for cell in rows[-1]):
        rows.pop()
    return rows, titles, filled


def _is_table(page: Any) -> bool:
    """Whether the first rows of a sheet hold two of two values or more: a header and a run."""
    page.reset_dimensions()
    rows = page.iter_rows(values_only=True, max_row=PREAMBLE + 1)
    return sum(sum(_value(cell) is not None for cell in row) > 1 for row in rows) > 1


def _values(page: Any, name: str) -> list[tuple[Any, ...]]:
    """The rows of a sheet, which has every cell up to its last one, however far away that is."""
    rows: list[tuple[Any, ...]] = []
    width = letters = 0
    for row in page.iter_rows(values_only=True):
        width = max(width, len(row))
        COLUMNS.allow(width, name)
        letters += sum(len(cell) for cell in row if isinstance(cell, str))  # many share one text
        CELLS.allow(width * len(rows), name)
        BYTES.allow(CELL * width * len(rows) + letters, name)
        rows.append(tuple(map(_value, row)))
    return rows


def _page(pages: Sequence[Any], name: str, sheet: str | int | None) -> Any:
    titles = [page.title for page in pages]
    if sheet is None:
        return pages[0]
    if sheet in titles:
        return pages[titles.index(str(sheet))]
    number = int(sheet) if str(sheet).isdecimal() else 0
    if not 1 <= number <= len(pages):
        raise HistoryError(f"{name} has no sheet {sheet!r}; its sheets are {some(titles)}")
    return pages[number - 1]


def _value(cell: Any) -> Any:
    return None if isinstance(cell, str) and not cell.strip() else cell
