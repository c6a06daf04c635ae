"""Tables in files: CSV, TSV, JSON lines and Parquet; a file, a glob, or `-` for standard input."""

from __future__ import annotations

import glob
import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Literal

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.history import History

Format = Literal["csv", "tsv", "jsonl", "parquet"]
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


def read_history(
    source: str | PathLike[str],
    *,
    task: str | None = None,
    objective: str | None = None,
    direction: str | None = None,
    parameters: Sequence[str] | None = None,
    budget: str | None = None,
    status: str | None = None,
    format: Format | None = None,
) -> History:
    """Read past runs from a file, a glob such as `runs/*.csv`, or `-` for standard input.

    The format follows from the file's ending (`.gz` allowed for text) or from `format`. The other
    arguments are those of `History.from_frame`.
    """
    text = fspath(source)
    if text == "-":
        named = [("standard input", _read_bytes(sys.stdin.buffer.read(), format))]
    else:
        named = [(str(path), _read_file(path, format)) for path in _expand(text)]
    frames = [frame for _, frame in named]
    table = frames[0] if len(frames) == 1 else pl.concat(frames, how="diagonal_relaxed")
    history = History.from_frame(
        table,
        task=task,
        objective=objective,
        direction=direction,
        parameters=parameters,
        budget=budget,
        status=status,
    )
    files = tuple((name, frame.height) for name, frame in named)
    return replace(
        history, source=Path(text).name if text != "-" else "standard input", files=files
    )


def _expand(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        raise HistoryError(f"{text} is a folder; name a file, or a glob such as {text}/*.csv")
    if path.exists() or not glob.has_magic(text):
        return [path]
    found = sorted(Path(match) for match in glob.glob(text, recursive=True))  # noqa: PTH207
    if not found:
        raise HistoryError(f"no file matches {text}")
    return found


def _read_file(path: Path, format: Format | None) -> pl.DataFrame:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if format is None and (not suffixes or suffixes[-1] not in SUFFIXES):
        known = ", ".join(SUFFIXES)
        raise HistoryError(f"{path}: cannot tell the format from the name; known are {known}")
    try:
        if path.stat().st_size == 0:
            raise HistoryError(f"{path} is empty")
        return _parse(path, format or SUFFIXES[suffixes[-1]], str(path))
    except OSError as error:
        raise HistoryError(f"cannot read {path}: {error.strerror or error}") from error


def _read_bytes(content: bytes, format: Format | None) -> pl.DataFrame:
    if not content.strip():
        raise HistoryError("standard input is empty")
    return _parse(io.BytesIO(content), format or _sniff(content), "standard input")


def _sniff(content: bytes) -> Format:
    if content[:4] == b"PAR1":
        return "parquet"
    first = content.lstrip().split(b"\n", 1)[0]
    if first.startswith(b"{"):
        return "jsonl"
    return "tsv" if b"\t" in first else "csv"


def _parse(source: Path | io.BytesIO, format: Format, name: str) -> pl.DataFrame:
    readers: dict[Format, Callable[[Path | io.BytesIO], pl.DataFrame]] = {
        "csv": lambda s: _read_text(s, ","),
        "tsv": lambda s: _read_text(s, "\t"),
        "jsonl": lambda s: pl.read_ndjson(s, infer_schema_length=None),
        "parquet": pl.read_parquet,
    }
    try:
        return readers[format](source)
    except (pl.exceptions.PolarsError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[0]
        raise HistoryError(f"{name} cannot be read as {format}: {reason}") from error


def _read_text(source: Path | io.BytesIO, separator: str) -> pl.DataFrame:
    frame = pl.read_csv(source, separator=separator, null_values=MISSING, infer_schema_length=None)
    if frame.width == 1 and separator == "," and ";" in frame.columns[0]:
        if isinstance(source, io.BytesIO):
            source.seek(0)
        return _read_text(source, ";")
    return frame
