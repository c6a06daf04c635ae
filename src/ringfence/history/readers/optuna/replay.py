"""The operations of an Optuna journal, replayed.

As in Optuna, a trial's number is the count of those created before it, a finished trial no longer
changes, and a study that was deleted takes its trials along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any

import msgspec

from ringfence.history.readers.optuna.rows import (
    ATTRIBUTES,
    DIRECTIONS,
    METRICS,
    PARAMS,
    REASONS,
    REASONS_KEYS,
    STATES,
    TRIALS,
    VALUES,
    Choose,
    Rows,
    StudyInfo,
    last_times,
    long_table,
    metric_names,
    moment_seconds,
)
from ringfence.history.readers.shared.runs import span

FINISHED = ("complete", "pruned", "fail")


class OpCode(IntEnum):
    """Optuna's `JournalOperation`; those that a history needs nothing of are skipped."""

    CREATE_STUDY = 0
    DELETE_STUDY = 1
    SET_STUDY_USER_ATTR = 2
    SET_STUDY_SYSTEM_ATTR = 3
    CREATE_TRIAL = 4
    SET_TRIAL_PARAM = 5
    SET_TRIAL_STATE_VALUES = 6
    SET_TRIAL_INTERMEDIATE_VALUE = 7
    SET_TRIAL_USER_ATTR = 8
    SET_TRIAL_SYSTEM_ATTR = 9
    DISCARD_TRIALS = 10


class Operation(msgspec.Struct):
    """One line of a journal; which fields are given depends on `op_code`."""

    op_code: int
    study_id: int = -1
    trial_id: int = -1
    study_name: str = ""
    directions: list[int] = []
    state: int = 0
    value: float | None = None
    values: list[float] | None = None
    param_name: str = ""
    param_value_internal: float = 0.0
    distribution: str = ""
    params: dict[str, float] = {}
    distributions: dict[str, str] = {}
    user_attr: dict[str, Any] = {}
    user_attrs: dict[str, Any] = {}
    system_attr: dict[str, Any] = {}
    system_attrs: dict[str, Any] = {}
    datetime_start: Any = None
    datetime_complete: Any = None


class Trial:
    """A trial while the journal is replayed."""

    def __init__(self, study: int, number: int, operation: Operation) -> None:
        self.study = study
        self.number = number
        self.state = STATES[operation.state]
        single = None if operation.value is None else [operation.value]
        self.values = operation.values or single
        self.params = dict(operation.params)
        self.distributions = dict(operation.distributions)
        self.attributes = dict(operation.user_attrs)
        self.facts = dict(operation.system_attrs)
        self.start, self.complete = operation.datetime_start, operation.datetime_complete

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        return span(moment_seconds(self.start), moment_seconds(self.complete))

    @property
    def reason(self) -> str | None:
        """Why it failed, in JSON."""
        told = [self.facts[key] for key in REASONS_KEYS if key in self.facts]
        return json.dumps(told[0]) if told else None


class Replay:
    """The state of the storage after the operations so far."""

    def __init__(self) -> None:
        self.studies: dict[int, StudyInfo] = {}
        self.trials: list[Trial] = []
        self.counts: dict[int, int] = {}
        self.kinds: dict[tuple[int, str], object] = {}
        self.notes: list[str] = []
        self._effects: dict[int, Callable[[Operation], object]] = {
            **dict.fromkeys(OpCode, lambda _: None),
            OpCode.CREATE_STUDY: self._create_study,
            OpCode.DELETE_STUDY: lambda operation: self.studies.pop(operation.study_id, None),
            OpCode.SET_STUDY_USER_ATTR: self._set_study_attributes,
            OpCode.SET_STUDY_SYSTEM_ATTR: self._set_study_attributes,
            OpCode.CREATE_TRIAL: self._create_trial,
            OpCode.SET_TRIAL_PARAM: self._set_param,
            OpCode.SET_TRIAL_STATE_VALUES: self._set_state,
            OpCode.SET_TRIAL_USER_ATTR: self._set_trial_attributes,
            OpCode.SET_TRIAL_SYSTEM_ATTR: self._set_trial_attributes,
        }

    def apply(self, operation: Operation) -> None:
        """Do as Optuna would; KeyError for an operation that it does not have."""
        self._effects[operation.op_code](operation)

    def rows(self, choose: Choose, attributes: Sequence[str]) -> Rows:
        """The trials of the chosen studies, and of each the values of some user `attributes`."""
        studies = choose(list(self.studies.values()))
        keys = {study.key for study in studies}
        chosen = [(i, trial) for i, trial in enumerate(self.trials) if trial.study in keys]
        values = [(i, o, v) for i, t in chosen for o, v in enumerate(t.values or ())]
        params = [(i, name, v) for i, t in chosen for name, v in t.params.items()]
        asked = [
            (i, key, json.dumps(t.attributes.get(key))) for i, t in chosen for key in attributes
        ]
        reasons = [(i, t.reason) for i, t in chosen if t.reason is not None]
        distributions = dict.fromkeys(
            (t.study, name, d) for _, t in chosen for name, d in t.distributions.items()
        )
        return Rows(
            studies,
            long_table([(i, t.study, t.number, t.state, t.seconds) for i, t in chosen], TRIALS),
            long_table(values, VALUES),
            long_table(params, PARAMS),
            tuple(distributions),
            long_table(asked, ATTRIBUTES),
            tuple(self.notes),
            last_times((t.study, moment) for _, t in chosen for moment in (t.start, t.complete)),
            long_table(reasons, REASONS),
        )

    def _create_study(self, operation: Operation) -> None:
        if operation.study_name not in {study.name for study in self.studies.values()}:
            key = len(self.counts)
            directions = tuple(DIRECTIONS[d] for d in operation.directions)
            self.studies[key] = StudyInfo(key, operation.study_name, directions)
            self.counts[key] = 0

    def _set_study_attributes(self, operation: Operation) -> None:
        study = self.studies.get(operation.study_id)
        if study is not None:
            named = list(operation.system_attr.get(METRICS) or ())
            metrics = metric_names(named, study.directions) or study.metrics
            attributes = {**study.attributes, **operation.user_attr}
            self.studies[study.key] = StudyInfo(
                study.key, study.name, study.directions, metrics, attributes
            )

    def _create_trial(self, operation: Operation) -> None:
        key = operation.study_id
        if key not in self.studies:
            return
        trial = Trial(key, self.counts[key], operation)
        self.counts[key] += 1
        self.trials.append(trial)
        for name, distribution in trial.distributions.items():
            self.kinds.setdefault((key, name), _kind(distribution))

    def _unfinished(self, operation: Operation) -> Trial | None:
        """The trial of the operation, if there is one and it may still change."""
        if not 0 <= operation.trial_id < len(self.trials):
            return None
        trial = self.trials[operation.trial_id]
        return None if trial.state in FINISHED else trial

    def _set_param(self, operation: Operation) -> None:
        trial = self._unfinished(operation)
        if trial is not None:
            name, kind = operation.param_name, _kind(operation.distribution)
            if self.kinds.setdefault((trial.study, name), kind) == kind:
                trial.params[name] = operation.param_value_internal
                trial.distributions[name] = operation.distribution

    def _set_state(self, operation: Operation) -> None:
        trial = self._unfinished(operation)
        if trial is not None:
            trial.state = STATES[operation.state]
            trial.values = operation.values if operation.values is not None else trial.values
            trial.start = operation.datetime_start or trial.start
            trial.complete = operation.datetime_complete or trial.complete

    def _set_trial_attributes(self, operation: Operation) -> None:
        trial = self._unfinished(operation)
        if trial is not None:
            trial.attributes |= operation.user_attr
            trial.facts |= operation.system_attr


@lru_cache(maxsize=4096)
def _kind(distribution: str) -> object:
    """What Optuna wants to be the same for a parameter throughout a study."""
    content = json.loads(distribution)
    attributes = content["attributes"]
    return content["name"], attributes.get("log"), str(attributes.get("choices"))
