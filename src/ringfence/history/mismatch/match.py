"""match: how the tasks of a history fit the space that is to be tuned now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from ringfence.history.display.match import match_html, match_text
from ringfence.history.history import History
from ringfence.history.inference import asked_space, latest_space, own_space
from ringfence.history.mismatch.fits import Fit, Kind, as_code, fits_of
from ringfence.history.mismatch.mending import Mend
from ringfence.history.mismatch.spaces import widest
from ringfence.history.mismatch.suggestions import probable_names, twins
from ringfence.history.mismatch.units import ends_by_task, odd_tasks, unit_warnings
from ringfence.history.mismatch.unknown import tuned_by_task
from ringfence.history.runs import Runs, as_history
from ringfence.history.values import numbers_of
from ringfence.quoting import literal, shell_word
from ringfence.space import Constant, Float, Int, Parameter, Space
from ringfence.space.inference import Inferred
from ringfence.words import counted


@dataclass(frozen=True)
class Suggestion:
    """What would mend a difference, as calls and options; nothing is done unasked."""

    parameter: str
    why: str
    call: str
    """Of Python."""
    option: str = ""
    """Of the command line, if it has one."""


@dataclass(frozen=True)
class TaskGroup:
    """Tasks that fit the space in the same way."""

    tasks: tuple[str, ...]
    runs: int
    fits: tuple[Fit, ...]
    renamed: dict[str, str] = field(default_factory=dict)
    """Parameters that are probably one of today: from the old name to the new one."""

    def fit(self, name: str) -> Fit | None:
        """The fit of one parameter; None if it is an extra of other tasks."""
        return next((fit for fit in self.fits if fit.parameter == name), None)


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """How a history fits a space, by `rf.match`: `print` shows it as a table.

    Examples:
        >>> import ringfence as rf
        >>> history = rf.example_history().rename({"C": "cost"})
        >>> match = rf.match(history, rf.example_history().space)
        >>> match.suggestions[0].call
        "history.rename({'cost': 'C'})"
    """

    space: Space
    """The space that is to be tuned now."""
    groups: tuple[TaskGroup, ...]
    """The tasks in groups, the largest first."""
    suggestions: tuple[Suggestion, ...]
    """What would mend the differences."""
    warnings: tuple[str, ...] = ()
    """Units that differ by a factor."""
    notes: tuple[str, ...] = ()
    """How the runs were read, and which space it is."""

    @property
    def fits(self) -> bool:
        """Whether every task has every parameter as it is today, and none besides."""
        kinds = {kind for group in self.groups for fit in group.fits for kind in fit.kinds}
        return kinds <= {"same", "inactive"}

    def __repr__(self) -> str:
        tasks = sum(len(group.tasks) for group in self.groups)
        return (
            f"Match({counted(tasks, 'task')} in {counted(len(self.groups), 'group')}, "
            f"{counted(len(self.suggestions), 'suggestion')})"
        )

    def __str__(self) -> str:
        return match_text(self)

    def _repr_html_(self) -> str:
        return match_html(self)


def match(
    history: Runs,
    space: Space | Inferred | Literal["latest"] | None = None,
    *,
    task: str | None = None,
    objective: str | int | None = None,
    direction: str | None = None,
    **reading: Any,
) -> Match:
    """How the tasks of a history fit the space that is to be tuned now, and what would mend it.

    Args:
        history: the past runs: a History, or whatever `read_history` reads.
        space: what is to be tuned; None takes the union of all that was tuned, 'latest' that of the
            task that ran last.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: plays no part, and is not asked for.
        reading: the other arguments of `read_history`.

    Returns:
        A table of parameters by groups of tasks: same, missing, extra, other range (and how much of
        today's it covers), other scale, other type, probably renamed; with the calls that mend it.

    Examples:
        >>> import ringfence as rf
        >>> rf.match(rf.example_history()).fits
        True
    """
    columns = {"task": task, "objective": objective, "direction": direction}
    history = as_history(history, {**columns, **reading}, match, asks=False)
    notes: tuple[str, ...] = ()
    today = asked_space(space)
    if today is None:
        inferred = latest_space(history) if space == "latest" else own_space(history)
        today, notes = inferred.space, inferred.notes
    groups = _groups(history, today)
    if asked_space(space) is None:
        same = _twins(history, today)
        each = [{old: new for old, new in same.items() if _tuned(g, old)} for g in groups]
    else:
        each = [_renamed(history, today, group) for group in groups]
    groups = tuple(replace(group, renamed=names) for group, names in zip(groups, each))
    odd = odd_tasks(history, today)
    suggestions = tuple(_suggestions(history, today, groups, odd))
    return Match(today, groups, suggestions, tuple(unit_warnings(history, odd)), notes)


def _groups(history: History, space: Space) -> tuple[TaskGroup, ...]:
    """Tasks with the same fit as one group; how many of their values count is added up."""
    fits = fits_of(history, space)
    sizes = dict(history.task_column().drop_nulls().value_counts().iter_rows())
    alike: dict[tuple[object, ...], list[str]] = {}
    for task, each in fits.items():
        key = tuple((fit.parameter, fit.kinds, fit.declared) for fit in each)
        alike.setdefault(key, []).append(task)
    groups = [
        TaskGroup(
            tuple(tasks),
            sum(sizes[task] for task in tasks),
            tuple(map(_together, zip(*(fits[task] for task in tasks)))),
        )
        for tasks in alike.values()
    ]
    return tuple(sorted(groups, key=lambda group: -len(group.tasks)))


def _together(fits: Sequence[Fit]) -> Fit:
    values, inside = sum(fit.values for fit in fits), sum(fit.inside for fit in fits)
    overlap = fits[0].overlap if fits[0].declared or not values else inside / values
    return replace(fits[0], values=values, inside=inside, overlap=overlap)


def _twins(history: History, space: Space) -> dict[str, str]:
    """Parameters of a space that was read off the runs that are probably one."""

    def share(old: str, new: str) -> float:
        return _share_inside(space[new], history.frame[old].drop_nulls())

    tuned = tuned_by_task(history).values()
    return twins(tuned, share, {n: p for n, p in space.parameters.items() if n in history.frame})


def _tuned(group: TaskGroup, name: str) -> bool:
    fit = group.fit(name)
    return fit is not None and fit.values > 0


def _renamed(history: History, space: Space, group: TaskGroup) -> dict[str, str]:
    missing = [fit.parameter for fit in group.fits if fit.kinds == ("missing",)]
    extras = [fit.parameter for fit in group.fits if "extra" in fit.kinds]
    if not missing or not extras:
        return {}
    here = history.task_column().is_in(list(group.tasks)).fill_null(value=False)
    columns = {name: history.frame[name].filter(here).drop_nulls() for name in extras}
    shares = {
        old: {new: _share_inside(space[new], column) for new in missing}
        for old, column in columns.items()
    }
    own = history.task_spaces.get(group.tasks[0])
    ends = {}
    for old in extras:
        of_tasks = [e for t, e in ends_by_task(history, old).items() if t in group.tasks]
        if of_tasks:
            ends[old] = min(low for low, _ in of_tasks), max(high for _, high in of_tasks)
    declared = {} if own is None else own.parameters
    return probable_names(shares, missing, declared, ends, space.parameters)


def _share_inside(parameter: Parameter, column: pl.Series) -> float:
    """The share of the values that would be the parameter's."""
    if not len(column) or not (
        column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean)
    ):
        return 0.0
    return float(numbers_of(parameter, column).is_not_nan().mean())  # type: ignore[arg-type]


def _suggestions(
    history: History,
    space: Space,
    groups: Sequence[TaskGroup],
    odd: Mapping[str, Mapping[str, float]],
) -> Iterator[Suggestion]:
    """First what was probably renamed, then what was not tuned, then what was tuned elsewhere."""
    for old, new in dict.fromkeys(pair for g in groups for pair in g.renamed.items()):
        mend = Mend({old: new}, "rename")
        count = sum(len(g.tasks) for g in groups if g.renamed.get(old) == new)
        options = " ".join(shell_word(option) for option in mend.options)
        yield Suggestion(old, f"is probably {new} {_tasks(count)}", f"history.{mend.call}", options)
    old_names = {old for group in groups for old in group.renamed}
    for name in space:
        if name in old_names:
            continue
        lacking = [g for g in groups if _has(g, name, "missing") and name not in g.renamed.values()]
        if lacking:
            count = sum(len(group.tasks) for group in lacking)
            why = f"was not tuned {_tasks(count)}: unknown, unless you say what it was fixed at"
            said = f"{name}=…" if name.isidentifier() else f"{{{literal(name)}: …}}"
            option = f"--value {shell_word(name)}=…"
            yield Suggestion(name, why, f"history.with_values({said})", option)
    for name, parameter in space.parameters.items():
        elsewhere = [
            group
            for group in groups
            if (fit := group.fit(name)) is not None
            and "other range" in fit.kinds
            and "fixed" not in fit.kinds
            and fit.inside < fit.values
            and not any(task in odd.get(name, {}) for task in group.tasks)
        ]
        then = [p for group in elsewhere if (p := _then(history, parameter, group, name))]
        whole = widest([*then, parameter]) if then else None
        if whole is not None and whole != parameter:
            count = sum(len(group.tasks) for group in elsewhere)
            why = f"was tuned beyond today's range {_tasks(count)}, and such runs do not count"
            yield Suggestion(name, f"{why}; this would hold them", f"{name} = {as_code(whole)}")


def _tasks(count: int) -> str:
    return f"in {counted(count, 'task')}"


def _has(group: TaskGroup, name: str, kind: Kind) -> bool:
    fit = group.fit(name)
    return fit is not None and kind in fit.kinds


def _then(history: History, today: Parameter, group: TaskGroup, name: str) -> Parameter | None:
    """The parameter as the tasks of a group had it: declared, or the range of its numbers."""
    own = history.task_spaces.get(group.tasks[0])
    if own is not None and name in own:
        return own[name]
    if not isinstance(today, (Float, Int)):
        return None
    ends = [e for t, e in ends_by_task(history, name).items() if t in group.tasks]
    if not ends:  # words alone
        return None
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if low == high:
        return Constant(low)
    off = today.off if today.off in (low, high) else None
    if off is not None:  # where the others end is not known
        low, high = max(low, today.low), min(high, today.high)
    if isinstance(today, Int) and float(low).is_integer() and float(high).is_integer():
        return Int(int(low), int(high), today.log and low > 0, off)  # type: ignore[arg-type]
    return Float(low, high, today.log and low > 0, off)
