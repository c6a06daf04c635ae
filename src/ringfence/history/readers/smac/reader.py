"""SMAC3 2.x: its run folders (runhistory.json, configspace.json, scenario.json), read without SMAC.

The evaluations of one configuration at one budget are averaged over instances and seeds: that is
how SMAC itself compares configurations. The space is the one in configspace.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from statistics import fmean
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.outcomes.failures import error_in
from ringfence.history.readers.shared.folders import (
    find_folders,
    holds,
    read_json,
    task_names,
    written_by,
)
from ringfence.history.readers.shared.runs import FINISHED, Run, chosen, history_of
from ringfence.history.readers.smac.space import declared_space
from ringfence.history.roles import NamedColumns
from ringfence.space import Space

FOLDERS_OF = "SMAC"
MARKER = "runhistory.json"
STATUSES = {0: "running", 1: FINISHED, 2: "crashed", 3: "timeout", 4: "memoryout"}


def recognizes(source: Any) -> bool:
    """Whether the source is a run's folder, or one of SMAC's output folders."""
    return holds(source, MARKER, f"*/{MARKER}", f"*/*/{MARKER}")


def read(source: str | PathLike[str], columns: NamedColumns) -> History:
    """One row for each configuration and budget: the mean cost over its instances and seeds.

    A task is a scenario's folder (runs of several seeds are one task), or the value of the
    parameter that is named as the task. The objective is one of the costs. Only the highest budget
    of a task counts; without budgets, only the configurations with the most evaluations, if these
    differ. What a configuration cost is the time of all its evaluations.
    """
    columns.refuse("cost", reader="smac")
    if columns.direction not in (None, "minimize"):
        raise HistoryError("SMAC minimizes its costs; leave the direction out")
    folders = find_folders(source, MARKER, "SMAC runs")
    tasks = _tasks(folders)
    costs = dict.fromkeys(name for folder in folders for name in _costs(folder))
    objective = chosen(columns.objective, costs, "objective", str(source))
    declared = {folder: declared_space(folder / "configspace.json") for folder in folders}
    notes = list(dict.fromkeys(note for _, notes in declared.values() for note in notes))
    spaces = _shared([space for space, _ in declared.values()])
    means = [
        replace(mean, space=space)
        for folder, space in zip(folders, spaces)
        for mean in _means(folder, tasks[folder], objective)
    ]
    if columns.task is not None:
        means = [replace(mean, task=_text(mean.config.get(columns.task))) for mean in means]
        if all(mean.task is None for mean in means):
            raise HistoryError(
                f"no run of {source} has a parameter {columns.task!r} to tell its task"
            )
        columns = replace(columns, ignore=[*columns.ignore, columns.task])
    budget = None
    if any(mean.budget is not None for mean in means):
        budget = "budget"
    elif len({mean.evaluations for mean in means}) > 1:
        budget = "evaluations"
        means = [replace(mean, budget=mean.evaluations) for mean in means]
    columns = replace(columns, direction="minimize")
    return history_of(means, Path(source).name, objective, columns, budget=budget, notes=notes)


def _shared(spaces: Sequence[Space | None]) -> list[Space | None]:
    """The spaces, equal ones as one."""
    return [next(other for other in spaces if other == space) for space in spaces]


@dataclass(frozen=True)
class _Mean(Run):
    """A configuration at one budget, over its instances and seeds."""

    evaluations: int = 1


def _means(folder: Path, task: str, objective: str) -> list[_Mean]:
    content = read_json(folder / MARKER)
    cost = _costs(folder).index(chosen(objective, _costs(folder), "objective", str(folder)))
    groups: dict[tuple[int, Any], list[dict[str, Any]]] = {}
    with written_by("SMAC 2", folder / MARKER):
        for trial in content["data"]:
            groups.setdefault((trial["config_id"], trial["budget"]), []).append(trial)
        return [
            _mean(task, dict(content["configs"][str(config)]), budget, trials, cost)
            for (config, budget), trials in groups.items()
        ]


def _mean(
    task: str, config: dict[str, Any], budget: Any, trials: list[dict[str, Any]], cost: int
) -> _Mean:
    """The mean of the `cost`-th cost over the trials; a configuration that failed once failed."""
    statuses = [STATUSES.get(trial["status"], "unknown") for trial in trials]
    bad = next((status for status in statuses if status != FINISHED), None)
    costs = [t["cost"][cost] if isinstance(t["cost"], list) else t["cost"] for t in trials]
    value = None if bad else fmean(costs)
    ends = [t.get("endtime") or t.get("starttime") for t in trials]
    time = max((end for end in ends if isinstance(end, (int, float)) and end), default=None)
    spans = [t["time"] for t in trials if isinstance(t.get("time"), (int, float))]
    return _Mean(
        task,
        config,
        value,
        bad or FINISHED,
        budget or None,
        time,
        cost=sum(spans) if all(span > 0 for span in spans) and len(spans) == len(trials) else None,
        reason=_reason(trials),
        evaluations=len(trials),
    )


def _reason(trials: Sequence[dict[str, Any]]) -> str | None:
    """What SMAC kept of the first error."""
    facts = [trial.get("additional_info") for trial in trials]
    kept = [fact.get("traceback") or fact.get("error") for fact in facts if isinstance(fact, dict)]
    return next((error_in(text) for text in kept if isinstance(text, str)), None)


def _scenario(folder: Path) -> dict[str, Any]:
    path = folder / "scenario.json"
    return read_json(path) if path.exists() else {}


def _costs(folder: Path) -> list[str]:
    names = _scenario(folder).get("objectives", "cost")
    with written_by("SMAC 2", folder / "scenario.json"):
        return [names] if isinstance(names, str) else [str(name) for name in names]


def _tasks(folders: Sequence[Path]) -> dict[Path, str]:
    """The task of each folder: SMAC writes a scenario's runs to NAME/SEED, and NAME is the task."""
    homes = {}
    for folder in folders:
        seed = _scenario(folder).get("seed")
        homes[folder] = folder.resolve().parent if folder.resolve().name == str(seed) else folder
    distinct = list(dict.fromkeys(homes.values()))
    names = dict(zip(distinct, task_names(distinct)))
    return {folder: names[home] for folder, home in homes.items()}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
