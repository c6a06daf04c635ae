"""Trials in cube coordinates: what a base sampler learns from.

Every number that the learned space knows becomes a coordinate in [0, 1], so that any point of the
base sampler's box is a configuration inside the region.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial, TrialState

from ringfence.adapters.optuna.values import plain
from ringfence.errors import SpaceError
from ringfence.learned.cube import UnitCube
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config
from ringfence.space.pairs import from_pairs

PLAN = "ringfence:plan"
"""Attribute of a trial: the configuration that was proposed."""
NOTES = "ringfence:base:"
"""Prefix of the base sampler's attributes."""
GUARD_NOTES = "ringfence:guard:"
"""The same for the guard's trials, which the base sampler sees in other coordinates."""
CONSTRAINTS = "constraints"
"""Prefix of the attributes in which Optuna keeps a trial's constraints."""


Pair: TypeAlias = tuple[FrozenTrial, FrozenTrial]
"""A trial in the user's units, and in cube coordinates."""


class Translator:
    """Trials in the user's units → trials in cube coordinates; each finished one once."""

    def __init__(self, cube: UnitCube, notes: str = NOTES) -> None:
        self.cube = cube
        self.notes = notes
        choices = cube.learned.choices
        self.distributions: dict[str, BaseDistribution] = {
            name: FloatDistribution(0.0, 1.0) for name in cube.names
        } | {name: CategoricalDistribution(kinds) for name, kinds in choices.items()}
        self._finished: dict[tuple[object, ...], Pair] = {}
        self._seen: dict[int, Pair] = {}

    def trials(self, study_name: str, trials: Iterable[FrozenTrial]) -> list[FrozenTrial]:
        """All of them in cube coordinates. Storages return the same object for a finished trial
        every time, so that those seen before cost next to nothing."""
        return [
            pair[1]
            if (pair := self._seen.get(id(trial))) is not None and pair[0] is trial
            else self.trial(study_name, trial)
            for trial in trials
        ]

    def trial(self, study_name: str, trial: FrozenTrial) -> FrozenTrial:
        """The trial in cube coordinates. One that finished outside the region has none; it counts
        as failed, and samplers skip failed trials."""
        if not trial.state.is_finished():
            return self._translate(trial)
        key = (study_name, trial.number, trial.datetime_complete)
        before = self._finished.get(key)
        pair = (trial, before[1] if before else self._translate(trial))
        if before:
            self._seen.pop(id(before[0]), None)
        self._finished[key] = self._seen[id(trial)] = pair
        return pair[1]

    def _translate(self, trial: FrozenTrial) -> FrozenTrial:
        params = self._coordinates(trial)
        outside = params is None and trial.state.is_finished()
        params = params or {}
        return FrozenTrial(
            number=trial.number,
            state=TrialState.FAIL if outside else trial.state,
            value=None,
            values=None if outside else trial.values,
            datetime_start=trial.datetime_start,
            datetime_complete=trial.datetime_complete,
            params=params,
            distributions={name: self.distributions[name] for name in params},
            user_attrs=trial.user_attrs,
            system_attrs=base_notes(trial.system_attrs, self.notes),
            intermediate_values=trial.intermediate_values,
            trial_id=trial._trial_id,
        )

    def _coordinates(self, trial: FrozenTrial) -> dict[str, Any] | None:
        config = configuration(self.cube.learned, trial)
        return None if config is None else self.cube.encode(config)


def configuration(learned: LearnedSpace, trial: FrozenTrial) -> Config | None:
    """The configuration that the trial has or is going to have; None if that lies outside."""
    proposed = trial.system_attrs.get(PLAN, {})
    params = from_pairs(learned.space, trial.params)
    given = {k: plain(v) for k, v in params.items() if k in learned.space}
    config = {**proposed, **given}
    try:
        config = {name: config[name] for name in learned.space.active(config)}
        inside = learned.contains(config)
    except (SpaceError, KeyError):  # the trial lacks some parameters, or has others
        return None
    return config if inside else None


def base_notes(attributes: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The base sampler's notes under a prefix, and the constraints."""
    constraints = {k: v for k, v in attributes.items() if k.startswith(CONSTRAINTS)}
    notes = {k[len(prefix) :]: v for k, v in attributes.items() if k.startswith(prefix)}
    return constraints | notes
