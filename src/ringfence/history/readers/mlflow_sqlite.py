"""MLflow's SQLite file, read directly: much faster than its client, and never migrated."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.readers.mlflow_store import StoredRun

TABLES = {"experiments", "runs", "params", "latest_metrics", "tags"}
LARGEST = 1.7976931348623157e308
"""What MLflow writes for an infinite metric."""


def is_database(path: Path) -> bool:
    """Whether this is an SQLite file with MLflow's tables."""
    try:
        with path.open("rb") as file:
            if file.read(15) != b"SQLite format 3":
                return False
        with closing(_open(path)) as connection:
            return _tables(connection) >= TABLES
    except (OSError, sqlite3.Error):
        return False


def runs_in_database(path: Path) -> list[StoredRun]:
    """The runs that have not been deleted, in the order of their start."""
    try:
        with closing(_open(path)) as connection:
            missing = TABLES - _tables(connection)
            if missing:
                raise HistoryError(
                    f"{path} has no table {min(missing)!r}: MLflow 1.0 or later did not write it"
                )
            return _runs(connection)
    except sqlite3.Error as error:
        raise HistoryError(f"cannot read {path}: {error}") from error


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def _runs(connection: sqlite3.Connection) -> list[StoredRun]:
    params = _by_run(connection, "SELECT run_uuid, key, value FROM params ORDER BY rowid")
    tags = _by_run(connection, "SELECT run_uuid, key, value FROM tags ORDER BY rowid")
    metrics = _by_run(connection, "SELECT run_uuid, key, value, is_nan FROM latest_metrics")
    runs = connection.execute(
        "SELECT r.run_uuid, e.name, r.status FROM runs r JOIN experiments e USING (experiment_id) "
        "WHERE r.lifecycle_stage = 'active' AND e.lifecycle_stage = 'active' "
        "ORDER BY r.start_time, r.rowid"
    )
    return [
        StoredRun(key, name, status, params[key], metrics[key], tags[key])
        for key, name, status in runs
    ]


def _by_run(connection: sqlite3.Connection, query: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for run, key, value, *is_nan in connection.execute(query):
        if is_nan:
            value = math.nan if is_nan[0] else math.inf if abs(value) >= LARGEST else value
        found[run][key] = value
    return found
