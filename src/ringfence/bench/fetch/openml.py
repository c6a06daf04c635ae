"""OpenML's runs as the table that a suite describes, fetched task by task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ringfence.bench.fetch.openml_table import (
    META_FEATURES,
    complete_rows,
    meta_features,
    runs_table,
)
from ringfence.bench.fetch.parts import Part, Request, part_of, runs_file
from ringfence.bench.fetch.writing import make_folder, write_table
from ringfence.bench.suites.description import Description, read_description
from ringfence.bench.suites.loading import description_of
from ringfence.errors import HistoryError, SettingError
from ringfence.space import Space

PAPER_SUITES = ("openml_5891_svm", "openml_6767_xgboost", "openml_6794_rf")
FAILURES_IN_A_ROW = 3
"""A server that has failed this often is left alone. That a task has no runs is an answer."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class FailedTask:
    """A task that could not be fetched, or not completely."""

    task: str
    reason: str


@dataclass(frozen=True)
class Fetched:
    """The outcome for one suite."""

    table: Path
    tasks: int
    rows: int
    incomplete: int
    """Number of runs left out because a value is missing."""
    failures: tuple[FailedTask, ...]
    """Tasks that are not in the table; the next call tries them again."""
    without_runs: tuple[FailedTask, ...]
    """Tasks of which OpenML has no runs; the next call passes them over."""
    undescribed: tuple[FailedTask, ...]
    """Tasks without all meta-features, which the suite leaves out."""


def fetch_suite(
    name: str,
    folder: Path,
    *,
    size: int,
    delay: float = 1.0,
    progress: Progress | None = None,
) -> Fetched:
    """Write the table of a suite, and the meta-features of its tasks, from OpenML into `folder`.

    `size` is the largest number of runs of a task, `delay` the seconds before each request. What
    has been fetched is kept in a folder beside the table and not requested again.
    """
    what, space = read_description(description_of(name))
    tasks = [str(task) for task in what.tasks]
    numbered = bool(tasks) and all(task.isdecimal() for task in tasks)
    if what.openml is None or not numbered or len(what.objective) != 1:
        raise SettingError(
            f"the suite {name!r} is not made of OpenML's runs: its description needs [openml], "
            "the numbers of its 'tasks' and one 'objective'"
        )
    for file in (what.file, what.meta_features.file if what.meta_features else None):
        if file is not None and Path(file).name != file:
            raise SettingError(f"the suite {name!r} names a file in another folder, {file!r}")
    cache = (folder / what.file).with_suffix(".parts")
    make_folder(cache)
    request = Request(what.openml, what.objective[0], size, delay)
    parts, failures, without_runs = _parts(tasks, request, cache, progress)
    if not parts:
        reason = (failures or without_runs)[0].reason
        raise HistoryError(f"no task of {name!r} could be fetched: {reason}")
    return _written(parts, (failures, without_runs), folder, (what, space))


def _parts(
    tasks: Sequence[str], request: Request, cache: Path, progress: Progress | None
) -> tuple[list[Part], list[FailedTask], list[FailedTask]]:
    """What is known of the tasks, those that failed, and those without runs."""
    parts: list[Part] = []
    failures: list[FailedTask] = []
    without_runs: list[FailedTask] = []
    in_a_row = 0
    for done, task in enumerate(tasks):
        if progress is not None:
            progress(done, len(tasks))
        if in_a_row == FAILURES_IN_A_ROW:
            reason = f"not asked for, since {in_a_row} in a row had failed"
            failures.append(FailedTask(task, reason))
            continue
        try:
            part = part_of(task, request, cache)
        except HistoryError as error:
            failures.append(FailedTask(task, str(error)))
            in_a_row += 1
            continue
        in_a_row = 0
        if part is None:
            reason = (
                f"OpenML has no runs of flow {request.runs.flow} with {request.measure} on it; to "
                f"ask again, delete {runs_file(task, request, cache)}"
            )
            without_runs.append(FailedTask(task, reason))
        else:
            parts.append(part)
    return parts, failures, without_runs


def _written(
    parts: Sequence[Part],
    left: tuple[Sequence[FailedTask], Sequence[FailedTask]],
    folder: Path,
    suite: tuple[Description, Space],
) -> Fetched:
    what, space = suite
    failures, without_runs = left
    runs = runs_table(parts, what, space)
    table = complete_rows(runs, what.objective[0], space)
    write_table(folder / what.file, table)
    undescribed: list[FailedTask] = []
    about = what.meta_features
    if about is not None and about.file is not None:
        features = meta_features(parts, about.task)
        write_table(folder / about.file, features)
        undescribed = _undescribed(features, about.task)
    return Fetched(
        folder / what.file,
        table[what.task].n_unique(),
        table.height,
        runs.height - table.height,
        tuple(failures),
        tuple(without_runs),
        tuple(undescribed),
    )


def _undescribed(features: pl.DataFrame, task: str) -> list[FailedTask]:
    """The tasks whose meta-features are not all known."""
    return [
        FailedTask(row[task], f"OpenML does not know {', '.join(missing)}")
        for row in features.iter_rows(named=True)
        if (missing := [name for name in META_FEATURES if row[name] is None])
    ]
