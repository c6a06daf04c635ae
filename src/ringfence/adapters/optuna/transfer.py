"""The transfer optimizer as an Optuna sampler.

All state is in the storage: a trial's plan follows from the seed, its number and the trials that
the storage holds, in whichever process it runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Literal

import numpy as np
from optuna.samplers import RandomSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ringfence.adapters.optuna.past import PastDirection
from ringfence.adapters.optuna.region_sampler import RegionSampler
from ringfence.adapters.optuna.trials import configuration
from ringfence.errors import SettingError
from ringfence.history import History
from ringfence.learned.settings import By
from ringfence.learned.space import LearnedSpace
from ringfence.optimize import optimizer
from ringfence.optimize.log import TrialLog
from ringfence.optimize.trial import PRUNED, Trial
from ringfence.space import Config
from ringfence.threads import one_thread

FAILED = (TrialState.FAIL, TrialState.PRUNED)


class TransferSampler(RegionSampler):
    """Proposes what `optimizer="transfer"` would; parameters that the learned space lacks are drawn
    at random."""

    def __init__(
        self,
        learned: LearnedSpace,
        history: History,
        seed: int,
        by: By = "auto",
        cost: str | None = None,
    ) -> None:
        super().__init__(learned, RandomSampler(), seed, {})
        losses = optimizer(
            "transfer", learned, seed=seed, direction="minimize", history=history, guard=0, by=by
        )
        self._method = losses.method
        self._cost, self._timed = cost, cost is None and history.roles.timed
        self._warned = False
        self.past = PastDirection(history.roles.objective, history.roles.direction)

    def __str__(self) -> str:
        return f"transfer in a learned {self._learned.shape}"

    @one_thread
    def _propose(self, study: Study, trial: FrozenTrial) -> Config:
        if len(study.directions) > 1:
            raise SettingError("the transfer sampler minimizes or maximizes one value, not several")
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        log = TrialLog(self._method.domain.layout)
        self._look_for_costs(study)
        for other in self._others(study, trial):
            config = configuration(self._learned, other)
            if config is not None:
                log.add(_trial(len(log), config, other, sign, self._cost_of(other)))
        self._method.memory.pop("hyperparameters", None)  # of the process that ran before
        rng = np.random.default_rng([self._seed or 0, trial.number])
        return self._method.propose(log, rng).config

    def _cost_of(self, trial: FrozenTrial) -> float | None:
        """What a trial cost: its attribute, or its duration where the past ran in seconds."""
        if self._method.setup.by == "trials" or not trial.state.is_finished():
            return None
        if self._timed:
            return None if trial.duration is None else trial.duration.total_seconds()
        said = None if self._cost is None else trial.user_attrs.get(self._cost)
        return float(said) if isinstance(said, (int, float)) else None

    def _look_for_costs(self, study: Study) -> None:
        """Warn, once, if trials are done and none of them has the attribute of costs."""
        if self._cost is None or self._warned or self._method.setup.by == "trials":
            return
        done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if done and not any(self._cost in trial.user_attrs for trial in done):
            self._warned = True
            warnings.warn(
                f"no finished trial has the user attribute {self._cost!r}, so what trials cost is "
                f"not known: call trial.set_user_attr({self._cost!r}, …) in the objective",
                UserWarning,
                stacklevel=2,
            )

    @staticmethod
    def _others(study: Study, trial: FrozenTrial) -> Iterator[FrozenTrial]:
        for other in study.get_trials(deepcopy=False):
            if other.number != trial.number and other.state != TrialState.WAITING:
                yield other


def _trial(
    number: int, config: Config, trial: FrozenTrial, sign: float, cost: float | None
) -> Trial:
    if trial.state == TrialState.COMPLETE:
        return Trial(number, config, state="done", value=sign * float(trial.values[0]), cost=cost)
    state: Literal["failed", "running"] = "failed" if trial.state in FAILED else "running"
    reason = PRUNED if trial.state == TrialState.PRUNED else None
    return Trial(number, config, state=state, reason=reason, cost=cost)
