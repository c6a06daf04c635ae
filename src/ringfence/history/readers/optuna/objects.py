"""An Optuna study or storage at hand, read through Optuna itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ringfence.errors import HistoryError, MissingExtraError
from ringfence.history.readers.optuna.rows import (
    ATTRIBUTES,
    METRICS,
    PARAMS,
    REASONS,
    REASONS_KEYS,
    TRIALS,
    VALUES,
    Choose,
    Rows,
    StudyInfo,
    last_times,
    long_table,
    moment_seconds,
)
from ringfence.history.readers.shared.runs import span


def read_object(source: Any, choose: Choose, attributes: Sequence[str]) -> tuple[Rows, str]:
    """The trials of a Study, or of the chosen studies of a storage; and what to call it."""
    try:
        from optuna.storages import BaseStorage, get_storage
        from optuna.study import Study
    except ModuleNotFoundError as error:
        raise MissingExtraError("optuna", "optuna") from error

    if isinstance(source, Study):
        storage, name = source._storage, f"study {source.study_name}"
        studies = [s for s in storage.get_all_studies() if s.study_name == source.study_name]
    elif isinstance(source, BaseStorage):
        storage, name = get_storage(source), type(source).__name__
        studies = storage.get_all_studies()
    else:
        raise HistoryError(f"expected an Optuna study or storage, not a {type(source).__name__}")
    return _rows(storage, choose([_info(study) for study in studies]), attributes), name


def _rows(storage: Any, studies: tuple[StudyInfo, ...], attributes: Sequence[str]) -> Rows:
    from optuna.distributions import distribution_to_json

    trials = [
        (study.key, trial)
        for study in studies
        for trial in storage.get_all_trials(study.key, deepcopy=False)
    ]
    identified = [(t._trial_id, t) for _, t in trials]
    distributions = dict.fromkeys(
        (key, parameter, distribution_to_json(d))
        for key, t in trials
        for parameter, d in t.distributions.items()
    )
    return Rows(
        studies,
        long_table(
            [(t._trial_id, k, t.number, t.state.name.lower(), _seconds(t)) for k, t in trials],
            TRIALS,
        ),
        long_table(
            [(i, o, v) for i, t in identified for o, v in enumerate(t.values or ())], VALUES
        ),
        long_table(
            [
                (i, parameter, t.distributions[parameter].to_internal_repr(value))
                for i, t in identified
                for parameter, value in t.params.items()
            ],
            PARAMS,
        ),
        tuple(distributions),
        long_table(
            [
                (i, key, json.dumps(t.user_attrs.get(key)))
                for i, t in identified
                for key in attributes
            ],
            ATTRIBUTES,
        ),
        times=last_times((k, t.datetime_complete or t.datetime_start) for k, t in trials),
        reasons=long_table(
            [
                (i, json.dumps(str(t.system_attrs[key])))
                for i, t in identified
                for key in [key for key in REASONS_KEYS if key in t.system_attrs][:1]
            ],
            REASONS,
        ),
    )


def _seconds(trial: Any) -> float | None:
    """How long a trial took."""
    return span(moment_seconds(trial.datetime_start), moment_seconds(trial.datetime_complete))


def _info(study: Any) -> StudyInfo:
    return StudyInfo(
        study._study_id,
        study.study_name,
        tuple(direction.name.lower() for direction in study.directions),
        tuple(study.system_attrs.get(METRICS) or ()),
        study.user_attrs,
    )
