"""Folders and tables on disk."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from ringfence.errors import FileError
from ringfence.files import write_atomically


def make_folder(folder: Path) -> None:
    """Make the folder, with those above it, unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror}") from error


def write_table(path: Path, table: pl.DataFrame) -> None:
    """As CSV if the name ends in .csv, else as Parquet."""
    buffer = io.BytesIO()
    if path.suffix == ".csv":
        table.write_csv(buffer)
    else:
        table.write_parquet(buffer, compression="zstd")
    write_atomically(path, buffer.getvalue())
