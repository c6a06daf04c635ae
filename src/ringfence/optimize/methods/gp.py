"""Bayesian optimization with a Gaussian process and expected improvement, inside the region."""

from __future__ import annotations

from typing import ClassVar

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.optimize.log import TrialLog
from ringfence.optimize.model_based import ModelBased
from ringfence.optimize.surrogates.gp.fit import fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters
from ringfence.optimize.surrogates.gp.prediction import GP

MANY = 256  # evaluations; beyond, a fit costs too much to search for hyperparameters every time
GROWTH = 1.05  # with MANY, hyperparameters stay until the evaluations have grown by this factor


class Method(ModelBased):
    """Matérn-5/2 with a length scale for each parameter."""

    warping: ClassVar[bool] = False

    def model(self, log: TrialLog, known: BoolArray) -> tuple[GP, float]:
        """The process given the trials so far, and its smallest mean at one of them."""
        X = self.domain.layout.features(log.rows)
        model = self.fitted(X[known], log.values[known])
        return (model if known.all() else model.with_pending(X[~known])), model.best

    def fitted(self, X: FloatArray, y: FloatArray) -> GP:
        """The process given these evaluations; its hyperparameters start from the last ones."""
        groups = self.domain.layout.groups
        further = X.shape[1] - len(groups)
        groups = np.append(groups, groups.max(initial=-1) + 1 + np.arange(further))
        last = self.memory.get("hyperparameters")
        start = None if last is None else msgspec.convert(last, Hyperparameters)
        warped = self._warped(X.shape[1]) if self.warping else None
        settled = MANY < len(y) < GROWTH * self.memory.get("searched_at", 0)
        seed = self.setup.seed
        model = fit_gp(X, y, groups, warped=warped, start=start, settled=settled, seed=seed)
        if not settled:
            self.memory["hyperparameters"] = msgspec.to_builtins(model.hyperparameters)
            self.memory["searched_at"] = len(y)
        return model

    def _warped(self, width: int) -> BoolArray:
        """The columns of numeric parameters."""
        layout = self.domain.layout
        numeric = np.array([axis is not None for axis in layout.axes], dtype=bool)[layout.groups]
        return np.concatenate([numeric, np.zeros(width - len(numeric), dtype=bool)])
