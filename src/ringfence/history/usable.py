"""Which rows of a history count, judged against a space; every row that does not is accounted for.

The usable rows come out as one frame. The names of parameters cannot begin with a colon, so they
never clash with ours. Each column is of shape (rows,).

symbol           meaning                                                       type
:task            name of the task                                              String
:row             position in the history, from 0                               UInt32
:value           the objective, lower is better                                Float64
:cost            what the run cost, null if unknown; if the history has costs  Float64
NAME             a number, or the position among the choices                   Float64
                 null: inactive, a condition switches it off
                 NaN: unknown, the task did not tune it
:fixed:NAME      whether the task had it fixed, see `fixed`                    Boolean
:extra:NAME      a parameter that is not in the space, see `extras`            Float64
:n_evaluations   of a selection only: usable rows of the task                  Int64

A parameter is unknown in a task that has no value of it in any row, where it would be active. If
the parent of a condition is unknown, a child with a value is active; one that the task has no value
of is unknown as well.

The failed runs come out as a second frame, with :task, :row, :cost, the parameters in the same
codes, and

:reason          crash, memory, timeout, diverged, or the store's words; null  String

Those whose parameters cannot be read are not in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.statuses import GOOD_STATUS
from ringfence.history.history import History
from ringfence.history.mismatch.extras import extra_columns
from ringfence.history.mismatch.fixed import fixed_by_task, with_fixed
from ringfence.history.mismatch.unknown import is_unknown, lacks, unknown_notes
from ringfence.history.outcomes.costs import known_costs
from ringfence.history.outcomes.failures import failed_runs
from ringfence.history.selection import Dropped
from ringfence.history.tables import from_objects
from ringfence.history.values import (
    WRITTEN,
    as_number,
    as_written,
    describe,
    numbers_of,
    other_spellings,
    wanted_numbers,
)
from ringfence.space import Categorical, Constant, Space, choice_key
from ringfence.space.gaps import gaps_in_words
from ringfence.space.pairs import off_for_flags
from ringfence.space.spellings import in_words
from ringfence.words import counted, did_you_mean, shortened, some

MOST_LETTERS = 200
"""Of a cell that a message quotes."""
TASK, ROW, VALUE, COUNT = ":task", ":row", ":value", ":n_evaluations"
COST, REASON = ":cost", ":reason"


@dataclass(frozen=True)
class UsableRows:
    """The rows that count, those that do not, what else happened to the table, and the runs that
    failed."""

    frame: pl.DataFrame
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    failed: pl.DataFrame = field(default_factory=pl.DataFrame)
    outside: tuple[str, ...] = ()
    """What is to be said of failed runs that are not in the space, if it was read off the runs."""


def usable_rows(history: History, space: Space) -> UsableRows:
    """The rows of `history` that can be used to learn in `space`."""
    if history.selection is not None and history.selection.space != space:
        raise HistoryError(
            "the best rows of the history were chosen for another space; "
            "read it again with space=… set to the one to learn in"
        )
    _check_said(history, space)
    judge = _Judge(history)
    judge.drop_bad_runs()
    for name in space.parents_first:
        judge.read_parameter(space, name)
    judge.drop_gaps(space)
    judge.drop_strangers(space)
    judge.drop_low_budgets()
    if not judge.rows.height:
        why = "; ".join(f"{d.rows} because {d.reason} ({d.example})" for d in judge.dropped)
        raise HistoryError(f"no row of the history can be used: {why}")
    judge.notes += unknown_notes(judge.rows, TASK, space, judge.extras(space))
    judge.add_fixed(space)
    judge.add_extras(space)
    judge.notes += [
        f"{name} was given a value, and is no parameter of the space; {did_you_mean(name, space)}"
        for name in dict.fromkeys(name for values in history.said.values() for name in values)
        if name not in space and did_you_mean(name, space)
    ]
    frame, dropped = judge.rows, tuple(judge.dropped)
    if history.selection is not None:
        counts = history.selection.counts
        count = pl.col(TASK).replace_strict(counts, return_dtype=pl.Int64).alias(COUNT)
        frame, dropped = frame.with_columns(count), (*history.selection.dropped, *dropped)
    costs, odd = (None, []) if history.roles.cost is None else known_costs(history)
    failed, outside = _failed_rows(history, space, frame)
    if costs is not None:
        frame = frame.insert_column(3, costs.gather(frame[ROW]).alias(COST))
        cost = costs.gather(failed[ROW]).alias(COST)
    else:
        cost = pl.Series(COST, [None], dtype=pl.Float64).new_from_index(0, failed.height)
    failed = failed.insert_column(2, cost)
    return UsableRows(frame, dropped, (*judge.notes, *odd), failed, tuple(outside))


def _failed_rows(
    history: History, space: Space, usable: pl.DataFrame
) -> tuple[pl.DataFrame, list[str]]:
    """The failed runs that are configurations of the space, and notes on others. They are read
    together with the usable ones of their tasks, so that both mean the same by a missing value."""
    judge = _Judge(history)
    fate = judge.fates()
    rows = judge.rows.with_columns(fate["reason"].alias(REASON), fate["failed"].alias(":failed"))
    rows = rows.filter(":failed", pl.col(TASK).is_not_null())
    tasks = rows[TASK].unique().implode()
    beside = usable.select(
        TASK, ROW, VALUE, pl.lit(None, pl.String).alias(REASON), pl.lit(False).alias(":failed")
    ).filter(pl.col(TASK).is_in(tasks) & (rows.height > 0))
    judge.rows = pl.concat([rows, beside])
    for name in space.parents_first:
        judge.read_parameter(space, name)
    gaps = [gap for gap in judge.gaps.values() if len(gap)]
    names = [name for name in space if name in judge.rows.columns]
    rows = judge.rows.filter(":failed")
    for gap in gaps:
        rows = rows.filter(~pl.col(ROW).is_in(gap.implode()))
    if names:
        rows = rows.filter(~_tells_nothing(names))
    outside = [
        f"{counted(one.rows, 'failed run')} outside the space that was read off the finished ones: "
        f"{one.reason} ({one.example})"
        for one in judge.dropped
    ]
    return rows.select(TASK, ROW, REASON, *names).sort(ROW), outside


def _check_said(history: History, space: Space) -> None:
    """HistoryError if a value that the user filled in is none of the parameter's."""
    said = (item for values in history.said.values() for item in values.items())
    for name, value in {(name, choice_key(value)): (name, value) for name, value in said}.values():
        if name in space and numbers_of(space[name], from_objects(name, [value])).is_nan().any():
            raise HistoryError(
                f"{name} was said to have been {value!r}, and it is not {describe(space[name])}"
                "; widen the space, or leave that value out"
            )


def finished_rows(history: History) -> pl.Series:
    """Positions of the rows with a task and a finite objective whose run did not fail."""
    judge = _Judge(history)
    judge.drop_bad_runs()
    return judge.rows[ROW]


class _Judge:
    """The rows that still count, and an account of those that do not. For one use."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.dropped: list[Dropped] = []
        self.notes: list[str] = []
        self.gaps: dict[str, pl.Series] = {}
        self.finished = 0
        self.best: set[int] = set()
        roles = history.roles
        objective = as_number(history.frame[roles.objective])
        sign = -1.0 if roles.direction == "maximize" else 1.0
        self.rows = pl.DataFrame(
            [
                history.task_column().alias(TASK),
                pl.Series(ROW, range(len(history)), dtype=pl.UInt32),
                (objective * sign).alias(VALUE),
            ]
        )

    def fates(self) -> pl.DataFrame:
        """For each run whether it failed, and why; none did if failures are ignored."""
        history, roles = self.history, self.history.roles
        frame, written = history.frame, f"{WRITTEN}{roles.objective}"
        fates = failed_runs(
            None if roles.status is None else frame[roles.status],
            self.rows[VALUE],
            frame[written] if written in frame.columns else None,
            None if roles.reason is None else frame[roles.reason],
        )
        if history.failures == "ignore":
            return fates.with_columns(pl.lit(False).alias("failed"))
        return fates

    def drop_bad_runs(self) -> None:
        roles = self.history.roles
        if roles.status is not None:
            status = self.history.frame[roles.status].cast(pl.String).str.to_lowercase()
            good = status.is_in(list(GOOD_STATUS)).fill_null(value=False)
            self._keep(good, f"the run failed or did not finish ({roles.status})", roles.status)
        self._keep(self.rows[TASK].is_not_null(), "no task is named", roles.task)
        reason = f"{roles.objective} is missing or not finite"
        self._keep(self.rows[VALUE].is_finite().fill_null(value=False), reason, roles.objective)
        self.finished = self.rows.height
        self.best = set(self._best_rows())

    def _best_rows(self) -> pl.Series:
        """Positions of the best finished run of each task, at its highest budget."""
        rows, budget = self.rows, self.history.roles.budget
        if budget is not None:
            rows = rows.with_columns(as_number(self._raw(budget)).alias(":budget"))
            rows = rows.filter(pl.col(":budget") == pl.col(":budget").max().over(TASK))
        return rows.group_by(TASK).agg(pl.col(ROW).get(pl.col(VALUE).arg_min()))[ROW]

    def read_parameter(self, space: Space, name: str) -> None:
        parameter = space[name]
        absent = lacks(self.history.frame, name).gather(self.rows[ROW])
        if absent.all():
            self._unseen(space, name)
            return
        raw = self._raw(name)
        values = numbers_of(parameter, raw)
        values = values.set(values.is_null() & self._are_none(name), math.nan).set(absent, None)
        if usual := other_spellings(parameter, raw):
            self.notes.append(in_words(name, usual))
        active, unsure = self._active(space, name)
        ignored = int((values.is_not_null() & ~active & ~self._was_said(name)).sum())
        if ignored:
            self.notes.append(f"{counted(ignored, 'value')} of {name} ignored where it is inactive")
        wrong = active & values.is_nan().fill_null(value=False)
        column = pl.when(active).then(values).otherwise(None).alias(name)
        gap = (active & values.is_null()).alias(":gap")
        self.rows = self.rows.with_columns(
            column, gap, absent.alias(":lacks"), unsure.alias(":unsure")
        )
        self._tell_best(wrong, name, f"{name} is not {describe(parameter)}")
        self._keep(~wrong, f"{name} is not {describe(parameter)}", name)
        if isinstance(parameter, Constant):
            self.rows = self.rows.drop(name)
        else:
            self._explain_gaps(name)
        self.rows = self.rows.drop(":gap", ":lacks", ":unsure")

    def _are_none(self, name: str) -> pl.Series:
        """Where a task's source says that None is a choice, and so what a missing value is."""
        spaces = self.history.task_spaces.items()
        tasks = [task for task, space in spaces if name in space and _has_none(space, name)]
        return self.rows[TASK].is_in(tasks)

    def _was_said(self, name: str) -> pl.Series:
        """Where the value is one that the user gave to the whole task."""
        said = self.history.said.items()
        return self.rows[TASK].is_in([task for task, values in said if name in values])

    def _unseen(self, space: Space, name: str) -> None:
        """No run has a value: it is unknown wherever it would be active."""
        if not isinstance(space[name], Constant):
            active, _ = self._active(space, name)
            unknown = pl.when(active).then(math.nan).otherwise(None)
            self.rows = self.rows.with_columns(unknown.cast(pl.Float64).alias(name))

    def drop_low_budgets(self) -> None:
        budget = self.history.roles.budget
        if budget is not None:
            amount = pl.col(":budget")
            rows = self.rows.with_columns(as_number(self._raw(budget)).alias(":budget"))
            highest = rows.select((amount == amount.max().over(TASK)).fill_null(value=False))
            self._keep(highest.to_series(), f"below the highest {budget} of the task", budget)

    def _raw(self, name: str) -> pl.Series:
        return self.history.frame[name].gather(self.rows[ROW])

    def _active(self, space: Space, name: str) -> tuple[pl.Series, pl.Series]:
        """Where the parameter is active or may be, and where only may be: a parent is unknown."""
        active = pl.Series([True]).new_from_index(0, self.rows.height)
        unsure = ~active
        for condition in space.conditions_of(name):
            parent = self.rows[condition.parent]
            wanted = wanted_numbers(space[condition.parent], condition.values)
            unknown = parent.is_nan().fill_null(value=False)
            active &= parent.is_in(wanted).fill_null(value=False) | unknown
            unsure |= unknown
        return active, active & unsure

    def _explain_gaps(self, name: str) -> None:
        """A task without a value of the parameter did not tune it, and neither did a source that
        lacks it. If that its parent is unknown may be why, a gap is inactive. Others are judged
        later."""
        never = pl.col(name).is_null().all().over(TASK)
        unknown = pl.col(":gap") & (never | pl.col(":lacks"))
        self.rows = self.rows.with_columns(unknown.alias(":unknown"))
        partly = self.rows.filter(":gap", ~pl.col(":unknown"), ~pl.col(":unsure"))[ROW]
        if len(partly):
            self.gaps[name] = partly
        column = pl.when(":unknown").then(math.nan).otherwise(name).alias(name)
        self.rows = self.rows.with_columns(column).drop(":unknown")

    def drop_gaps(self, space: Space) -> None:
        """Drop the rows that lack a value for no known reason, if they are few or it was asked for;
        else raise HistoryError with all columns that have such gaps."""
        gaps = {n: r.filter(r.is_in(self.rows[ROW].implode())) for n, r in self.gaps.items()}
        gaps = {name: rows for name, rows in gaps.items() if len(rows)}
        if not gaps:
            return
        some = pl.concat(list(gaps.values())).n_unique()
        if not self.history.gap_rule.drops(some, self.finished):
            first = {n: (len(rows), self.history.where(int(rows[0]))) for n, rows in gaps.items()}
            said = gaps_in_words(first, some, self.finished)
            raise HistoryError(said + self._flags_in_words(space, gaps))
        for name, rows in gaps.items():
            self._keep(~self.rows[ROW].is_in(rows.implode()), f"{name} is missing", name)

    def _flags_in_words(self, space: Space, gaps: Iterable[str]) -> str:
        """What makes the runs' flags and numbers what the space has: numbers that may be off."""
        declared = self.history.space
        off = {} if declared is None else off_for_flags(declared, space)
        calls = ", ".join(f"{name!r}: {off[name]:g}" for name in gaps if name in off)
        return f"; flags tell here: history.with_off({{{calls}}})" if calls else ""

    def drop_strangers(self, space: Space) -> None:
        """Drop the tasks that tuned none of the parameters; HistoryError if the table has none."""
        names = [name for name in space if name in self.rows.columns]
        if not names:
            return
        strange = self.rows.select(_tells_nothing(names))
        table, own = self.history.frame, self.history.roles.parameters
        if not any(name in table.columns and table[name].count() for name in names):
            raise HistoryError(
                f"no run has a value of a parameter of the space ({some(names)}); they have "
                f"{some(own)}: say which are the same, as in history.rename({{{own[0]!r}: "
                f"{names[0]!r}}}) (--rename {own[0]}={names[0]})"
            )
        reason = "the task tuned none of the parameters"
        self._keep(~strange.to_series(), reason, self.history.roles.task)

    def extras(self, space: Space) -> list[str]:
        """The parameters that the space does not have."""
        return [name for name in self.history.roles.parameters if name not in space]

    def add_fixed(self, space: Space) -> None:
        """Which parameters were fixed in which tasks, so that their values shape no region."""
        fixed = fixed_by_task(self.history, space, self.rows, TASK)
        self.rows, notes = with_fixed(self.rows, TASK, fixed)
        self.notes += notes

    def add_extras(self, space: Space) -> None:
        """The parameters that are not in the space, for models of the tasks that tuned them."""
        names = self.extras(space)
        if not names:
            return
        table = self.history.frame.select(names)[self.rows[ROW]]
        extras, notes = extra_columns(table, self.rows[TASK])
        self.rows = self.rows.with_columns(extras)
        self.notes += notes

    def _tell_best(self, wrong: pl.Series, name: str, reason: str) -> None:
        """A note if the best runs of some tasks are among the wrong rows."""
        lost = self.rows.filter(wrong & self.rows[ROW].is_in(list(self.best)))
        if lost.height:
            values = [as_written(self.history.frame, name, row) for row in lost[ROW]]
            each = [f"{task}: {value}" for task, value in zip(lost[TASK], values)]
            whose = counted(lost.height, "task")
            self.notes.append(f"the best run of {whose} does not count: {reason} ({some(each, 3)})")

    def _keep(self, mask: pl.Series, reason: str, column: str) -> None:
        dropped = self.rows[ROW].filter(~mask)
        if not len(dropped):
            return
        first = int(dropped[0])
        example = f"{self.history.where(first)}: {_said(self.history.frame, column, first)}"
        self.dropped.append(Dropped(len(dropped), reason, example))
        self.rows = self.rows.filter(mask)


def _tells_nothing(names: Sequence[str]) -> pl.Expr:
    """Where no parameter is known, and some are unknown."""
    nothing = pl.all_horizontal(pl.col(names).fill_null(math.nan).is_nan())
    return nothing & pl.any_horizontal(*map(is_unknown, names))


def _has_none(space: Space, name: str) -> bool:
    """Whether a parameter that is always active may be None."""
    parameter = space[name]
    listed = isinstance(parameter, Categorical) and None in parameter.choices
    return listed and not space.conditions_of(name)


def _said(frame: pl.DataFrame, column: str, row: int) -> str:
    """What a cell holds. Among numbers an empty one may have been NaN, which is kept as nothing."""
    value = as_written(frame, column, row)
    if value is not None:
        return f"{column} = {shortened(str(value), MOST_LETTERS)}"
    return f"{column} is empty{' or NaN' * frame[column].dtype.is_float()}"
