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
from ringfence.bench.fetch.parts import Part, Wanted, part_of
from ringfence.bench.fetch.writing import make_folder, write_table
from ringfence.bench.suites.description import Description, read_description
from ringfence.bench.suites.loading import description_of
from ringfence.errors import HistoryError, SettingError
from ringfence.space import Space

PAPER_SUITES = ("openml_5891_svm", "openml_6767_xgboost", "openml_6794_rf")
FAILURES_IN_A_ROW = 3
"""A server that has failed so often is left alone."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Failure:
    """A task that has not come, or not whole."""

    task: str
    reason: str


@dataclass(frozen=True)
class Fetched:
    """What became of one suite."""

    table: Path
    tasks: int
    rows: int
    incomplete: int
    """Runs left out since a value is missing in them."""
    failures: tuple[Failure, ...]
    """Tasks that are not in the table; the next call asks for them again."""
    undescribed: tuple[Failure, ...]
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
    has been fetched is kept in a folder beside the table, and not asked for again.
    """
    what, space = read_description(description_of(name))
    tasks = [str(task) for task in what.tasks]
    numbered = bool(tasks) and all(task.isdecimal() for task in tasks)
    if what.openml is None or not numbered or len(what.objective) != 1:
        raise SettingError(
            f"the suite {name!r} is not made of OpenML's runs: its description needs [openml], "
            "the numbers of its 'tasks' and one 'objective'"
        )
    kept = (folder / what.file).with_suffix(".parts")
    make_folder(kept)
    wanted = Wanted(what.openml, what.objective[0], size, delay)
    parts, failures = _parts(tasks, wanted, kept, progress)
    if not parts:
        raise HistoryError(f"no task of {name!r} could be fetched: {failures[0].reason}")
    return _written(parts, failures, folder, (what, space))


def _parts(
    tasks: Sequence[str], wanted: Wanted, folder: Path, progress: Progress | None
) -> tuple[list[Part], list[Failure]]:
    parts: list[Part] = []
    failures: list[Failure] = []
    in_a_row = 0
    for done, task in enumerate(tasks):
        if progress is not None:
            progress(done, len(tasks))
        if in_a_row == FAILURES_IN_A_ROW:
            failures.append(Failure(task, f"not asked for, since {in_a_row} in a row had failed"))
            continue
        try:
            parts.append(part_of(task, wanted, folder))
            in_a_row = 0
        except HistoryError as error:
            failures.append(Failure(task, str(error)))
            in_a_row += 1
    return parts, failures


def _written(
    parts: Sequence[Part],
    failures: Sequence[Failure],
    folder: Path,
    suite: tuple[Description, Space],
) -> Fetched:
    what, space = suite
    every = runs_table(parts, what, space)
    table = complete_rows(every, what.objective[0], space)
    write_table(folder / what.file, table)
    undescribed: list[Failure] = []
    about = what.meta_features
    if about is not None and about.file is not None:
        known = meta_features(parts, about.task)
        write_table(folder / about.file, known)
        undescribed = _unknown(known, about.task)
    return Fetched(
        folder / what.file,
        table[what.task].n_unique(),
        table.height,
        every.height - table.height,
        tuple(failures),
        tuple(undescribed),
    )


def _unknown(known: pl.DataFrame, task: str) -> list[Failure]:
    """The tasks whose meta-features are not all known."""
    return [
        Failure(row[task], f"OpenML does not know {', '.join(missing)}")
        for row in known.iter_rows(named=True)
        if (missing := [name for name in META_FEATURES if row[name] is None])
    ]
