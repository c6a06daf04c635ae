"""Tables in files: CSV, TSV, Excel, JSON lines and Parquet; a file, a glob, or `-` for standard
input."""

from __future__ import annotations

import codecs
import glob
import io
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from mmap import ACCESS_READ
from mmap import mmap as mapped
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.names import TASKS
from ringfence.history.history import History, history_from
from ringfence.history.places import Places
from ringfence.history.readers.shared.delimited import read_text
from ringfence.history.readers.shared.excel import on_other_sheets, read_excel
from ringfence.history.readers.shared.folders import local_name
from ringfence.history.readers.shared.header import TablePart
from ringfence.history.roles import NamedColumns
from ringfence.history.spreadsheets.nested import flat
from ringfence.history.tables import from_rows, is_frame
from ringfence.incoming.content import gunzip, read_bytes, within_limit
from ringfence.incoming.limits import BYTES, CELLS, COLUMNS, DEPTH
from ringfence.incoming.parquet import require_sound
from ringfence.incoming.parsing import guarded, json_of

Format = Literal["csv", "tsv", "xlsx", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


SIGNATURES = {
    b"PK\x03\x04": "xlsx",
    b"PAR1": "parquet",
    b"\xd0\xcf\x11\xe0": "xls",
    b"\x1f\x8b": "gz",
}
"""What files of a kind begin with, whatever they are called; text has no such mark."""


TEXT = re.compile(rb'"((?:[^"\\\n]++|\\.)*+)("\s*:|"|)')
"""A text of JSON as it is written, and the colon behind it if it is a key."""
PIECE = 2**24
"""Bytes that are searched for keys at a time, for the sake of memory."""


def recognizes(source: Any) -> bool:
    """Whether the name of a file, or of a glob's files, ends like a table's."""
    if not isinstance(source, (str, PathLike)):
        return False
    name = str(fspath(source)).lower().removesuffix(".gz")
    return name == "-" or ("://" not in name and name.endswith(tuple(SUFFIXES)))


def read(
    source: Any,
    columns: NamedColumns,
    *,
    budget: str | None = None,
    status: str | None = None,
    format: Format | None = None,
    sheet: str | int | None = None,
) -> History:
    """Read past runs from a file, a glob such as `runs/*.csv`, `-` for standard input, or a frame.

    The format follows from the file's ending (`.gz` allowed for text) or from `format`; `budget`
    and `status` are columns, as in `History.from_frame`. Of an Excel file, `sheet` is the name of
    the sheet or its number from 1; the first by default.
    """
    if is_frame(source) or isinstance(source, (list, tuple)):
        return history_from(source, replace(columns, budget=budget, status=status))
    text, parts = read_parts(source, format, sheet, columns.task)
    table, places, notes = joined(parts)
    try:
        history = history_from(table, replace(columns, budget=budget, status=status), places)
    except HistoryError as error:
        sheets = next((part.sheets for part in parts if part.sheets), None)
        tasks = TASKS if columns.task is None else (columns.task.lower(),)
        if sheets is None or any(name.lower() in tasks for name in table.columns):
            raise
        raise HistoryError(f"{error}{on_other_sheets(sheets)}") from None
    name = Path(text).name if text != "-" else "standard input"
    return replace(history, source=name, notes=(*notes, *history.notes))


def read_parts(
    source: str | PathLike[str],
    format: Format | None = None,
    sheet: str | int | None = None,
    task: str | None = None,
) -> tuple[str, list[TablePart]]:
    """The source as text, and the table of each file behind it. The column of the `task`, if it is
    known, holds names."""
    text = local_name(source, "tables")
    if text == "-":
        return text, [_read_stdin(format, sheet, task)]
    return text, [_read_file(path, format, sheet, task) for path in _expand(text)]


def joined(parts: Sequence[TablePart]) -> tuple[pl.DataFrame, Places, list[str]]:
    """The tables as one, where its rows come from, and the notes on the files."""
    frames = [part.frame for part in parts]
    names = {name for frame in frames for name in frame.columns}
    CELLS.allow(len(names) * sum(frame.height for frame in frames), "the table of all files")
    table = frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")
    unit = parts[0].unit if len({part.unit for part in parts}) == 1 else "row"
    places = Places.of_files([(p.name, p.frame.height, p.numbers) for p in parts], unit)
    several = len(parts) > 1
    notes = [f"{part.name}: {n}" if several else n for part in parts for n in part.notes]
    return table, places, notes


def _expand(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        raise HistoryError(f"{text} is a folder; name a file, or a glob such as {text}/*.csv")
    if path.exists() or not glob.has_magic(text):
        return [path]
    files = sorted(Path(match) for match in glob.glob(text, recursive=True))  # noqa: PTH207
    if not files:
        raise HistoryError(f"no file matches {text}")
    return files


def _read_file(
    path: Path, format: Format | None, sheet: str | int | None, task: str | None
) -> TablePart:
    if path.is_file() and path.stat().st_size == 0:
        raise HistoryError(f"{path} is empty")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if format is None and (not suffixes or suffixes[-1] not in SUFFIXES):
        if suffixes and suffixes[-1] in (".xls", ".xlsb", ".ods", ".numbers"):
            raise HistoryError(f"{path}: save it as .xlsx or .csv in the spreadsheet program")
        known = ", ".join(SUFFIXES)
        raise HistoryError(
            f"{path}: cannot tell the format from the name; known are {known}, and other readers "
            "by format=…"
        )
    kind = format or SUFFIXES[suffixes[-1]]
    if kind == "parquet" and path.is_file():
        return _parse(path, kind, str(path), sheet, task)
    content = read_bytes(path)
    if suffixes != [suffix.lower() for suffix in path.suffixes]:
        content = gunzip(content, path)
    return _parse(content, kind, str(path), sheet, task)


def _read_stdin(format: Format | None, sheet: str | int | None, task: str | None) -> TablePart:
    content = within_limit(sys.stdin.buffer, "standard input")
    return _parse(content, format or _sniff(content), "standard input", sheet, task)


def _sniff(content: bytes) -> Format:
    if content[:4] == b"PAR1":
        return "parquet"
    if content[:2] == b"PK":
        return "xlsx"
    first = content.lstrip().split(b"\n", 1)[0]
    if first.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in first else "csv"


def _require_kind(content: bytes, format: Format, name: str) -> None:
    """Raise HistoryError if the first bytes tell of another kind of file than its name."""
    kind = next((kind for mark, kind in SIGNATURES.items() if content.startswith(mark)), "text")
    if kind == "xlsx" and b"xl/" not in content:
        kind = "zip"
    expected = {"xlsx": "xlsx", "parquet": "parquet"}.get(format, "text")
    if kind == expected or (kind, expected) == ("text", "parquet") or _is_binary(content, kind):
        return  # the reader itself says what is wrong
    remedy = {
        "xls": "save it as .xlsx in a spreadsheet program",
        "zip": "unpack it",
        "gz": "add .gz to its name",
        "text": "name it .csv, or say format='csv' (--format csv)",
    }.get(kind, f"name it .{kind}, or say format={kind!r} (--format {kind})")
    raise HistoryError(f"{name} cannot be read as {format}: its content is {kind}; {remedy}")


def _is_binary(content: bytes, kind: str) -> bool:
    return kind == "text" and b"\0" in content[:1000]


def _parse(
    content: Path | bytes,
    format: Format,
    name: str,
    sheet: str | int | None,
    task: str | None,
) -> TablePart:
    if sheet is not None and format != "xlsx":
        raise HistoryError(f"{name} has no sheets; leave sheet={sheet!r} out")
    if isinstance(content, bytes) and not content.removeprefix(codecs.BOM_UTF8).strip():
        raise HistoryError(f"{name} is empty")
    if isinstance(content, bytes):
        _require_kind(content, format, name)
    with guarded(name, format):
        if format == "parquet":
            return TablePart(name, read_parquet(content, name))
        assert isinstance(content, bytes)
        if format == "xlsx":
            return read_excel(content, name, sheet)
        if format == "jsonl":
            return _read_lines(content.removeprefix(codecs.BOM_UTF8), name)
        return read_text(content, name, format == "tsv", task)


def read_parquet(content: Path | bytes, name: str = "") -> pl.DataFrame:
    """The table in a Parquet file, or in the content of one, which has a `name`."""
    if isinstance(content, Path):
        with guarded(content, "parquet"):
            with content.open("rb") as file, mapped(file.fileno(), 0, access=ACCESS_READ) as whole:
                rows = require_sound(whole, content)
            _require_room(pl.scan_parquet(content, glob=False).collect_schema(), rows, content)
            return _within_limit(pl.read_parquet(content, glob=False), content)
    rows = require_sound(content, name)
    with guarded(name, "parquet"):
        _require_room(pl.read_parquet_schema(io.BytesIO(content)), rows, name)
        return _within_limit(pl.read_parquet(io.BytesIO(content)), name)


def _require_room(schema: Mapping[str, Any], rows: int, where: object) -> None:
    """FileError for more cells than the limit: each row of an array has all of its cells, even if
    the file says only that it is empty."""
    CELLS.allow(rows * sum(map(_width, schema.values())), where)


def _within_limit(frame: pl.DataFrame, where: object) -> pl.DataFrame:
    """The frame with categories as text; FileError if its texts are beyond the limit. Cells share
    them as long as nobody looks at one, so each counts."""
    frame = pl.DataFrame([column.cast(_as_text(column.dtype)) for column in frame])
    BYTES.allow(int(frame.estimated_size()), where)
    return frame


def _as_text(kind: Any) -> Any:
    """The kind of a column, with text for categories, nested ones as well."""
    if isinstance(kind, pl.Array):
        return pl.Array(_as_text(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _as_text(field.dtype) for field in kind.fields})
    if isinstance(kind, pl.List):
        return pl.List(_as_text(kind.inner))
    return pl.String() if kind in (pl.Categorical, pl.Enum) else kind


def _width(kind: Any) -> int:
    """Cells of a row in a column of this kind, not counting the elements of lists."""
    if isinstance(kind, pl.Array):
        return max(kind.size, 1) * _width(kind.inner)
    if isinstance(kind, pl.Struct):
        return sum(_width(field.dtype) for field in kind.fields) or 1
    return _width(kind.inner) if isinstance(kind, pl.List) else 1


def _read_lines(content: bytes, name: str) -> TablePart:
    """JSON lines; those with Python's NaN and Infinity, which are not JSON, take the slow way."""
    for number, line in enumerate(content.splitlines(), 1):
        if line.count(b"[") + line.count(b"{") > DEPTH.most:
            json_of(line, f"{name}, line {number}")  # polars takes its time with what is deep
    n_lines, keys = content.count(b"\n") + 1, _count_keys(content)
    if keys > COLUMNS.most or keys * n_lines > CELLS.most:  # if they are keys, and on one level
        rows = _rows(content, name)
        _require_narrow(len({key for row in rows for key in flat(row, ".")}), len(rows), name)
    try:
        schema = pl.scan_ndjson(io.BytesIO(content), infer_schema_length=None).collect_schema()
        _require_narrow(sum(map(_width, schema.values())), n_lines, name)
        frame = pl.read_ndjson(io.BytesIO(content), schema=schema)
    except (pl.exceptions.PolarsError, RuntimeError):
        rows = _rows(content, name)
        _require_narrow(len({key for row in rows for key in row}), len(rows), name)
        frame = from_rows(rows, name)
    filled = [i for i, line in enumerate(content.splitlines(), 1) if line.strip()]
    numbers = pl.Series(filled) if len(filled) == frame.height else None
    return TablePart(name, frame, numbers, "line")


def _count_keys(content: bytes) -> int:
    """How many different keys there may be, on all levels."""
    keys: set[bytes] = set()
    start = 0
    while start < len(content):
        end = content.find(b"\n", start + PIECE) + 1 or len(content)
        keys.update(text for text, mark in TEXT.findall(content, start, end) if mark[-1:] == b":")
        start = end
    return len(keys)


def _require_narrow(columns: int, rows: int, name: str) -> None:
    COLUMNS.allow(columns, name)
    CELLS.allow(columns * rows, name)


def _rows(content: bytes, name: str) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            row = json_of(line, f"{name}, line {number}")
            if not isinstance(row, dict):
                raise HistoryError(f"{name}, line {number} is not a JSON object")
            rows.append(row)
    return rows
