"""Sources: the evaluations of earlier tasks, for methods that transfer them to a model.

symbol    meaning                                                                shape
rows      coordinates as in the layout; NaN: inactive, or unknown                (n, names)
unknown   parameters that the task did not tune, at values that nobody said      names
extra     parameters that it tuned and the space does not have, within [0, 1]    (n, e)
costs     what the rows cost; NaN: unknown                                       (n,)
failed    the runs that failed, as rows                                          (k, names)
reasons   why they failed; empty: unknown                                        k
weight    how many tasks it stands for, itself included                          number
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from ringfence.arrays import BoolArray, FloatArray, near_one
from ringfence.errors import FileError, HistoryError, SettingError
from ringfence.history import COST, COUNT, REASON, TASK, VALUE, Runs, usable_rows
from ringfence.history.mismatch.extras import EXTRA
from ringfence.history.mismatch.unknown import is_unknown
from ringfence.history.runs import read_with_hint
from ringfence.optimize.domain.domain import Domain
from ringfence.optimize.domain.layout import INACTIVE, Layout
from ringfence.optimize.transfer.coded import coded_rows, numbers
from ringfence.optimize.transfer.representatives import representatives

MetaFeatures = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Source:
    """The evaluations of one earlier task; lower values are better."""

    name: str
    rows: FloatArray  # (n, names)
    values: FloatArray  # (n,)
    unknown: tuple[str, ...] = ()
    extra: FloatArray | None = None  # (n, e)
    costs: FloatArray | None = None  # (n,)
    failed: FloatArray = field(default_factory=lambda: np.empty((0, 0)))  # (k, names)
    reasons: tuple[str, ...] = ()  # k
    failed_costs: FloatArray | None = None  # (k,)
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.failed.size:
            object.__setattr__(self, "failed", np.empty((0, self.rows.shape[1])))

    def best(self, k: int) -> tuple[FloatArray, FloatArray]:
        """The k best rows and their standardized values: 0 is the task's mean, 1 its spread."""
        values, _ = near_one(self.values)
        spread = float(values.std())
        scores = (values - values.mean()) / (spread if spread > 0 else 1.0)
        first = np.argsort(self.values, kind="stable")[:k]
        return self.rows[first], scores[first]

    def completed(self, domain: Domain, seed: int) -> Source:
        """The same with a uniform draw from the domain in place of every value that the task does
        not know: to a model that needs one, an unknown parameter then looks like noise."""
        if not self.unknown:
            return self
        rng = np.random.default_rng([seed, *self.name.encode()])
        rows, failed = (
            domain.completed(each, rng) if len(each) else each for each in (self.rows, self.failed)
        )
        return replace(self, rows=rows, failed=failed, unknown=())


@dataclass(frozen=True, eq=False)
class Sources:
    """The earlier tasks, and the meta-features of all tasks."""

    tasks: tuple[Source, ...]
    meta_features: Mapping[str, MetaFeatures] | None = None
    """By task."""
    target: MetaFeatures | None = None
    """Of the new task."""
    failures: tuple[Source, ...] = ()
    """Tasks of which every run failed: they have failed rows, and no others."""
    known: Mapping[str, Any] = field(default_factory=dict)
    """Hyperparameters of models that were fitted before, by task, as plain values."""

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
    """The usable rows of a history as sources: those of all tasks if these are to be compared by
    their meta-features, else those of the tasks that stand for the rest."""
    history = read_with_hint(history, "history")
    usable = usable_rows(history, layout.space)
    tasks = source_tasks if meta_features is None else tasks_of
    return Sources(
        tasks(usable.frame, layout, usable.failed),
        _by_task(meta_features),
        None if target is None else dict(target),
        only_failed(usable.frame, usable.failed, layout),
    )


def source_tasks(
    frame: pl.DataFrame, layout: Layout, failed: pl.DataFrame | None = None
) -> tuple[Source, ...]:
    """The tasks of usable rows as sources; if they are many, those that stand for all."""
    chosen = representatives(frame, layout)
    if chosen is None:
        return tasks_of(frame, layout, failed)
    here = pl.col(TASK).is_in(list(chosen.weights))
    some = tasks_of(frame.filter(here), layout, None if failed is None else failed.filter(here))
    return tuple(replace(source, weight=float(chosen.weights[source.name])) for source in some)


def tasks_of(
    frame: pl.DataFrame, layout: Layout, failed: pl.DataFrame | None = None
) -> tuple[Source, ...]:
    """The tasks of usable rows, with the `failed` ones of each, or HistoryError if there are none.
    A run that a task holds twice, with the same configuration and value, counts once: otherwise a
    file that was read twice would count double."""
    tasks = []
    # A history of best rows says nothing about where the others are.
    failures = {} if failed is None or COUNT in frame.columns else _by_name(failed)
    extra = [name for name in frame.columns if name.startswith(EXTRA)]
    runs = frame.unique([TASK, VALUE, *layout.names, *extra], maintain_order=True)
    for key, group in runs.group_by(TASK, maintain_order=True):
        group, unknown = _alike(group, layout.names)
        source = Source(
            str(key[0]),
            coded_rows(group, layout),
            group[VALUE].to_numpy(),
            unknown,
            _varying(group, extra),
            numbers(group[COST]) if COST in group.columns else None,
        )
        tasks.append(_with_failures(source, failures.get(source.name), layout))
    if not tasks:
        raise HistoryError("the history has no usable row")
    return tuple(tasks)


def only_failed(frame: pl.DataFrame, failed: pl.DataFrame, layout: Layout) -> tuple[Source, ...]:
    """The tasks of `failed` rows that have no usable ones in `frame`."""
    known = set(frame[TASK])
    return tuple(
        _with_failures(_without_rows(name, group, layout), group, layout)
        for name, group in _by_name(failed).items()
        if name not in known and COUNT not in frame.columns
    )


def _by_name(failed: pl.DataFrame) -> dict[str, pl.DataFrame]:
    if not failed.height:
        return {}
    return {str(key[0]): rows for key, rows in failed.group_by(TASK, maintain_order=True)}


def _without_rows(name: str, failed: pl.DataFrame, layout: Layout) -> Source:
    """A task that has failed rows alone, and what these do not know."""
    _, unknown = _alike(failed, layout.names)
    return Source(name, np.empty((0, len(layout.names))), np.empty(0), unknown)


def _with_failures(source: Source, failed: pl.DataFrame | None, layout: Layout) -> Source:
    """The task with those of its failed rows that know what the others know."""
    if failed is None:
        return source
    for name in layout.names:
        if name in source.unknown:
            failed = failed.with_columns(pl.lit(np.nan).alias(name))
        else:
            failed = failed.filter(~is_unknown(name))
    return replace(
        source,
        failed=coded_rows(failed, layout),
        reasons=tuple(failed[REASON].fill_null("")),
        failed_costs=numbers(failed[COST]) if failed[COST].count() else None,
    )


def _alike(group: pl.DataFrame, names: Sequence[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows of a task that know the same parameters, and what they do not know. A task that
    comes from several sources may know one in some rows only: where most rows do not know it, none
    does; else those that do not are left out."""
    unknown = []
    for name in names:
        lacks = group[name].is_nan().drop_nulls().to_numpy()  # where it is active
        if 2 * lacks.sum() > len(lacks):
            unknown.append(name)
            group = group.with_columns(pl.lit(np.nan).alias(name))
        elif lacks.any():
            group = group.filter(~is_unknown(name))
    return group, tuple(unknown)


def _varying(group: pl.DataFrame, extra: Sequence[str]) -> FloatArray | None:
    """The extra parameters that vary in a task, (n, e), 1/2 where a row has none; None if no
    parameter does."""
    columns = [group[name].cast(float).fill_null(INACTIVE).to_numpy() for name in extra]
    varying = [column for column in columns if np.ptp(column) > 0.0]
    return np.column_stack(varying) if varying else None


def check_source(source: Source, layout: Layout) -> None:
    """FileError if the rows of an earlier task are not configurations of the space, or have no
    value each."""
    rows = source.rows
    if not len(rows) or len(source.values) != len(rows):
        raise FileError(
            f"task {source.name!r} has {len(rows)} rows and {len(source.values)} values"
        )
    if not _fits(source.extra, len(rows)):
        raise FileError(f"task {source.name!r} has other parameters than it says")
    check_failures(source, layout)
    _check_rows(source, rows, layout)


def check_failures(source: Source, layout: Layout) -> None:
    """FileError if the failed rows are no configurations, or the costs of a task no costs."""
    k = len(source.failed)
    if len(source.reasons) != k:
        raise FileError(f"task {source.name!r} has {k} failed rows, {len(source.reasons)} reasons")
    for costs, n in ((source.costs, len(source.rows)), (source.failed_costs, k)):
        if costs is not None and not (
            len(costs) == n and (np.isnan(costs) | (np.isfinite(costs) & (costs > 0))).all()
        ):
            raise FileError(f"task {source.name!r} has costs that are none, or not one a row")
    _check_rows(source, source.failed, layout)


def _check_rows(source: Source, rows: FloatArray, layout: Layout) -> None:
    """FileError unless the rows are configurations of the space."""
    numeric = np.array([axis is not None for axis in layout.axes], dtype=bool)
    last = np.where(
        numeric, 1.0, [len(layout.space.unordered_choices().get(n, "x")) - 1 for n in layout.names]
    )
    unknown = np.array([name in source.unknown for name in layout.names], dtype=bool)
    odd = source.unknown and (unknown.all() or unknown.sum() != len(source.unknown))
    if odd:
        raise FileError(f"task {source.name!r} has other parameters than it says")
    active = ~np.isnan(rows)
    legal = ~active | ((rows >= 0) & (rows <= last) & (numeric | (rows == np.round(rows))))
    blank = np.isnan(layout.without_inactive(np.where(active, rows, 0.0)))
    wrong = ~legal | (active & unknown) | ((active == blank) & ~_undecided(source, layout))
    if wrong.any():
        row = int(np.argmax(wrong.any(axis=1)))
        raise FileError(f"row {row} of task {source.name!r} is no configuration of the space")


def _fits(extra: FloatArray | None, n: int) -> bool:
    """Whether these are extra parameters of n rows."""
    return extra is None or (len(extra) == n and bool(((extra >= 0) & (extra <= 1)).all()))


def _undecided(source: Source, layout: Layout) -> BoolArray:
    """(names,) whether a parameter is unknown, or depends on one that is: no row says whether it
    is active."""
    undecided = set(source.unknown)
    for name in layout.space.parents_first:
        if any(condition.parent in undecided for condition in layout.space.conditions_of(name)):
            undecided.add(name)
    return np.array([name in undecided for name in layout.names], dtype=bool)


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
