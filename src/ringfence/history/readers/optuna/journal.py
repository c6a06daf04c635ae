"""An Optuna journal file, replayed line by line without Optuna.

Each line is one operation in JSON. As in Optuna, a trial's number is the count of those created
before it, a finished trial no longer changes, and a study that was deleted takes its trials along.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from ringfence.errors import HistoryError
from ringfence.history.readers.optuna.rows import (
    ATTRIBUTES,
    DIRECTIONS,
    METRICS,
    PARAMS,
    STATES,
    TRIALS,
    VALUES,
    Choose,
    Rows,
    StudyInfo,
    long_table,
)

FIRST = b'{"op_code":'
FINISHED = ("complete", "pruned", "fail")


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


def is_journal(path: Path) -> bool:
    """Whether the file begins like a journal."""
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST)) == FIRST
    except OSError:
        return False


def read_journal(path: Path, choose: Choose, attribute: str | None) -> Rows:
    """The trials of the chosen studies, and of each the value of a user `attribute`."""
    replay = _Replay()
    for number, operation in _operations(path, replay.notes):
        try:
            replay.apply(operation)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise HistoryError(f"{path.name}, line {number}: no such operation") from error
    return replay.rows(choose, attribute)


def _operations(path: Path, notes: list[str]) -> Iterator[tuple[int, Operation]]:
    decoder = msgspec.json.Decoder(Operation)
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                notes.append(f"the last line of {path.name} is cut off and was ignored")
                return
            try:
                try:
                    operation = decoder.decode(line)
                except msgspec.DecodeError:  # Python's NaN and Infinity, which are no JSON
                    operation = msgspec.convert(json.loads(line), Operation)
            except ValueError as error:
                raise HistoryError(
                    f"{path.name}, line {number} is no journal entry; the file is damaged there"
                ) from error
            yield number, operation


class _Replay:
    """The state of the storage after the operations so far."""

    def __init__(self) -> None:
        self.studies: dict[int, StudyInfo] = {}
        self.trials: list[Trial] = []
        self.counts: dict[int, int] = {}
        self.kinds: dict[tuple[int, str], object] = {}
        self.notes: list[str] = []

    def apply(self, operation: Operation) -> None:
        code = operation.op_code
        if code == 0:
            self._create_study(operation)
        elif code == 1:
            self.studies.pop(operation.study_id, None)
        elif code in (2, 3):
            self._note_study(operation)
        elif code == 4 and operation.study_id in self.studies:
            self._create_trial(operation)
        elif code in (5, 6, 8) and 0 <= operation.trial_id < len(self.trials):
            self._change_trial(operation)
        elif code not in range(11):
            raise KeyError(code)

    def rows(self, choose: Choose, attribute: str | None) -> Rows:
        studies = choose(list(self.studies.values()))
        keys = {study.key for study in studies}
        chosen = [(i, trial) for i, trial in enumerate(self.trials) if trial.study in keys]
        values = [(i, o, v) for i, t in chosen for o, v in enumerate(t.values or ())]
        params = [(i, name, v) for i, t in chosen for name, v in t.params.items()]
        noted = [(i, json.dumps(t.attributes.get(attribute))) for i, t in chosen if attribute]
        used = dict.fromkeys(
            (t.study, name, d) for _, t in chosen for name, d in t.distributions.items()
        )
        return Rows(
            studies,
            long_table([(i, t.study, t.number, t.state) for i, t in chosen], TRIALS),
            long_table(values, VALUES),
            long_table(params, PARAMS),
            tuple(used),
            long_table(noted, ATTRIBUTES),
            tuple(self.notes),
        )

    def _create_study(self, operation: Operation) -> None:
        if operation.study_name not in {study.name for study in self.studies.values()}:
            key = len(self.counts)
            directions = tuple(DIRECTIONS[d] for d in operation.directions)
            self.studies[key] = StudyInfo(key, operation.study_name, directions)
            self.counts[key] = 0

    def _note_study(self, operation: Operation) -> None:
        study = self.studies.get(operation.study_id)
        if study is not None:
            metrics = operation.system_attr.get(METRICS) or study.metrics
            attributes = {**study.attributes, **operation.user_attr}
            self.studies[study.key] = StudyInfo(
                study.key, study.name, study.directions, tuple(metrics), attributes
            )

    def _create_trial(self, operation: Operation) -> None:
        key = operation.study_id
        trial = Trial(key, self.counts[key], operation)
        self.counts[key] += 1
        self.trials.append(trial)
        for name, distribution in trial.distributions.items():
            self.kinds.setdefault((key, name), _kind(distribution))

    def _change_trial(self, operation: Operation) -> None:
        trial = self.trials[operation.trial_id]
        if trial.state in FINISHED:
            return
        if operation.op_code == 8:
            trial.attributes |= operation.user_attr
        elif operation.op_code == 6:
            trial.state = STATES[operation.state]
            trial.values = operation.values if operation.values is not None else trial.values
        else:
            name, kind = operation.param_name, _kind(operation.distribution)
            if self.kinds.setdefault((trial.study, name), kind) == kind:
                trial.params[name] = operation.param_value_internal
                trial.distributions[name] = operation.distribution


@lru_cache(maxsize=4096)
def _kind(distribution: str) -> object:
    """What Optuna wants to be the same for a parameter throughout a study."""
    found = json.loads(distribution)
    attributes = found["attributes"]
    return found["name"], attributes.get("log"), str(attributes.get("choices"))
