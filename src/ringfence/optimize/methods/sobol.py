"""A scrambled Sobol sequence over the region: random search that leaves no gaps."""

from __future__ import annotations

import numpy as np

from ringfence.optimize.domain.design import Design
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup


class Method(BaseMethod):
    """The points of one scrambled sequence, in order."""

    def __init__(self, setup: Setup, options: Options) -> None:
        super().__init__(setup, options)
        self.design = Design(setup.domain, setup.seed)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """The first point of the sequence that was not tried."""
        return Proposal(self.domain.config(self.design.next(log.tried, rng)))
