"""What a trial costs as a weight: gain per cost, by an exponent that fades with the trials.

The first trials decide what a user has after an hour, so they are judged by gain per cost; the
later a trial, the more it is judged by what it brings, and soon by that alone (docs/cost.md has the
measurements).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.cost_model import CostModel, own_model, shared_model

FADED = 8  # trials after which the cost has no weight


def exponent(n: int) -> float:
    """The exponent of the cost of a trial that comes after n others: 1 is gain per cost."""
    return max(1.0 - n / FADED, 0.0)


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of trials of one task: from those of earlier tasks and its own."""

    layout: Layout
    sources: tuple[Source, ...] = ()
    before: int = 0
    """Trials that a method makes before it weighs anything."""

    def log_weights(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """Minus the exponent times the log cost."""
        power = exponent(max(len(log) - self.before, 0))
        if not power:
            return np.zeros(len(rows))
        return -power * self.after(log).expected(self.full.features(rows))

    def predict(self, rows: FloatArray, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the log cost at rows, each (m,)."""
        return self.after(log).predict(self.full.features(rows))

    def after(self, log: TrialLog) -> CostModel:
        """The model after the costs of some finished trials; how long a failure takes says little
        about what a result costs."""
        told = tuple(t.cost if t.state == "done" else None for t in log.trials)
        if told not in self._known:
            self._known.clear()
            costs = np.array([np.nan if cost is None else cost for cost in told], float)
            known = _are_costs(costs)
            X = self.full.features(log.rows[known])
            self._known[told] = self.model.given(X, np.log(costs[known]))
        return self._known[told]

    @cached_property
    def _known(self) -> dict[tuple[float | None, ...], CostModel]:
        """The last answer: a climb asks for it again and again."""
        return {}

    @cached_property
    def full(self) -> Layout:
        """The layout of the full space, whose features the model sees."""
        return Layout(full_space(self.layout.space))

    @cached_property
    def model(self) -> CostModel:
        """The model before the first trial."""
        shared = shared_model([self.seen(task) for task in self.sources])
        return own_model(len(self.full.groups)) if shared is None else shared

    def seen(self, task: Source) -> tuple[FloatArray, FloatArray]:
        """Features and log costs of the runs of a task whose costs are known."""
        costs = np.full(len(task.rows), np.nan) if task.costs is None else task.costs
        known = _are_costs(costs)
        return self.full.features(task.rows[known]), np.log(costs[known])


def _are_costs(costs: FloatArray) -> BoolArray:
    return np.isfinite(costs) & (costs > 0.0)


def have_costs(sources: Sequence[Source]) -> bool:
    """Whether any run of the tasks has a cost."""
    return any(task.costs is not None and _are_costs(task.costs).any() for task in sources)


def relative_costs(
    sources: Sequence[Source], rows: FloatArray, layout: Layout
) -> list[float] | list[None]:
    """What each of the rows is expected to cost on a new task, in units of its median trial; None
    if no task has costs."""
    if not have_costs(sources):
        return [None] * len(rows)
    costs = Costs(layout, tuple(sources))
    medians = [float(np.median(seen)) for _, seen in map(costs.seen, sources) if len(seen)]
    logs = costs.predict(rows, TrialLog(layout))[0] - np.mean(medians)
    relative: list[float] = np.exp(logs).tolist()
    return relative
