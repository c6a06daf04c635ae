"""Where tables are put."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from ringfence.errors import FileError
from ringfence.files import write_atomically


def make_folder(folder: Path) -> None:
    """The folder, with those above it, where it is not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror}") from error


def write_table(path: Path, table: pl.DataFrame) -> None:
    """As CSV where the name ends so, else as Parquet."""
    buffer = io.BytesIO()
    if path.suffix == ".csv":
        table.write_csv(buffer)
    else:
        table.write_parquet(buffer, compression="zstd")
    write_atomically(path, buffer.getvalue())
