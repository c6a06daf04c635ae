"""The runs of another tool, one record each, as a history."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.tables import from_objects
from ringfence.space import Space

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
    *,
    direction: str | None = None,
    parameters: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    budget: str | None = None,
    space: Space | None = None,
    notes: Sequence[str] = (),
) -> History:
    """The history with a row for each run. `budget` says what the runs' budgets are; with a `space`
    its parameters are taken, else every name that occurs in a configuration."""
    if not runs:
        raise HistoryError(f"{source} holds no runs")
    names = list(dict.fromkeys([*(space or ()), *(name for run in runs for name in run.config)]))
    task, value, status = (_free(name, names) for name in ("task", objective, "status"))
    columns = [
        from_objects(task, [run.task for run in runs]),
        pl.Series(value, [_finite(run.value) for run in runs], dtype=pl.Float64),
        from_objects(status, [run.status for run in runs]),
        *(from_objects(name, [run.config.get(name) for run in runs]) for name in names),
    ]
    if budget is not None:
        budget = _free(budget, [*names, task, value, status])
        columns.append(pl.Series(budget, [_finite(run.budget) for run in runs], dtype=pl.Float64))
    if space is not None:
        space = _restricted(space, parameters, ignore)
        parameters = list(space)
    history = History.from_frame(
        pl.DataFrame(columns),
        task=task,
        objective=value,
        direction=direction,
        parameters=parameters,
        budget=budget,
        status=status,
        ignore=ignore,
    )
    return replace(history, source=source, space=space, notes=(*notes, *history.notes))


def chosen(wanted: str | None, found: Collection[str], what: str, where: str) -> str:
    """The one of the `found` names that the user wants, or the only one there is."""
    if wanted is None and len(found) == 1:
        return next(iter(found))
    names = ", ".join(sorted(found)) or "none"
    if wanted is None and not found:
        raise HistoryError(f"{where} has no {what} to choose from")
    if wanted is None:
        raise HistoryError(f"{where} has several {what}s; name one with {what}=…: {names}")
    if wanted not in found:
        close = difflib.get_close_matches(wanted, found, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {names}"
        raise HistoryError(f"{where} has no {what} {wanted!r}; {hint}")
    return wanted


def reported(values: Sequence[Any], at: str, direction: str | None) -> int | None:
    """Which of a run's reports counts: the last, or the best finite one; None where it has none."""
    if at not in ("last", "best"):
        raise HistoryError(f"at must be 'last' or 'best', not {at!r}")
    sign = -1.0 if direction == "maximize" else 1.0
    numbers = [(sign * x, i) for i, x in enumerate(map(_finite, values)) if x is not None]
    if at == "best" and numbers:
        return min(numbers)[1]
    return len(values) - 1 if values else None


def flat(config: Mapping[str, Any], divider: str, prefix: str = "") -> dict[str, Any]:
    """A nested configuration with one name for each value; lists become text."""
    values: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            values |= flat(value, divider, f"{prefix}{name}{divider}")
        else:
            values[f"{prefix}{name}"] = str(value) if isinstance(value, list) else value
    return values


def from_text(values: Sequence[str | None]) -> list[Any]:
    """Values that a tool keeps as text: whole numbers if all are, numbers if all are, booleans if
    all are, else text."""
    given = [value for value in values if value is not None]
    for kind in (int, float, _boolean):
        try:
            known = {text: kind(text) for text in given}
        except ValueError:
            continue
        return [None if value is None else known[value] for value in values]
    return list(values)


def _restricted(space: Space, wanted: Sequence[str] | None, ignore: Sequence[str]) -> Space:
    """The space of the wanted parameters; a condition on one that is left out goes with it."""
    names = (
        list(space)
        if wanted is None
        else [chosen(n, list(space), "parameter", "the space") for n in wanted]
    )
    kept = {name: space[name] for name in names if name not in ignore}
    return Space(kept, [c for c in space.conditions if c.child in kept and c.parent in kept])


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _free(name: str, taken: Collection[str]) -> str:
    """A name for a column of ours; parameters have the first right to it."""
    return f":{name}" if name in taken else name
