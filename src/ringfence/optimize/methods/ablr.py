"""ABLR (Perrone et al. 2018): Bayesian linear regression on a network that all tasks share.

The network learns from the earlier tasks alone, once; the new task has a regression of its own on
its features, in closed form. Without a history the network learns from the trials themselves.
"""

from __future__ import annotations

from functools import cached_property

from ringfence.arrays import BoolArray
from ringfence.optimize.log import TrialLog
from ringfence.optimize.model_based import ModelBased
from ringfence.optimize.surrogates.ablr.fit import ABLR, fit_ablr
from ringfence.optimize.surrogates.ablr.task import TaskModel


class Method(ModelBased):
    """A design, then expected improvement under the new task's regression."""

    @cached_property
    def shared(self) -> ABLR | None:
        """The model of the earlier tasks; None if there are none."""
        if self.setup.sources is None:
            return None
        features, seed = self.domain.layout.features, self.setup.seed
        sources = [task.completed(self.domain, seed) for task in self.setup.sources.tasks]
        return fit_ablr([(features(task.rows), task.values) for task in sources], seed=seed)

    def model(self, log: TrialLog, known: BoolArray) -> tuple[TaskModel, float]:
        """The regression given the trials so far, and its smallest mean at one of them."""
        X, y = self.domain.layout.features(log.rows), log.values
        if self.shared is None:
            model = fit_ablr([(X[known], y[known])], seed=self.setup.seed).task(0)
        else:
            new = len(self.shared.tasks)
            model = self.shared.with_task(new, X[known], y[known]).task(new)
        return (model if known.all() else model.with_pending(X[~known])), model.best
