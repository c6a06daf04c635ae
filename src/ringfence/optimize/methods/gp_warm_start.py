"""GP warm start: the k best evaluations of the closest earlier task enter the model.

The paper, section 6.2: closest by the ℓ1 distance of meta-features. Tasks have values of different
size, so each task's values are standardized by their own mean and spread, those of the new task by
the ones so far.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray, near_one
from ringfence.errors import SettingError
from ringfence.optimize.domain.coordinates import with_context
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Options, Setup
from ringfence.optimize.methods.gp import Method as GPMethod
from ringfence.optimize.model_based import ModelOptions
from ringfence.optimize.surrogates.gp.prediction import GP
from ringfence.optimize.transfer.similarity import distances
from ringfence.optimize.transfer.sources import Source, Sources


class WarmStartOptions(ModelOptions, frozen=True, forbid_unknown_fields=True):
    """How much is transferred."""

    k: Annotated[int, msgspec.Meta(ge=1)] = 10
    """Best evaluations of an earlier task."""


class Method(GPMethod):
    """As `gp`, without a design: the model chooses from the first trial on."""

    Options: ClassVar[type[Options]] = WarmStartOptions

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        if setup.sources is None:
            raise SettingError("a warm start needs a history of earlier tasks: pass history=")
        self.inputs, self.scores = self.transferred(setup.sources)

    def transferred(self, sources: Sources) -> tuple[FloatArray, FloatArray]:
        """Inputs and standardized values of the transferred evaluations."""
        closest = self.closest(sources).completed(self.domain, self.setup.seed)
        rows, scores = closest.best(self.options.k)
        return self.domain.layout.features(rows), scores

    def closest(self, sources: Sources) -> Source:
        """The earlier task whose meta-features are nearest."""
        gaps = distances(*sources.meta())
        nearest = min(gaps, key=lambda name: gaps[name])
        return next(task for task in sources.tasks if task.name == nearest)

    def is_design(self, log: TrialLog, known: BoolArray) -> bool:
        """Never."""
        return False

    def model(self, log: TrialLog, known: BoolArray) -> tuple[GP, float]:
        """The joint model of the transferred evaluations and the trials so far."""
        X = with_context(self.domain.layout.features(log.rows), self.context)
        y = standardized(log.values[known])
        model = self.fitted(np.vstack([self.inputs, X[known]]), np.concatenate([self.scores, y]))
        best = float(y.min()) if len(y) else float(self.scores.min())
        return (model if known.all() else model.with_pending(X[~known])), best


def standardized(values: FloatArray) -> FloatArray:
    """Mean 0 and spread 1; one value alone is 0."""
    values, _ = near_one(values)
    spread = float(values.std()) if len(values) else 0.0
    centered: FloatArray = values - (values.mean() if len(values) else 0.0)
    return centered / spread if spread > 0 else centered
