"""A run of MLflow, wherever it is kept; and the runs that a server keeps, through its client."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from ringfence.errors import HistoryError, MissingExtraError
from ringfence.errors.addresses import hidden, shown
from ringfence.history.readers.shared.runs import span
from ringfence.history.tables import as_float
from ringfence.incoming.parsing import reason

PAGE = 5000
"""Runs that a server is asked for at a time."""
SECONDS = 10
"""How long a server may take to answer at all."""


@dataclass(frozen=True)
class StoredRun:
    """One run; `metrics` are the last values."""

    key: str
    experiment: str
    status: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    deleted: bool = False
    time: float | None = None
    """When it ended or else began, in seconds since 1970."""
    duration: float | None = None
    """Seconds from its begin to its end."""


def times(start: Any, end: Any) -> tuple[float | None, float | None]:
    """When a run ended or else began, and how long it took: MLflow's milliseconds as seconds."""
    begun, ended = _seconds(start), _seconds(end)
    return begun if ended is None else ended, span(begun, ended)


def _seconds(moment: Any) -> float | None:
    is_known = isinstance(moment, (int, float)) and math.isfinite(as_float(moment)) and moment
    return as_float(moment) / 1000.0 if is_known else None


def runs_of_server(uri: str) -> list[StoredRun]:
    """The runs behind a tracking URI, in the order of their start."""
    try:
        from mlflow import MlflowClient
        from mlflow.entities import ViewType
    except ImportError as error:
        raise MissingExtraError("mlflow", "mlflow") from error
    runs: list[StoredRun] = []
    log = logging.getLogger("mlflow")
    level = log.level
    try:
        _knock(uri)
        log.setLevel(logging.CRITICAL)  # what it warns of, it raises as well, or does not matter
        client = MlflowClient(tracking_uri=uri)
        names = {e.experiment_id: e.name for e in client.search_experiments()}
        token, more = None, bool(names)
        seen: set[str | None] = set()
        while more:
            page = client.search_runs(
                list(names),
                run_view_type=ViewType.ALL,
                max_results=PAGE,
                order_by=["start_time ASC"],
                page_token=token,
            )
            for run in page:
                data, info = run.data, run.info
                name = names[info.experiment_id]
                facts = (info.run_id, name, info.status, data.params, data.metrics, data.tags)
                is_deleted = info.lifecycle_stage == "deleted"
                runs.append(StoredRun(*facts, is_deleted, *times(info.start_time, info.end_time)))
            seen.add(token)
            token = page.token
            more = bool(token) and token not in seen  # a page that comes again would never end
    except Exception as error:  # of MLflow, of SQLAlchemy below it, of a driver that is not there
        said = getattr(error, "reason", error)
        why = hidden(reason(said if isinstance(said, Exception) else Exception(said)), uri)
        raise HistoryError(f"cannot read {shown(uri)}: {why}") from None
    finally:
        log.setLevel(level)
    return runs


def _knock(uri: str) -> None:
    """Raise at once if no web server answers: MLflow's client would try for minutes."""
    if uri.startswith(("http://", "https://")):
        scheme, _, rest = uri.partition("://")
        try:
            urlopen(f"{scheme}://{rest.rpartition('@')[2]}", timeout=SECONDS).close()
        except HTTPError:
            return  # a server is there, even if it wants a password
