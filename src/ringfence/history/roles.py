"""Which column plays which part: named by the user, else guessed, and every guess is noted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guesses import (
    guess_objective,
    guess_status,
    guess_task,
    is_bookkeeping,
    is_score,
)
from ringfence.history.values import require_plain
from ringfence.words import did_you_mean

Direction: TypeAlias = Literal["minimize", "maximize"]


@dataclass(frozen=True)
class NamedColumns:
    """What the user said about the columns of a source; None for what is to be guessed."""

    task: str | None = None
    objective: str | int | None = None
    """A number only for a reader that counts objectives, as Optuna's does."""
    direction: str | None = None
    parameters: Sequence[str] | None = None
    budget: str | None = None
    status: str | None = None
    ignore: Sequence[str] = ()
    """Columns that are not parameters."""

    def __post_init__(self) -> None:
        for field in ("parameters", "ignore"):
            names = getattr(self, field)
            if names is not None:
                names = (names,) if isinstance(names, str) else tuple(names)
                object.__setattr__(self, field, names)

    @property
    def names(self) -> list[str | int]:
        """All columns that were given a part."""
        single = (self.task, self.objective, self.budget, self.status)
        return [name for name in (*single, *(self.parameters or ())) if name is not None]


@dataclass(frozen=True)
class Roles:
    """The columns of a history by their parts."""

    task: str
    objective: str
    direction: Direction
    parameters: tuple[str, ...]
    budget: str | None = None
    status: str | None = None


def assign_roles(frame: pl.DataFrame, named: NamedColumns) -> tuple[Roles, list[str]]:
    """The roles of the columns, and a line for each guess that was made."""
    require_direction(named.direction)
    for name in (*named.names, *named.ignore):
        require_column(frame, name)
    notes: list[str] = []
    task = _task(frame, named, notes)
    objective = _objective(frame, named, notes)
    direction = _direction(objective, named, notes)
    status = _status(frame, named, notes)
    parameters = _parameters(frame, named, {task, objective, named.budget, status}, notes)
    roles = Roles(task, objective, direction, parameters, named.budget, status)
    _check(frame, roles)
    return roles, notes


def require_direction(direction: str | None) -> None:
    """Raise HistoryError unless this is a direction, or None."""
    if direction not in (None, "minimize", "maximize"):
        raise HistoryError(f"direction must be 'minimize' or 'maximize', not {direction!r}")


def require_column(frame: pl.DataFrame, name: object) -> None:
    """Raise HistoryError if the table has no such column, and suggest the one that was meant."""
    if not isinstance(name, str):
        raise HistoryError(f"a column is named by text, not by {name!r}")
    if name not in frame.columns:
        hint = did_you_mean(name, frame.columns) or f"the columns are {', '.join(frame.columns)}"
        raise HistoryError(f"the table has no column {name!r}; {hint}")


def _task(frame: pl.DataFrame, named: NamedColumns, notes: list[str]) -> str:
    if named.task is not None:
        return named.task
    task = guess_task(frame)
    notes.append(f"took the column {task!r} as the task")
    return task


def _objective(frame: pl.DataFrame, named: NamedColumns, notes: list[str]) -> str:
    if named.objective is not None:
        return str(named.objective)
    objective = guess_objective(frame)
    notes.append(f"took the column {objective!r} as the objective")
    return objective


def _direction(objective: str, named: NamedColumns, notes: list[str]) -> Direction:
    """The direction as said, or as the name of a guessed objective suggests, or to minimize."""
    if named.direction is not None:
        return "maximize" if named.direction == "maximize" else "minimize"
    if named.objective is None:
        direction: Direction = "maximize" if is_score(objective) else "minimize"
        notes.append(f"the objective is to {direction}")
        return direction
    if is_score(objective):
        notes.append(
            f"minimizing {objective!r}, which sounds like a score; "
            "if higher is better, say direction='maximize' (--maximize)"
        )
    return "minimize"


def _status(frame: pl.DataFrame, named: NamedColumns, notes: list[str]) -> str | None:
    if named.status is not None:
        return named.status
    status = guess_status(frame)
    if status is not None:
        notes.append(f"took the column {status!r} as the status of the runs")
    return status


def _parameters(
    frame: pl.DataFrame, named: NamedColumns, taken: Collection[str | None], notes: list[str]
) -> tuple[str, ...]:
    """The parameters that were named, or every column that plays no other part."""
    if named.parameters is not None:
        return tuple(named.parameters)
    rest = [name for name in frame.columns if name not in taken and name not in named.ignore]
    bookkeeping = [name for name in rest if is_bookkeeping(frame[name])]
    parameters = tuple(name for name in rest if name not in bookkeeping)
    notes.append(f"took as parameters: {', '.join(parameters)}")
    if bookkeeping:
        notes.append(f"not taken as parameters: {', '.join(bookkeeping)}")
    return parameters


def _check(frame: pl.DataFrame, roles: Roles) -> None:
    """Raise HistoryError if a column plays two parts or is of no use, or there is no parameter."""
    single = (roles.task, roles.objective, roles.budget, roles.status)
    names = [name for name in (*single, *roles.parameters) if name is not None]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise HistoryError(f"the column {repeated[0]!r} cannot play two parts")
    for name in single:
        if name is not None:
            require_plain(frame[name])
    if not roles.parameters:
        raise HistoryError("the table has no parameter columns besides the task and the objective")
