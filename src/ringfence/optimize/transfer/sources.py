"""Sources: the evaluations of earlier tasks, for methods that transfer them to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray, near_one
from ringfence.errors import FileError, HistoryError, SettingError
from ringfence.history import TASK, VALUE, Runs, usable_rows
from ringfence.history.runs import read_with_hint
from ringfence.optimize.domain.layout import Layout

MetaFeatures = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Source:
    """The evaluations of one earlier task; lower values are better."""

    name: str
    rows: FloatArray  # (n, names)
    values: FloatArray  # (n,)

    def best(self, k: int) -> tuple[FloatArray, FloatArray]:
        """The k best rows and their standardized values: 0 is the task's mean, 1 its spread."""
        values, _ = near_one(self.values)
        spread = float(values.std())
        scores = (values - values.mean()) / (spread if spread > 0 else 1.0)
        first = np.argsort(self.values, kind="stable")[:k]
        return self.rows[first], scores[first]


@dataclass(frozen=True, eq=False)
class Sources:
    """The earlier tasks, and the meta-features of all tasks."""

    tasks: tuple[Source, ...]
    meta_features: Mapping[str, MetaFeatures] | None = None
    """By task."""
    target: MetaFeatures | None = None
    """Of the new task."""

    def meta(self) -> tuple[MetaFeatures, dict[str, MetaFeatures]]:
        """The meta-features of the new task and of each earlier one, or SettingError."""
        if self.meta_features is None or self.target is None:
            raise SettingError(
                "this method compares tasks by their meta-features: pass meta_features={task: "
                "{name: value}} and target={name: value} (rf.meta_features(X, y) computes "
                "the paper's four)"
            )
        missing = [task.name for task in self.tasks if task.name not in self.meta_features]
        if missing:
            raise SettingError(f"task {missing[0]!r} has no meta-features")
        return self.target, {task.name: self.meta_features[task.name] for task in self.tasks}


def sources_of(
    history: Runs,
    layout: Layout,
    meta_features: Any = None,
    target: MetaFeatures | None = None,
) -> Sources:
    """The usable rows of a history as sources."""
    history = read_with_hint(history, "history")
    tasks = tasks_of(usable_rows(history, layout.space).frame, layout)
    return Sources(tasks, _by_task(meta_features), None if target is None else dict(target))


def tasks_of(frame: pl.DataFrame, layout: Layout) -> tuple[Source, ...]:
    """The tasks of usable rows, or HistoryError if there are none. A run that a task holds twice,
    with the same configuration and value, counts once: otherwise a file that was read twice would
    count double."""
    tasks = []
    runs = frame.unique([TASK, VALUE, *layout.names], maintain_order=True)
    for key, group in runs.group_by(TASK, maintain_order=True):
        rows = np.empty((group.height, len(layout.names)))
        for j, (name, axis) in enumerate(zip(layout.names, layout.axes)):
            column = group[name].cast(float).fill_null(np.nan).to_numpy()
            rows[:, j] = column if axis is None else axis.encode(column)
        tasks.append(Source(str(key[0]), rows, group[VALUE].to_numpy()))
    if not tasks:
        raise HistoryError("the history has no usable row")
    return tuple(tasks)


def check_source(source: Source, layout: Layout) -> None:
    """FileError if the rows of an earlier task are not configurations of the space, or have no
    value each."""
    rows, numeric = source.rows, np.array([axis is not None for axis in layout.axes], dtype=bool)
    if not len(rows) or len(source.values) != len(rows):
        raise FileError(
            f"task {source.name!r} has {len(rows)} rows and {len(source.values)} values"
        )
    last = np.where(
        numeric, 1.0, [len(layout.space.unordered_choices().get(n, "x")) - 1 for n in layout.names]
    )
    active = ~np.isnan(rows)
    legal = ~active | ((rows >= 0) & (rows <= last) & (numeric | (rows == np.round(rows))))
    blank = np.isnan(layout.without_inactive(np.where(active, rows, 0.0)))
    if not legal.all() or (active == blank).any():
        row = int(np.argmax((~legal | (active == blank)).any(axis=1)))
        raise FileError(f"row {row} of task {source.name!r} is no configuration of the space")


def _by_task(features: Any) -> dict[str, MetaFeatures] | None:
    """Meta-features by task, from a mapping of mappings or a pandas or polars table whose first
    column (or one called 'task') names the task."""
    if features is None:
        return None
    if isinstance(features, Mapping):
        return {str(task): dict(row) for task, row in features.items()}
    from ringfence.history.tables import as_table

    frame = as_table(features)
    key = "task" if "task" in frame.columns else frame.columns[0]
    names = frame[key].cast(str).to_list()
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise HistoryError(
            f"task {sorted(repeated)[0]!r} occurs twice in the table of meta-features"
        )
    return dict(zip(names, frame.drop(key).rows(named=True)))
