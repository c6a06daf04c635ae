"""Text with a header and one row a line: what programs and spreadsheets call CSV.

Commas, semicolons, tabs or bars separate values; the encoding is UTF-8, UTF-16 or that of Windows.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Sequence

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.names import TASKS, is_label
from ringfence.history.readers.shared.header import (
    PREAMBLE,
    TablePart,
    column_names,
    header_row,
    repeats,
    tidy,
)
from ringfence.history.spreadsheets.notation import look_at, notation, with_meaning
from ringfence.incoming.limits import CELLS, COLUMNS
from ringfence.space.spellings import LEADING_ZERO

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]
"""What programs write for a missing value; the words of people are read later."""
SEPARATORS = (",", ";", "\t", "|")


def read_text(content: bytes, name: str, tabs: bool, task: str | None = None) -> TablePart:
    """The table in a CSV or TSV file. The separator is the most frequent one of the header. The
    column of the `task` holds names as they are written, whatever they look like."""
    content, notes = _utf8(content)
    try:
        return _read_utf8(content, name, tabs, task, notes)
    except UnicodeError:
        said = "the file is not UTF-8; read it as Windows text (cp1252)"
        content = content.decode("cp1252", "replace").encode()
        return _read_utf8(content, name, tabs, task, [said])


def _read_utf8(
    content: bytes, name: str, tabs: bool, task: str | None, notes: list[str]
) -> TablePart:
    """The table in UTF-8; UnicodeError if it is not."""
    lines = _first_lines(content)
    if lines and lines[0].lower().startswith("sep=") and len(lines[0]) == 5:  # a hint for Excel
        tabs, content, lines = False, content.split(b"\n", 1)[1], lines[1:]
    separator, above = ("\t", 0) if tabs else _layout(lines)
    if tabs:
        above = header_row([_filled(line, "\t") for line in lines])
    if above:
        notes.append(f"left out {above} row{'s' * (above != 1)} above the header")
        content = content.split(b"\n", above)[above]
        lines = lines[above:]
    cells = _cells(lines[0], separator) if lines else []
    COLUMNS.allow(len(cells), name)
    require_cells(content, separator, name)
    names = column_names(cells, name)
    written = _read(content, separator, name, as_text=True)
    tasks = [column for column in written.columns if _is_task(column, task)]
    has_zeros = written.select(pl.all().str.contains(LEADING_ZERO).any())
    zeros = [column.name for column in has_zeros if column.any()]
    frame = _typed(content, separator, name, [*tasks, *zeros], written)
    numbers = pl.Series(range(above + 2, above + 2 + frame.height), dtype=pl.UInt32)
    again = _headers(frame, cells)
    if again.any():  # without them, columns are numbers again
        notes += repeats(numbers.filter(again).to_list())
        numbers, written = numbers.filter(~again), written.filter(~again)
        content = written.write_csv(separator=separator).encode()
        frame = _typed(content, separator, name, [*tasks, *zeros], written)
    if separator != "," and _has_decimal_commas(frame):  # 1.234 is then a thousand and more
        frame = written
    frame = frame.with_columns(_whole(frame[column]) for column in tasks)
    return _part(frame, cells, names, name, numbers, notes)


def require_cells(content: bytes, separator: str, name: str) -> None:
    """FileError for more columns or cells than the limits: of a table with a wide header, a line
    is a byte. Rows are counted only if there may be too many, since quoted texts have lines."""
    width = _read(content, separator, name, as_text=True, most=0).width
    COLUMNS.allow(width, name)
    if width * (content.count(b"\n") + 1) > CELLS.most:
        rows = pl.scan_csv(content, separator=separator, infer_schema=False).select(pl.len())
        CELLS.allow(width * rows.collect().item(), name)


def _headers(frame: pl.DataFrame, cells: list[str]) -> pl.Series:
    """Which rows say again what the header says; then every column is text."""
    if frame.width != len(cells) or any(dtype != pl.String for dtype in frame.dtypes):
        return pl.repeat(False, frame.height, eager=True)
    same = [
        pl.col(name).fill_null("").str.strip_chars() == cell.strip()
        for name, cell in zip(frame.columns, cells)
    ]
    return frame.select(pl.all_horizontal(same)).to_series()


def _part(
    frame: pl.DataFrame,
    cells: list[str],
    names: list[str],
    where: str,
    numbers: pl.Series,
    notes: list[str],
) -> TablePart:
    if frame.width == len(names):  # a header with line breaks within quotes stays as polars has it
        frame.columns = names
        frame, said = tidy(frame, cells, where)
        notes += said
    if not frame.height:
        raise HistoryError(f"{where} has a header and no rows below it")
    filled = ~frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    return TablePart(where, frame.filter(filled), numbers.filter(filled), notes=tuple(notes))


def _is_task(name: str, task: str | None) -> bool:
    return name.strip().lower() in TASKS if task is None else name.strip() == task


def _whole(names: pl.Series) -> pl.Series:
    """Names of tasks that are integers, without the .0 that programs write beside a gap."""
    if not names.count() or not names.drop_nulls().str.contains(r"^[1-9]\d*\.0$").all():
        return names
    return names.str.strip_suffix(".0")


def _typed(
    content: bytes, separator: str, name: str, texts: Sequence[str], written: pl.DataFrame
) -> pl.DataFrame:
    """The table with types as polars infers them; as it is `written` if a number is larger than
    any of polars', which is then read as people's are."""
    try:
        return _read(content, separator, name, texts=texts)
    except pl.exceptions.ComputeError as error:
        if "could not parse" in str(error):
            return written
        raise


def _read(
    content: bytes,
    separator: str,
    name: str,
    texts: Sequence[str] = (),
    as_text: bool = False,
    most: int | None = None,
) -> pl.DataFrame:
    """The table, or the `most` first rows of it, with types as polars infers them, except for
    those that stay text."""
    try:
        return pl.read_csv(
            content,
            separator=separator,
            null_values=MISSING,
            infer_schema=not as_text,
            infer_schema_length=None,
            n_rows=most,
            schema_overrides=dict.fromkeys(texts, pl.String),
        )
    except pl.exceptions.ComputeError as error:
        if "utf-8" in str(error):
            raise UnicodeError from error
        if "more fields" in str(error):
            raise HistoryError(_too_wide(content, separator, name)) from error
        raise


def _utf8(content: bytes) -> tuple[bytes, list[str]]:
    """The content in UTF-8, as far as its first bytes tell."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16").encode(), ["the file is UTF-16, as Excel's Unicode text is"]
    content = content.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in content.rstrip(b"\n"):  # lines that end as on old Macs
        content = content.replace(b"\r", b"\n")
    return content, []


def _first_lines(content: bytes) -> list[str]:
    lines = content.split(b"\n", PREAMBLE)[:PREAMBLE]
    return [line.decode().rstrip("\r") for line in lines]


def _layout(lines: list[str]) -> tuple[str, int]:
    """The separator, and how many lines there are above the header."""
    for i, line in enumerate(lines):
        counts = {mark: _filled(line, mark) for mark in SEPARATORS}
        separator = max(SEPARATORS, key=lambda mark: counts[mark])
        if counts[separator] > 1:
            widest = max(_filled(later, separator) for later in lines[i:])
            if 2 * counts[separator] >= widest:
                return separator, i
    return ",", header_row([_filled(line, ",") for line in lines])


def _filled(line: str, separator: str) -> int:
    """How many cells of a line are filled."""
    return sum(bool(cell.strip()) for cell in _cells(line, separator))


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:  # no text; what reads it all will say so
        return line.split(separator)


def _has_decimal_commas(frame: pl.DataFrame) -> bool:
    texts = [n for n, dtype in frame.schema.items() if dtype == pl.String and not is_label(n)]
    columns = (frame[name] for name in with_meaning(frame, texts))
    return any(notation(look_at(column)) == "comma" for column in columns)


def _too_wide(content: bytes, separator: str, name: str) -> str:
    """The message for a row with more cells than the header."""
    rows = csv.reader(content.decode(errors="replace").splitlines(), delimiter=separator)
    hint = "; decimal commas need quotes, or semicolons between values" if separator == "," else ""
    try:
        width = len(next(rows))
        number, row = next((i, r) for i, r in enumerate(rows, 2) if len(r) > width)
    except (csv.Error, StopIteration):  # a text of 131,072 letters, a line that ends otherwise
        return f"{name}: a row has more values than the header has names{hint}"
    return f"{name}, row {number}: {len(row)} values, but the header has {width} names{hint}"
