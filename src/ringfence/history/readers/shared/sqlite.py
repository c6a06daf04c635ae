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
from ringfence.incoming.parsing import reason

STEPS = 100_000
"""Of SQLite's machine, a few milliseconds."""
SECONDS = 10
"""How long to wait for a program that is writing to the file."""


@dataclass(frozen=True)
class _File:
    connection: sqlite3.Connection

    def tables(self) -> set[str]:
        """Without views: a few bytes of one can stand for endless rows, and no tool makes any."""
        return {n for (n,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement, values).fetchall()

    def csv(self, statement: str, **values: Any) -> bytes | None:
        return None


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """The database in a file, within one transaction."""
    if path.name == ":memory:":
        raise HistoryError(
            "a database in memory can only be read where it was made: pass the study or the storage"
        )
    if not path.is_file():
        raise HistoryError(f"there is no file {path}")
    try:
        address = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, timeout=SECONDS, uri=True)) as connection:
            connection.isolation_level = None
            connection.set_progress_handler(lambda: 0, STEPS)  # so that Ctrl-C is heard
            connection.execute("BEGIN")
            yield _File(connection)
    except (sqlite3.Error, UnicodeError) as error:  # also in its own messages on damaged tables
        raise HistoryError(f"cannot read {path}: {reason(error)}") from None


def is_sqlite(path: Path) -> bool:
    """Whether the file begins as those of SQLite do."""
    return first_bytes(path, 15) == b"SQLite format 3"
