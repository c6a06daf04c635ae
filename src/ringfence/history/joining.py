"""Several histories as one: under the same names, in the same direction, in one space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.results import name_words
from ringfence.history.mismatch.spaces import union_of
from ringfence.history.mismatch.unknown import lacks
from ringfence.history.outcomes.costs import cost_numbers, cost_unit
from ringfence.history.outcomes.durations import unit_in
from ringfence.history.places import Places
from ringfence.history.roles import Roles
from ringfence.history.tables import free_name
from ringfence.history.values import LACKS, WRITTEN, as_number
from ringfence.space import Choice, Space
from ringfence.space.spellings import FLAGS
from ringfence.words import some

if TYPE_CHECKING:
    from ringfence.history.history import History

UNNAMED = "value"
"""The objective of a search's own results, which nobody has named."""
FINISHED = "complete"
"""The status of runs whose table has no column for it."""


def joined(histories: Sequence[History]) -> History:
    """`History.concat`."""
    if not histories:
        raise HistoryError("there is no history to join")
    for history in histories:
        if history.selection is not None:
            raise HistoryError(history.selection.every_row_needed("joining histories"))
    roles = common_roles([history.roles for history in histories])
    turned = [history for history in histories if history.roles.direction != roles.direction]
    _require_comparable(histories)
    roles, unlike = _with_costs(roles, [history.roles for history in histories])
    frames = [aligned(history.frame, history.roles, roles) for history in histories]
    frames, converted = _with_booleans(frames, roles.parameters)
    space, decided = _common_space(histories)
    notes = [note for history in histories for note in history.notes]
    notes += [*(_turned_note(history, roles) for history in turned), *_shared_tasks(histories)]
    nones = frozenset[str]().union(*(history.gap_rule.nones for history in histories))
    return replace(
        histories[0],
        frame=pl.concat(frames, how="diagonal_relaxed"),
        roles=roles,
        source=", ".join(dict.fromkeys(history.source for history in histories)),
        places=Places.joined([(one.places, one.source, len(one)) for one in histories]),
        space=space,
        notes=tuple(_counted([*notes, *converted, *decided, *unlike])),
        tool="",
        gap_rule=replace(histories[0].gap_rule, nones=nones),
        task_spaces=_by_task([history.task_spaces for history in histories]),
        task_times=_latest([history.task_times for history in histories]),
        said=_said(histories),
        left_out=frozenset[str]().union(*(history.left_out for history in histories)),
        off={name: off for history in histories for name, off in history.off.items()},
        mends=(),
        failures="ignore" if any(one.failures == "ignore" for one in histories) else "keep",
    )


def _with_costs(common: Roles, each: Sequence[Roles]) -> tuple[Roles, list[str]]:
    """The common roles with a column of costs and one of reasons; none of costs, and a note, if
    they are counted in different units."""
    parts = (common.task, common.objective, common.budget, common.status)
    taken = [*(name for name in parts if name is not None), *common.parameters]
    costs = [one for one in each if one.cost is not None]
    units = list(dict.fromkeys(cost_unit(one) for one in costs))
    cost = free_name(costs[0].cost or "", taken) if len(units) == 1 else None
    if cost is not None and costs[0].timed and unit_in(name_words(cost)) not in (None, 1.0):
        cost = free_name("seconds", taken)
    has_reason = any(one.reason is not None for one in each)
    reason = free_name("reason", [*taken, cost or ""]) if has_reason else None
    notes = []
    if len(units) > 1:
        notes.append(
            f"costs are left out, since some sources count them in {units[0]} and others in "
            f"{some(units[1:])}; name columns of one unit with cost=… (--cost …)"
        )
    return replace(common, cost=cost, timed=units == ["seconds"], reason=reason), notes


def _counted(notes: Sequence[str]) -> list[str]:
    """The notes, those that several sources have once, with the number of these."""
    return [
        note if count == 1 else f"{note} (in each of {count} sources)"
        for note, count in Counter(notes).items()
    ]


def _with_booleans(
    frames: Sequence[pl.DataFrame], names: Sequence[str]
) -> tuple[list[pl.DataFrame], list[str]]:
    """The frames with yes and no, true and false, 1 and 0 as booleans where another frame has
    booleans, and a note for each parameter of which that is so."""
    frames, notes = list(frames), []
    for name in names:
        if not any(name in frame.columns and frame[name].dtype == pl.Boolean for frame in frames):
            continue
        for i, frame in enumerate(frames):
            if name not in frame.columns or frame[name].dtype == pl.Boolean:
                continue
            column = frame[name].cast(pl.String, strict=False).str.strip_chars()
            flags = column.str.to_lowercase().replace_strict(FLAGS, default=None)
            if flags.count() and flags.null_count() == frame[name].null_count():
                frames[i] = frame.with_columns(flags.cast(pl.Boolean).alias(name))
                notes.append(f"{name} is true or false in some sources; the others are as well")
    return frames, list(dict.fromkeys(notes))


def _said(histories: Sequence[History]) -> dict[str, Mapping[str, Choice]]:
    said: dict[str, Mapping[str, Choice]] = {}
    for task, values in (item for history in histories for item in history.said.items()):
        said[task] = {**said.get(task, {}), **values}
    return said


def common_roles(roles: Sequence[Roles]) -> Roles:
    """The roles of the first, with the parameters of all, and a status if one of the others has
    it. A column of the first whose name is a parameter's in another gets a new name. HistoryError
    if only some have a budget."""
    first = roles[0]
    if any((other.budget is None) != (first.budget is None) for other in roles):
        raise HistoryError("only one of the histories has a column for the budget")
    taken = list(dict.fromkeys(name for one in roles for name in one.parameters))
    parameters = tuple(taken)
    status = next((one.status for one in roles if one.status is not None), None)
    names: list[str | None] = []
    for name in (first.task, first.objective, first.budget, first.status or status):
        names.append(None if name is None else free_name(name, taken))
        taken += [name for name in names[-1:] if name is not None]
    task, objective, budget, status = names
    assert task is not None and objective is not None, "every history has these"
    return replace(
        first, task=task, objective=objective, budget=budget, status=status, parameters=parameters
    )


def aligned(frame: pl.DataFrame, own: Roles, common: Roles) -> pl.DataFrame:
    """The columns that play a part, under the names that `common` has for them; the objective is
    negated if it goes the other way."""
    columns = [frame[name] for name in own.parameters]
    for name in common.parameters:
        absent = lacks(frame, name) if name in own.parameters else _everywhere(frame)
        if absent.any():
            columns.append(absent.alias(f"{LACKS}{name}"))
    columns.append(frame[own.task].alias(common.task))
    objective = frame[own.objective]
    if own.direction != common.direction:
        objective = -as_number(objective)
    columns.append(objective.alias(common.objective))
    if f"{WRITTEN}{own.objective}" in frame.columns:
        written = frame[f"{WRITTEN}{own.objective}"]
        columns.append(written.alias(f"{WRITTEN}{common.objective}"))
    if own.budget is not None and common.budget is not None:
        columns.append(frame[own.budget].alias(common.budget))
    if common.status is not None:
        status = pl.Series([FINISHED]).new_from_index(0, frame.height)
        column = status if own.status is None else frame[own.status].cast(pl.String)
        columns.append(column.alias(common.status))
    if own.cost is not None and common.cost is not None:
        columns.append(cost_numbers(frame, own).alias(common.cost))
    if own.reason is not None and common.reason is not None:
        columns.append(frame[own.reason].cast(pl.String).alias(common.reason))
    return pl.DataFrame(columns)


def _everywhere(frame: pl.DataFrame) -> pl.Series:
    return pl.Series([True]).new_from_index(0, frame.height)


def _require_comparable(histories: Sequence[History]) -> None:
    """HistoryError if the runs of one task are judged by two objectives: the best of them would be
    the best by the one with the larger numbers. Results of a search have an objective without a
    name, which fits any of its direction."""
    judges: dict[str, History] = {}
    for history in histories:
        for task in history.tasks:
            judge = judges.setdefault(task, history)
            if judge.roles.objective == history.roles.objective:
                continue
            unnamed = UNNAMED in (judge.roles.objective, history.roles.objective)
            if not (unnamed and judge.roles.direction == history.roles.direction):
                raise HistoryError(
                    f"task {task!r} has runs to {judge.goal} and runs to {history.goal}, which "
                    "cannot be compared; read those of one objective, or give both columns one "
                    "name if they measure the same"
                )
            if judge.roles.objective == UNNAMED:
                judges[task] = history


def _common_space(histories: Sequence[History]) -> tuple[Space | None, list[str]]:
    """The union of the spaces, by the age of the histories; None if one is not known."""
    by_age = sorted(histories, key=lambda one: max(one.task_times.values(), default=0.0))
    spaces = [one.space for one in by_age if one.space is not None]
    return union_of(spaces) if len(spaces) == len(histories) else (None, [])


def _by_task(spaces: Sequence[Mapping[str, Space]]) -> dict[str, Space]:
    """The space of each task; of one in several sources, the union."""
    each: dict[str, list[Space]] = {}
    for task, space in (item for of_tasks in spaces for item in of_tasks.items()):
        each.setdefault(task, []).append(space)
    return {task: union_of(several)[0] for task, several in each.items()}


def _latest(times: Sequence[Mapping[str, float]]) -> dict[str, float]:
    latest: dict[str, float] = {}
    for task, time in (item for of_tasks in times for item in of_tasks.items()):
        latest[task] = max(time, latest.get(task, time))
    return latest


def _turned_note(history: History, roles: Roles) -> str:
    own = history.roles
    return (
        f"{history.source} is to {own.direction} {own.objective!r}; its values are negated, to "
        f"{roles.direction} as the others"
    )


def _shared_tasks(histories: Sequence[History]) -> list[str]:
    """A note on tasks of the same name in several sources, which may not be the same task."""
    counts = Counter(name for history in histories for name in history.tasks)
    shared = [name for name, count in counts.items() if count > 1]
    if not shared:
        return []
    return [
        f"{some(shared, 3)} {'are' if len(shared) > 1 else 'is'} in several sources, and taken as "
        "one task each; if they are not the same, name them differently before they are read"
    ]
