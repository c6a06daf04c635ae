"""The runs of another tool, one record each, as a history."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.history import History, history_from
from ringfence.history.roles import NamedColumns
from ringfence.history.spreadsheets.nested import flat as flat
from ringfence.history.tables import as_float, from_objects, require_literal
from ringfence.incoming.limits import COLUMNS
from ringfence.space import Space
from ringfence.words import did_you_mean

FINISHED = "finished"


@dataclass(frozen=True)
class Run:
    """One evaluation; parameters that were inactive are left out of `config`."""

    task: str | None
    config: Mapping[str, Any]
    value: float | None
    status: str = FINISHED
    budget: float | None = None


def history_of(
    runs: Sequence[Run],
    source: str,
    objective: str,
    columns: NamedColumns,
    *,
    budget: str | None = None,
    space: Space | None = None,
    notes: Sequence[str] = (),
) -> History:
    """The history with a row for each run. `objective` and `budget` say what the runs' values and
    budgets are; of `columns` only the direction, `parameters` and `ignore` count. With a `space`
    its parameters are taken, else every name that occurs in a configuration."""
    if not runs:
        raise HistoryError(f"{source} holds no runs")
    columns.refuse("decimal", reader=source)
    names = list(dict.fromkeys([*(space or ()), *(name for run in runs for name in run.config)]))
    COLUMNS.allow(len(names), source)
    require_literal([*names, objective])
    task, value, status = (_free(name, names) for name in ("task", objective, "status"))
    series = [
        from_objects(task, [run.task for run in runs]),
        pl.Series(value, [_finite(run.value) for run in runs], dtype=pl.Float64),
        from_objects(status, [run.status for run in runs]),
        *(from_objects(name, [run.config.get(name) for run in runs]) for name in names),
    ]
    if budget is not None:
        budget = _free(budget, [*names, task, value, status])
        series.append(pl.Series(budget, [_finite(run.budget) for run in runs], dtype=pl.Float64))
    columns = replace(columns, task=task, objective=value, budget=budget, status=status)
    if space is not None:
        space = _restricted(space, columns)
        columns = replace(columns, parameters=list(space))
    history = history_from(pl.DataFrame(series), columns, typed=True)
    return replace(history, source=source, space=space, notes=(*notes, *history.notes))


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
        raise HistoryError(f"{where} has no {what} {wanted!r}; {hint}")
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
    parameters = {name: space[name] for name in names if name not in columns.ignore}
    conditions = [c for c in space.conditions if c.child in parameters and c.parent in parameters]
    return Space(parameters, conditions)


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = as_float(value)
    return number if math.isfinite(number) else None


def _free(name: str, taken: Collection[str]) -> str:
    """A name for a column of ours; a parameter of that name keeps it, and we add a colon, with
    which no parameter's name can begin."""
    return f":{name}" if name in taken else name
