"""The chance that a trial ends as a weight: an acquisition counts only if there is a result.

The chance is that of earlier tasks (risk/chance.py), at hand or kept by the learned space, and only
if their failures show that it depends on the configuration. Trials of the new task correct it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.risk.chance import Chance, TaskChance
from ringfence.optimize.risk.kept import chance_from
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.trial import PRUNED
from ringfence.optimize.weighing.weighing import Remembered, Weight

AVERSION = 2.0
"""How much a search shuns failures beyond the gain that they cost: the log weight of a failure that
is expected for each result. Without it, once an improvement is unlikely anywhere, the likeliest
failures look as good as all else (docs/failures.md)."""
MOST = 20.0  # minus the log of a chance of success; a smaller one is as good as none


def failure_weights(layout: Layout, sources: Sequence[Source]) -> tuple[Weight, ...]:
    """The weight of failures, by earlier tasks or else by the learned space; none if failures do
    not depend on the configuration. Of tasks that stand for many, too few may have failed."""
    full = Layout(full_space(layout.space))
    odds = layout.learned.odds
    stand_for_all = any(task.weight != 1.0 for task in sources)
    chance = None
    if any(len(task.failed) for task in sources):
        chance = chance_of(full, sources)
    if chance is None and odds is not None and (not sources or stand_for_all):
        chance = chance_from(odds, full)
    return () if chance is None else (Failures(layout, chance),)


def chance_of(full: Layout, sources: Sequence[Source]) -> Chance | None:
    """The chance of failure by earlier tasks, for features of the full space."""
    passed = [full.features(task.rows) for task in sources]
    failed = [full.features(task.failed) for task in sources]
    return Chance.of(passed, failed, full.groups, [task.name for task in sources])


def weight(log_success: FloatArray) -> FloatArray:
    """The log weight of trials by the log of their chances of success: that chance, less the
    failures for each result times AVERSION."""
    failures = np.expm1(np.minimum(-log_success, MOST))
    return np.asarray(log_success - AVERSION * failures)


def slope(log_success: FloatArray) -> FloatArray:
    """The derivative of `weight`."""
    falls = -log_success < MOST
    return np.asarray(1.0 + AVERSION * falls * np.exp(np.minimum(-log_success, MOST)))


@dataclass(frozen=True, eq=False)
class Failures:
    """The chance of success, by earlier tasks and by the trials so far."""

    layout: Layout
    chance: Chance

    def log_weights(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """At rows of the layout, (m,)."""
        return weight(self.after(log).log_success(self.full.features(rows)))

    def with_gradient(self, rows: FloatArray, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """The same, and the gradient by numeric coordinates, (m, names)."""
        log_success, by_x = self.after(log).log_success_gradient(self.full.features(rows))
        return weight(log_success), self.full.by_rows(slope(log_success)[:, None] * by_x)

    def _chance(self, log: TrialLog) -> TaskChance:
        """The chance after some trials; running and pruned ones say nothing."""
        settled = [
            (number, trial.state == "failed")
            for number, trial in enumerate(log.trials)
            if trial.state != "running" and trial.reason != PRUNED
        ]
        X = self.full.features(log.rows[[number for number, _ in settled]])
        return self.chance.given(X, np.array([failed for _, failed in settled], dtype=bool))

    @cached_property
    def after(self) -> Remembered[TaskChance]:
        """Of a log: the chance after its trials."""
        return Remembered(self._chance)

    @cached_property
    def full(self) -> Layout:
        """The layout of the full space, whose features the model sees."""
        return Layout(full_space(self.layout.space))
