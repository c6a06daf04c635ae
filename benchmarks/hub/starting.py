"""What starting points are worth to data sets that are left out.

Regret is 0 at the best recorded configuration of a task, 1 at the median one and at all that are
worse or failed. The starting points are chosen among what was tried on the task, inside the region,
from the models of tasks of other data sets alone; the values at these are recorded ones. Random
search draws without replacement from all that was tried.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.hub.judging import best_rows, folds_of, learn
from benchmarks.hub.runs import HubRuns
from benchmarks.order_statistics import expected_best
from ringfence.arrays import FloatArray
from ringfence.history import usable_rows
from ringfence.learned.full import full_space
from ringfence.learned.hub.past import DATA_SET, LOSS, TASK
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.cover import greedy_cover
from ringfence.optimize.transfer.source_models import SourceModels, fit_source_models
from ringfence.optimize.transfer.sources import Source, tasks_of
from ringfence.space import Config

FIRST = 5
"""Starting points that `rf.minimize` tries first."""


@dataclass(frozen=True)
class Worth:
    """Regrets of one task that was left out."""

    task: str
    data_set: str
    starts: tuple[float, ...]
    """The best of the first one, two, …, FIRST."""
    random: float
    default: float | None


class Bench:
    """The tasks of some runs, each modelled once."""

    def __init__(self, runs: HubRuns, kind: str) -> None:
        self.runs, self.kind = runs, kind
        self.space = runs.space(kind)
        self.layout = Layout(full_space(self.space))
        self._candidates: dict[str, tuple[list[Config], FloatArray, FloatArray]] = {}

    @cached_property
    def sets(self) -> dict[str, str]:
        """The data set of each task."""
        pairs = self.runs.frame.select(TASK, DATA_SET).unique(maintain_order=True)
        return dict(pairs.iter_rows())

    @cached_property
    def recorded(self) -> dict[str, Source]:
        """Every finished row of each task."""
        frame = usable_rows(self.runs.history(self.kind), self.space).frame
        return {source.name: source for source in tasks_of(frame, self.layout)}

    @cached_property
    def models(self) -> dict[str, Any]:
        """One of each task that tells good from bad."""
        fitted = fit_source_models(list(self.recorded.values()), self.layout).tasks
        return {model.name: model for model in fitted}

    def regrets(self, task: str) -> tuple[list[bytes], FloatArray, FloatArray]:
        """Keys of the recorded rows, their regrets, and those of all that were tried, failures
        included."""
        source = self.recorded[task]
        tried = self.runs.frame.filter(pl.col(TASK) == task)[LOSS]
        losses = tried.fill_null(np.inf).to_numpy()
        best, middle = source.values.min(), np.median(losses)
        unit = max(middle - best, 1e-300)
        clip = lambda values: np.clip((values - best) / unit, 0.0, 1.0)  # noqa: E731
        return self.layout.keys(source.rows), clip(source.values), clip(losses)

    def tells(self, task: str) -> bool:
        """Whether regret means something: the best is better than the median."""
        losses = self.runs.frame.filter(pl.col(TASK) == task)[LOSS].fill_null(np.inf)
        return bool(self.recorded[task].values.min() < float(np.median(losses.to_numpy())))

    def candidates(self, task: str) -> tuple[list[Config], FloatArray, FloatArray]:
        """What was tried on a task, the regret of each, 1 where it failed, and what all models
        predict there, (T, m)."""
        if task not in self._candidates:
            rows = self.runs.frame.filter(pl.col(TASK) == task).select(list(self.space))
            configs = [
                {name: value for name, value in row.items() if value is not None}
                for row in rows.iter_rows(named=True)
            ]
            coded = self.layout.encode(configs)
            own_keys, regrets, _ = self.regrets(task)
            by_key = dict(zip(own_keys, regrets.tolist()))
            found = [by_key.get(key, 1.0) for key in self.layout.keys(coded)]
            models = SourceModels(self.layout, tuple(self.models.values()))
            self._candidates[task] = configs, np.array(found), models.predict(coded)
        return self._candidates[task]

    @cached_property
    def best(self) -> HubRuns:
        """The best row of each task, around which regions are drawn."""
        return best_rows(self.runs)

    def starts(
        self, task: str, others: Sequence[str], learned: rf.LearnedSpace | None
    ) -> FloatArray:
        """The best regret after one, two, … starting points that other tasks suggest, chosen among
        what was tried on the task inside the region; random ones if none of them teaches."""
        configs, regrets, F = self.candidates(task)
        wanted = set(others)
        teaches = [name in wanted for name in self.models]
        if not any(teaches):
            return np.asarray(expected_best(regrets, range(1, FIRST + 1)))
        inside = np.ones(len(regrets), bool)
        if learned is not None:
            inside = np.asarray(learned.inside(self.layout.columns(self.layout.encode(configs))))
            inside = inside if inside.any() else ~inside
        order, _ = greedy_cover(F[teaches][:, inside], FIRST)
        return np.asarray(np.minimum.accumulate(regrets[inside][order]))

    def worth(self, settings: Mapping[str, Any], tasks: Collection[str]) -> Iterator[Worth]:
        """Each of some tasks, its data set left out, the others teaching; the regions leave out a
        group of data sets at a time."""
        for fold in folds_of([self.sets[name] for name in tasks]):
            left_out = [n for n in tasks if self.sets[n] in fold and n in self.recorded]
            outside = pl.col(TASK).is_in(list(tasks)) & ~pl.col(DATA_SET).is_in(list(fold))
            learned = learn(self.best.only(outside), self.kind, dict(settings))
            for task in filter(self.tells, left_out):
                others = [name for name in tasks if self.sets[name] != self.sets[task]]
                starts = self.starts(task, others, learned)
                random = float(expected_best(self.candidates(task)[1], [FIRST])[0])
                yield Worth(
                    task, self.sets[task], tuple(starts.tolist()), random, self.default(task)
                )

    def default(self, task: str) -> float | None:
        """The regret of the library's default; None if it is not in the table."""
        loss = self.runs.defaults.get(task)
        if loss is None:
            return None
        losses = self.runs.frame.filter(pl.col(TASK) == task)[LOSS].fill_null(np.inf).to_numpy()
        best = self.recorded[task].values.min()
        return float(np.clip((loss - best) / max(np.median(losses) - best, 1e-300), 0.0, 1.0))


def start_evidence(
    bench: Bench, tasks: Collection[str], settings: Mapping[str, Any]
) -> dict[str, float]:
    """Mean regrets over data sets that were left out, as an entry of the hub has them."""
    worths = list(bench.worth(settings, tasks))
    found = {"starts": over_sets({w.task: w.starts[-1] for w in worths}, worths),
             "random": over_sets({w.task: w.random for w in worths}, worths)}  # fmt: skip
    defaults = {w.task: w.default for w in worths if w.default is not None}
    if defaults:
        found["default"] = over_sets(defaults, worths)
    return {name: round(value, 4) for name, value in found.items()}


def over_sets(by_task: Mapping[str, float], worths: Sequence[Worth]) -> float:
    """The mean over data sets of the mean over their tasks."""
    by_set: dict[str, list[float]] = {}
    for worth in worths:
        if worth.task in by_task:
            by_set.setdefault(worth.data_set, []).append(by_task[worth.task])
    return float(np.mean([np.mean(values) for values in by_set.values()]))
