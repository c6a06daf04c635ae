"""The description of a table of evaluations, a small TOML file.

file = "runs.parquet"                 in one of the data folders, or beside this file
origin = "real SVM runs"              shown on every figure
objective = ["error"]                 averaged if there are several (seeds)
[space.parameters]                    as in a file of a space
C = {type = "float", low = 1e-3, high = 1e3, log = true}
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import numpy as np
import polars as pl
from polars.datatypes import DataType, DataTypeClass

from ringfence.arrays import FloatArray
from ringfence.errors import FileError
from ringfence.history.readers.shared.delimited import require_cells
from ringfence.history.readers.table import read_parquet
from ringfence.incoming.content import is_file, read_bytes, read_text
from ringfence.incoming.parsing import guarded, toml_of
from ringfence.space import Space, space_from

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**31)]  # more rows no table has


class MetaFeatures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers that describe the tasks: a table of their own, or written here."""

    file: str | None = None
    task: str = "task"
    columns: tuple[str, ...] = ()
    names: dict[str, str] = {}
    """What the table calls a task, where it has another name there."""
    values: dict[str, dict[str, float]] = {}


class OpenMLRuns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which runs of OpenML the table holds, for `ringfence bench fetch openml`."""

    flow: int
    uploaders: tuple[int, ...] = ()
    """Ids of users; empty: all."""
    defaults: dict[str, str] = {}
    """Values by parameter that OpenML leaves out if they are the learner's own defaults."""


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file, without the space."""

    file: str
    origin: str
    objective: tuple[str, ...] = ()
    curves: tuple[str, ...] = ()
    """Columns of learning curves instead; the last value is the objective."""
    direction: Literal["minimize", "maximize"] = "minimize"
    ceiling: float = 1.0
    """What a maximized objective is subtracted from."""
    log_loss: bool = False
    task: str = "task"
    tasks: tuple[int | str, ...] = ()
    """Only these; empty: all."""
    targets: tuple[int | str, ...] = ()
    """Only these are left out in turn, and all others are what is learned from; empty: each task is
    left out, and learned from for the others."""
    same: tuple[tuple[int | str, ...], ...] = ()
    """Groups of tasks that are made of the same data: none is learned from for another of them."""
    starts: str | None = None
    """A table of rows that every search begins with: task, replication, and row, its place among
    the rows of the task, from 0."""
    scaled: bool = False
    """Whether each task's losses are scaled to 0 for its best row and 1 for its worst."""
    complete: bool = False
    """Whether the table holds every configuration of the space."""
    least_rows: Count = 1
    """Tasks with fewer rows are left out."""
    least_range: float = 0.0
    """Tasks whose losses differ by less than this are left out."""
    most_tasks: Count | None = None
    """Number of tasks at most, those with the most rows first."""
    meta_features: MetaFeatures | None = None
    openml: OpenMLRuns | None = None


def read_description(path: Path) -> tuple[Description, Space]:
    """A description and its space, or FileError with what is wrong."""
    content = toml_of(read_text(path), path)
    space = space_from(content.pop("space", None), f"the space of {path}")
    try:
        description = msgspec.convert(content, Description)
    except msgspec.ValidationError as error:
        raise FileError(f"{path}: {error}") from error
    if bool(description.objective) == bool(description.curves):
        raise FileError(f"{path} must name an 'objective' or 'curves', one of the two")
    return description, space


def find_file(name: str, folders: Sequence[Path]) -> Path:
    """The file of this name in the first folder that has it."""
    for folder in folders:
        if is_file(folder / name):
            return folder / name
    searched = ", ".join(str(folder) for folder in folders)
    raise FileError(f"no {name} in {searched}; name its folder with --data")


def read_table(path: Path) -> pl.DataFrame:
    """A Parquet or CSV file as a table."""
    if path.suffix == ".csv":
        content = read_bytes(path)
        with guarded(path, "csv"):
            require_cells(content, ",", str(path))
            return pl.read_csv(content, infer_schema_length=None)
    return read_parquet(path)


def losses_of(table: pl.DataFrame, what: Description, source: str) -> FloatArray:
    """Losses (rows, budgets) to minimize, averaged over the columns; one budget without curves."""
    columns = [numbers_in(table, name, source) for name in what.curves or what.objective]
    if len({column.shape for column in columns}) > 1:
        raise FileError(f"{source}: the curves {', '.join(what.curves)} differ in length")
    values: FloatArray = np.mean(columns, axis=0)
    if what.direction == "maximize":
        values = what.ceiling - values
    if not what.log_loss:
        return values
    if not (values > 0).all():
        raise FileError(f"{source}: log_loss needs losses above 0")
    return np.log(values)


def column_of(table: pl.DataFrame, name: str, source: str) -> pl.Series:
    """The column of this name, or FileError."""
    if name not in table.columns:
        raise FileError(f"{source} has no column {name!r}; it has {', '.join(table.columns)}")
    return table[name]


def numbers_in(table: pl.DataFrame, name: str, source: str) -> FloatArray:
    """A column of numbers (rows, 1), or of curves (rows, budgets)."""
    column = column_of(table, name, source)
    kind: DataType | DataTypeClass = column.dtype
    while isinstance(kind, pl.Array):
        kind = kind.inner
    if not (kind.is_numeric() or kind in (pl.Boolean, pl.Null)):
        raise FileError(f"{source}: the column {name!r} does not hold numbers alone")
    if not isinstance(column.dtype, pl.Array):
        column = column.cast(pl.Float64)  # by polars: NumPy has no integers of 128 bits
    values = column.to_numpy().astype(float)
    return values.reshape(len(table), math.prod(values.shape[1:]))


def digest_of(*parts: Path | bytes) -> str:
    """SHA-256 of files and values: the data, their description, the meta-features."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.read_bytes() if isinstance(part, Path) else part)
    return total.hexdigest()[:16]
