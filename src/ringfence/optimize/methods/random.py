"""Random search: uniform draws from the region (algorithm 1 of the paper for ellipsoids)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup

BATCH = 64  # draws at a time; one by one the region's own cost would be paid for each


class Method(BaseMethod):
    """Independent uniform draws, none twice."""

    def __init__(self, setup: Setup, options: Options) -> None:
        super().__init__(setup, options)
        self._batch = lru_cache(maxsize=1)(self._drawn)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """A uniform configuration that was not tried."""
        number = len(log)
        row = self._batch(number // BATCH)[[number % BATCH]]
        if self.domain.layout.keys(row)[0] in log.tried:
            row = self.domain.fresh(log.tried, rng)
        return Proposal(self.domain.config(row))

    def _drawn(self, batch: int) -> FloatArray:
        return self.domain.draw(BATCH, np.random.default_rng([self.setup.seed, batch, BATCH]))
