"""A limit on what the trials of a search may cost together.

A trial is not started that, by the model of costs, would not end within what is left: the chance is
taken at one standard deviation of its log cost, so that about five of six that are started end in
time. Methods with a model choose among the configurations that would, for the others a random one
is taken that does, and the search ends if none is found.
While nothing is known of costs, a trial is started as long as anything is left.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.optimize.log import TrialLog
from ringfence.optimize.trial import Trial
from ringfence.optimize.weighing.cost import Costs

MARGIN = 1.0  # standard deviations of the log cost
UNKNOWN = 10.0  # deviation from which on a log cost is not known at all
NEVER = -1e6  # the log weight of what would not end in time
NOTHING = 1e-300  # what is left if all is spent: it has a logarithm, and no trial costs less


@dataclass(frozen=True, eq=False)
class Budget:
    """What may be spent on the trials of one search, and what is left."""

    costs: Costs
    limit: float
    before: float = 0.0
    """What the trials had cost before the search began."""
    waiting: set[int] = field(default_factory=set)
    """Trials cut short earlier that have not begun again, by number: they cost nothing as yet."""

    def spent(self, log: TrialLog) -> float:
        """What the settled trials of the search cost."""
        return sum(trial.cost or 0.0 for trial in log.trials) - self.before

    def left(self, log: TrialLog, but: Trial | None = None) -> float:
        """What is left once the running trials have cost what they probably will at most; one may
        be excepted."""
        running = log.running
        running[[*self.waiting, *([] if but is None else [but.number])]] = False
        expected = 0.0
        if running.any():
            expected = float(np.exp(self._at_most(log.rows[running], log)).sum())
        return self.limit - self.spent(log) - expected

    def log_weights(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """0 for rows that would end in time, next to nothing for the others."""
        return np.where(self.fits(rows, log), 0.0, NEVER)

    def with_gradient(self, rows: FloatArray, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """The same; a step has no gradient."""
        return self.log_weights(rows, log), np.zeros(rows.shape)

    def fits(self, rows: FloatArray, log: TrialLog) -> BoolArray:
        """Which rows (m, names) would end in time."""
        return self._fits(rows, log, self.left(log))

    def allows(self, trial: Trial, log: TrialLog) -> bool:
        """Whether the trial, which is in the log, would end in time."""
        left = self.left(log, but=trial)
        return left > 0.0 and bool(self._fits(log.rows[[trial.number]], log, left)[0])

    def refusal(self, trial: Trial, log: TrialLog) -> str:
        """Why it is not started, in words."""
        left = max(self.left(log, but=trial), 0.0)
        says = f"{_short(self.spent(log))} was spent, and {_short(left)} of {self.limit:g} is left"
        mean, variance = self.costs.predict(log.rows[[trial.number]], log)
        if not left or not _is_known(variance)[0]:
            return says
        return f"{says}, too little for a trial of about {_short(float(np.exp(mean[0])))}"

    def _fits(self, rows: FloatArray, log: TrialLog, left: float) -> BoolArray:
        return np.asarray(self._at_most(rows, log) <= np.log(max(left, NOTHING)))

    def _at_most(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """The log of what rows (m, names) probably cost at most; that of 0 if it is not known."""
        mean, variance = self.costs.predict(rows, log)
        return np.where(_is_known(variance), mean + MARGIN * np.sqrt(variance), -np.inf)


def _short(cost: float) -> str:
    return f"{cost:.3g}"


def _is_known(variance: FloatArray) -> BoolArray:
    return variance < UNKNOWN**2
