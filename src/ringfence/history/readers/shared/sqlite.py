"""SQLite files by the standard library, opened for reading only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.readers.shared.database import Database
from ringfence.incoming.content import first_bytes
from ringfence.incoming.limits import BYTES, CELLS
from ringfence.incoming.parsing import reason

STEPS = 100_000
"""Of SQLite's machine, a few milliseconds."""
FREE, PER_BYTE = 10**8, 20
"""Steps that every file has, a second or two, and more of them for each of its bytes. The queries
of a reader take a fifth of one for a byte of a large storage as tools write it; pages that are
linked many times, or columns that are not unique, make endless rows of a few bytes."""
CHUNK = 256
"""Rows that are fetched before their texts are counted."""
SHORT, LONGEST = 2**20, 10**9
"""Bytes of a text that are always allowed; and that SQLite allows."""
TEXTS = (str, bytes)
ENDLESS = "it is damaged: its tables have no end, or far more rows than a file of its size"
DAMAGED = "a record of it states a size that cannot be"
SECONDS = 10
"""How long to wait for a program that is writing to the file."""


@dataclass(frozen=True)
class _File:
    connection: sqlite3.Connection
    path: Path

    def tables(self) -> set[str]:
        """Those whose rows are all in pages of the file. Views and virtual tables have none, and
        some columns are computed when they are read: a few bytes of these can stand for endless
        rows and endless work, and no tool makes any."""
        computed = "SELECT 1 FROM pragma_table_xinfo(m.name) c WHERE c.hidden IN (2, 3)"
        listed = "SELECT m.name FROM sqlite_master m WHERE m.type = 'table' AND m.rootpage > 0"
        return {name for (name,) in self.rows(f"{listed} AND NOT EXISTS ({computed})")}

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """All rows, within the limits on bytes and cells, of which each row is at least one: a
        join, a column with a default or a page that is linked twice repeats what the file holds
        once."""
        rows: list[tuple[Any, ...]] = []
        most, size, most_rows = BYTES.most, 0, CELLS.most
        for chunk in self._chunks(statement, values):
            size += sum(len(cell) for row in chunk for cell in row if type(cell) in TEXTS)
            if size > most:
                raise BYTES.exceeded(self.path)
            rows += chunk
            if len(rows) > most_rows:
                raise CELLS.exceeded(self.path)
        return rows

    def _chunks(self, statement: str, values: dict[str, Any]) -> Iterator[list[tuple[Any, ...]]]:
        """The rows, some at a time. Of a record that states a size of some 4 GiB, SQLite counts no
        further pages, asks for no bytes, and takes none for a lack of memory: if a chunk would
        fit, it is damage."""
        try:
            cursor = self.connection.execute(statement, values)
            while chunk := cursor.fetchmany(CHUNK):
                yield chunk
        except MemoryError:
            bytes(CHUNK * _longest())  # asked for and never touched; MemoryError if there is less
            raise sqlite3.DatabaseError(DAMAGED) from None

    def csv(self, statement: str, **values: Any) -> bytes | None:
        return None


class _Budget:
    """The steps that are left to all queries of a file; those in its log of changes count, too."""

    def __init__(self, file: _File) -> None:
        ((pages,),) = file.rows("PRAGMA page_count")
        ((size,),) = file.rows("PRAGMA page_size")
        self.left: int = FREE + PER_BYTE * pages * size

    def is_spent(self) -> bool:
        """Whether there are none left; called every so many steps, and true ends the query."""
        self.left -= STEPS
        return self.left < 0


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """The database in a file, within one transaction."""
    if path.name == ":memory:":
        raise HistoryError(
            "a database in memory can only be read where it was made: pass the study or the storage"
        )
    if not path.is_file():
        raise HistoryError(f"there is no file {path}")
    budget: _Budget | None = None
    try:
        address = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, timeout=SECONDS, uri=True)) as connection:
            connection.isolation_level = None
            connection.execute("BEGIN")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _longest())
            file = _File(connection, path)
            budget = _Budget(file)
            connection.set_progress_handler(budget.is_spent, STEPS)  # Ctrl-C is heard there, too
            yield file
    except sqlite3.OperationalError as error:
        why = ENDLESS if budget is not None and budget.left < 0 else reason(error)
        raise HistoryError(f"cannot read {path}: {why}") from None
    except (sqlite3.Error, UnicodeError) as error:  # also in its own messages on damaged tables
        raise HistoryError(f"cannot read {path}: {reason(error)}") from None


def _longest() -> int:
    """Bytes that a text may have, so that a chunk of them is within the limit."""
    return max(SHORT, min(BYTES.most // CHUNK, LONGEST))


def is_sqlite(path: Path) -> bool:
    """Whether the file begins as those of SQLite do."""
    return first_bytes(path, 15) == b"SQLite format 3"
