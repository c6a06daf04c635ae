"""What a trial costs as a weight: gain per cost, by an exponent that fades with the trials.

The first trials decide what a user has after an hour, so they are judged by gain per cost; the
later a trial, the more it is judged by what it brings, and soon by that alone. Beside what it costs
every trial counts a fifth of a median trial: what costs next to nothing is hardly better than what
costs little, and brings less (docs/cost.md has the measurements).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from ringfence.arrays import BoolArray, FloatArray
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.cost_model import CostModel, own_model, shared_model
from ringfence.optimize.weighing.weighing import Remembered

FADED = 5  # trials after which the cost has no weight
EACH = 0.2  # median trials that every trial counts beside its own cost
LOG_EACH = float(np.log(EACH))
MOST = 700.0  # log costs are held within it, either way, so that no cost is 0 or infinite
TYPICAL = 1024  # random configurations that tell what the median one costs


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
        """Minus the exponent times the log of the cost with its share for the trial itself."""
        power = self._power(log)
        if not power:
            return np.zeros(len(rows))
        model, level = self._leveled(log)
        relative = model.expected(self.full.features(rows)) - level
        return -power * np.logaddexp(relative, LOG_EACH)

    def with_gradient(self, rows: FloatArray, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """The same, and the gradient by numeric coordinates, (m, names)."""
        power = self._power(log)
        if not power:
            return np.zeros(len(rows)), np.zeros(rows.shape)
        model, level = self._leveled(log)
        X = self.full.features(rows)
        over = model.expected(X) - level - LOG_EACH
        by_x = -power * expit(over)[:, None] * model.slopes(X)
        return -power * (np.logaddexp(over, 0.0) + LOG_EACH), self.full.by_rows(by_x)

    def _power(self, log: TrialLog) -> float:
        return exponent(max(len(log) - self.before, 0))

    @cached_property
    def _typical(self) -> FloatArray:
        """The features of random configurations."""
        domain = domain_of(self.full.learned)
        return self.full.features(domain.draw(TYPICAL, np.random.default_rng(0)))

    def predict(self, rows: FloatArray, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the log cost at rows, each (m,)."""
        return self.after(log).predict(self.full.features(rows))

    def relative(self, rows: FloatArray) -> list[float]:
        """What each of the rows is expected to cost on a new task, in units of its median trial."""
        medians = [float(np.median(seen)) for _, seen in map(self.seen, self.sources) if len(seen)]
        logs = self.predict(rows, TrialLog(self.layout))[0] - np.mean(medians)
        costs: list[float] = np.exp(np.clip(logs, -MOST, MOST)).tolist()
        return costs

    def after(self, log: TrialLog) -> CostModel:
        """The model after the costs of some finished trials; how long a failure takes says little
        about what a result costs."""
        return self._leveled(log)[0]

    @cached_property
    def _leveled(self) -> Remembered[tuple[CostModel, float]]:
        """Of a log: that model, and the log cost of the median trial by it."""
        return Remembered(self._find)

    def _find(self, log: TrialLog) -> tuple[CostModel, float]:
        told = [trial.cost if trial.state == "done" else None for trial in log.trials]
        costs = np.array([np.nan if cost is None else cost for cost in told], float)
        known = _are_costs(costs)
        model = self.model
        if known.any():
            model = model.given(self.full.features(log.rows[known]), np.log(costs[known]))
        return model, float(np.median(model.expected(self._typical)))

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
