"""What the starting points would have been worth to a task, had it been the next one.

For each task left out, the region and the models come from the others, and the points are chosen as
`learn(starts=…)` chooses them. What they give is believed of the task as random draws are
(belief/), by a model that knows the task's own runs. Each model is fitted once, whichever task is
left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, median

import msgspec
import numpy as np
import polars as pl

from ringfence.arrays import FloatArray
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.left_out.speedup import ModelError, speed_ups
from ringfence.checking.result import StartsCheck
from ringfence.checking.spending import spending
from ringfence.checking.verdict import Judgement, judgement
from ringfence.history import TASK, considered_rows
from ringfence.history.lots import by_lot
from ringfence.learned.full import full_space
from ringfence.learned.records import Settings
from ringfence.learned.settings import Unit
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.domain import Domain, domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.source_models import SourceModels, fit_source_models
from ringfence.optimize.transfer.sources import Source, source_tasks, tasks_of
from ringfence.optimize.transfer.starting_points import SEED, starting_rows
from ringfence.optimize.transfer.strangers import without_strangers
from ringfence.optimize.weighing.reasons import weighing_of

SHOWN = (1, 2, 5, 10, 25, 50)  # numbers of starting points with a speed-up of their own
MOST_SOURCES = 32  # models that choose the points of a task; more add nothing measurable
MOST_JUDGED = 100  # tasks; of more a random choice
# A model knows less of the very best configurations than it believes, and starting points are
# chosen to be among them. Both constants were measured against truth (docs/check.md).
OPTIMISM = 0.3  # share of log K beyond 1 that does not come true
STARTS_ERROR = 0.35  # of log K, beside the error for random draws


def check_starts(
    left_out: LeaveOneOut, settings: Settings, n: int, by: Unit = "trials"
) -> StartsCheck:
    """`n` starting points for each task, from the others."""
    chosen = {} if left_out.beliefs is None else starts_by_task(left_out, settings, n, by=by)
    judged = judge_starts(left_out, chosen, n)
    if by == "trials" or not judged.speed_ups:
        return judged
    return msgspec.structs.replace(judged, spending=spending(left_out, chosen, judged.speed_ups, n))


def judge_starts(left_out: LeaveOneOut, chosen: Mapping[str, FloatArray], n: int) -> StartsCheck:
    """What the chosen starting points of each task are worth, at most `n` of them."""
    beliefs, scale = left_out.beliefs, left_out.scale
    names = [task.name for task in left_out.tasks]
    unjudged = tuple(name for name in names if name not in chosen)
    if beliefs is None or scale is None or not chosen:
        return StartsCheck("cannot tell", "no task tells good from bad", (), {}, unjudged)
    curves = {
        name: _extended(beliefs.regrets_in_order(name, rows), n) for name, rows in chosen.items()
    }
    counts = sorted({*(k for k in SHOWN if k < n), n})
    columns = [k - 1 for k in counts]
    rows = median(len(left_out.recorded[name].values) for name in curves)
    lacks = fmean(beliefs.rows[name].lacks for name in curves)
    error = ModelError.of(len(curves), rows, STARTS_ERROR, lacks, left_out.scarce)
    at_counts = [curve[:, :, columns] for curve in curves.values()]
    ups = speed_ups(at_counts, counts, scale, error, OPTIMISM)
    outcome = judgement(ups, n, len(curves), min(len(names), MOST_JUDGED), rows)
    if left_out.unsearched:
        outcome = Judgement("cannot tell", left_out.unsearched)
    means = {name: (scale.weights @ curve).mean(axis=0) for name, curve in curves.items()}
    by_name = {name: tuple(mean.tolist()) for name, mean in means.items()}
    return StartsCheck(outcome.verdict, outcome.reason, ups, by_name, unjudged)


def starts_by_task(
    left_out: LeaveOneOut,
    settings: Settings,
    n: int,
    candidates: Mapping[str, FloatArray] | None = None,
    by: Unit = "trials",
) -> dict[str, FloatArray]:
    """The starting points of each task that tells good from bad, as rows of the full space's
    layout; fewer than `n` if the region has fewer configurations. `candidates` restricts the choice
    for each task to some rows; a task with none inside is left out."""
    past, beliefs = Past.of(left_out), left_out.beliefs
    assert beliefs is not None
    chosen = {}
    everyone = left_out.everyone
    names = [task.name for task in left_out.tasks]
    for number in np.sort(by_lot(names)[:MOST_JUDGED]).tolist():
        name = names[number]
        if beliefs.knows(name) and past.has_others(name):
            blocks, choices = left_out.sources(settings).fit(settings, everyone, [number])
            region = replace(past.full, blocks=blocks, choices=choices)
            domain = domain_of(region)
            if candidates is not None:
                rows = candidates[name]
                domain = Domain(domain.layout, rows[domain.layout.inside(rows)])
            if domain.pool is None or len(domain.pool):
                chosen[name] = past.starts(name, domain, n, by)
    return chosen


def _extended(curves: FloatArray, n: int) -> FloatArray:
    """Curves up to `n` points: the last regret stays."""
    missing = n - curves.shape[2]
    return np.concatenate([curves, np.repeat(curves[:, :, -1:], missing, axis=2)], axis=2)


@dataclass(frozen=True, eq=False)
class Past:
    """Every task with its runs and its model."""

    full: LearnedSpace
    sources: tuple[Source, ...]
    """The tasks with the rows that the models see."""
    stand_for_all: bool = False
    """Whether they were chosen to stand for all tasks that are not left out in turn."""

    @classmethod
    def of(cls, left_out: LeaveOneOut) -> Past:
        """The recorded tasks of a check."""
        full = full_space(left_out.space)
        rows = considered_rows(left_out.prepared.rows, left_out.choice)
        layout, failed = Layout(full), left_out.prepared.usable.failed
        if not left_out.is_sample:
            return cls(full, tasks_of(rows, layout, failed))
        others = ~pl.col(TASK).is_in([task.name for task in left_out.tasks])
        return cls(full, source_tasks(rows.filter(others), layout, failed.filter(others)), True)

    @cached_property
    def models(self) -> SourceModels:
        """The model of every task that tells good from bad."""
        return fit_source_models(self.sources, Layout(self.full))

    def has_others(self, name: str) -> bool:
        """Whether another task tells good from bad."""
        return any(model.name != name for model in self.models.tasks)

    def starts(self, name: str, domain: Domain, n: int, by: Unit = "trials") -> FloatArray:
        """The first `n` starting points for a task that has no part in choosing them."""
        others = [model for model in self.models.tasks if model.name != name]
        if not self.stand_for_all:
            order = by_lot([model.name for model in others], name)
            others = [others[number] for number in np.sort(order[:MOST_SOURCES])]
        sources = [source for source in self.sources if source.name != name]
        models = SourceModels(self.models.full, tuple(others))
        models = without_strangers(models, sources, domain, SEED)
        weighing = weighing_of(domain.layout, sources, by)
        return starting_rows(Candidates(domain, models, sources, SEED), n, weighing)
