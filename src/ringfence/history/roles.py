"""Which column plays which part: named by the user, else guessed, and every guess is noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ringfence.errors import HistoryError, UnusedError
from ringfence.history.directions import Direction, guess_direction, question
from ringfence.history.guessing.costs import guess_cost
from ringfence.history.guessing.names import (
    LENGTHS,
    SHORT_TABLE,
    STUDIES,
    TASKS,
    why_no_parameter,
)
from ringfence.history.guessing.objectives import guess_objective
from ringfence.history.guessing.parameters import reasons_against
from ringfence.history.guessing.results import name_words
from ringfence.history.guessing.statuses import (
    GOOD_STATUS,
    empty_statuses,
    guess_status,
    unfinished,
)
from ringfence.history.guessing.tasks import KEYS, guess_task, refuse_long
from ringfence.history.outcomes.costs import check_costs, time_like
from ringfence.history.outcomes.durations import unit_word
from ringfence.history.outcomes.failures import FAILURES, Failures
from ringfence.history.spreadsheets.notation import Decimal
from ringfence.history.values import as_number, require_plain
from ringfence.space.gaps import MISSING, Missing
from ringfence.words import did_you_mean, some

MOST_NAMES = 30
"""Names of columns in one note; a wider table's are counted."""


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
    asks: bool = True
    """Whether a doubtful direction is asked about; else it is to minimize, where it plays no
    part."""
    missing: Missing | None = None
    """What is done with missing values of parameters; None: see `ringfence.space.gaps`."""
    decimal: Decimal | None = None
    """The notation of numbers in text that could be either."""
    cost: str | None = None
    reason: str | None = None
    """Why runs failed; set by readers."""
    failures: Failures = "keep"
    """Whether failed runs are kept as such, or ignored."""

    def __post_init__(self) -> None:
        for field in ("parameters", "ignore"):
            names = getattr(self, field)
            if names is not None:
                names = (names,) if isinstance(names, str) else tuple(names)
                object.__setattr__(self, field, names)
        if self.missing is not None and self.missing not in MISSING:
            raise HistoryError(f"missing must be {_or(MISSING)}, not {self.missing!r}")
        if self.failures not in FAILURES:
            raise HistoryError(f"failures must be {_or(FAILURES)}, not {self.failures!r}")
        both = [name for name in self.parameters or () if name in self.ignore]
        if both:
            raise HistoryError(
                f"{both[0]!r} is in parameters and in ignore; leave it out of one of them"
            )
        mark = {".": "point", ",": "comma"}.get(str(self.decimal), self.decimal)
        if mark not in (None, "point", "comma"):
            raise HistoryError(f"decimal must be 'point' or 'comma', not {self.decimal!r}")
        object.__setattr__(self, "decimal", mark)

    def refuse(self, *fields: str, reader: str) -> None:
        """Raise HistoryError for what was said and a reader has no use for."""
        said = next((field for field in fields if getattr(self, field) is not None), None)
        if said is not None:
            value = getattr(self, said)
            raise UnusedError(
                f"the reader {reader!r} has no use for {said}={value!r}; leave it out", value
            )

    def without(self, said: object) -> NamedColumns:
        """The same, but for a column that was named, or a word."""
        left: dict[str, Any] = {}
        for field in (
            "task", "objective", "direction", "budget", "status", "missing", "decimal", "cost",
        ):  # fmt: skip
            value = getattr(self, field)
            left[field] = None if value == said else value
        for field in ("parameters", "ignore"):
            names = getattr(self, field)
            left[field] = None if names is None else [name for name in names if name != said]
        return replace(self, **left)

    @property
    def names(self) -> list[str | int]:
        """All columns that were given a part."""
        single = (self.task, self.objective, self.budget, self.status, self.cost, self.reason)
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
    guessed: bool = False
    """Whether the direction was guessed from the name of the objective."""
    cost: str | None = None
    timed: bool = False
    """Whether the costs are times, in seconds once they are read."""
    reason: str | None = None
    """The column that says why runs failed."""


def assign_roles(
    frame: pl.DataFrame, named: NamedColumns, *, guesses_cost: bool = True
) -> tuple[Roles, list[str]]:
    """The roles of the columns, and a line for each guess that was made; of costs only if they are
    to be guessed: whoever made a table from records knows them."""
    require_direction(named.direction)
    for name in (*named.names, *named.ignore):
        require_column(frame, name)
    notes: list[str] = []
    task = _task(frame, named, notes)
    objective = _objective(frame, named, notes)
    _check_parts(named, task, objective, named.status)
    direction = _direction(objective, named, notes)
    guessed = named.direction is None
    status = _status(frame, named, notes)
    _check_parts(named, task, objective, status)
    others = (task, objective, named.budget, status)
    cost, rivals = _cost(frame, named, others, notes) if guesses_cost else (named.cost, [])
    taken = (*others, cost, *rivals, named.reason)
    parameters = _parameters(frame, named, taken, objective, status, notes)
    roles = Roles(
        task,
        objective,
        direction,
        parameters,
        named.budget,
        status,
        guessed,
        cost,
        cost is not None and time_like(frame[cost]),
        named.reason,
    )
    if named.parameters is None and {name.lower() for name in parameters} <= {*KEYS}:
        refuse_long(frame)
    _check(frame, roles)
    if named.cost is not None:
        check_costs(frame, roles)
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
        hint = did_you_mean(name, frame.columns) or f"the columns are {some(frame.columns, 30)}"
        raise UnusedError(f"the table has no column {name!r}; {hint}", name)


def _task(frame: pl.DataFrame, named: NamedColumns, notes: list[str]) -> str:
    if named.task is not None:
        return named.task
    rest = _unnamed(frame, named).drop(named.ignore, strict=False)
    task = guess_task(rest if any(name.lower() in TASKS for name in rest.columns) else frame)
    notes.append(f"took the column {task!r} as the task")
    return task


def _unnamed(frame: pl.DataFrame, named: NamedColumns) -> pl.DataFrame:
    """The columns that were given no part."""
    return frame.drop([name for name in named.names if isinstance(name, str)])


def _objective(frame: pl.DataFrame, named: NamedColumns, notes: list[str]) -> str:
    if named.objective is not None:
        return str(named.objective)
    objective, rivals = guess_objective(_unnamed(frame, named), named.ignore)
    others = f", not {some(rivals, MOST_NAMES)}" if rivals else ""
    notes.append(f"took the column {objective!r} as the objective{others}")
    return objective


def _direction(objective: str, named: NamedColumns, notes: list[str]) -> Direction:
    """The direction as said, or as the name of the objective says it."""
    if named.direction is not None:
        return "maximize" if named.direction == "maximize" else "minimize"
    direction = guess_direction(objective)
    if direction is None:
        if named.asks:
            raise HistoryError(question(objective))
        return "minimize"
    notes.append(f"{direction} {objective!r}, guessed from its name")
    return direction


def _status(frame: pl.DataFrame, named: NamedColumns, notes: list[str]) -> str | None:
    status = named.status
    if status is None:
        rest = _unnamed(frame, named)
        status = guess_status(
            rest, known=named.ignore if named.parameters is None else rest.columns
        )
        if status is not None:
            notes.append(f"took the column {status!r} as the status of the runs")
        elif empty := empty_statuses(rest):
            notes.append(f"{empty[0]!r} is empty: every run with an objective counts as finished")
    if status is not None and (words := unfinished(frame[status])):
        notes.append(f"runs whose {status!r} says {words} do not count")
    return status


def _cost(
    frame: pl.DataFrame, named: NamedColumns, taken: Sequence[str | None], notes: list[str]
) -> tuple[str | None, list[str]]:
    """The column of costs, and the others that could be and would pass for parameters."""
    if named.cost is not None:
        return named.cost, []
    known = [name for name in (*taken, *(named.parameters or ())) if name is not None]
    cost, rivals = guess_cost(frame, known)
    if cost is not None:
        others = f", not {some(rivals, MOST_NAMES)}" if rivals else ""
        unit = unit_word(name_words(cost))
        read = "in seconds" if unit is None else f"in {unit}, read as seconds"
        notes.append(f"took the column {cost!r} as what a run cost, {read}{others}")
    return cost, [name for name in rivals if why_no_parameter(frame[name]) is None]


def _parameters(
    frame: pl.DataFrame,
    named: NamedColumns,
    taken: Sequence[str | None],
    objective: str,
    status: str | None,
    notes: list[str],
) -> tuple[str, ...]:
    """The parameters that were named, or every column that plays no other part."""
    if named.parameters is not None:
        return tuple(named.parameters)
    rest = [name for name in frame.columns if name not in taken and name not in named.ignore]
    rest = [name for name in rest if not name.startswith(":")]  # ours, of a table written by us
    finished = _finished(frame, status)
    reasons, said = reasons_against(frame.select(rest), finished, frame[objective].is_not_null())
    notes += said
    parameters = tuple(name for name in rest if reasons[name] is None)
    notes.append(f"took as parameters: {some(parameters, MOST_NAMES)}")
    groups: dict[str, list[str]] = {}
    for name in rest:
        if (reason := reasons[name]) is not None:
            groups.setdefault(reason, []).append(name)
    if groups:
        kinds = "; ".join(f"{some(names, MOST_NAMES)} ({why})" for why, names in groups.items())
        notes.append(
            f"not taken as parameters: {kinds}; to take one of them, name all parameters with "
            "parameters=… (--parameters …)"
        )
    notes += [
        f"took {name!r} as a parameter; if it is how far a run was trained, say budget={name!r} "
        "(--budget …)"
        for name in parameters
        if name.lower() in LENGTHS and frame[name].n_unique() > 1
    ]
    return parameters


def _finished(frame: pl.DataFrame, status: str | None) -> pl.Series | None:
    if status is None or frame[status].dtype not in (pl.String, pl.Boolean):
        return None
    words = frame[status].cast(pl.String).str.to_lowercase()
    return words.is_in(list(GOOD_STATUS)).fill_null(value=False)


def _check_parts(named: NamedColumns, task: str, objective: str, status: str | None) -> None:
    """Raise HistoryError if a column plays two parts."""
    parts = [("task", task), ("objective", objective), ("budget", named.budget), ("status", status)]
    parts += [("cost", named.cost)]
    parts += [("parameter", name) for name in named.parameters or ()]
    seen: dict[str, str] = {}
    for part, name in parts:
        if name in seen:
            raise HistoryError(
                f"the column {name!r} cannot play two parts, {seen[name]} and {part}; name another "
                f"column for one of them"
            )
        if name is not None:
            seen[name] = part


def _check(frame: pl.DataFrame, roles: Roles) -> None:
    """Raise HistoryError if a column is of no use for its part, or there is no parameter."""
    for name in (roles.task, roles.objective, roles.budget, roles.status):
        if name is not None:
            require_plain(frame[name])
    if not roles.parameters:
        raise HistoryError("the table has no parameter columns besides the task and the objective")


def check_objective(frame: pl.DataFrame, roles: Roles) -> None:
    """Raise HistoryError if the objective is text, or missing in every row."""
    objective = frame[roles.objective]
    if not objective.count():
        raise HistoryError(
            f"the objective {roles.objective!r} has no value in any of the {frame.height} rows; "
            "name another column with objective=…; if its cells are formulas, their values are not "
            "in the file: open and save it in a spreadsheet program"
        )
    if not as_number(objective).count():
        cell = objective.drop_nulls()[0]
        raise HistoryError(
            f"the objective {roles.objective!r} holds text such as {cell!r}, not numbers; name "
            "the column with the results with objective=… (--objective …)"
        )


def check_tasks(frame: pl.DataFrame, roles: Roles) -> list[str]:
    """Raise HistoryError if the task of each row is one of its own, and looks like the name of the
    run; data sets with one row each, their best, are only remarked."""
    column = frame[roles.task]
    if frame.height < 3 or column.null_count() or column.head(SHORT_TABLE).is_duplicated().any():
        return []
    if column.n_unique() < frame.height:
        return []
    is_run = column.dtype.is_float() or why_no_parameter(column.head(SHORT_TABLE)) is not None
    if is_run or roles.task.lower() in STUDIES:
        raise HistoryError(
            f"every row has its own {roles.task!r}, so it cannot be the task: a task, such as "
            "a data set, has several runs; name its column with task=… (--task …)"
        )
    return [f"every task has one run only, which counts as its best ({roles.task!r})"]


def _or(words: Sequence[str]) -> str:
    """Words in quotes, the last after an "or"."""
    quoted = [repr(word) for word in words]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
