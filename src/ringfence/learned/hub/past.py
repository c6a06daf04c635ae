"""The rows that an entry of the hub keeps, as a history.

column       meaning
:task        name of the task
:data_set    name of the data set, of which there may be several tasks
:kind        classification or regression
:rows        rows that were trained on
:loss        the objective, lower is better
NAME         a parameter; null where it is inactive
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

import polars as pl

from ringfence.errors import FileError
from ringfence.history.history import History, history_from
from ringfence.history.roles import NamedColumns
from ringfence.incoming.parquet import require_sound
from ringfence.incoming.parsing import guarded
from ringfence.learned.file import decode
from ringfence.learned.hub.records import EntryRecord, PartRecord

TASK, DATA_SET, KIND, ROWS, LOSS = ":task", ":data_set", ":kind", ":rows", ":loss"
KEPT = 8
"""Histories that are kept in memory; a program asks for one or two."""


def history_of(entry: EntryRecord, part: PartRecord) -> History:
    """The rows of the tasks that a part was learned from; it carries the part's full space."""
    return _history(entry.name, part.task, part.above, part.up_to, bytes(part.space))


@lru_cache(maxsize=KEPT)
def _history(name: str, task: str, above: int | None, up_to: int | None, content: bytes) -> History:
    frame, space = rows_of(name), decode(content).space
    if task != "any":
        frame = frame.filter(pl.col(KIND) == task)
    if above is not None:
        frame = frame.filter(pl.col(ROWS) > above)
    if up_to is not None:
        frame = frame.filter(pl.col(ROWS) <= up_to)
    lacking = [each for each in space if each not in frame.columns]
    if lacking:
        raise FileError(f"the hub's {name!r} has no rows of {lacking[0]!r}")
    table = frame.select(pl.col(TASK).alias("task"), pl.col(LOSS).alias("loss"), *space)
    named = NamedColumns(
        task="task", objective="loss", direction="minimize", parameters=list(space)
    )
    history = history_from(table, named, typed=True)
    return replace(history, space=space, source=f"the hub's {name}")


def folder() -> Traversable:
    """Where the entries lie, a JSON and a Parquet file each."""
    return resources.files("ringfence") / "data" / "hub"


def rows_of(name: str) -> pl.DataFrame:
    """All rows that an entry keeps."""
    content = (folder() / f"{name}.parquet").read_bytes()
    return decode_rows(content, f"{name}.parquet")


def decode_rows(content: bytes, where: str) -> pl.DataFrame:
    """The rows behind the content of a file; `where` is for the error message."""
    require_sound(content, where)
    with guarded(where, "parquet"):
        frame = pl.read_parquet(content)
    lacking = {TASK, DATA_SET, KIND, ROWS, LOSS} - set(frame.columns)
    if lacking:
        raise FileError(f"{where} has no column {sorted(lacking)[0]!r}")
    return frame
