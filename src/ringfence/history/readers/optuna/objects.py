"""An Optuna study or storage at hand, read through Optuna itself."""

from __future__ import annotations

import json
from typing import Any

from ringfence.errors import HistoryError, MissingExtraError
from ringfence.history.readers.optuna.rows import (
    ATTRIBUTES,
    METRICS,
    PARAMS,
    TRIALS,
    VALUES,
    Choose,
    Rows,
    StudyInfo,
    last_times,
    long_table,
)


def read_object(source: Any, choose: Choose, attribute: str | None) -> tuple[Rows, str]:
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
    return _rows(storage, choose([_info(study) for study in studies]), attribute), name


def _rows(storage: Any, studies: tuple[StudyInfo, ...], attribute: str | None) -> Rows:
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
        long_table([(t._trial_id, k, t.number, t.state.name.lower()) for k, t in trials], TRIALS),
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
            [(i, json.dumps(t.user_attrs.get(attribute or ""))) for i, t in identified], ATTRIBUTES
        ),
        times=last_times((k, t.datetime_complete or t.datetime_start) for k, t in trials),
    )


def _info(study: Any) -> StudyInfo:
    return StudyInfo(
        study._study_id,
        study.study_name,
        tuple(direction.name.lower() for direction in study.directions),
        tuple(study.system_attrs.get(METRICS) or ()),
        study.user_attrs,
    )
