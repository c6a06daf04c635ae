"""The space that a history covers, read off its finished runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import polars as pl

from ringfence.errors import HistoryError, SettingError
from ringfence.history.guessing.statuses import unfinished
from ringfence.history.history import History
from ringfence.history.mismatch.mending import with_constant
from ringfence.history.mismatch.spaces import restricted, union_of
from ringfence.history.mismatch.switches import offers
from ringfence.history.mismatch.unknown import tuned_by_task
from ringfence.history.runs import Runs, as_history
from ringfence.history.usable import finished_rows
from ringfence.history.values import LACKS
from ringfence.space import Space
from ringfence.space.table_columns import Inferred, infer_from_table
from ringfence.words import counted, some


def infer_space(
    history: Runs,
    *,
    task: str | None = None,
    objective: str | int | None = None,
    direction: str | None = None,
    space: Literal["union", "latest"] = "union",
    observed: bool = False,
    **reading: Any,
) -> Inferred:
    """The space that the source declares, as an Optuna storage does; else the smallest one that
    holds the finished runs. If tasks differ in what they tuned, it is the union of all.

    Args:
        history: the past runs: a History, or whatever `read_history` reads, such as a path, a data
            frame or an Optuna study.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: plays no part, and is not asked for.
        space: 'latest' takes the parameters and ranges of the task that ran last.
        observed: whether the values of the runs count even if the source declares a space.
        reading: the other arguments of `read_history`.

    Returns:
        `.space`, and `.notes` on how it was read off; `ringfence.space.inference` has the rules.

    Examples:
        >>> import ringfence as rf
        >>> inferred = rf.infer_space(rf.example_history())
        >>> inferred.space["degree"]
        Int(low=2, high=5, log=False)
    """
    columns = {"task": task, "objective": objective, "direction": direction}
    history = as_history(history, {**columns, **reading}, infer_space, asks=False)
    if space not in ("union", "latest"):
        raise SettingError(f"space must be 'union' or 'latest', not {space!r}")
    if space == "latest":
        return latest_space(history)
    if history.space is not None and history.selection is None and not observed:
        declared = f"the space is the one that {history.source} declares"
        return Inferred(history.space, (*own_space(history).notes,) or (declared,))
    return inferred_from(history)


def asked_space(space: Space | Inferred | Literal["latest"] | None) -> Space | None:
    """The space that an argument is, None if the history is to say it; else SettingError."""
    if isinstance(space, Inferred):
        return space.space
    if isinstance(space, Space):
        return space
    if space is not None and not (isinstance(space, str) and space == "latest"):
        shown = repr(space) if isinstance(space, str) else type(space).__name__
        raise SettingError(f"space must be a Space or 'latest', not {shown}")
    return None


def own_space(history: History) -> Inferred:
    """The space that a history carries, with a note if it is a union; else the inferred one."""
    if history.space is None:
        return inferred_from(history)
    spaces = [history.task_spaces[t] for t in history.tasks if t in history.task_spaces]
    if all(space == spaces[0] for space in spaces):
        return Inferred(history.space, ())
    note = (
        f"the space is the union of those of {len(spaces)} tasks, which differ; space='latest' "
        "(--space latest) takes that of the newest"
    )
    return Inferred(history.space, (note,))


def inferred_from(history: History) -> Inferred:
    """`infer_space` of a history."""
    if history.selection is not None:
        return Inferred(history.selection.space, history.selection.notes)
    rows = finished_rows(history)
    if not len(rows):
        status = history.roles.status
        words = "" if status is None else unfinished(history.frame[status])
        says = f": {status!r} says {words}" if words else ""
        raise HistoryError(f"no run of the history finished with a finite objective{says}")
    table = _without_said(history)[rows]
    lacking = [table[name] for name in table.columns if name.startswith(LACKS)]
    flags = [column.fill_null(value=False).cast(pl.String) for column in lacking]
    # Runs of a task from sources that lack different parameters are like those of several tasks.
    tasks = pl.select(pl.concat_str(history.task_column().gather(rows), *flags)).to_series()
    inferred = infer_from_table(
        table,
        history.roles.parameters,
        tasks,
        lambda row: history.where(int(rows[row])),
        history.gap_rule,
        history.off,
    )
    inferred = _with_declared(inferred, history)
    space = _with_said(inferred.space, history)
    offered = [note for note in offers(space, history) if note not in history.notes]
    return replace(inferred, space=space, notes=(*inferred.notes, *offered))


def _with_declared(inferred: Inferred, history: History) -> Inferred:
    """With what the sources of some tasks declare: ranges, scales, choices and conditions. Those of
    the others are what was tried."""
    spaces = [history.task_spaces[t] for t in history.tasks if t in history.task_spaces]
    if history.space is not None or not spaces:
        return inferred
    names = list(inferred.space)
    known = [restricted(space, names) for space in spaces if any(name in space for name in names)]
    space, decided = union_of([inferred.space, *known])
    if space == inferred.space:
        return inferred
    wider = [name for name in space if space[name] != inferred.space[name]]
    note = (
        f"{counted(len(spaces), 'task')} declare{'s' * (len(spaces) == 1)} a space, which counts "
        f"beside what was tried{f': {some(wider)}' if wider else ''}"
    )
    return Inferred(space, (*inferred.notes, note, *decided))


def _without_said(history: History) -> pl.DataFrame:
    """The runs without the values that the user gave to whole tasks, of parameters that others
    have: they stand in every run, also where a condition that the others show switches them
    off."""
    frame, tasks = history.frame, history.task_column()
    for name in dict.fromkeys(name for values in history.said.values() for name in values):
        said = tasks.is_in([task for task, values in history.said.items() if name in values])
        own = frame[name].set(said.fill_null(value=False), None)
        frame = frame.with_columns(own) if own.count() else frame
    return frame


def _with_said(space: Space, history: History) -> Space:
    """The space with room for the values that the user gave to tasks."""
    for values in history.said.values():
        for name, value in values.items():
            if name in space:
                space = with_constant(space, name, value)
    return space


def latest_space(history: History) -> Inferred:
    """The space of the newest task that has a finished run: what its source declares, or else what
    the runs of all tasks with its parameters tried. HistoryError if no time stamp tells which is
    the newest."""
    finished = history.task_column().gather(finished_rows(history)).unique(maintain_order=True)
    times = {task: history.task_times[task] for task in finished if task in history.task_times}
    if not times:
        raise HistoryError(
            "no time stamp tells which task is the latest; give the space itself (space=…, "
            "--space FILE), or leave it out for the union of all"
        )
    newest = max(times, key=lambda task: times[task])
    day = datetime.fromtimestamp(times[newest], UTC).date()
    note = f"the space is that of {newest}, the latest task ({day})"
    if undated := [task for task in finished if task not in times]:
        note += (
            f" of those with a time stamp that can be read; {some(undated, 3)} "
            f"{'have' if len(undated) > 1 else 'has'} none"
        )
    if newest in history.task_spaces:
        return Inferred(history.task_spaces[newest], (note,))
    tuned = tuned_by_task(history)
    alike = [task for task in history.tasks if tuned[task] == tuned[newest]]
    runs = history.only(alike)
    names = tuple(name for name in runs.roles.parameters if name in tuned[newest])
    inferred = inferred_from(replace(runs, roles=replace(runs.roles, parameters=names)))
    return Inferred(inferred.space, (note, "its ranges are what was tried", *inferred.notes))
