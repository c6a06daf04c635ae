"""Damage to SQLite files: cells, rows, columns and tables, through SQL, in memory."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

from fuzz.hostile import cell, word


def damaged_database(rng: random.Random, content: bytes) -> bytes:
    """The database with one cell, row, column or table changed; ValueError if it is none."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(content)
            connection.execute("PRAGMA writable_schema = ON")
            _change(rng, connection)
            connection.commit()
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise ValueError(str(error)) from error
        return connection.serialize()


def _change(rng: random.Random, connection: sqlite3.Connection) -> None:
    listed = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    tables = [name for (name,) in connection.execute(listed)]
    filled = [t for t in tables if connection.execute(f"SELECT 1 FROM {_q(t)}").fetchone()]
    table = rng.choice(filled or tables or ["nothing"])
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({_q(table)})")]
    column = rng.choice(columns or ["nothing"])
    kind = rng.randrange(20)
    if kind == 0:
        connection.execute(f"DROP TABLE {_q(table)}")
    elif kind == 1:
        connection.execute(f"ALTER TABLE {_q(table)} RENAME COLUMN {_q(column)} TO renamed")
    elif kind == 2:
        connection.execute(f"DELETE FROM {_q(table)} WHERE rowid % ? = 0", (rng.choice((1, 2, 3)),))
    elif kind == 3:
        connection.execute(f"INSERT INTO {_q(table)} SELECT * FROM {_q(table)}")
    elif kind == 4 and rng.random() < 0.05:
        _multiply(connection, filled, rng.choice((20, 300, 5000)))
    elif kind <= 6:
        connection.execute(f"UPDATE {_q(table)} SET {_q(column)} = ?", (cell(rng),))
    else:
        row = f"(SELECT rowid FROM {_q(table)} LIMIT 1 OFFSET {rng.randrange(12)})"
        changed = _cell(rng, connection, table, column)
        connection.execute(f"UPDATE {_q(table)} SET {_q(column)} = ? WHERE rowid = {row}", changed)


NUMBERED = ("run_uuid", "key", "param_name")
"""Texts that name a run or a parameter."""


def _multiply(connection: sqlite3.Connection, tables: list[str], times: int) -> None:
    """The first row of each table so many times, in each a run and a parameter of its own."""
    count = f"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {times})"
    for table in tables:
        facts = connection.execute(f"PRAGMA table_info({_q(table)})").fetchall()
        first = connection.execute(f"SELECT * FROM {_q(table)} LIMIT 1").fetchone()
        values = []
        for (_, name, *_), value in zip(facts, first):
            own = name in NUMBERED and isinstance(value, str)
            counts = isinstance(value, int) and name.startswith(("trial", "param_id", "number"))
            values.append(_q(name) + " || i" * own + " + 1000 + i" * counts)
        said = f"(SELECT * FROM {_q(table)} LIMIT 1)"
        connection.execute(
            f"INSERT OR IGNORE INTO {_q(table)} {count} SELECT {', '.join(values)} FROM c, {said}"
        )


def _cell(
    rng: random.Random, connection: sqlite3.Connection, table: str, column: str
) -> tuple[object]:
    """Another value for a cell: a hostile one, or the old one a little damaged."""
    old = connection.execute(f"SELECT {_q(column)} FROM {_q(table)}").fetchone()[0]
    if isinstance(old, str) and old and rng.random() < 0.5:
        at = rng.randrange(len(old))
        new = old[:at] + word(rng) + old[at + rng.choice((0, 1, 3, 999)) :]
        return (new.encode("utf-8", "replace").decode(),)
    return (cell(rng),)


def _q(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
