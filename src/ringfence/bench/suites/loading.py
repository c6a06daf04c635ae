"""Suites by name: the built-in ones, and any described by a TOML file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path

import msgspec
import numpy as np
import polars as pl

from ringfence.arrays import FloatArray
from ringfence.bench.cell import Evaluation
from ringfence.bench.suites.description import (
    Description,
    MetaFeatures,
    column_of,
    digest_of,
    find_file,
    losses_of,
    numbers_in,
    read_description,
    read_table,
)
from ringfence.bench.suites.sgd import SGD
from ringfence.bench.suites.suite import Suite
from ringfence.bench.suites.table import Table
from ringfence.errors import FileError, SettingError
from ringfence.history import History
from ringfence.history.example import example_history
from ringfence.incoming.content import is_file
from ringfence.optimize.transfer.similarity import class_imbalance

DESCRIPTIONS = Path(str(resources.files("ringfence.bench.suites") / "descriptions"))
RUN_HERE = {"sgd": (81,), "sgd-mixed": (81, 9)}
"""Suites of ridge regressions, with the numbers of weights that their tasks have in turn."""


class SuiteSource(msgspec.Struct, frozen=True):
    """Where a suite comes from: enough to load it in another process."""

    name: str
    """Built in, or the path of a TOML file."""
    folders: tuple[str, ...] = ()
    """Folders to look for tables in."""
    evaluation: Evaluation = "rows"


@lru_cache(maxsize=8)
def load_suite(source: SuiteSource) -> Suite:
    """The suite, loaded once in each process."""
    if source.name in RUN_HERE:
        return SGD(source.name, RUN_HERE[source.name])
    if source.name == "example":
        return _example(source.evaluation)
    return _table(description_of(source.name), source)


def description_of(name: str) -> Path:
    """The file that describes the suite of this name, or the path that the name is."""
    path = Path(name)
    if path.suffix == ".toml":
        return path
    path = DESCRIPTIONS / f"{name}.toml"
    if not is_file(path):
        known = sorted([*RUN_HERE, "example", *(p.stem for p in DESCRIPTIONS.glob("*.toml"))])
        raise SettingError(f"no suite is called {name!r}; there are {', '.join(known)}")
    return path


def _table(path: Path, source: SuiteSource) -> Table:
    what, space = read_description(path)
    folders = [*map(Path, source.folders), path.parent]
    file = find_file(what.file, folders)
    table = read_table(file)
    losses = losses_of(table, what, str(file))
    tasks = _tasks(table, what.task, str(file))
    described = what.meta_features
    meta_file = find_file(described.file, folders) if described and described.file else None
    meta = None if described is None else _meta_features(described, meta_file)
    table = table.with_columns(tasks.alias(":task"), pl.Series(":loss", losses[:, -1]))
    # The paper's methods know of no failures; ours would learn from them where not to search.
    finished = np.flatnonzero(np.isfinite(losses).all(axis=1))
    table, losses = table[finished], losses[finished]
    usable = _usable(table, what, meta)
    table, losses = table.filter(usable), losses[usable]
    if table.is_empty():
        raise FileError(f"{path} leaves no task of {file}")
    if what.scaled:
        losses = _scaled(losses, table[":task"])
        table = table.with_columns(pl.Series(":loss", losses[:, -1]))
    given = None if what.starts is None else find_file(what.starts, folders)
    history = History.from_frame(table, task=":task", objective=":loss", parameters=list(space))
    # A table may grow by other tasks than those that a suite names: its cells stay what they are.
    data = file if not what.tasks else history.digest().encode() + losses.tobytes()
    return Table(
        path.stem,
        history,
        losses,
        space=space,
        origin=what.origin,
        digest=digest_of(data, path, *filter(None, (meta_file, given))),
        evaluation=source.evaluation,
        complete=what.complete,
        log_loss=what.log_loss,
        meta=meta,
        targets=tuple(str(task) for task in what.targets),
        same=tuple(frozenset(map(str, group)) for group in what.same),
        starts=None if given is None else _starts(given),
    )


def _scaled(losses: FloatArray, tasks: pl.Series) -> FloatArray:
    """0 for a task's best row and 1 for its worst, at the highest budget; 0 if they are alike."""
    ends = pl.DataFrame({"task": tasks, "loss": losses[:, -1]})
    loss = pl.col("loss")
    low = ends.select(loss.min().over("task")).to_numpy()
    spread = ends.select((loss.max() - loss.min()).over("task")).to_numpy()
    return np.asarray(np.where(spread > 0, (losses - low) / np.where(spread > 0, spread, 1), 0.0))


def _starts(path: Path) -> dict[tuple[str, int], tuple[int, ...]]:
    """The rows that a search begins with, by task and replication."""
    table = read_table(path)
    tasks = _tasks(table, "task", str(path))
    columns = [numbers_in(table, name, str(path))[:, 0] for name in ("replication", "row")]
    values = np.array(columns)
    if not ((values >= 0) & (values < 2**31) & (values == np.floor(values))).all():
        raise FileError(f"{path}: a replication or row is not a whole number from 0 on")
    starts: dict[tuple[str, int], list[int]] = {}
    for task, replication, row in zip(tasks, *columns):
        starts.setdefault((task, int(replication)), []).append(int(row))
    return {key: tuple(rows) for key, rows in starts.items()}


def _tasks(table: pl.DataFrame, name: str, source: str) -> pl.Series:
    """The names of the tasks."""
    column = column_of(table, name, source)
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise FileError(f"{source}: the column {name!r} does not hold names of tasks")
    return column.cast(pl.String)


def _usable(
    table: pl.DataFrame, what: Description, meta: Mapping[str, object] | None
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows belong to tasks of the description with enough rows, signal and meta-features."""
    loss = pl.col(":loss")
    tasks = table.group_by(":task").agg(n=pl.len(), range=loss.max() - loss.min())
    tasks = tasks.filter(pl.col("n") >= what.least_rows, pl.col("range") >= what.least_range)
    if what.tasks:
        tasks = tasks.filter(pl.col(":task").is_in([str(task) for task in what.tasks]))
    if meta is not None:
        tasks = tasks.filter(pl.col(":task").is_in(list(meta)))
    tasks = tasks.sort(["n", ":task"], descending=[True, False])
    names = tasks[":task"].head(what.most_tasks or tasks.height).to_list()
    return table[":task"].is_in(names).fill_null(False).to_numpy()


def _meta_features(what: MetaFeatures, file: Path | None) -> dict[str, dict[str, float]]:
    """By task; a task that lacks one of them is left out."""
    if file is None:
        return what.values
    table = read_table(file)
    tasks = _tasks(table, what.task, str(file))
    columns = [numbers_in(table, name, str(file))[:, -1] for name in what.columns]
    found = {
        task: dict(zip(what.columns, map(float, row)))
        for task, *row in zip(tasks, *columns)
        if task is not None and not np.isnan(row).any()
    }
    return found | {task: found[name] for task, name in what.names.items() if name in found}


def _example(evaluation: Evaluation) -> Table:
    """The history that ships with the package."""
    history = example_history()
    assert history.space is not None
    facts = json.loads((resources.files("ringfence") / "data/svm_history.json").read_text("utf-8"))
    meta = {
        task: {
            "n_rows": float(about["n_rows"]),
            "n_features": float(about["n_features"]),
            "class_imbalance": class_imbalance(about["rows_per_class"]),
        }
        for task, about in facts["tasks"].items()
    }
    return Table(
        "example",
        history,
        history.frame["error"].to_numpy()[:, None],
        space=history.space,
        origin="real SVM runs on 20 small data sets",
        digest=history.digest()[:16],
        evaluation=evaluation,
        meta=meta,
    )
