"""A table of recorded evaluations as a suite.

Nothing is known of configurations that are not in the table. So a search is restricted to the
recorded rows of the left-out task ('rows'), or each task's losses are continued to the full space
by the mean of the nearest recorded rows ('neighbors'); the choice is part of every cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import polars as pl
from scipy.spatial import cKDTree

from ringfence.arrays import FloatArray
from ringfence.bench.cell import Evaluation, Scale
from ringfence.bench.suites.suite import Reference, Suite, on_scale
from ringfence.errors import SettingError
from ringfence.history import ROW, TASK, History, usable_rows
from ringfence.learned.full import full_space
from ringfence.optimize.domain.candidate_list import CandidateList
from ringfence.optimize.domain.layout import Layout
from ringfence.space import Choice, Config, Space

N_NEIGHBORS = 5  # recorded rows whose mean continues the losses


@dataclass(frozen=True, eq=False)
class Recorded:
    """The evaluations of one task, each configuration once."""

    configs: tuple[Config, ...]
    rows: FloatArray  # encoded, (m, names)
    losses: FloatArray  # (m, budgets)
    row_numbers: Mapping[tuple[Choice, ...], int]
    config_numbers: Mapping[int, int]  # by the number of a row of the history


class Table(Suite):
    """Recorded losses of `history`; `losses` (rows, budgets) belong to its rows."""

    def __init__(
        self,
        name: str,
        history: History,
        losses: FloatArray,
        *,
        space: Space,
        origin: str,
        digest: str,
        evaluation: Evaluation = "rows",
        complete: bool = False,
        log_loss: bool = False,
        meta: Mapping[str, Mapping[str, float]] | None = None,
        targets: tuple[str, ...] = (),
        same: tuple[frozenset[str], ...] = (),
        starts: Mapping[tuple[str, int], tuple[int, ...]] | None = None,
    ) -> None:
        self.name, self.origin, self.digest, self.space = name, origin, digest, space
        self.log_loss = log_loss
        self.max_budget = float(losses.shape[1]) if losses.shape[1] > 1 else None
        self.tasks = history.tasks
        self._history, self._losses, self._meta = history, losses, meta
        self._complete, self._evaluation = complete, evaluation
        self._targets, self._same, self._starts = targets, same, starts
        for task in targets:
            if task not in self.tasks:
                raise SettingError(f"suite {name!r} has no task {task!r} to leave out")
        for task in frozenset().union(*same):
            if task not in self.tasks:
                raise SettingError(f"suite {name!r} has no task {task!r} of the same data")

    @property
    def targets(self) -> tuple[str, ...]:
        """All tasks, or those that are named."""
        return self._targets or self.tasks

    def sources(self, task: str) -> tuple[str, ...]:
        """All other tasks of other data, without those that are left out if they are named."""
        same = frozenset().union(*(group for group in self._same if task in group))
        return tuple(t for t in super().sources(task) if t not in {*self._targets, *same})

    def starts(self, task: str, replication: int) -> tuple[tuple[Config, float], ...]:
        """The given rows, each with its own loss even if its configuration was repeated."""
        if self._starts is None:
            return ()
        recorded, rows = self.recorded(task), self._rows(task)
        places = self._starts.get((task, replication), ())
        if not places or not all(
            0 <= i < len(rows) and rows[i] in recorded.config_numbers for i in places
        ):
            raise SettingError(
                f"suite {self.name!r} has no usable starts of {task!r}, replication {replication}"
            )
        return tuple(
            (
                recorded.configs[recorded.config_numbers[rows[i]]],
                float(self._losses[rows[i], -1]),
            )
            for i in places
        )

    def history(self, tasks: Sequence[str], n: int, seed: int, scale: Scale) -> History:
        """`n` recorded rows of each task, drawn without replacement."""
        return self._history.only(tasks).split(n, seed=seed)[0]

    @cache  # noqa: B019  # suites live as long as the process
    def candidates(self, task: str, scale: Scale) -> CandidateList | None:
        """The recorded configurations; None if every configuration has a loss."""
        if self._complete or self._evaluation == "neighbors":
            return None
        return CandidateList.of(on_scale(self.space, scale), self.recorded(task).configs)

    def evaluate(self, task: str, config: Config, budget: float | None = None) -> float:
        """The recorded loss, or the mean of the nearest recorded ones."""
        recorded = self.recorded(task)
        n_budgets = recorded.losses.shape[1]
        spent = n_budgets if budget is None else max(1, round(budget))
        losses = recorded.losses[:, min(spent, n_budgets) - 1]
        number = recorded.row_numbers.get(self._key(config))
        if number is not None:
            return float(losses[number])
        if self._evaluation != "neighbors":
            raise SettingError(f"suite {self.name!r} has no evaluation of {config} on {task!r}")
        inputs = self._layout.features(self._layout.encode([config]))
        _, nearest = self._tree(task).query(inputs[0], min(N_NEIGHBORS, len(losses)))
        return float(np.mean(losses[nearest]))

    def reference(self, task: str) -> Reference:
        """The best and the median recorded loss."""
        final = self.recorded(task).losses[:, -1]
        return Reference(float(final.min()), float(np.median(final)))

    def meta_features(self) -> Mapping[str, Mapping[str, float]] | None:
        """As described."""
        return self._meta

    @cache  # noqa: B019
    def recorded(self, task: str) -> Recorded:
        """The usable rows of a task; repeats of a configuration are averaged."""
        frame = self._usable.filter(pl.col(TASK) == task)
        rows = np.empty((frame.height, len(self._layout.names)))
        for j, (name, axis) in enumerate(zip(self._layout.names, self._layout.axes)):
            column = frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
            rows[:, j] = column if axis is None else axis.encode(column)
        _, first, group = np.unique(
            np.nan_to_num(rows, nan=-1.0), axis=0, return_index=True, return_inverse=True
        )
        losses = np.zeros((len(first), self._losses.shape[1]))
        np.add.at(losses, group, self._losses[frame[ROW].to_numpy()])
        losses /= np.bincount(group)[:, None]
        configs = tuple(self._layout.decode(rows[first]))
        row_numbers = {self._key(config): i for i, config in enumerate(configs)}
        config_numbers = dict(zip(frame[ROW].to_list(), group.reshape(-1).tolist()))
        return Recorded(configs, rows[first], losses, row_numbers, config_numbers)

    @cache  # noqa: B019
    def _rows(self, task: str) -> list[int]:
        """The numbers of a task's rows, in the order of the table."""
        column = self._history.frame[self._history.roles.task]
        return np.flatnonzero((column == task).to_numpy()).tolist()

    @cached_property
    def _layout(self) -> Layout:
        return Layout(full_space(self.space))

    @cached_property
    def _usable(self) -> pl.DataFrame:
        return usable_rows(self._history, self.space).frame

    @cache  # noqa: B019
    def _tree(self, task: str) -> cKDTree:
        return cKDTree(self._layout.features(self.recorded(task).rows))

    def _key(self, config: Config) -> tuple[Choice, ...]:
        return tuple(config.get(name) for name in self._layout.names)
