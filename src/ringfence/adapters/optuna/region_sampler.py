"""The sampler that keeps another one inside a learned space.

When a trial asks for its first parameter that the learned space knows, the base sampler proposes a
point of the cube (adapters/optuna/cube.py), which stands for a complete configuration inside. That
plan is written to the storage, and every later parameter of the trial is read off it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna import samplers
from optuna.distributions import BaseDistribution
from optuna.pruners import NopPruner
from optuna.samplers import BaseSampler, NSGAIIISampler, NSGAIISampler, QMCSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from ringfence.adapters.optuna.cube_storage import CubeStorage
from ringfence.adapters.optuna.grid import Grid
from ringfence.adapters.optuna.past import PastDirection
from ringfence.adapters.optuna.trials import NOTES, PLAN, Translator
from ringfence.adapters.optuna.values import Fitting, plain
from ringfence.adapters.view import mixed_names
from ringfence.learned.cube import UnitCube
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config
from ringfence.space.pairs import flags, to_pairs

GENETIC: Any = getattr(samplers, "BaseGASampler", (NSGAIISampler, NSGAIIISampler))
"""Samplers that breed; Optuna 4.0 has no common base of them."""


ATTEMPTS = 8  # proposals of which one may lie outside the no-go zone; a base may insist


class RegionSampler(BaseSampler):
    """Proposes what `base` would propose if the learned space were its search space."""

    def __init__(
        self,
        learned: LearnedSpace,
        base: BaseSampler,
        seed: int | None,
        steps: Mapping[str, float],
        notes: str = NOTES,
    ) -> None:
        self._learned = learned
        self._seed = seed
        self._cube = UnitCube(learned)
        self._grid = Grid(self._cube, steps)
        self._fitting = Fitting(learned, steps)
        self._translator = Translator(self._cube, notes)
        self._inner = copy.deepcopy(base)  # sees the cube
        self._outer = copy.deepcopy(base)  # sees the parameters that the learned space lacks
        self._mixed = mixed_names(learned)
        self._flags = flags(learned.space)
        self._plans: dict[tuple[object, ...], Config] = {}
        self.past = PastDirection.of(learned)
        if seed is not None:
            for sampler in (self._inner, self._outer):
                if isinstance(sampler, QMCSampler):
                    sampler._seed = seed  # of the one sequence that all trials share

    def __str__(self) -> str:
        return f"{self._inner} in a learned {self._learned.shape}"

    def reseed_rng(self) -> None:
        """Fresh randomness, for a thread of its own."""
        self._inner.reseed_rng()
        self._outer.reseed_rng()

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Prepare the base sampler; at the first trial, look which way the study goes."""
        self.past.hold_against(study)
        self._start(self._outer, trial, 0)
        self._outer.before_trial(study, trial)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """What the base sampler proposes together, of what the learned space does not know."""
        together = self._outer.infer_relative_search_space(study, trial)
        return {name: d for name, d in together.items() if not self._knows(name)}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of parameters proposed together."""
        known = {n: d for n, d in search_space.items() if self._knows(n)}
        others = {n: d for n, d in search_space.items() if n not in known}
        values = {n: self.sample_independent(study, trial, n, d) for n, d in known.items()}
        if others or not isinstance(self._outer, GENETIC):  # it would breed for nothing
            proposed = self._outer.sample_relative(study, trial, others)
            values |= {n: v for n, v in proposed.items() if n in others}  # TPE's groups give all
        return values

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The value that the trial's plan has for the parameter; the base sampler's if the learned
        space does not know the parameter, or if it is inactive there."""
        if self._knows(param_name):
            plan = self._plan(study, trial)
            if self._flags.keys() & {param_name, *trial.params}:  # the study asks for flags
                plan = to_pairs(self._learned.space, plan)
            if param_name in plan:
                return self._fitting.value(param_name, plan[param_name], param_distribution)
        return self.base_value(study, trial, param_name, param_distribution)

    def _knows(self, name: str) -> bool:
        return name in self._learned.space or name in self._flags

    def base_value(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """What the base sampler proposes for one parameter in the study's own range."""
        return self._outer.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Forget the plan; let the base sampler note its constraints."""
        self._plans.pop(trial_key(study, trial), None)
        self._outer.after_trial(study, trial, state, values)

    def _plan(self, study: Study, trial: FrozenTrial) -> Config:
        """The configuration of this trial, made at the first call and kept in the storage, so that
        a trial that moves to another process keeps it."""
        key = trial_key(study, trial)
        if key not in self._plans:
            plan = trial.system_attrs.get(PLAN)
            if plan is None:
                plan = self._propose(study, trial)
                study._storage.set_trial_system_attr(trial._trial_id, PLAN, plan)
            self._plans[key] = plan
        return self._plans[key]

    def _propose(self, study: Study, trial: FrozenTrial) -> Config:
        """What the base proposes; again, up to ATTEMPTS times, if that is in the no-go zone."""
        for attempt in range(ATTEMPTS):
            config = self._proposed(study, trial, 1 + 2 * attempt)
            if not self._learned.in_zone(config):
                break
        return config

    def _proposed(self, study: Study, trial: FrozenTrial, stream: int) -> Config:
        storage = CubeStorage(study, self._translator)
        cube = Study(study.study_name, storage, sampler=self._inner, pruner=NopPruner())
        cube_trial = self._translator.trial(study.study_name, trial)
        self._start(self._inner, trial, stream)
        self._inner.before_trial(cube, cube_trial)
        together = self._inner.infer_relative_search_space(cube, cube_trial)
        values = self._inner.sample_relative(cube, cube_trial, together)
        choices = self._learned.choices
        fixed = {n: plain(v) for n, v in trial.system_attrs.get("fixed_params", {}).items()}
        values |= {n: v for n, v in fixed.items() if n in choices and v in choices[n]}
        for name in self._learned.space.parents_first:
            distribution = self._translator.distributions.get(name)
            if distribution is not None and name not in values and not self._off(name, values):
                values[name] = self._inner.sample_independent(cube, cube_trial, name, distribution)
        return self._grid.decode(values)

    def _off(self, name: str, values: Mapping[str, Any]) -> bool:
        """Whether a category that is already chosen switches the parameter off; one that shares a
        region with parameters that are on has a coordinate all the same."""
        return name not in self._mixed and any(
            condition.parent in self._learned.choices
            and not (condition.parent in values and condition.holds(values[condition.parent]))
            for condition in self._learned.space.conditions_of(name)
        )

    def _start(self, sampler: BaseSampler, trial: FrozenTrial, stream: int) -> None:
        """Seed a trial's randomness by its number: the same in whichever process it runs, and
        different for workers that were given the same seed."""
        if self._seed is not None:
            _seed_generators(sampler, [self._seed, trial.number, stream])


def _seed_generators(sampler: BaseSampler, key: list[int]) -> None:
    """Seed every generator in the sampler and in the samplers it holds, each differently."""
    for number, part in enumerate(vars(sampler).values()):
        if isinstance(part, BaseSampler):
            _seed_generators(part, [*key, number])
        elif isinstance(rng := getattr(part, "rng", None), np.random.RandomState):
            rng.seed(np.random.SeedSequence([*key, number]).generate_state(4))


def trial_key(study: Study, trial: FrozenTrial) -> tuple[object, ...]:
    """What identifies a trial among all that a sampler may see."""
    return study.study_name, trial._trial_id, trial.datetime_start
