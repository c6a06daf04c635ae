"""Bayesian optimization with a Gaussian process and expected improvement, inside the region."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import Setup
from ringfence.optimize.model_based import ModelBased
from ringfence.optimize.surrogates.gp.fit import fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.listed import ListedGP, ListedMoments
from ringfence.optimize.surrogates.gp.prediction import GP
from ringfence.optimize.surrogates.standardize import standardize

MANY = 256  # evaluations; beyond, a fit costs too much to search for hyperparameters every time
LONG = 4 * 10**6  # evaluations times candidates; beyond, all of a proposal costs seconds as well
GROWTH = 1.1  # beyond these, hyperparameters stay until the evaluations have grown by this factor
LARGEST = 6 * 10**7  # numbers kept between proposals, 480 MB; from scratch it is more, for a while


class GPMemory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept between proposals."""

    hyperparameters: Hyperparameters | None = None
    searched_at: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0

    def __post_init__(self) -> None:
        if self.searched_at and self.hyperparameters is None:
            raise ValueError("hyperparameters were searched for, and there are none")


class Method(ModelBased):
    """Matérn-5/2 with a length scale for each parameter."""

    warping: ClassVar[bool] = False
    Memory: ClassVar[type[GPMemory]] = GPMemory

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        self._listed: ListedGP | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes the list again."""
        return self.__dict__ | {"_listed": None}

    def model(self, log: TrialLog, known: BoolArray) -> tuple[GP | ListedMoments, float]:
        """The process given the trials so far, and its smallest mean at one of them."""
        X = self.domain.layout.features(log.rows)
        if known.all() and self._is_listed(len(X)):
            moments = self._over_list(X, log.values)
            return moments, moments.best
        self._listed = None
        model = self.fitted(X[known], log.values[known])
        return (model if known.all() else model.with_pending(X[~known])), model.best

    def recall(self, memory: dict[str, Any]) -> None:
        """Take the memory back if its hyperparameters fit these parameters."""
        kept = msgspec.convert(memory, self.Memory).hyperparameters
        if kept is not None:
            further = 0 if self.context is None else len(self.context)
            width = len(self.domain.layout.groups) + further
            self._columns(width).check(kept)
        super().recall(memory)

    def fitted(self, X: FloatArray, y: FloatArray) -> GP:
        """The process given these evaluations; its hyperparameters start from the last ones."""
        groups, warped = self._groups(X.shape[1]), self._warped(X.shape[1])
        last = self.memory.get("hyperparameters")
        start = None if last is None else msgspec.convert(last, Hyperparameters)
        settled = self._is_settled(len(y))
        seed = self.setup.seed
        model = fit_gp(X, y, groups, warped=warped, start=start, settled=settled, seed=seed)
        if not settled:
            self.memory["hyperparameters"] = msgspec.to_builtins(model.hyperparameters)
            self.memory["searched_at"] = len(y)
        return model

    def _is_settled(self, n: int) -> bool:
        """Whether the hyperparameters stay as they are."""
        pool = self.domain.pool
        costly = n > MANY or (pool is not None and n * len(pool) > LONG)
        return bool(costly and n < GROWTH * self.memory.get("searched_at", 0))

    def _is_listed(self, n: int) -> bool:
        """Whether the model grows from proposal to proposal: the hyperparameters stay, all that
        could be proposed is known, and it is not too much to keep."""
        pool = self.domain.pool
        return pool is not None and self._is_settled(n) and n * (n + len(pool)) <= LARGEST

    def _over_list(self, X: FloatArray, y: FloatArray) -> ListedMoments:
        """What the process given these evaluations expects of every candidate."""
        assert self.domain.pool is not None
        theta = msgspec.convert(self.memory["hyperparameters"], Hyperparameters).theta
        if self._listed is None or not self._listed.continues(theta, X):
            columns = self._columns(X.shape[1])
            candidates = self.domain.layout.features(self.domain.pool)
            # As if it had begun with the search: one that was saved goes on to the last digit.
            self._listed = ListedGP(theta, columns, X[: self.memory["searched_at"]], candidates)
        for x in X[len(self._listed) :]:
            self._listed.add(x)
        return self._listed.moments(standardize(y))

    def _columns(self, width: int) -> KernelColumns:
        """What the process knows of `width` columns."""
        return KernelColumns.of(width, self._groups(width), self._warped(width))

    def _groups(self, width: int) -> IntArray:
        """The length scale of each of `width` columns; those beyond the layout's have their own."""
        groups = self.domain.layout.groups
        return np.append(groups, groups.max(initial=-1) + 1 + np.arange(width - len(groups)))

    def _warped(self, width: int) -> BoolArray | None:
        """The columns of numeric parameters, if they are warped."""
        if not self.warping:
            return None
        layout = self.domain.layout
        numeric = np.array([axis is not None for axis in layout.axes], dtype=bool)[layout.groups]
        return np.concatenate([numeric, np.zeros(width - len(numeric), dtype=bool)])
