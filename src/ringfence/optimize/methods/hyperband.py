"""Hyperband (Li et al., JMLR 2018): successive halving from several starting budgets in turn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ringfence.errors import ExhaustedError, FileError, SettingError
from ringfence.optimize.brackets import Rung, bracket, most_rungs
from ringfence.optimize.log import TrialLog
from ringfence.optimize.method import BaseMethod, Options, Proposal, Setup
from ringfence.optimize.trial import Trial


class HyperbandOptions(Options, frozen=True, forbid_unknown_fields=True):
    """Budgets, and how many configurations are promoted."""

    max_budget: float = 81
    """R: the largest budget of a configuration."""
    min_budget: float = 1
    eta: float = 3
    """One in `eta` of the configurations of a rung is promoted to the next."""


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

    def check_trials(self, trials: Sequence[Trial]) -> None:
        """FileError if a trial has no place in a bracket, or not this one."""
        taken: Counter[tuple[int, int]] = Counter()
        resumed: set[int | None] = set()
        for trial in trials:
            fault = self._fault(trial, trials)
            if fault or (trial.resumes is not None and trial.resumes in resumed):
                raise FileError(f"trial {trial.number} {fault or 'resumes what another did'}")
            assert trial.place is not None
            taken[trial.place] += 1
            resumed.add(trial.resumes)
            if taken[trial.place] > self.rungs(trial.place[0])[trial.place[1]].size:
                raise FileError(f"trial {trial.number} is one too many in its rung")

    def _fault(self, trial: Trial, trials: Sequence[Trial]) -> str:
        """What is wrong with a trial's bracket, rung, budget or origin."""
        number, rung = trial.place or (-1, -1)
        if not (0 <= number <= trial.number and 0 <= rung < len(self.rungs(number))):
            return "has no place in a bracket"
        budget = self.rungs(number)[rung].budget
        if trial.budget is None or not math.isclose(trial.budget, budget):
            return f"has the budget {trial.budget}, and its rung {budget:g}"
        if trial.resumes is None:
            return "resumes none, and is not of the first rung" if rung else ""
        below = trials[trial.resumes]
        if below.place != (number, rung - 1) or below.value is None:
            return f"resumes trial {trial.resumes}, which is not done in the rung below"
        return ""

    def rungs(self, number: int) -> tuple[Rung, ...]:
        """The rungs of the bracket that is started as number `number` (from 0)."""
        s = self.s_max - number % (self.s_max + 1)
        return bracket(s, self.s_max, self.options.max_budget, self.options.eta)

    def propose(self, log: TrialLog, rng: np.random.Generator) -> Proposal:
        """The next job of the first bracket that has one: a promotion if the rung below is
        complete, else a new configuration. A bracket that waits for results is passed over."""
        started: dict[tuple[int, int], list[Trial]] = {}
        for trial in log.trials:
            if trial.place is not None:
                started.setdefault(trial.place, []).append(trial)
        for number in range(len(log) + 1):
            rungs = self.rungs(number)
            trials = [started.get((number, rung), []) for rung in range(len(rungs))]
            if len(trials[-1]) == rungs[-1].size:
                continue  # the bracket is complete
            proposal = self._new(number, trials[0], log, rng) or self._promotion(number, trials)
            if proposal is not None:
                return proposal
        raise AssertionError("a bracket that was not begun always has a job")

    def _new(
        self, number: int, trials: Sequence[Trial], log: TrialLog, rng: np.random.Generator
    ) -> Proposal | None:
        """A new configuration for the first rung of a bracket, which holds `trials`; None if the
        rung is full, or if none is left to try and the bracket has to do with what it has."""
        size, budget = self.rungs(number)[0]
        if len(trials) >= size:
            return None
        try:
            config = self.next_start(log) or self.domain.config(self.domain.fresh(log.tried, rng))
        except ExhaustedError:
            if not trials:
                raise
            return None
        return Proposal(config, budget, place=(number, 0))

    def _promotion(self, number: int, trials: Sequence[Sequence[Trial]]) -> Proposal | None:
        """The best configuration of a rung that still has to go up; None while the bracket, which
        holds `trials` by rung, waits for results."""
        for rung, (size, budget) in enumerate(self.rungs(number)[1:], start=1):
            below, promoted = trials[rung - 1], trials[rung]
            if any(trial.state == "running" for trial in below):
                return None
            best = _best(below, size)
            if len(promoted) < len(best):
                resumed = {trial.resumes for trial in promoted}
                trial = next(trial for trial in best if trial.number not in resumed)
                return Proposal(trial.config, budget, resumes=trial.number, place=(number, rung))
        return None


def _best(trials: Sequence[Trial], count: int) -> list[Trial]:
    """The `count` best trials that succeeded."""
    succeeded = [trial for trial in trials if trial.value is not None]
    return sorted(succeeded, key=lambda trial: (trial.value, trial.number))[:count]
