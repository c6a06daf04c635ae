"""A study in cube coordinates: what the base sampler is shown.

Every number that the learned space knows becomes a coordinate in [0, 1], so that any point of the
base sampler's box is a configuration inside the region. Nothing is kept twice: trials are
translated as they are read, and what the base sampler notes down goes to the real storage under a
prefix, where other processes, and this one after a crash, find it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, NoReturn, TypeAlias

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
)
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ringfence.errors import SpaceError
from ringfence.gauge import GaugeCube

PLAN = "ringfence:plan"
"""Attribute of a trial: the configuration that was proposed."""
NOTES = "ringfence:base:"
"""Prefix of the attributes of the base sampler."""
CONSTRAINTS = "constraints"
"""Prefix of the attributes in which Optuna keeps a trial's constraints."""


Pair: TypeAlias = tuple[FrozenTrial, FrozenTrial]
"""A trial in the user's units, and in cube coordinates."""


class Translator:
    """Trials in the user's units → trials in cube coordinates; each finished one once."""

    def __init__(self, cube: GaugeCube) -> None:
        self.cube = cube
        choices = cube.learned.choices
        self.distributions: dict[str, BaseDistribution] = {
            name: FloatDistribution(0.0, 1.0) for name in cube.names
        } | {name: CategoricalDistribution(kept) for name, kept in choices.items()}
        self._finished: dict[tuple[object, ...], Pair] = {}
        self._seen: dict[int, Pair] = {}

    def trials(self, study_name: str, trials: Iterable[FrozenTrial]) -> list[FrozenTrial]:
        """All of them in cube coordinates. Storages hand out the same object for a finished trial
        again and again, so that next to nothing is done for those seen before."""
        return [
            pair[1]
            if (pair := self._seen.get(id(trial))) is not None and pair[0] is trial
            else self.trial(study_name, trial)
            for trial in trials
        ]

    def trial(self, study_name: str, trial: FrozenTrial) -> FrozenTrial:
        """The trial in cube coordinates. One that finished outside the region says nothing about
        the inside; it counts as failed, which samplers skip."""
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
            system_attrs=base_notes(trial.system_attrs),
            intermediate_values=trial.intermediate_values,
            trial_id=trial._trial_id,
        )

    def _coordinates(self, trial: FrozenTrial) -> dict[str, Any] | None:
        """Coordinates of the configuration that the trial has or is going to have."""
        learned = self.cube.learned
        proposed = trial.system_attrs.get(PLAN, {})
        config = {**proposed, **{k: v for k, v in trial.params.items() if k in learned.space}}
        try:
            config = {name: config[name] for name in learned.space.active(config)}
            inside = learned.contains(config)
        except (SpaceError, KeyError):  # the trial lacks some parameters, or has others
            return None
        return self.cube.encode(config) if inside else None


def base_notes(attributes: dict[str, Any]) -> dict[str, Any]:
    """What the base sampler noted down, and the constraints."""
    kept = {k: v for k, v in attributes.items() if k.startswith(CONSTRAINTS)}
    noted = {k[len(NOTES) :]: v for k, v in attributes.items() if k.startswith(NOTES)}
    return kept | noted


class CubeStorage(BaseStorage):
    """One study's storage in cube coordinates, for one proposal; only attributes can be written."""

    def __init__(self, study: Study, translator: Translator) -> None:
        self._study = study
        self._storage = study._storage
        self._translator = translator
        self._trials: list[FrozenTrial] | None = None

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Every trial of the study in cube coordinates."""
        if self._trials is None:
            found = self._study._get_trials(deepcopy=False, use_cache=True)
            self._trials = self._translator.trials(self._study.study_name, found)
        return [t for t in self._trials if states is None or t.state in states]

    def get_trial(self, trial_id: int) -> FrozenTrial:
        """One trial in cube coordinates."""
        return self._translator.trial(self._study.study_name, self._storage.get_trial(trial_id))

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Note something down with a trial."""
        self._storage.set_trial_system_attr(trial_id, NOTES + key, value)

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        """Note something down with the study."""
        self._storage.set_study_system_attr(study_id, NOTES + key, value)

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:
        """What was noted down with the study."""
        return base_notes(self._storage.get_study_system_attrs(study_id))

    def get_study_id_from_name(self, study_name: str) -> int:
        """The real study's number."""
        return self._study._study_id

    def get_study_name_from_id(self, study_id: int) -> str:
        """The real study's name."""
        return self._study.study_name

    def get_study_directions(self, study_id: int) -> list[StudyDirection]:
        """The real study's directions."""
        return self._study.directions

    def get_study_user_attrs(self, study_id: int) -> dict[str, Any]:
        """The real study's attributes."""
        return self._study.user_attrs

    def get_all_studies(self) -> NoReturn:
        """Refused."""
        raise NotImplementedError("a sampler sees one study only")

    def create_new_study(self, directions: Sequence[StudyDirection], study_name: Any = None) -> int:
        """Refused, like every other change."""
        self._refuse()

    def delete_study(self, study_id: int) -> None:
        """Refused."""
        self._refuse()

    def set_study_user_attr(self, study_id: int, key: str, value: Any) -> None:
        """Refused."""
        self._refuse()

    def create_new_trial(self, study_id: int, template_trial: Any = None) -> int:
        """Refused."""
        self._refuse()

    def set_trial_param(self, trial_id: int, param_name: str, *value: Any, **more: Any) -> None:
        """Refused."""
        self._refuse()

    def set_trial_state_values(self, trial_id: int, state: TrialState, values: Any = None) -> bool:
        """Refused."""
        self._refuse()

    def set_trial_intermediate_value(self, trial_id: int, step: int, value: float) -> None:
        """Refused."""
        self._refuse()

    def set_trial_user_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Refused."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotImplementedError("a sampler leaves the study as it is")
