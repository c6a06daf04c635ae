"""A study in cube coordinates: the storage that the base sampler is shown.

Nothing is stored twice: trials are translated as they are read (adapters/optuna/trials.py), and the
base sampler's notes go to the real storage under a prefix, where other processes, and this one
after a crash, find them.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NoReturn

from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ringfence.adapters.optuna.trials import Translator, base_notes


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
            trials = self._study._get_trials(deepcopy=False, use_cache=True)
            self._trials = self._translator.trials(self._study.study_name, trials)
        return [t for t in self._trials if states is None or t.state in states]

    def get_trial(self, trial_id: int) -> FrozenTrial:
        """One trial in cube coordinates."""
        return self._translator.trial(self._study.study_name, self._storage.get_trial(trial_id))

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        """Write a note of the base sampler to a trial."""
        self._storage.set_trial_system_attr(trial_id, self._translator.notes + key, value)

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        """Write a note of the base sampler to the study."""
        self._storage.set_study_system_attr(study_id, self._translator.notes + key, value)

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:
        """The base sampler's notes in the study."""
        attributes = self._storage.get_study_system_attrs(study_id)
        return base_notes(attributes, self._translator.notes)

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

    def set_trial_param(self, trial_id: int, param_name: str, *value: Any, **options: Any) -> None:
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
