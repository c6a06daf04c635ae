"""Tables in files: CSV, TSV, JSON lines and Parquet; a file, a glob, or `-` for standard input."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import sys
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.history import History, history_from
from ringfence.history.readers.shared.folders import local_name
from ringfence.history.roles import NamedColumns
from ringfence.history.tables import from_objects

Format = Literal["csv", "tsv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL"]


def recognizes(source: Any) -> bool:
    """Whether the name of a file, or of a glob's files, ends like a table's."""
    if not isinstance(source, (str, PathLike)):
        return False
    name = str(fspath(source)).lower().removesuffix(".gz")
    return name == "-" or ("://" not in name and name.endswith(tuple(SUFFIXES)))


def read(
    source: str | PathLike[str],
    columns: NamedColumns,
    *,
    budget: str | None = None,
    status: str | None = None,
    format: Format | None = None,
) -> History:
    """Read past runs from a file, a glob such as `runs/*.csv`, or `-` for standard input.

    The format follows from the file's ending (`.gz` allowed for text) or from `format`; `budget`
    and `status` are columns, as in `History.from_frame`.
    """
    text, tables = named_frames(source, format)
    frames = [frame for _, frame in tables]
    table = frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")
    history = history_from(table, replace(columns, budget=budget, status=status))
    files = tuple((name, frame.height) for name, frame in tables)
    return replace(
        history, source=Path(text).name if text != "-" else "standard input", files=files
    )


def named_frames(
    source: str | PathLike[str], format: Format | None = None
) -> tuple[str, list[tuple[str, pl.DataFrame]]]:
    """The source as text, and the name and the table of each file behind it."""
    text = local_name(source, "tables")
    if text == "-":
        return text, [("standard input", _read_stdin(format))]
    return text, [(str(path), _read_file(path, format)) for path in _expand(text)]


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


def _read_file(path: Path, format: Format | None) -> pl.DataFrame:
    if path.is_file() and path.stat().st_size == 0:
        raise HistoryError(f"{path} is empty")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if format is None and (not suffixes or suffixes[-1] not in SUFFIXES):
        known = ", ".join(SUFFIXES)
        raise HistoryError(
            f"{path}: cannot tell the format from the name; known are {known}, and other readers "
            "by format=…"
        )
    try:
        kind = format or SUFFIXES[suffixes[-1]]
        if kind == "parquet" and path.is_file():
            return _parse(path, kind, str(path))
        content = path.read_bytes()
        if suffixes != [suffix.lower() for suffix in path.suffixes]:
            content = gzip.decompress(content)
        return _parse(content, kind, str(path))
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, HistoryError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise HistoryError(f"cannot read {path}: {reason}") from error


def _read_stdin(format: Format | None) -> pl.DataFrame:
    content = sys.stdin.buffer.read()
    return _parse(content, format or _sniff(content), "standard input")


def _sniff(content: bytes) -> Format:
    if content[:4] == b"PAR1":
        return "parquet"
    first = content.lstrip().split(b"\n", 1)[0]
    if first.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in first else "csv"


def _parse(content: Path | bytes, format: Format, name: str) -> pl.DataFrame:
    if isinstance(content, bytes):
        content = content.removeprefix(b"\xef\xbb\xbf")
        if not content.strip():
            raise HistoryError(f"{name} is empty")
    try:
        if format == "parquet":
            source = io.BytesIO(content) if isinstance(content, bytes) else content
            return pl.read_parquet(source, glob=False)
        assert isinstance(content, bytes)
        return _read_lines(content) if format == "jsonl" else _read_text(content, format)
    except (pl.exceptions.PolarsError, RuntimeError, ValueError) as error:
        if isinstance(error, HistoryError):
            raise
        reason = str(error).strip().split("\n")[0]
        raise HistoryError(f"{name} cannot be read as {format}: {reason}") from error


def _read_lines(content: bytes) -> pl.DataFrame:
    """JSON lines; those with Python's NaN and Infinity, which are not JSON, take the slow way."""
    try:
        return pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
    except (pl.exceptions.PolarsError, RuntimeError):
        rows = [json.loads(line) for line in content.decode().splitlines() if line.strip()]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return pl.DataFrame([from_objects(n, [row.get(n) for row in rows]) for n in names])


def _read_text(content: bytes, format: Format) -> pl.DataFrame:
    """CSV by its header line: what separates the names separates the values."""
    header = content.split(b"\n", 1)[0].decode(errors="replace").rstrip("\r")
    separator = "\t"
    if format == "csv":
        separator = next((mark for mark in (",", ";", "\t", "|") if mark in header), ",")
    names = [name.strip() for name in next(csv.reader([header], delimiter=separator), [])]
    repeated = [name for name in names if name and names.count(name) > 1]
    if repeated:
        raise HistoryError(f"the column {repeated[0]!r} occurs twice in the header")
    frame = pl.read_csv(content, separator=separator, null_values=MISSING, infer_schema_length=None)
    if frame.width == len(names):  # a header with line breaks within quotes stays as polars has it
        frame.columns = [name or f"unnamed:{i}" for i, name in enumerate(names)]
        blank = [c for c in frame.columns if c.startswith("unnamed:") and not frame[c].count()]
        frame = frame.drop(blank)
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))
