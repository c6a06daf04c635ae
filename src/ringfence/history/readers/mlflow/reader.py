"""MLflow: a tracking URI, a database file or an `mlruns` folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ringfence.errors import HistoryError
from ringfence.errors.addresses import shown
from ringfence.history.history import History
from ringfence.history.readers.mlflow.files import is_store, runs_in_folder
from ringfence.history.readers.mlflow.sql import is_database, runs_in_database
from ringfence.history.readers.mlflow.store import StoredRun, runs_of_server
from ringfence.history.readers.shared.connection import is_database_url
from ringfence.history.readers.shared.runs import FINISHED, Run, chosen, from_text, history_of
from ringfence.history.roles import NamedColumns
from ringfence.incoming.limits import CELLS

FOLDERS_OF = "MLflow"
PARENT = "mlflow.parentRunId"


def recognizes(source: Any) -> bool:
    """Whether the source is an `mlruns` folder or an SQLite file with MLflow's tables."""
    if not isinstance(source, (str, PathLike)):
        return False
    path = _local(fspath(source))
    return path is not None and (is_store(path) or is_database(path))


def read(
    source: str | PathLike[str],
    columns: NamedColumns,
    *,
    experiments: str | Sequence[str] | None = None,
) -> History:
    """One row per run, with the last value of the metric that is the objective.

    A task is an experiment (task="experiment"), a parent run ("parent"), or the value of a tag or a
    parameter ("tags.NAME", "params.NAME"). Runs that have runs below them are left out, and so are
    deleted ones; `experiments` are the names of those to read (None: all). What a run cost is the
    time from its start to its end, or the metric that is named as the cost. Databases and folders
    are read directly; any other URI needs the package mlflow.
    """
    if not isinstance(source, (str, PathLike)):
        raise HistoryError(f"MLflow's runs are read from a URI, not from {type(source).__name__}")
    where = shown(source)
    stored = _stored(fspath(source), where)
    if experiments is not None:
        wanted = [experiments] if isinstance(experiments, str) else list(experiments)
        known = dict.fromkeys(run.experiment for run in stored)
        wanted = [chosen(name, known, "experiment", where) for name in wanted]
        stored = [run for run in stored if run.experiment in wanted]
    deleted = sum(run.deleted for run in stored)
    stored = [run for run in stored if not run.deleted]
    parents = {run.tags[PARENT] for run in stored if PARENT in run.tags}
    leaves = [run for run in stored if run.key not in parents]
    if not leaves:
        raise HistoryError(f"{where} holds no runs" + f" but {deleted} deleted" * bool(deleted))
    metrics = dict.fromkeys(name for run in leaves for name in run.metrics)
    if not metrics:
        raise HistoryError(f"no run of {where} has a metric")
    objective = chosen(columns.objective, metrics, "objective", where)
    if columns.cost is not None:
        chosen(columns.cost, metrics, "cost", where)
    runs = _runs(leaves, columns.task or "experiment", objective, columns.cost, where)
    left_out = len(stored) - len(leaves)
    notes = [f"{left_out} runs with runs below them were left out"] if left_out else []
    if deleted:
        notes.append(f"left out {deleted} deleted run{'s' * (deleted != 1)}")
    name = where if _local(fspath(source)) is None else Path(where).name
    return history_of(runs, name, objective, columns, notes=notes)


def _runs(
    stored: Sequence[StoredRun], task: str, objective: str, cost: str | None, where: str
) -> list[Run]:
    tasks = [_task(run, task) for run in stored]
    if all(name is None for name in tasks):
        raise HistoryError(
            f"no run has {task!r}; a task is 'experiment', 'parent', 'tags.NAME' or 'params.NAME'"
        )
    names = dict.fromkeys(name for run in stored for name in run.params)
    names.pop(task.removeprefix("params.") if task.startswith("params.") else "", None)
    CELLS.allow(len(stored) * len(names), where)
    columns = {name: from_text([run.params.get(name) for run in stored]) for name in names}
    return [
        Run(
            tasks[i],
            {name: column[i] for name, column in columns.items() if column[i] is not None},
            run.metrics.get(objective),
            FINISHED if run.status == "FINISHED" else run.status.lower(),
            time=run.time,
            cost=run.duration if cost is None else run.metrics.get(cost),
        )
        for i, run in enumerate(stored)
    ]


def _task(run: StoredRun, task: str) -> str | None:
    if task == "experiment":
        return run.experiment
    if task == "parent":
        return run.tags.get(PARENT)
    kind, _, name = task.partition(".")
    return {"tags": run.tags, "params": run.params}.get(kind, {}).get(name)


def _stored(text: str, where: str) -> list[StoredRun]:
    """The runs in the order of their start, deleted ones included."""
    path = _local(text)
    if path is None:
        return runs_in_database(text) if is_database_url(text) else runs_of_server(text)
    if not path.exists():
        raise HistoryError(f"there is no file or folder {where}")
    return runs_in_folder(path) if path.is_dir() else runs_in_database(path)


def _local(text: str) -> Path | None:
    """The file or folder behind a path or a URI; None for a server's address."""
    for pattern in (r"sqlite:///(.+)", r"file:(?://)?(.+)"):
        if match := re.fullmatch(pattern, text):
            return Path(match[1])
    return None if "://" in text or text == "databricks" else Path(text)
