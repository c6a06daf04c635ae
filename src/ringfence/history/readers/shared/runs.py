"""The runs of another tool, one record each, as a history."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ringfence.errors import HistoryError, UnusedError
from ringfence.history.history import History, history_from
from ringfence.history.mismatch.spaces import restricted, union_of
from ringfence.history.roles import NamedColumns
from ringfence.history.spreadsheets.nested import flat as flat
from ringfence.history.tables import as_float, from_objects, require_literal
from ringfence.history.values import LACKS
from ringfence.incoming.limits import CELLS, COLUMNS
from ringfence.space import Constant, Parameter, Space
from ringfence.words import did_you_mean, some

FINISHED = "finished"


@dataclass(frozen=True)
class Run:
    """One evaluation; parameters that were inactive are left out of `config`."""

    task: str | None
    config: Mapping[str, Any]
    value: float | None
    status: str = FINISHED
    budget: float | None = None
    time: float | None = None
    """When it began or ended, in seconds since 1970, if that is known."""
    space: Space | None = None
    """What its search declared, if it did."""
    cost: float | None = None
    """What it cost, if that is known; of runs that did not finish as well."""
    reason: str | None = None
    """Why it failed, in the tool's words."""


DURATION = "duration"
"""The column of what runs cost, unless the user named another: they are times."""
TOOK_DURATIONS = "took the recorded durations as what a run cost, in seconds"
"""The note on that."""


def history_of(
    runs: Sequence[Run],
    source: str,
    objective: str,
    columns: NamedColumns,
    *,
    budget: str | None = None,
    notes: Sequence[str] = (),
) -> History:
    """The history with a row for each run. `objective` and `budget` say what the runs' values and
    budgets are, and `columns.cost` what their costs are; else of `columns` only the direction,
    `parameters`, `ignore` and `failures` count. If all runs have a space the parameters of these
    are taken, else every name that occurs in a configuration."""
    if not runs:
        raise HistoryError(f"{source} holds no runs")
    columns.refuse("decimal", reader=source)
    space, decided = _union(runs)
    names = list(dict.fromkeys([*(space or ()), *(name for run in runs for name in run.config)]))
    COLUMNS.allow(len(names), source)
    CELLS.allow(len(runs) * len(names), source)
    require_literal([*names, objective])
    task, value, status = (_free(name, names) for name in ("task", objective, "status"))
    series = [
        from_objects(task, [run.task for run in runs]),
        pl.Series(value, [_number(run.value) for run in runs], dtype=pl.Float64),
        from_objects(status, [run.status for run in runs]),
        *(from_objects(name, [run.config.get(name) for run in runs]) for name in names),
    ]
    if budget is not None:
        budget = _free(budget, [*names, task, value, status])
        series.append(pl.Series(budget, [_finite(run.budget) for run in runs], dtype=pl.Float64))
    taken = [*names, *(column.name for column in series)]
    cost = _free(columns.cost or DURATION, taken)
    reason = _free("reason", [*taken, cost])
    costs, reasons = [_finite(run.cost) for run in runs], [run.reason for run in runs]
    has_costs = any(amount is not None for amount in costs)
    if has_costs:
        series.append(pl.Series(cost, costs, dtype=pl.Float64))
    took = [TOOK_DURATIONS] if has_costs and columns.cost is None else []
    if any(reasons):
        series.append(pl.Series(reason, reasons, dtype=pl.String))
    columns = replace(
        columns,
        task=task,
        objective=value,
        budget=budget,
        status=status,
        cost=cost if has_costs else None,
        reason=reason if any(reasons) else None,
    )
    if space is not None:
        space = _restricted(space, columns)
        columns = replace(columns, parameters=list(space))
    series += _lacking(runs, names if space is None else list(space))
    history = history_from(pl.DataFrame(series), columns, typed=True)
    return replace(
        history,
        source=source,
        space=space,
        notes=(*notes, *took, *decided, *history.notes),
        task_spaces={} if space is None else _task_spaces(runs, columns),
        task_times=_task_times(runs),
    )


def _union(runs: Sequence[Run]) -> tuple[Space | None, list[str]]:
    """The union of the spaces of all runs, the oldest first; None if some have none. What is fixed
    in each of them, and not at the same value, is a fact of the tasks and no parameter."""
    by_age = sorted(runs, key=lambda run: run.time or 0.0)
    spaces = list({id(run.space): run.space for run in by_age}.values())
    declared = [space for space in spaces if space is not None]
    if not declared or len(declared) < len(spaces):
        return None, []
    if all(space == declared[0] for space in declared):
        return declared[0], []
    kinds: dict[str, list[Parameter]] = {}
    for name, parameter in (item for space in declared for item in space.parameters.items()):
        kinds.setdefault(name, []).append(parameter)
    facts = [
        name
        for name, each in kinds.items()
        if all(isinstance(kind, Constant) for kind in each) and any(k != each[0] for k in each)
    ]
    space, notes = union_of([tuned for space in declared if (tuned := _without(space, facts))])
    if facts:
        notes.append(f"left out {some(facts)}: fixed in every search, and not at the same value")
    return space, notes


def _without(space: Space, names: Collection[str]) -> Space | None:
    """The space without some parameters; None if that leaves nothing."""
    parameters = {name: kind for name, kind in space.parameters.items() if name not in names}
    if not parameters:
        return None
    conditions = [c for c in space.conditions if c.child in parameters and c.parent in parameters]
    return Space(parameters, conditions)


def _task_spaces(runs: Sequence[Run], columns: NamedColumns) -> dict[str, Space]:
    """What the searches of each task declared."""
    spaces: dict[str, dict[int, Space]] = {}
    for run in runs:
        if run.task is not None and run.space is not None:
            spaces.setdefault(run.task, {})[id(run.space)] = run.space
    wanted = columns.parameters or ()
    unions = {task: union_of(list(each.values()))[0] for task, each in spaces.items()}
    cut = {task: _without(u, [n for n in u if n not in wanted]) for task, u in unions.items()}
    return {task: space for task, space in cut.items() if space is not None}


def _task_times(runs: Sequence[Run]) -> dict[str, float]:
    times: dict[str, float] = {}
    for run in runs:
        if run.task is not None and run.time is not None and math.isfinite(run.time):
            times[run.task] = max(run.time, times.get(run.task, run.time))
    return times


def _lacking(runs: Sequence[Run], names: Sequence[str]) -> list[pl.Series]:
    """For each parameter that some tasks do not even name: where that is so."""
    named: dict[str | None, set[str]] = {}
    for run in runs:
        named.setdefault(run.task, set()).update(run.config)
    columns = []
    for name in names:
        absent = [name not in named[run.task] for run in runs]
        # a condition may have switched it off in every run of a task
        declared = [run.space is not None and name in run.space for run in runs]
        lacks = [gone and not known for gone, known in zip(absent, declared)]
        if any(lacks):
            columns.append(pl.Series(f"{LACKS}{name}", lacks, dtype=pl.Boolean))
    return columns


def chosen(wanted: str | int | None, known: Collection[str], what: str, where: str) -> str:
    """The one of the `known` names that the user wants, or the only one there is."""
    if wanted is None and len(known) == 1:
        return next(iter(known))
    names = ", ".join(sorted(known)) or "none"
    if wanted is None and not known:
        raise HistoryError(f"{where} has no {what} to choose from")
    if wanted is None:
        raise HistoryError(f"{where} has several {what}s; name one with {what}=…: {names}")
    if not isinstance(wanted, str) or wanted not in known:
        hint = did_you_mean(wanted, known) or f"there are: {names}"
        raise UnusedError(f"{where} has no {what} {wanted!r}; {hint}", wanted)
    return wanted


def reported(values: Sequence[Any], at: str, direction: str | None) -> int | None:
    """Which of a run's reports counts: the last, or the best finite one; None if it has none."""
    if at not in ("last", "best"):
        raise HistoryError(f"at must be 'last' or 'best', not {at!r}")
    sign = -1.0 if direction == "maximize" else 1.0
    numbers = [(sign * x, i) for i, x in enumerate(map(_finite, values)) if x is not None]
    if at == "best" and numbers:
        return min(numbers)[1]
    return len(values) - 1 if values else None


def from_text(values: Sequence[str | None]) -> list[Any]:
    """Values that a tool keeps as text: integers if all are, numbers if all are, booleans if all
    are, else text. Among numbers and booleans, None as text is a missing value."""
    texts = {value for value in values if value not in (None, "None", "")}
    for parse in (int, float, _boolean):
        try:
            parsed = {text: parse(text) for text in texts if text is not None}
        except ValueError:
            continue
        return [parsed.get(value or "") for value in values] if parsed else list(values)
    return list(values)


def _restricted(space: Space, columns: NamedColumns) -> Space:
    """The space of the wanted parameters; a condition on one that is left out goes with it."""
    wanted = list(space) if columns.parameters is None else columns.parameters
    names = [chosen(name, list(space), "parameter", "the space") for name in wanted]
    return restricted(space, [name for name in names if name not in columns.ignore])


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _number(value: Any) -> float | None:
    """The value as a float, which may be none that is finite."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return as_float(value) if is_number else None


def _finite(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and math.isfinite(number) else None


def span(start: Any, end: Any) -> float | None:
    """The time between two moments in seconds since 1970; None unless the second is later."""
    start, end = _finite(start), _finite(end)
    return end - start if start is not None and end is not None and end > start else None


def _free(name: str, taken: Collection[str]) -> str:
    """A name for a column of ours; a parameter of that name keeps it, and we add a colon, with
    which no parameter's name can begin."""
    return f":{name}" if name in taken else name
