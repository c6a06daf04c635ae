"""Random search: uniform draws from the region (algorithm 1 of the paper for ellipsoids)."""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup

BATCH = 64  # draws at a time; one by one the region's own cost would be paid for each


class Method(BaseMethod):
    """Independent uniform draws, none twice."""

    def __init__(self, setup: Setup, options: Options) -> None:
        super().__init__(setup, options)
        self._number, self._rows = -1, np.empty((0, len(setup.domain.layout.names)))

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """A uniform configuration that was not tried."""
        batch, position = divmod(len(log), BATCH)
        row = self._batch(batch)[[position]]
        if self.domain.layout.keys(row)[0] in log.tried:
            row = self.domain.fresh(log.tried, rng)
        return Proposal(self.domain.config(row))

    def _batch(self, number: int) -> FloatArray:
        """The draws of batch `number`; the last batch is kept, as it is asked for again."""
        if number != self._number:
            rng = np.random.default_rng([self.setup.seed, number, BATCH])
            self._number, self._rows = number, self.domain.draw(BATCH, rng)
        return self._rows
