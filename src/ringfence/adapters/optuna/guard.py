"""A sampler with a guard: some trials come from the same sampler over the whole space.

Which ones follows from a trial's number and the trials that the storage holds, so that workers, and
a study that goes on after a crash, agree. A trial's samplers see each other's trials, those outside
the region aside, of which the one inside hears nothing.
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
"""Attribute of the trials that search the whole space."""


class GuardedSampler(BaseSampler):
    """Hands each trial to a sampler of the region or to one of the whole space."""

    def __init__(
        self, learned: LearnedSpace, inside: RegionSampler, outside: RegionSampler, share: float
    ) -> None:
        self._learned = learned
        self._whole = full_space(learned.space)
        self._inside, self._outside, self._share = inside, outside, share
        self._chosen: dict[tuple[object, ...], RegionSampler] = {}

    def __str__(self) -> str:
        return f"{self._inside}, guard {self._share:g}"

    def reseed_rng(self) -> None:
        """Fresh randomness, for a thread of its own."""
        self._inside.reseed_rng()
        self._outside.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Decide whose trial it is."""
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
        """The value that the trial's plan has for the parameter; where a study's own range leaves
        out a part of the original space, the base sampler's value within it."""
        chosen, asked = self._sampler(study, trial), (study, trial, param_name, param_distribution)
        if chosen is self._inside:
            return chosen.sample_independent(*asked)
        try:
            return chosen.sample_independent(*asked)
        except SettingError:
            return chosen.base_value(*asked)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Forget the choice."""
        self._sampler(study, trial).after_trial(study, trial, state, values)
        self._chosen.pop(trial_key(study, trial), None)

    def _sampler(self, study: Study, trial: FrozenTrial) -> RegionSampler:
        """Whose trial it is, decided once and kept in the storage."""
        key = trial_key(study, trial)
        if key not in self._chosen:
            guarded = bool(trial.system_attrs.get(GUARD)) or self._is_due(study, trial.number)
            if guarded:
                study._storage.set_trial_system_attr(trial._trial_id, GUARD, True)
            self._chosen[key] = self._outside if guarded else self._inside
        return self._chosen[key]

    def _is_due(self, study: Study, number: int) -> bool:
        """By the share; every second trial while the best one lies outside the region."""
        if n_guarded(self._share, number + 1) > n_guarded(self._share, number):
            return True
        return number % 2 == 1 and len(study.directions) == 1 and self._best_is_outside(study)

    def _best_is_outside(self, study: Study) -> bool:
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        best = min(done, key=lambda trial: sign * trial.values[0], default=None)
        if best is None or configuration(self._whole, best) is None:
            return False
        return configuration(self._learned, best) is None
