"""What the starting points would have been worth to a task, had it been the next one.

For each task left out, the region and the models come from the others, and the points are chosen as
`learn(starts=…)` chooses them, but among the task's own recorded runs inside the region, so that
their results are known. Each model is fitted once, whichever task is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.left_out.speedup import SpeedUp, speed_ups
from ringfence.checking.result import StartsCheck
from ringfence.checking.verdict import verdict_at
from ringfence.history import considered_rows
from ringfence.history.regret import capped_regret
from ringfence.learned.full import full_space
from ringfence.learned.records import Settings
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.domain import Domain, each_once
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.source_models import SourceModels, fit_source_models
from ringfence.optimize.transfer.sources import Source, tasks_of
from ringfence.optimize.transfer.starting_points import SEED, starting_rows

SHOWN = (1, 2, 5, 10, 25, 50)  # numbers of starting points with a speed-up of their own
KERNELS = 200_000_000  # evaluations of the kernel for all tasks together, a few seconds
FEWEST, MOST = 64, 1000  # runs of a task to choose from; of more a random choice


def check_starts(left_out: LeaveOneOut, settings: Settings, n: int) -> StartsCheck:
    """`n` starting points for each task, from the others."""
    past = Past.of(left_out)
    curves: dict[str, tuple[float, ...]] = {}
    full: list[tuple[float, ...]] = []
    everyone = np.ones(len(left_out.tasks), dtype=bool)
    for number, task in enumerate(left_out.tasks):
        if task.regret is not None:
            blocks, choices = left_out.sources(settings.top).fit(settings, everyone, [number])
            region = replace(past.full, blocks=blocks, choices=choices)
            curve = past.regrets(task.name, region, n)
            if curve is not None:
                curves[task.name] = curve
                full.append(task.full)
    unjudged = tuple(task.name for task in left_out.tasks if task.name not in curves)
    ups = _speed_ups(list(curves.values()), full, n) if curves else ()
    verdict = verdict_at(ups, n, len(curves), len(left_out.tasks))
    return StartsCheck(verdict, ups, curves, unjudged)


@dataclass(frozen=True, eq=False)
class Past:
    """Every task with its runs and its model."""

    full: LearnedSpace
    recorded: dict[str, Source]
    sources: tuple[Source, ...]
    """The tasks with the rows that the models see."""

    @classmethod
    def of(cls, left_out: LeaveOneOut) -> Past:
        """The recorded tasks of a check."""
        full, rows = full_space(left_out.space), left_out.prepared.rows
        layout = Layout(full)
        recorded = {task.name: task for task in tasks_of(rows, layout)}
        return cls(full, recorded, tasks_of(considered_rows(rows, left_out.choice), layout))

    @cached_property
    def models(self) -> SourceModels:
        """The model of every task that tells good from bad."""
        return fit_source_models(self.sources, Layout(self.full))

    def regrets(self, name: str, region: LearnedSpace, n: int) -> tuple[float, ...] | None:
        """The best regret after each of `n` starting points of the task; None if none of its runs
        is inside, or no other task tells good from bad."""
        task, layout = self.recorded[name], Layout(region)
        scored = capped_regret(task.values)
        models = SourceModels(
            self.models.full, tuple(model for model in self.models.tasks if model.name != name)
        )
        pool = each_once(layout, task.rows[layout.inside(task.rows)])
        if scored is None or not len(pool) or not models.tasks:
            return None
        domain = Domain(layout, self._subset(pool, models))
        others = [source for source in self.sources if source.name != name]
        chosen = starting_rows(Candidates(domain, models, others, SEED), n)
        by_key = _by_key(layout.keys(task.rows), scored[0])
        best = np.minimum.accumulate([by_key[key] for key in layout.keys(chosen)])
        return (*best.tolist(), *best[-1:].tolist() * (n - len(best)))

    def _subset(self, pool: FloatArray, models: SourceModels) -> FloatArray:
        """The runs to choose from, few enough that all tasks together take seconds."""
        work = len(self.sources) * sum(len(task.alpha) for task in models.tasks)
        most = int(np.clip(KERNELS // work, FEWEST, MOST))
        if len(pool) <= most:
            return pool
        subset = np.random.default_rng(SEED).permutation(len(pool))[:most]
        return pool[np.sort(subset)]


def _by_key(keys: Sequence[bytes], regret: FloatArray) -> dict[bytes, float]:
    """The mean regret of each configuration's runs."""
    runs: dict[bytes, list[float]] = {}
    for key, value in zip(keys, regret.tolist()):
        runs.setdefault(key, []).append(value)
    return {key: float(np.mean(values)) for key, values in runs.items()}


def _speed_ups(
    curves: Sequence[tuple[float, ...]], full: Sequence[tuple[float, ...]], n: int
) -> tuple[SpeedUp, ...]:
    counts = sorted({*(k for k in SHOWN if k < n), n})
    return speed_ups(np.array(curves)[:, [k - 1 for k in counts]], np.array(full), counts)
