"""A sampler with a guard: some trials come from the same sampler over the full space.

Which ones follows from a trial's number and the trials that the storage holds, so that workers, and
a study that continues after a crash, agree. Both samplers see all trials, except that the one for
the region does not see trials outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ringfence.adapters.optuna.region_sampler import RegionSampler, trial_key
from ringfence.adapters.optuna.trials import configuration
from ringfence.errors import SettingError
from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.guard import n_guarded

GUARD = "ringfence:guard"
"""Attribute of the trials that search the full space."""


class GuardedSampler(BaseSampler):
    """Hands each trial to the sampler of the region or to that of the full space."""

    def __init__(
        self, learned: LearnedSpace, inside: RegionSampler, everywhere: RegionSampler, share: float
    ) -> None:
        self._learned = learned
        self._full = full_space(learned.space)
        self._inside, self._everywhere, self._share = inside, everywhere, share
        self._samplers: dict[tuple[object, ...], RegionSampler] = {}

    def __str__(self) -> str:
        return f"{self._inside}, guard {self._share:g}"

    def reseed_rng(self) -> None:
        """Fresh randomness, for a thread of its own."""
        self._inside.reseed_rng()
        self._everywhere.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Decide which sampler the trial belongs to."""
        self._sampler(study, trial).before_trial(study, trial)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """What the trial's sampler proposes together."""
        return self._sampler(study, trial).infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of parameters proposed together."""
        return self._sampler(study, trial).sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The value that the trial's plan has for the parameter; if the study's own range leaves
        out a part of the full space, the base sampler's value within that range."""
        sampler = self._sampler(study, trial)
        try:
            return sampler.sample_independent(study, trial, param_name, param_distribution)
        except SettingError:
            if sampler is self._inside:
                raise
            return sampler.base_value(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Let the trial's sampler finish, and forget which it was."""
        self._sampler(study, trial).after_trial(study, trial, state, values)
        self._samplers.pop(trial_key(study, trial), None)

    def _sampler(self, study: Study, trial: FrozenTrial) -> RegionSampler:
        """The sampler that the trial belongs to, decided once and kept in the storage."""
        key = trial_key(study, trial)
        if key not in self._samplers:
            guarded = bool(trial.system_attrs.get(GUARD)) or self._is_due(study, trial.number)
            if guarded:
                study._storage.set_trial_system_attr(trial._trial_id, GUARD, True)
            self._samplers[key] = self._everywhere if guarded else self._inside
        return self._samplers[key]

    def _is_due(self, study: Study, number: int) -> bool:
        """By the share; every second trial while the best one lies outside the region."""
        if n_guarded(self._share, number + 1) > n_guarded(self._share, number):
            return True
        return number % 2 == 1 and len(study.directions) == 1 and self._best_is_outside(study)

    def _best_is_outside(self, study: Study) -> bool:
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        best = min(done, key=lambda trial: sign * trial.values[0], default=None)
        if best is None or configuration(self._full, best) is None:
            return False
        return configuration(self._learned, best) is None
