"""Which rows of a history count, judged against a space; every row that does not is accounted for.

The usable rows come out as one frame. The names of parameters cannot begin with a colon, so they
never clash with ours. Each column is of shape (rows,).

symbol           meaning                                                       type
:task            name of the task                                              String
:row             position in the history, from 0                               UInt32
:value           the objective, lower is better                                Float64
NAME             a number, or the position among the choices; null: inactive   Float64
:n_evaluations   of a selection only: usable rows of the task                  Int64
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.statuses import GOOD_STATUS
from ringfence.history.history import History
from ringfence.history.roles import require_column
from ringfence.history.selection import Dropped
from ringfence.history.values import as_number, as_written, describe, numbers_of, other_spellings
from ringfence.space import Categorical, Choice, Constant, Parameter, Space
from ringfence.space.gaps import gaps_in_words
from ringfence.space.spellings import in_words

TASK, ROW, VALUE, COUNT = ":task", ":row", ":value", ":n_evaluations"


@dataclass(frozen=True)
class UsableRows:
    """The rows that count, those that do not, and what else happened to the table."""

    frame: pl.DataFrame
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]


def usable_rows(history: History, space: Space) -> UsableRows:
    """The rows of `history` that can be used to learn in `space`."""
    if history.selection is not None and history.selection.space != space:
        raise HistoryError(
            "the best rows of the history were chosen for another space; "
            "read it again with space=… set to the one to learn in"
        )
    judge = _Judge(history)
    judge.drop_bad_runs()
    for name in space.parents_first:
        judge.read_parameter(space, name)
    judge.drop_gaps()
    judge.drop_low_budgets()
    if not judge.rows.height:
        why = "; ".join(f"{d.rows} because {d.reason} ({d.example})" for d in judge.dropped)
        raise HistoryError(f"no row of the history can be used: {why}")
    frame, dropped = judge.rows, tuple(judge.dropped)
    if history.selection is not None:
        counts = history.selection.counts
        count = pl.col(TASK).replace_strict(counts, return_dtype=pl.Int64).alias(COUNT)
        frame, dropped = frame.with_columns(count), (*history.selection.dropped, *dropped)
    return UsableRows(frame, dropped, tuple(judge.notes))


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

    def read_parameter(self, space: Space, name: str) -> None:
        parameter = space[name]
        if name not in self.history.frame.columns and isinstance(parameter, Constant):
            return
        require_column(self.history.frame, name)
        raw = self._raw(name)
        values = numbers_of(parameter, raw)
        if usual := other_spellings(parameter, raw):
            self.notes.append(in_words(name, usual))
        active = self._active(space, name)
        ignored = int((values.is_not_null() & ~active).sum())
        if ignored:
            self.notes.append(f"{ignored} values of {name} ignored where it is inactive")
        wrong = active & values.is_nan().fill_null(value=False)
        column = pl.when(active).then(values).otherwise(None).alias(name)
        self.rows = self.rows.with_columns(column)
        self._keep(~wrong, f"{name} is not {describe(parameter)}", name)
        if isinstance(parameter, Constant):
            self.rows = self.rows.drop(name)
        else:
            self._require(name, self.rows[name].is_null() & active.filter(~wrong))

    def drop_low_budgets(self) -> None:
        budget = self.history.roles.budget
        if budget is not None:
            amount = pl.col(":budget")
            rows = self.rows.with_columns(as_number(self._raw(budget)).alias(":budget"))
            highest = rows.select((amount == amount.max().over(TASK)).fill_null(value=False))
            self._keep(highest.to_series(), f"below the highest {budget} of the task", budget)

    def _raw(self, name: str) -> pl.Series:
        return self.history.frame[name].gather(self.rows[ROW])

    def _active(self, space: Space, name: str) -> pl.Series:
        active = pl.Series([True]).new_from_index(0, self.rows.height)
        for condition in space.conditions_of(name):
            wanted = wanted_numbers(space[condition.parent], condition.values)
            active &= self.rows[condition.parent].is_in(wanted).fill_null(value=False)
        return active

    def _require(self, name: str, gap: pl.Series) -> None:
        """Rows of a task that lacks the parameter do not count; other gaps are judged later."""
        if not gap.any():
            return
        never = self.rows.select(pl.col(name).is_null().all().over(TASK)).to_series()
        partly = gap & ~never
        if partly.any():
            self.gaps[name] = self.rows[ROW].filter(partly)
        self._keep(~(gap & never), f"the task has no values of {name}", name)

    def drop_gaps(self) -> None:
        """Drop the rows that lack a value for no known reason, if they are few or it was asked for;
        else raise HistoryError with all columns that have such gaps."""
        gaps = {n: r.filter(r.is_in(self.rows[ROW].implode())) for n, r in self.gaps.items()}
        gaps = {name: rows for name, rows in gaps.items() if len(rows)}
        if not gaps:
            return
        some = pl.concat(list(gaps.values())).n_unique()
        if not self.history.gap_rule.drops(some, self.finished):
            first = {n: (len(rows), self.history.where(int(rows[0]))) for n, rows in gaps.items()}
            raise HistoryError(gaps_in_words(first, some, self.finished))
        for name, rows in gaps.items():
            self._keep(~self.rows[ROW].is_in(rows.implode()), f"{name} is missing", name)

    def _keep(self, mask: pl.Series, reason: str, column: str) -> None:
        dropped = self.rows[ROW].filter(~mask)
        if not len(dropped):
            return
        first = int(dropped[0])
        value = as_written(self.history.frame, column, first)
        example = f"{self.history.where(first)}: {column} = {value}"
        self.dropped.append(Dropped(len(dropped), reason, example))
        self.rows = self.rows.filter(mask)


def wanted_numbers(parent: Parameter, values: Sequence[Choice]) -> list[float]:
    """The values of a condition as `numbers_of` has them."""
    if isinstance(parent, Categorical):
        return [float(i) for value in values if (i := parent.index(value)) is not None]
    return [float(value) for value in values if isinstance(value, (int, float))]
