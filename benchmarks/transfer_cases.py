"""Leave one task of a table out: what a method may see of the others, and the target's own rows.

A case is one target and one draw: 256 random rows of each of at most 30 other tasks, and at most
2,000 rows of the target as candidates. Regret is 0 at the best candidate, 1 at the median one and
at all that are worse. If a table has no meta-features, the closest task is a random one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.tables import read_table
from ringfence.arrays import FloatArray
from ringfence.history import RowChoice, considered_rows, usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import Domain, domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.source_models import SourceModel, SourceModels, fit_source_models
from ringfence.optimize.transfer.sources import Source, Sources, tasks_of
from ringfence.space import Config

ROWS, SOURCES, CANDIDATES = 256, 30, 2000
FEWEST = 50  # rows of a target
META = {
    "rf_sklearn_openml100": ("openml_metafeatures_by_task.csv", "openml_task"),
    "xgboost_memento_openml": ("openml_metafeatures_by_dataset.csv", "openml_dataset"),
    "svm_rbv2_surrogate": ("openml_metafeatures_by_dataset.csv", "openml_dataset"),
    "xgboost_rbv2_surrogate": ("openml_metafeatures_by_dataset.csv", "openml_dataset"),
    "ranger_rbv2_surrogate": ("openml_metafeatures_by_dataset.csv", "openml_dataset"),
    "svc_pmlb164": ("pmlb_metafeatures.csv", "task"),
    "gbc_pmlb16": ("pmlb_metafeatures.csv", "task"),
    "rf_pmlb16": ("pmlb_metafeatures.csv", "task"),
}
COLUMNS = [
    ("NumberOfInstances", "n_rows"),
    ("NumberOfFeatures", "n_columns"),
    ("majority_class_fraction", "class_prob_max"),
]


class Table:
    """One table, read once, with the models of each draw's tasks as they are needed."""

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        rows: int = ROWS,
        sources: int = SOURCES,
        history: rf.History | None = None,
    ) -> None:
        self.name = name
        self.rows, self.sources = rows, sources
        self.history = read_table(folder, name) if history is None else history
        self.space = self.history.space or rf.infer_space(self.history).space
        self.layout = Layout(full_space(self.space))
        self.frame = usable_rows(self.history, self.space).frame
        self.meta = _meta_features(folder, name)
        self._models: dict[tuple[int, str], SourceModel | None] = {}
        self._sources: dict[int, dict[str, Source]] = {}

    @cached_property
    def all_rows(self) -> dict[str, Source]:
        return {task.name: task for task in tasks_of(self.frame, self.layout)}

    def targets(self, n: int) -> list[str]:
        """`n` tasks that tell good from bad, the same ones every time."""
        names = [
            name
            for name, task in self.all_rows.items()
            if len(task.values) >= FEWEST and task.values.min() < np.median(task.values)
        ]
        order = np.random.default_rng(0).permutation(len(names))[:n]
        return [names[i] for i in order]

    def sources_of(self, draw: int) -> dict[str, Source]:
        """Every task with the rows of one draw."""
        if draw not in self._sources:
            rows = considered_rows(self.frame, RowChoice(n_evaluations=self.rows, seed=draw))
            self._sources[draw] = {task.name: task for task in tasks_of(rows, self.layout)}
        return self._sources[draw]

    def models(self, draw: int, tasks: list[str]) -> SourceModels:
        """The models of some tasks, each fitted once for each draw."""
        for name in tasks:
            if (draw, name) not in self._models:
                fitted = fit_source_models([self.sources_of(draw)[name]], self.layout).tasks
                self._models[draw, name] = fitted[0] if fitted else None
        models = [self._models[draw, name] for name in tasks]
        return SourceModels(self.layout, tuple(model for model in models if model is not None))


@dataclass(frozen=True, eq=False)
class Case:
    table: Table
    target: str
    draw: int

    @cached_property
    def tasks(self) -> list[str]:
        """The source tasks."""
        others = [name for name in self.table.all_rows if name != self.target]
        rng = np.random.default_rng([self.draw, *self.target.encode()])
        return [others[i] for i in rng.permutation(len(others))[: self.table.sources]]

    @cached_property
    def sources(self) -> Sources:
        by_name = self.table.sources_of(self.draw)
        meta = {name: self.table.meta.get(name, self._typical) for name in [*self.tasks]}
        target = self.table.meta.get(self.target, self._typical)
        return Sources(tuple(by_name[name] for name in self.tasks), meta, target)

    @cached_property
    def models(self) -> SourceModels:
        return self.table.models(self.draw, self.tasks)

    @cached_property
    def domain(self) -> Domain:
        """The target's rows."""
        return domain_of(full_space(self.table.space), self.candidates)

    @cached_property
    def scored(self) -> Candidates:
        """The target's rows with the regrets that the models predict there."""
        return Candidates(self.domain, self.models, self.sources.tasks, 0)

    @cached_property
    def scored_in_box(self) -> Candidates:
        """Those inside the box around the sources' best."""
        return Candidates(self.inside(shape="box"), self.models, self.sources.tasks, 0)

    def inside(self, **settings: object) -> Domain:
        """The target's rows inside a region learned from the sources; all if none is inside."""
        learned = self.learned(**settings)
        rows = self.table.layout.encode(self.candidates)
        if not learned.inside(self.table.layout.columns(rows)).any():
            return self.domain
        return domain_of(learned, self.candidates)

    def learned(self, **settings: object) -> rf.LearnedSpace:
        """The region learned from the sources."""
        frame = self.table.history.frame
        column = pl.col(self.table.history.roles.task).cast(pl.String)
        roles = self.table.history.roles
        past = rf.History.from_frame(
            frame.filter(column.is_in(self.tasks)),
            task=roles.task,
            objective=roles.objective,
            direction=roles.direction,
            parameters=list(self.table.space),
        )
        return rf.learn(
            past,
            self.table.space,
            n_evaluations=self.table.rows,
            seed=self.draw,
            starts=0,
            **settings,
        )

    def value(self, config: Config) -> float:
        """The recorded value of one of the candidates."""
        return self.values[self.table.layout.keys(self.table.layout.encode([config]))[0]]

    @cached_property
    def candidates(self) -> list[Config]:
        return self.table.layout.decode(self._target_rows.rows)

    @cached_property
    def regrets(self) -> dict[bytes, float]:
        """By the key of a row; of rows with the same configuration the first counts."""
        y = self._target_rows.values
        return self._by_key(np.clip((y - y.min()) / max(np.median(y) - y.min(), 1e-300), 0.0, 1.0))

    @cached_property
    def values(self) -> dict[bytes, float]:
        """The same for the values that the methods see."""
        return self._by_key(self._target_rows.values)

    def _by_key(self, numbers: FloatArray) -> dict[bytes, float]:
        rows = self.table.layout.encode(self.candidates)
        by_key: dict[bytes, float] = {}
        for key, number in zip(self.table.layout.keys(rows), numbers.tolist()):
            by_key.setdefault(key, number)
        return by_key

    @cached_property
    def _target_rows(self) -> Source:
        task = self.table.all_rows[self.target]
        rng = np.random.default_rng([CANDIDATES, *self.target.encode()])
        subset = np.sort(rng.permutation(len(task.values))[:CANDIDATES])
        return Source(task.name, task.rows[subset], task.values[subset])

    @property
    def _typical(self) -> dict[str, float]:
        """Meta-features of a task that has none: the medians of the others."""
        rows = list(self.table.meta.values())
        names = [name for name, _ in COLUMNS]
        return {n: float(np.median([r[n] for r in rows])) if rows else 0.0 for n in names}


def _meta_features(folder: Path, name: str) -> dict[str, dict[str, float]]:
    """By task; empty for a table that has none: all tasks then count as equally close."""
    if name not in META:
        return {}
    file, key = META[name]
    frame = pl.read_csv(folder / file, infer_schema_length=None)
    columns = {a: a if a in frame.columns else b for a, b in COLUMNS}
    frame = frame.drop_nulls(list(columns.values())).unique(key, keep="first", maintain_order=True)
    keys = frame[key].cast(pl.String).to_list()
    rows = frame.select(pl.col(b).cast(float).alias(a) for a, b in columns.items())
    return dict(zip(keys, rows.rows(named=True)))
