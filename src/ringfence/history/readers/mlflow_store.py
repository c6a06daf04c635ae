"""What a run of MLflow is, wherever it is kept; and those that a server keeps, by its client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from ringfence.errors import HistoryError, MissingExtraError

PAGE = 5000
"""Runs that a server is asked for at a time."""


@dataclass(frozen=True)
class StoredRun:
    """One run; `metrics` are the last values."""

    key: str
    experiment: str
    status: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]


def runs_of_server(uri: str) -> list[StoredRun]:
    """The runs behind a tracking URI, in the order of their start."""
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError as error:
        raise MissingExtraError("mlflow", "mlflow") from error
    runs: list[StoredRun] = []
    try:
        client = MlflowClient(tracking_uri=uri)
        names = {e.experiment_id: e.name for e in client.search_experiments()}
        token, more = None, bool(names)
        while more:
            page = client.search_runs(
                list(names), max_results=PAGE, order_by=["start_time ASC"], page_token=token
            )
            for run in page:
                data, info = run.data, run.info
                name = names[info.experiment_id]
                runs.append(
                    StoredRun(info.run_id, name, info.status, data.params, data.metrics, data.tags)
                )
            token = page.token
            more = bool(token)
    except (MlflowException, OSError) as error:
        reason = hidden(str(error).strip().split("\n")[0], uri)
        raise HistoryError(f"cannot read {without_password(uri)}: {reason}") from None
    return runs


def without_password(uri: str) -> str:
    """A URI that can be shown."""
    return hidden(uri, uri)


def hidden(text: str, uri: str) -> str:
    """The text without the password of the URI, as written there or decoded."""
    password = urlsplit(uri).password if "://" in uri else None
    if not password:
        return text
    return text.replace(password, "***").replace(unquote(password), "***")
