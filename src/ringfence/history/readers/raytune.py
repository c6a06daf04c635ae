"""Ray Tune: the folders that `Tuner.fit` writes, read without Ray.

An experiment's folder holds experiment_state-*.json and a folder for each trial, with its
configuration (params.json) and its reports (result.json, one a line).
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ringfence.errors import FileError, HistoryError
from ringfence.history.directions import guess_direction
from ringfence.history.history import History
from ringfence.history.outcomes.failures import error_in
from ringfence.history.readers.shared.folders import (
    find_folders,
    holds,
    read_json,
    task_names,
    written_by,
)
from ringfence.history.readers.shared.runs import FINISHED, Run, chosen, flat, history_of, reported
from ringfence.history.roles import NamedColumns
from ringfence.incoming.content import read_text
from ringfence.incoming.parsing import json_of

FOLDERS_OF = "Ray Tune"
MARKER = "experiment_state-*.json"
RAYS_OWN = {
    "timestamp", "checkpoint_dir_name", "done", "training_iteration", "trial_id", "date", "pid",
    "time_this_iter_s", "time_total_s", "hostname", "node_ip", "time_since_restore",
    "iterations_since_restore", "experiment_tag", "should_checkpoint",
}  # fmt: skip
"""What Ray adds to each report."""
TIME = "time_total_s"


def recognizes(source: Any) -> bool:
    """Whether the source is a folder of an experiment, or of several."""
    return holds(source, MARKER, f"*/{MARKER}")


def read(
    source: str | PathLike[str],
    columns: NamedColumns,
    *,
    at: str = "last",
    budget: str | None = None,
) -> History:
    """One row per trial: its objective at the last report or the best one (`at`).

    A task is an experiment's folder, or the value of the parameter that is named as the task.
    Nested configurations are flattened with "/", as Ray does. `budget` names a reported number such
    as training_iteration. What a trial cost is its time_total_s at the last report, or the reported
    number that is named as the cost.
    """
    folders = find_folders(source, MARKER, "Ray Tune experiments")
    trials = [
        (name, trial)
        for name, folder in zip(task_names(folders), folders)
        for trial in _trials(folder)
    ]
    metrics = {name for _, trial in trials for report in trial.reports for name in report}
    objective = chosen(columns.objective, metrics - RAYS_OWN, "objective", str(source))
    if budget is not None:
        chosen(budget, metrics, "budget", str(source))
    if columns.cost is not None:
        chosen(columns.cost, metrics, "cost", str(source))
    task, direction = columns.task, columns.direction or guess_direction(objective)
    runs = []
    for folder, trial in trials:
        config = dict(trial.config)
        name = folder if task is None else str(config.pop(task)) if task in config else None
        index = reported([r.get(objective) for r in trial.reports], at, direction)
        report = {} if index is None else trial.reports[index]
        last = trial.reports[-1] if trial.reports else {}
        runs.append(
            Run(
                name,
                config,
                report.get(objective),
                trial.status,
                report.get(budget or ""),
                last.get("timestamp"),
                cost=last.get(columns.cost or TIME),
                reason=trial.reason,
            )
        )
    if task is not None and all(run.task is None for run in runs):
        raise HistoryError(f"no trial of {source} has a parameter {task!r} to tell its task")
    return history_of(runs, Path(source).name, objective, columns, budget=budget)


class _Trial:
    """One trial's folder."""

    def __init__(self, folder: Path, status: str | None) -> None:
        reports = _reports(folder / "result.json")
        config = reports[-1].get("config") if reports else None
        if config is None:
            config = read_json(folder / "params.json")
        with written_by("Ray Tune", folder / "result.json"):
            self.config = flat(config, "/")
        self.reports = [_numbers(report) for report in reports]
        error = folder / "error.txt"
        self.reason = error_in(read_text(error)) if error.exists() else None
        failed = error.exists() or status == "ERROR"
        ended = status in (None, "TERMINATED")
        self.status = "error" if failed else FINISHED if ended else str(status).lower()


def _trials(experiment: Path) -> list[_Trial]:
    """The trials in the order in which they were made."""
    path = max(experiment.glob(MARKER))
    state = read_json(path)
    known = {}
    with written_by("Ray Tune", path):
        for entry in state.get("trial_data", ()):
            trial = json_of(entry[0], path) if isinstance(entry[0], str) else entry[0]
            folder = str(trial.get("relative_logdir"))
            known[folder] = (str(trial.get("trial_id", "")), trial.get("status"))
    folders = [path.parent for path in experiment.glob("*/params.json")]
    folders.sort(key=lambda folder: (known.get(folder.name, ("",))[0], folder.name))
    return [_Trial(folder, known.get(folder.name, (None, None))[1]) for folder in folders]


def _reports(path: Path) -> list[dict[str, Any]]:
    """The reports of a trial; a last line that was cut off by a crash is left out."""
    if not path.exists():
        return []
    reports: list[dict[str, Any]] = []
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    for number, line in enumerate(lines, 1):
        try:
            report = json_of(line, f"{path}, line {number}")
        except FileError:
            if number < len(lines):
                raise
            return reports
        if not isinstance(report, dict):
            raise HistoryError(f"{path}, line {number} is not a report of Ray Tune: {line[:80]}")
        reports.append(report)
    return reports


def _numbers(report: Mapping[str, Any]) -> dict[str, Any]:
    values = flat({k: v for k, v in report.items() if k != "config"}, "/")
    return {
        k: v for k, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool)
    }
