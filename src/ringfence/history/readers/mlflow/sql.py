"""MLflow's tables, read directly: much faster than its client, and never migrated or written to."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

from ringfence.errors import HistoryError
from ringfence.history.readers.mlflow.store import StoredRun
from ringfence.history.readers.shared.connection import connected, shown

TABLES = {"experiments", "runs", "params", "latest_metrics", "tags"}
LARGEST = 1.7976931348623157e308
"""What MLflow writes for an infinite metric."""

Execute: TypeAlias = Callable[[str], Iterable[Any]]


def is_database(path: Path) -> bool:
    """Whether this is an SQLite file with MLflow's tables."""
    try:
        with path.open("rb") as file:
            if file.read(15) != b"SQLite format 3":
                return False
        with closing(_open(path)) as connection:
            return _tables(connection) >= TABLES
    except (OSError, ValueError, sqlite3.Error):
        return False


def runs_in_file(path: Path) -> list[StoredRun]:
    """The runs in an SQLite file that have not been deleted, in the order of their start."""
    try:
        with closing(_open(path)) as connection:
            _require_tables(_tables(connection), str(path))
            return _runs(connection.execute)
    except sqlite3.Error as error:
        raise HistoryError(f"cannot read {path}: {error}") from error


def runs_behind(url: str) -> list[StoredRun]:
    """The same from a database server."""
    with connected(url) as connection:
        import sqlalchemy as sa

        _require_tables(set(sa.inspect(connection).get_table_names()), shown(url))
        return _runs(connection.exec_driver_sql)


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def _require_tables(tables: set[str], where: str) -> None:
    missing = TABLES - tables
    if missing:
        raise HistoryError(
            f"{where} has no table {min(missing)!r}: MLflow 1.0 or later did not write it"
        )


def _runs(execute: Execute) -> list[StoredRun]:
    params = _by_run(execute("SELECT p.run_uuid, p.key, p.value FROM params p ORDER BY p.key"))
    tags = _by_run(execute("SELECT t.run_uuid, t.key, t.value FROM tags t ORDER BY t.key"))
    metrics = _by_run(
        (run, key, _metric(value, is_nan))
        for run, key, value, is_nan in execute(
            "SELECT m.run_uuid, m.key, m.value, m.is_nan FROM latest_metrics m ORDER BY m.key"
        )
    )
    runs = execute(
        "SELECT r.run_uuid, e.name, r.status FROM runs r "
        "JOIN experiments e ON e.experiment_id = r.experiment_id "
        "WHERE r.lifecycle_stage = 'active' AND e.lifecycle_stage = 'active' "
        "ORDER BY r.start_time, r.run_uuid"
    )
    return [
        StoredRun(key, name, status, params[key], metrics[key], tags[key])
        for key, name, status in runs
    ]


def _by_run(rows: Iterable[Any]) -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = defaultdict(dict)
    for run, key, value in rows:
        entries[run][key] = value
    return entries


def _metric(value: float, is_nan: bool) -> float:
    return math.nan if is_nan else math.inf if abs(value) >= LARGEST else value
