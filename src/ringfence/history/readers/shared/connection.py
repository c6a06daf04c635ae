"""Databases to read from, whatever they are: SQLite by the standard library, servers by SQLAlchemy.

Both are read-only, within one transaction that sees one state of the database, and soon given up.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from pathlib import Path

from ringfence.errors.addresses import shown
from ringfence.history.readers.shared.database import Database

SERVER = re.compile(r"(postgres|postgresql|mysql|mariadb)(\+\w+)?://", re.IGNORECASE)
SQLITE = re.compile(r"sqlite(?:\+\w+)?://(?:/(?P<path>[^?]*))?(?:\?.*)?", re.IGNORECASE)
"""`sqlite:///PATH`, as SQLAlchemy has it; what follows a question mark are options for it."""


def is_database_url(text: str) -> bool:
    """Whether this is the address of a kind of database that can be read."""
    return SERVER.match(text) is not None or SQLITE.fullmatch(text) is not None


def sqlite_path(url: str) -> Path | None:
    """The file behind a URL of SQLite; None for a server's."""
    match = SQLITE.fullmatch(url)
    return None if match is None else Path((match["path"] or ":memory:").removeprefix("file:"))


def database_name(source: str | Path) -> str:
    """What to call a database: a server's by its scheme, host and name, a file's by its name."""
    path = source if isinstance(source, Path) else sqlite_path(source)
    return shown(str(source)) if path is None else path.name


def connected(source: str | Path) -> AbstractContextManager[Database]:
    """The database behind a URL, or in a file of SQLite."""
    path = source if isinstance(source, Path) else sqlite_path(source)
    if path is not None:
        from ringfence.history.readers.shared.sqlite import opened

        return opened(path)
    from ringfence.history.readers.shared.server import reached  # brings SQLAlchemy

    return reached(str(source))
