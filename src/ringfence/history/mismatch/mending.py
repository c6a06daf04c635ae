"""A history mended by what its user knows: parameters under today's names, values that were fixed.

Nothing is guessed here, and every change is a note of the history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from ringfence.errors import HistoryError, SpaceError
from ringfence.history.mismatch.spaces import under_names, union_of
from ringfence.history.mismatch.unknown import lacks
from ringfence.history.tables import from_objects, require_literal
from ringfence.history.values import LACKS, WRITTEN, numbers_of, wanted_numbers
from ringfence.quoting import literal
from ringfence.space import Choice, Constant, Space
from ringfence.space.parameters import plain_choice
from ringfence.words import counted, did_you_mean, is_text, some

if TYPE_CHECKING:
    from ringfence.history.history import History


OPTIONS = {"rename": "--rename", "with_values": "--value", "scaled": "--scale", "with_off": "--off"}
"""The options of the command line that do the same as methods of a history."""


@dataclass(frozen=True)
class Mend:
    """What the user said of parameters: their new names, their values, the factors of their units,
    or where they are off."""

    said: Mapping[str, Choice]
    method: Literal["rename", "with_values", "scaled", "with_off"]
    tasks: tuple[str, ...] = ()
    """Of which alone it was said; none: of all."""

    @property
    def call(self) -> str:
        """As a call of the history's method."""
        said = ", ".join(f"{literal(name)}: {literal(new)}" for name, new in self.said.items())
        of = f", tasks={literal(self.tasks)}" if self.tasks else ""
        return f"{self.method}({{{said}}}{of})"

    @property
    def options(self) -> list[str]:
        """As options of the command line."""
        option = OPTIONS[self.method]
        of = [f"{task}:" for task in self.tasks] or [""]
        return [f"{option}={task}{name}={new}" for name, new in self.said.items() for task in of]


def renamed(history: History, names: Mapping[str, str]) -> History:
    """`History.rename`."""
    _check_names(history, names)
    roles, frame = history.roles, history.frame
    tasks = history.task_column()
    sources: dict[str, list[str]] = {}
    for name in roles.parameters:
        sources.setdefault(names.get(name, name), []).append(name)
    columns: dict[str, pl.Series] = {}
    absent: dict[str, pl.Series] = {}
    for new, old in sources.items():
        _require_apart(frame, tasks, new, old)
        columns[new] = _coalesced([frame[name] for name in old]).alias(new)
        missing = lacks(frame, old[0])
        for name in old[1:]:
            missing &= lacks(frame, name) | frame[name].is_null()
        if missing.any():
            absent[f"{LACKS}{new}"] = missing.alias(f"{LACKS}{new}")
    gone = [n for name in roles.parameters for n in (name, f"{LACKS}{name}", f"{WRITTEN}{name}")]
    rest = [column for column in frame.get_columns() if column.name not in gone]
    kept = [column for column in rest if column.name not in columns]
    selection = history.selection
    if selection is not None:
        selection = replace(selection, space=under_names(selection.space, names))
    return replace(
        history,
        frame=pl.DataFrame([*columns.values(), *kept, *absent.values()]),
        roles=replace(roles, parameters=tuple(sources)),
        space=None if history.space is None else under_names(history.space, names),
        notes=(*history.notes, *(_renamed_note(frame, old, new) for old, new in names.items())),
        selection=selection,
        gap_rule=replace(
            history.gap_rule, nones=frozenset(names.get(n, n) for n in history.gap_rule.nones)
        ),
        task_spaces={t: under_names(space, names) for t, space in history.task_spaces.items()},
        said={
            task: {names.get(name, name): value for name, value in values.items()}
            for task, values in history.said.items()
        },
        off={names.get(name, name): value for name, value in history.off.items()},
        mends=(*history.mends, Mend(dict(names), "rename")),
    )


def filled(history: History, values: Mapping[str, Any]) -> History:
    """`History.with_values`."""
    if not values:
        raise HistoryError("name a parameter and the value that it had: with_values(dropout=0.0)")
    for name, value in values.items():
        history = _with_value(history, name, _plain(name, value))
    return history


def _with_value(history: History, name: str, value: Choice) -> History:
    roles, frame = history.roles, history.frame
    _require_free(history, name)
    tasks = history.task_column()
    known = name in roles.parameters
    if not known and name in history.left_out:
        raise HistoryError(
            f"the source has values of {name!r} in some trials, and they were left out because "
            f"nothing tells why others have none; {name}={value!r} cannot be said of all"
        )
    if known:
        has_one = tasks.is_in(tasks.filter(frame[name].is_not_null()).unique().implode())
        empty = frame[name].is_null() & (~has_one.fill_null(value=False) | lacks(frame, name))
    else:
        empty = pl.Series([True]).new_from_index(0, frame.height)
    empty &= _may_be_active(history, name)
    if not empty.any():
        raise HistoryError(
            f"every task has values of {name!r}, so there is none for {name}={value!r} to fill in"
        )
    column = from_objects(name, [value]).new_from_index(0, frame.height)
    if known:
        column = _coalesced([frame[name], column.set(~empty, None)])
    absent = (lacks(frame, name) & ~empty).alias(f"{LACKS}{name}")
    frame = frame.drop(absent.name, strict=False).with_columns(column.alias(name))
    frame = frame.with_columns(absent) if absent.any() else frame
    filled_tasks = tasks.filter(empty).drop_nulls().unique(maintain_order=True).to_list()
    return replace(
        history,
        frame=frame,
        roles=roles if known else replace(roles, parameters=(*roles.parameters, name)),
        space=None if history.space is None else with_constant(history.space, name, value),
        task_spaces={
            task: with_constant(space, name, value) if task in filled_tasks else space
            for task, space in history.task_spaces.items()
        },
        said={
            **history.said,
            **{task: {**history.said.get(task, {}), name: value} for task in filled_tasks},
        },
        mends=(*history.mends, Mend({name: value}, "with_values")),
        notes=(
            *history.notes,
            f"{name} is {value!r} in the {counted(int(empty.sum()), 'run')} of "
            f"{counted(len(filled_tasks), 'task')} that did not tune it ({some(filled_tasks, 3)}), "
            "as you said",
        ),
    )


def _may_be_active(history: History, name: str) -> pl.Series:
    """Where no condition that the source declares switches the parameter off."""
    frame, space = history.frame, history.space
    active = pl.Series([True]).new_from_index(0, frame.height)
    for condition in () if space is None or name not in space else space.conditions_of(name):
        if space is not None and condition.parent in history.roles.parameters:
            parent = space[condition.parent]
            numbers = numbers_of(parent, frame[condition.parent])
            wanted = wanted_numbers(parent, condition.values)
            active &= numbers.is_in(wanted).fill_null(value=True)
    return active


def with_constant(space: Space, name: str, value: Choice) -> Space:
    """The space with room for the value of a parameter, a new one last."""
    whole, _ = union_of([Space({name: Constant(value)}), space])
    order = [*space, *(() if name in space else (name,))]
    return Space({n: whole[n] for n in order}, whole.conditions)


def _check_names(history: History, names: Mapping[str, str]) -> None:
    if not isinstance(names, Mapping) or not names:
        raise HistoryError(
            "rename takes a dict from old names to new ones: {'learning_rate': 'lr'}"
        )
    for old, new in names.items():
        if old == new:
            raise HistoryError(f"{old!r} has that name already; say another one")
        if not isinstance(old, str) or not isinstance(new, str) or not new.strip():
            raise HistoryError(f"parameters are named by text, not by {old!r}: {new!r}")
        if old not in history.roles.parameters:
            known = history.roles.parameters
            hint = did_you_mean(old, known) or f"the parameters are {some(known, 30)}"
            raise HistoryError(f"there is no parameter {old!r} to rename to {new!r}; {hint}")
        _require_free(history, new)


def _require_free(history: History, name: str) -> None:
    """HistoryError for a name that no parameter can have here."""
    if not isinstance(name, str) or name.startswith(":"):
        raise HistoryError(f"a parameter's name cannot begin with a colon: {name!r}")
    if not is_text(name):
        raise HistoryError(f"a parameter's name must be text that a file can hold, not {name!r}")
    require_literal([name])
    roles = history.roles
    if name in history.frame.columns and name not in roles.parameters:
        parts = {roles.task: "task", roles.objective: "objective", roles.budget: "budget"}
        what = {**parts, roles.status: "status", roles.cost: "cost"}.get(name)
        raise HistoryError(
            f"{name!r} is the column of the {what}, which no parameter can have"
            if what
            else f"there is a column {name!r} already, which is not a parameter; choose another "
            "name, or read it as one (parameters=…)"
        )


def _require_apart(frame: pl.DataFrame, tasks: pl.Series, new: str, old: list[str]) -> None:
    """HistoryError if a task has values of two parameters that are to be one."""
    seen: dict[str, str] = {}
    for name in old:
        for task in (
            tasks.filter(frame[name].is_not_null()).drop_nulls().unique(maintain_order=True)
        ):
            other = seen.setdefault(task, name)
            if other != name:
                raise HistoryError(
                    f"task {task!r} has values of {other!r} and of {name!r}, so they cannot both "
                    f"be {new!r}; rename one of them to something else, or leave it out (ignore=…, "
                    "--ignore …)"
                )


def _coalesced(columns: list[pl.Series]) -> pl.Series:
    """The first value of each row; text if some are text."""
    if len(columns) == 1:
        return columns[0]
    table = pl.concat([column.alias("x").to_frame() for column in columns], how="vertical_relaxed")
    kind = table["x"].dtype
    return pl.select(pl.coalesce([column.cast(kind) for column in columns])).to_series()


def _renamed_note(frame: pl.DataFrame, old: str, new: str) -> str:
    return f"took {old} as {new} ({counted(frame[old].count(), 'value')}), as you said"


def _plain(name: str, value: Any) -> Choice:
    try:
        return plain_choice(value)
    except SpaceError as error:
        raise HistoryError(f"{name!r} cannot have had this value: {error}") from error
