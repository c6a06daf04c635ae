"""Hyperband (Li et al., JMLR 2018): successive halving from several starting budgets in turn."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ringfence.errors import ExhaustedError, SettingError
from ringfence.optimize.brackets import Rung, bracket, most_rungs
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup
from ringfence.optimize.trial import Trial


class HyperbandOptions(Options, frozen=True, forbid_unknown_fields=True):
    """Resource and rate."""

    max_budget: float = 81
    """R: what one configuration gets at most."""
    min_budget: float = 1
    eta: float = 3
    """Of the configurations of a rung one in so many goes on."""


class Method(BaseMethod):
    """Brackets s_max, …, 0, and again from the start."""

    Options: ClassVar[type[Options]] = HyperbandOptions
    budgeted: ClassVar[bool] = True
    options: HyperbandOptions

    def __init__(self, setup: Setup, options: Any) -> None:
        super().__init__(setup, options)
        if not 0 < options.min_budget <= options.max_budget < float("inf"):
            raise SettingError(
                f"budgets must satisfy 0 < min_budget <= max_budget, not "
                f"{options.min_budget:g} and {options.max_budget:g}"
            )
        if not 1 < options.eta < float("inf"):
            raise SettingError(f"eta must be greater than 1, not {options.eta:g}")
        self.s_max = most_rungs(options.max_budget, options.min_budget, options.eta)

    def rungs(self, number: int) -> tuple[Rung, ...]:
        """The rungs of the bracket that is started as number `number` (from 0)."""
        s = self.s_max - number % (self.s_max + 1)
        return bracket(s, self.s_max, self.options.max_budget, self.options.eta)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """The next job of the first bracket that has one: a promotion where the rung below is
        complete, else a new configuration. A bracket that waits for results is passed over."""
        started: dict[tuple[int, int], list[Trial]] = {}
        for trial in log.trials:
            if trial.place is not None:
                started.setdefault(trial.place, []).append(trial)
        for number in range(len(log) + 1):
            proposal = self._job(number, started, log, rng)
            if proposal is not None:
                return proposal
        raise AssertionError("a bracket that was not begun always has a job")

    def _job(
        self,
        number: int,
        started: dict[tuple[int, int], list[Trial]],
        log: TrialLog,
        rng: np.random.Generator,
    ) -> Proposal | None:
        rungs = self.rungs(number)
        if len(started.get((number, len(rungs) - 1), ())) == rungs[-1].size:
            return None
        below: list[Trial] = []
        for i, (size, budget) in enumerate(rungs):
            here = started.get((number, i), [])
            if i == 0 and len(here) < size:
                try:
                    config = self.next_start(log)
                    config = config or self.domain.config(self.domain.fresh(log.tried, rng))
                    return Proposal(config, budget, place=(number, 0))
                except ExhaustedError:
                    if not here:
                        raise
            going_on = sorted(
                (t for t in below if t.value is not None), key=lambda t: (t.value, t.number)
            )[:size]
            if i > 0 and len(here) < len(going_on):
                taken = {trial.resumes for trial in here}
                best = next(trial for trial in going_on if trial.number not in taken)
                return Proposal(best.config, budget, resumes=best.number, place=(number, i))
            if any(trial.state == "running" for trial in here):
                return None
            below = here
        return None
