"""Syne Tune: its experiment folders (results.csv.zip, metadata.json), read without Syne Tune."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.directions import guess_direction
from ringfence.history.history import History
from ringfence.history.readers.shared.delimited import MISSING, require_cells
from ringfence.history.readers.shared.folders import (
    find_folders,
    holds,
    read_json,
    task_names,
    written_by,
)
from ringfence.history.readers.shared.runs import FINISHED, Run, chosen, history_of, reported
from ringfence.history.readers.synetune.space import declared_space
from ringfence.history.roles import NamedColumns
from ringfence.incoming.content import unzip_first
from ringfence.incoming.parsing import guarded
from ringfence.space import Space

FOLDERS_OF = "Syne Tune"
MARKER = "results.csv.zip"
CONFIG = "config_"
CREATED = "st_tuner_creation_timestamp"
"""When the experiment began, in seconds since 1970."""
TIMES = ("elapsed_time", "st_worker_time")
"""How long a trial has run: by its own reports, which know the time that a simulation stands for,
or by the clock of its worker."""
TOOLS_OWN = "st_"
"""How the names of Syne Tune's own columns begin."""


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

    A task is an experiment's folder, or an entry of its metadata, such as "benchmark". Unless they
    are named, the objective and its direction are the scheduler's; the space is the tuner's, if
    the metadata have it. `budget` names a reported number such as epoch. What a trial cost is what
    it reported last as elapsed_time, or the time of its worker; or the number that is named as the
    cost.
    """
    folders = find_folders(source, MARKER, "Syne Tune experiments")
    experiments = [
        _Experiment.of(folder, name, columns.task)
        for folder, name in zip(folders, task_names(folders))
    ]
    metrics = dict.fromkeys(name for one in experiments for name in one.metrics)
    reports = _reports(experiments)
    objective = chosen(columns.objective, metrics or reports, "objective", str(source))
    if budget is not None:
        chosen(budget, reports, "budget", str(source))
    if columns.cost is not None:
        chosen(columns.cost, [*reports, *TIMES], "cost", str(source))
    directions = {one.metrics.get(objective) for one in experiments} - {None}
    if columns.direction is None and len(directions) > 1:
        raise HistoryError(
            f"some experiments of {source} minimize {objective}, others maximize it; read them "
            "apart, or say direction=… (--direction …) for all"
        )
    direction = columns.direction or next(iter(directions), None)
    at_direction = direction or guess_direction(objective)
    times = TIMES if columns.cost is None else (columns.cost,)
    runs = [
        run for one in experiments for run in one.runs(objective, at, at_direction, budget, times)
    ]
    columns = replace(columns, direction=direction)
    notes = dict.fromkeys(note for one in experiments for note in one.notes)
    return history_of(runs, Path(source).name, objective, columns, budget=budget, notes=list(notes))


@dataclass(frozen=True)
class _Experiment:
    """One folder: its reports and what its metadata say."""

    task: str
    results: pl.DataFrame
    metrics: Mapping[str, str]
    """Direction of each metric that the scheduler knows."""
    space: Space | None
    notes: Sequence[str]
    time: float | None

    @classmethod
    def of(cls, folder: Path, name: str, entry: str | None) -> _Experiment:
        path = folder / "metadata.json"
        facts = read_json(path) if path.exists() else {}
        if entry is not None:
            if entry not in facts:
                raise HistoryError(f"{path} has no entry {entry!r} to tell the task")
            name = str(facts[entry])
        with written_by("Syne Tune", path):
            metrics = [str(metric) for metric in facts.get("metric_names", ())]
            modes = facts.get("metric_mode", "min")
            modes = [modes] * len(metrics) if isinstance(modes, str) else list(modes)
        directions = {
            metric: "maximize" if mode == "max" else "minimize"
            for metric, mode in zip(metrics, modes)
        }
        space, notes = declared_space(facts.get("config_space"))
        time = _finite(facts.get(CREATED))
        return cls(name, _results(folder / MARKER), directions, space, notes, time)

    def runs(
        self,
        objective: str,
        at: str,
        direction: str | None,
        budget: str | None,
        times: Sequence[str],
    ) -> list[Run]:
        """One run for each trial, in the order of their numbers. The first of the `times` that the
        experiment has is what they cost."""
        runs = []
        ordered = self.results.sort("trial_id", maintain_order=True)
        for _, rows in ordered.group_by("trial_id", maintain_order=True):
            values = rows[objective].to_list() if objective in rows.columns else []
            row = rows.row(reported(values, at, direction) or 0, named=True)
            config = {k.removeprefix(CONFIG): v for k, v in row.items() if k.startswith(CONFIG)}
            failed = rows["st_status"][-1] == "Failed" if "st_status" in rows.columns else False
            amount = None if budget is None else row.get(budget)
            status = "failed" if failed else FINISHED
            value = row.get(objective)
            last = rows.row(-1, named=True)
            cost = next((last[name] for name in times if name in last), None)
            facts = (status, amount, self.time, self.space, cost)
            runs.append(Run(self.task, config, value, *facts))
        return runs


def _finite(number: Any) -> float | None:
    is_one = isinstance(number, (int, float)) and math.isfinite(number)
    return float(number) if is_one else None


def _reports(experiments: Sequence[_Experiment]) -> dict[str, None]:
    """Names of the numbers that trials report."""
    return dict.fromkeys(
        column.name
        for experiment in experiments
        for column in experiment.results
        if column.dtype.is_numeric() and not column.name.startswith((CONFIG, TOOLS_OWN, "trial_id"))
    )


def _results(path: Path) -> pl.DataFrame:
    content = unzip_first(path)
    with guarded(path, "CSV"):
        require_cells(content, ",", str(path))
        frame = pl.read_csv(content, null_values=MISSING, infer_schema_length=None)
    if "trial_id" not in frame.columns:
        raise HistoryError(f"{path} has no column 'trial_id'; Syne Tune did not write it")
    return frame
