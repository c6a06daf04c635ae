"""Weights & Biases: the CSV that "Export as CSV" of a runs table writes.

Its columns are Name, State and other facts of a run, then the configuration and the summary,
either plainly or as config.NAME and summary.NAME.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.names import TASKS
from ringfence.history.history import History, history_from
from ringfence.history.readers.shared.runs import chosen
from ringfence.history.readers.table import joined, read_parts
from ringfence.history.roles import NamedColumns, require_column

FACTS = {
    "Name", "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep", "ID", "Group",
    "Job Type", "Hostname", "GitHub", "Project", "End Time", "Updated", "Description", "Commit",
    "Start Time", "Run Path", "Python Version", "OS", "GPU Count", "GPU Type", "CPU Count",
}  # fmt: skip
"""Columns that the table has for every run."""
GROUPS = ("Sweep", "Group", "Project")
"""Facts that may serve as the task, the best first."""
PREFIXES = ("config.", "summary.")


def read(
    source: str | PathLike[str], columns: NamedColumns, *, budget: str | None = None
) -> History:
    """One row per run; crashed, failed, killed and running ones are counted and left out.

    A task is the value of a column: a parameter such as dataset, or the first of Sweep, Group and
    Project that is filled in. If the file does not mark the configuration with config., columns
    are taken as parameters as in any table: not those called like metrics, times or labels, and
    `notes` says which.
    """
    text, parts = read_parts(source, "csv", task=columns.task)
    frame, places, notes = joined(parts)
    if not {"Name", "State"} <= set(frame.columns):
        raise HistoryError(
            f"{text} has no columns Name and State; export the runs table of Weights & Biases as "
            "CSV, or read other tables without format='wandb'"
        )
    marked = [name.removeprefix("config.") for name in frame.columns if name.startswith("config.")]
    frame = _without_prefixes(frame, text)
    rest = [name for name in frame.columns if name not in FACTS and not name.startswith("_")]
    task = columns.task or _task(frame, rest)
    if columns.task is None:
        notes.append(f"took {task} as the task")
    metrics = [name for name in rest if name not in marked and frame[name].dtype.is_numeric()]
    known = metrics if marked or columns.objective is None else frame.columns
    objective = chosen(columns.objective, known, "objective", text)
    for name in columns.ignore:
        require_column(frame, name)
    parameters = columns.parameters
    taken = {task, objective, budget, *columns.ignore}
    if parameters is None and marked:
        parameters = [name for name in marked if name not in taken]
    facts = [name for name in frame.columns if name not in rest and name not in (task, budget)]
    named = replace(
        columns,
        task=task,
        objective=objective,
        parameters=parameters,
        ignore=(*columns.ignore, *(() if marked else facts)),
        budget=budget,
        status="State",
    )
    history = history_from(frame, named, places)
    source = f"{Path(text).name} of Weights & Biases"
    return replace(history, source=source, notes=(*notes, *history.notes))


def _without_prefixes(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    names = []
    for name in frame.columns:
        prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix)), "")
        names.append(name.removeprefix(prefix))
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise HistoryError(f"{where}: {repeated!r} is both a parameter and a metric; rename one")
    return frame.rename(dict(zip(frame.columns, names)))


def _task(frame: pl.DataFrame, rest: Sequence[str]) -> str:
    usual = [name for name in rest if name.lower() in TASKS]
    groups = [name for name in GROUPS if name in frame.columns and frame[name].count()]
    if not usual and not groups:
        raise HistoryError(
            "cannot tell which column is the task; name it with task=… (--task …); the columns "
            f"are {', '.join(frame.columns)}"
        )
    return [*usual, *groups][0]
