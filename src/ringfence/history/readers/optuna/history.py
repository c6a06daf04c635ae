"""Optuna's long tables as a History: one row per trial, one column per parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ringfence.errors import HistoryError, UnusedError
from ringfence.history.guessing.costs import is_timed
from ringfence.history.history import History
from ringfence.history.mismatch.switches import offers
from ringfence.history.places import Places
from ringfence.history.readers.optuna.conditions import activity
from ringfence.history.readers.optuna.objective import Objectives, objectives
from ringfence.history.readers.optuna.rows import STATES, Rows, from_json
from ringfence.history.readers.optuna.space import Range, all_choices, is_mixed, merge, parse
from ringfence.history.readers.optuna.studies import Studies
from ringfence.history.readers.shared.runs import DURATION, TOOK_DURATIONS
from ringfence.history.roles import NamedColumns, Roles
from ringfence.history.tables import free_name, from_objects, require_literal
from ringfence.history.values import position_of
from ringfence.incoming.limits import CELLS, COLUMNS
from ringfence.space import Choice, Constant, Int, Parameter, Space
from ringfence.words import did_you_mean


def assemble(rows: Rows, source: str, columns: NamedColumns) -> History:
    """The history of these trials, with the space that their distributions make."""
    picked = objectives(rows, columns.objective, columns.direction)
    trials = picked.trials(rows)
    if not trials.height:
        raise HistoryError(f"{source}: the studies have no trials")
    ranges = _ranges(rows, picked, columns)
    COLUMNS.allow(len(ranges), source)
    CELLS.allow(trials.height * len(ranges), source)
    wide = _wide(rows, picked, trials, list(ranges))
    times = {s.name: rows.times[s.key] for s in picked.studies if s.key in rows.times}
    merged = {name: merge(name, ranges[name], times) for name in ranges}
    kinds = {name: merged[name].parameter for name in ranges}
    mixed = [name for name in kinds if is_mixed(ranges[name])]
    categories = [name for name in kinds if ranges[name][0].choices and name not in mixed]
    coded = wide.with_columns([_positions(wide, name, ranges[name], picked) for name in categories])
    wide, coded, strange = _without_strangers(wide, coded, categories)
    finished = coded.filter((pl.col(":state") == "complete") & pl.col(":value").is_finite())
    active = activity(finished, kinds, required=columns.parameters or (), mixed=mixed)
    task, objective, state = _role_names(columns.task, picked, active.parameters)
    costs = _costs(rows, wide, columns.cost)
    reasons = _reasons(rows, wide)
    taken = (*active.parameters, task, objective, state)
    cost = free_name(columns.cost or DURATION, taken) if costs.count() else None
    reason = free_name("reason", [*taken, cost or ""]) if reasons.count() else None
    tasks = _tasks(rows, picked, wide, columns.task).alias(task)
    studies = Studies.of(picked.studies, rows.times, ranges, active)
    by_task = studies.by_task(tasks, wide[":study"])
    table = pl.DataFrame(
        [
            tasks,
            *(
                _mixed(wide, name, ranges[name], picked)
                if name in mixed
                else _column(coded[name], kinds[name], ranges[name])
                for name in active.parameters
            ),
            wide[":value"].alias(objective),
            wide[":state"].alias(state),
            *([] if cost is None else [costs.alias(cost)]),
            *([] if reason is None else [reasons.alias(reason)]),
            *studies.lacking(wide),
        ]
    )
    took = [TOOK_DURATIONS] if cost is not None and columns.cost is None else []
    said = [note for name in active.parameters for note in merged[name].notes]
    said += active.notes
    counts = _counts(wide, len(picked.studies))
    space = Space({name: kinds[name] for name in active.parameters}, active.conditions)
    return History(
        table,
        Roles(
            task,
            objective,
            picked.direction,
            active.parameters,
            None,
            state,
            cost=cost,
            timed=cost is not None and is_timed(cost),
            reason=reason,
        ),
        source=source,
        places=_places(picked, wide),
        space=space,
        left_out=frozenset(kinds) - set(active.parameters),
        notes=(*rows.notes, counts, *took, *strange, *picked.notes, *said, *offers(space)),
        task_spaces=by_task.spaces,
        task_times=by_task.times,
        failures=columns.failures,
    )


def _places(picked: Objectives, wide: pl.DataFrame) -> Places:
    """The trials by their numbers and studies; those of a journal may take turns."""
    names = {study.key: study.name for study in picked.studies}
    turns = wide.select(pl.col(":study").rle().struct.unnest())
    files = tuple((f"study {names[key]}", height) for height, key in turns.iter_rows())
    if len(names) == 1:
        files = ()
    numbers = wide[":number"].cast(pl.UInt32, strict=False)
    return Places(files, numbers, "trial", from_zero=False)


def _wide(
    rows: Rows, picked: Objectives, trials: pl.DataFrame, names: Sequence[str]
) -> pl.DataFrame:
    """One row per trial: `:trial`, `:study`, `:state`, `:value` and a number for each parameter."""
    values = picked.values(rows).rename({"trial": ":trial", "value": ":value"})
    params = (
        rows.params.filter(pl.col("name").is_in(names))
        .rename({"trial": ":trial"})
        .pivot(on="name", index=":trial", values="value", aggregate_function="first")
    )
    return (
        trials.rename({name: f":{name}" for name in trials.columns})
        .join(values, on=":trial", how="left", maintain_order="left")
        .join(params, on=":trial", how="left", maintain_order="left")
    )


def _ranges(rows: Rows, picked: Objectives, columns: NamedColumns) -> dict[str, list[Range]]:
    """The distributions of each parameter, in the order in which they were first suggested."""
    wanted = columns.parameters
    studies = {study.key: study.name for study in picked.studies}
    ranges: dict[str, list[Range]] = {}
    for key, name, text in rows.distributions:
        if key in studies and name not in columns.ignore and (wanted is None or name in wanted):
            ranges.setdefault(name, []).append(parse(studies[key], name, text))
    known = {name for key, name, _ in rows.distributions if key in studies}
    for name in (*(wanted or ()), *columns.ignore):
        if name not in known:
            hint = did_you_mean(name, known)
            text = f"no trial has a parameter {name!r}{f'; {hint}' if hint else ''}"
            raise UnusedError(text, name)
    if not ranges:
        raise HistoryError("the trials have no parameters")
    require_literal(ranges)
    colon = next((name for name in ranges if name.startswith(":")), None)
    if colon is not None:
        raise HistoryError(
            f"a parameter's name cannot begin with a colon; leave it out (ignore=[{colon!r}])"
        )
    return ranges


def _positions(
    wide: pl.DataFrame, name: str, ranges: Sequence[Range], picked: Objectives
) -> pl.Series:
    """Positions among all choices of a category, from those among each study's own."""
    keys = {study.name: study.key for study in picked.studies}
    choices = all_choices(ranges)
    translation = [
        (keys[r.study], float(study_position), position_of(choices, choice))
        for r in ranges
        for study_position, choice in enumerate(r.choices)
    ]
    schema = {":study": pl.Int64, name: pl.Float64, ":position": pl.Float64}
    table = pl.DataFrame(translation, schema=schema, orient="row").unique()
    if table.select(":study", name).is_duplicated().any():
        raise HistoryError(f"the choices of {name!r} change within a study; ignore=[{name!r}]")
    joined = wide.select(":study", name).join(
        table, on=[":study", name], how="left", maintain_order="left"
    )
    return joined[":position"].alias(name)


def _without_strangers(
    wide: pl.DataFrame, coded: pl.DataFrame, categories: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Trials with a value that is none of the choices count as failed, and a note says so; else
    they would look like gaps, for which the whole parameter is left out."""
    state, notes = wide[":state"], []
    for name in categories:
        strange = wide[name].is_not_null() & coded[name].is_null()
        if strange.any():
            first = wide.filter(strange).row(0, named=True)
            notes.append(
                f"{strange.sum()} of {wide.height} trials count as failed: their {name} is none of "
                f"its choices (first: trial {first[':number']}, choice {first[name]:g})"
            )
            state = pl.select(pl.when(strange).then(pl.lit("fail")).otherwise(state)).to_series()
    state = state.alias(":state")
    return wide.with_columns(state), coded.with_columns(state), notes


def _column(coded: pl.Series, kind: Parameter, ranges: Sequence[Range]) -> pl.Series:
    """The parameter's values in the user's types."""
    if ranges[0].choices:
        choices = from_objects(coded.name, list(all_choices(ranges)))
        return choices.gather(coded.cast(pl.UInt32)).alias(coded.name)
    integer = isinstance(kind, Int) or (isinstance(kind, Constant) and isinstance(kind.value, int))
    return coded.cast(pl.Int64) if integer else coded


def _mixed(wide: pl.DataFrame, name: str, ranges: Sequence[Range], picked: Objectives) -> pl.Series:
    """The values of a parameter that is a number here and a choice there, each as it was."""
    keys = {study.name: study.key for study in picked.studies}
    by_study = {keys[r.study]: r for r in ranges}
    values: list[Choice] = []
    for study, number in wide.select(":study", name).iter_rows():
        own = by_study.get(study)
        if number is None or own is None or not own.choices:
            whole = own is not None and own.kind == "int" and number is not None
            values.append(int(number) if whole else number)
        else:
            values.append(own.choices[int(number)] if 0 <= number < len(own.choices) else None)
    return from_objects(name, values)


def _tasks(rows: Rows, picked: Objectives, wide: pl.DataFrame, attribute: str | None) -> pl.Series:
    """The task of each trial: its study, or what the attribute of the study or the trial says."""
    by_study: Mapping[int, Any] = {study.key: study.name for study in picked.studies}
    if attribute is not None:
        by_study = {study.key: study.attributes.get(attribute) for study in picked.studies}
    tasks = wide[":study"].replace_strict(
        list(by_study), [_text(value) for value in by_study.values()], return_dtype=pl.String
    )
    if attribute is None or not tasks.null_count():
        return tasks
    own = _by_trial(wide, rows.attributes.filter(pl.col("key") == attribute))
    tasks = pl.select(pl.coalesce(tasks, own)).to_series()
    if not tasks.count():
        known = sorted({key for study in picked.studies for key in study.attributes})
        has = f"the studies have {', '.join(known)}" if known else "the studies have none"
        text = f"no study and no trial has the user attribute {attribute!r}; {has}"
        raise UnusedError(text, attribute)
    return tasks


def _costs(rows: Rows, wide: pl.DataFrame, attribute: str | None) -> pl.Series:
    """What each trial cost: its duration, or the number in an attribute of the trials."""
    if attribute is None:
        return wide[":seconds"]
    texts = _by_trial(wide, rows.attributes.filter(pl.col("key") == attribute))
    costs = texts.cast(pl.Float64, strict=False)
    if not costs.count():
        raise HistoryError(f"no trial has a number in the user attribute {attribute!r}")
    return costs


def _reasons(rows: Rows, wide: pl.DataFrame) -> pl.Series:
    """Why each trial failed, as far as Optuna says."""
    return _by_trial(wide, rows.reasons)


def _by_trial(wide: pl.DataFrame, attributes: pl.DataFrame) -> pl.Series:
    """What the attributes say of each trial, as text."""
    read = attributes.select(
        "trial",
        pl.col("value").map_elements(lambda v: _text(from_json(v)), return_dtype=pl.String),
    )
    joined = wide.select(trial=":trial").join(read, on="trial", how="left", maintain_order="left")
    return joined["value"]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _role_names(
    task: str | None, picked: Objectives, parameters: Sequence[str]
) -> tuple[str, str, str]:
    """Names for the task, the objective and the state that no parameter has."""
    task = free_name(task or "study", parameters)
    objective = free_name(picked.label, [*parameters, task])
    return task, objective, free_name("state", [*parameters, task, objective])


def _counts(wide: pl.DataFrame, studies: int) -> str:
    counts = dict(wide[":state"].value_counts().iter_rows())
    by_state = ", ".join(
        f"{counts[state]} {'failed' if state == 'fail' else state}"
        for state in ("complete", *(s for s in STATES if s != "complete"))
        if state in counts
    )
    of_studies = "1 study" if studies == 1 else f"{studies} studies"
    trials = "1 trial" if wide.height == 1 else f"{wide.height} trials"
    return f"{trials} of {of_studies}: {by_state}"
