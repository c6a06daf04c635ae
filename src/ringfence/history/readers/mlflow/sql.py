"""MLflow's tables, read directly: much faster than its client, and never migrated or written to."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.readers.mlflow.store import StoredRun, times
from ringfence.history.readers.shared.connection import connected, database_name
from ringfence.history.readers.shared.database import Database
from ringfence.history.readers.shared.sqlite import is_sqlite, opened
from ringfence.incoming.limits import BYTES

TABLES = {"experiments", "runs", "params", "latest_metrics", "tags"}
LARGEST = 1.7976931348623157e308
"""What MLflow writes for an infinite metric."""


def is_database(path: Path) -> bool:
    """Whether this is an SQLite file with MLflow's tables."""
    try:
        if not is_sqlite(path):
            return False
        with opened(path) as database:
            return database.tables() >= TABLES
    except (OSError, ValueError):
        return False


def runs_in_database(source: str | Path) -> list[StoredRun]:
    """The runs in an SQLite file or behind a server's URL, in the order of their start; not those
    of deleted experiments."""
    with connected(source) as database:
        missing = TABLES - database.tables()
        if missing:
            raise HistoryError(
                f"{database_name(source)} has no table {min(missing)!r}: MLflow 1.0 or later did "
                "not write it"
            )
        return _runs(database, database_name(source))


def _runs(database: Database, where: str) -> list[StoredRun]:
    rows = database.rows
    params = _texts(rows("SELECT p.run_uuid, p.key, p.value FROM params p ORDER BY p.key"))
    tags = _texts(rows("SELECT t.run_uuid, t.key, t.value FROM tags t ORDER BY t.key"))
    metrics = _by_run(
        (run, key, _metric(value, is_nan))
        for run, key, value, is_nan in rows(
            "SELECT m.run_uuid, m.key, m.value, m.is_nan FROM latest_metrics m ORDER BY m.key"
        )
    )
    experiments: dict[Any, Any] = (
        dict(  # not joined there: a file may have an id any number of times
            rows(
                "SELECT e.experiment_id, e.name FROM experiments e "
                "WHERE e.lifecycle_stage = 'active' AND e.experiment_id IS NOT NULL"
            )
        )
    )
    runs = rows(
        "SELECT r.run_uuid, r.experiment_id, r.status, r.lifecycle_stage, r.end_time, r.start_time "
        "FROM runs r ORDER BY r.start_time, r.run_uuid"
    )
    if len({run[0] for run in runs}) < len(runs):
        raise HistoryError(f"{where} is damaged: a run is there twice")
    sizes = {key: len(_text(name)) for key, name in experiments.items()}
    BYTES.allow(sum(sizes.get(run[1], 0) for run in runs), where)  # each run has its own copy later
    return [
        StoredRun(
            key,
            _text(experiments[experiment]),
            _text(status),
            params[key],
            metrics[key],
            tags[key],
            stage != "active",
            *times(start, end),
        )
        for key, experiment, status, stage, end, start in runs
        if experiment in experiments
    ]


def _texts(rows: Iterable[Any]) -> dict[str, dict[str, str]]:
    """Params or tags; one without a value is none."""
    return _by_run((run, key, _text(value)) for run, key, value in rows if value is not None)


def _text(value: Any) -> str:
    """The text in a column of texts; SQLite keeps whatever was put there."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _by_run(rows: Iterable[Any]) -> dict[str, dict[str, Any]]:
    entries: dict[str, dict[str, Any]] = defaultdict(dict)
    for run, key, value in rows:
        entries[run][_text(key)] = value
    return entries


def _metric(value: Any, is_nan: Any) -> float:
    """A metric; NaN for one that is no number."""
    if is_nan or not isinstance(value, (int, float)):
        return math.nan
    return math.inf if abs(value) >= LARGEST else value
