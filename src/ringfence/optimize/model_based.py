"""What methods with a model share: a Sobol design first, then the most promising configuration."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.optimize.domain.design import Design
from ringfence.optimize.guard import USUAL
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup
from ringfence.optimize.search.acquisition import Surrogate
from ringfence.optimize.search.maximize import Search
from ringfence.optimize.surrogates.gp.listed import ListedMoments

AROUND = 5  # best rows that the search takes steps around


class ModelOptions(Options, frozen=True, forbid_unknown_fields=True):
    """How the search begins."""

    n_initial: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Trials before the model is used: starting points, then a Sobol design. None: as many as there
    are starting points, at least 3; without any, one more than there are parameters that vary, at
    least 5 and at most 10."""


class ModelBased(BaseMethod):
    """A design, then the largest expected improvement under a model."""

    Options: ClassVar[type[Options]] = ModelOptions
    usual_guard: ClassVar[float] = USUAL
    context: FloatArray | None = None
    """Further inputs of the model, the same for every configuration."""

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        self.design = Design(setup.domain, setup.seed)
        varying = len(setup.domain.layout.names)
        usual = max(len(setup.starts), 3) if setup.starts else min(max(varying + 1, 5), 10)
        self.n_initial = options.n_initial or usual

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """A point of the design, or the most promising configuration."""
        known = np.isfinite(log.values)
        if self.is_design(log, known):
            return Proposal(self.domain.config(self.design.next(log.tried, rng)))
        model, best = self.model(log, known)
        order = np.flatnonzero(known)[np.argsort(log.values[known], kind="stable")[:AROUND]]
        search = Search(
            self.domain, log.tried, log.rows[order], self.context, self.weighing.at(log)
        )
        return Proposal(self.domain.config(search.maximize(model, best, rng)))

    @property
    def n_unweighed(self) -> int:
        """Starting points, which are weighed already, and the design."""
        return self.n_initial

    def is_design(self, log: TrialLog, known: BoolArray) -> bool:
        """Whether it is too early for the model."""
        return len(log) < self.n_initial or not known.any()

    @abstractmethod
    def model(self, log: TrialLog, known: BoolArray) -> tuple[Surrogate | ListedMoments, float]:
        """The model of the trials so far, with running ones at the values that it expects, and the
        value to improve on. `known` says which trials have a value."""
