"""The rows that count, judged inside the engine by the rules of `usable_rows`.

Of each parameter two things are asked of a row: is its value none of the parameter's where it is
active (wrong), or is it missing there (gap)? A row that has fallen is not counted again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.readers.ibis.best import joined_by_task
from ringfence.history.readers.ibis.columns import MOST_CHOICES, different_values
from ringfence.history.readers.ibis.numbers import first_row, is_finite, number
from ringfence.history.roles import GOOD_STATUS, Roles
from ringfence.history.selection import Dropped
from ringfence.history.usable import wanted_numbers
from ringfence.history.values import ROUNDING, describe, numbers_of
from ringfence.space import Choice, Constant, Float, Int, Parameter, Space

COUNTED = "counted in the engine"


@dataclass(frozen=True)
class Judged:
    """What is left of a table, and the account of what fell."""

    rows: Any
    n_rows: int
    dropped: tuple[Dropped, ...]


def finished(table: Any, roles: Roles) -> Judged:
    """The rows with a task and a finite objective whose run did not fail; `table` has :task and
    :value already."""
    tests = [
        _Test(table[":task"].isnull(), "no task is named"),
        _Test(~is_finite(table[":value"]), f"{roles.objective} is missing or not finite"),
    ]
    if roles.status is not None:
        good = table[roles.status].cast("string").lower().isin(sorted(GOOD_STATUS))
        reason = f"the run failed or did not finish ({roles.status})"
        tests.insert(0, _Test(~good.fill_null(False), reason))
    return _keep(table, tests)


def judged(done: Judged, space: Space, doubtful: Collection[str]) -> Judged:
    """The finished rows that can be used to learn in `space`; parameters that are not `doubtful`
    need no look."""
    rows = done.rows
    wanted = {name for name in doubtful if name in rows.columns}
    for name in reversed(space.parents_first):
        wanted |= {c.parent for c in space.conditions_of(name) if name in wanted}
    if not wanted:
        return Judged(rows, done.n_rows, ())
    names = [name for name in space.parents_first if name in wanted]
    values = {name: _Values(rows, name, space[name]) for name in names}
    active: dict[str, Any] = {}
    tests = []
    for name in names:
        parts = [values[c.parent].among(c.values) for c in space.conditions_of(name)]
        parts += [active[c.parent] for c in space.conditions_of(name) if c.parent in active]
        if parts:
            active[name] = reduce(and_, parts)
        on = active.get(name, True)
        tests.append(_Test(values[name].wrong & on, f"{name} is not {describe(space[name])}"))
        if values[name].gap is not None:
            reason = f"the task has no values of {name}"
            tests.append(_Test(values[name].gap & on, reason, name))
    kept = _keep(rows, tests)
    fallen = {dropped.reason for dropped in kept.dropped}
    for place, test in enumerate(tests):
        if test.gap_of is not None and test.reason in fallen:
            given = rows[test.gap_of].notnull() & active.get(test.gap_of, True)
            standing = rows.filter([~before.fails for before in tests[:place]])
            _require_none_given(standing, test, given)
    return kept


def highest_budgets(rows: Any, budget: str) -> Any:
    """The rows with the highest budget of their task."""
    amount = rows.mutate(**{":amount": number(rows[budget])})
    top = amount.group_by(":task").aggregate(**{":top": amount[":amount"].max()})
    joined = joined_by_task(amount, top)
    return joined.filter(joined[":amount"] == joined[":top"]).select(rows.columns)


@dataclass(frozen=True)
class _Test:
    """Which rows fall, and why; `gap_of` names the parameter whose value is missing."""

    fails: Any
    reason: str
    gap_of: str | None = None


def _keep(table: Any, tests: Sequence[_Test]) -> Judged:
    """Judge by the tests in turn: one aggregate counts, then only those that matter filter."""
    names = [f":fails{i}" for i in range(len(tests))]
    flags = table.select(**{name: test.fails for name, test in zip(names, tests)})
    wanted = {":all": flags.count()}
    for i, name in enumerate(names):
        wanted[name] = reduce(and_, [flags[name], *(~flags[before] for before in names[:i])]).sum()
    counts = first_row(flags, wanted)
    fallen = [(test, counts[name] or 0) for name, test in zip(names, tests) if counts[name]]
    dropped = tuple(Dropped(count, test.reason, COUNTED) for test, count in fallen)
    rows = table.filter([~test.fails for test, _ in fallen]) if fallen else table
    return Judged(rows, counts[":all"] - sum(count for _, count in fallen), dropped)


class _Values:
    """One parameter's column: where it is wrong, missing, or has certain values."""

    def __init__(self, rows: Any, name: str, parameter: Parameter) -> None:
        self.column, self.parameter = rows[name], parameter
        self.gap = self.column.isnull()
        if isinstance(parameter, (Float, Int)):
            inside = _within(parameter, number(self.column)).fill_null(False)
            self.wrong = self.column.notnull() & ~inside
            return
        self.raw = different_values(rows, name)
        if len(self.raw) > MOST_CHOICES:
            raise HistoryError(
                f"the column {name!r} has more than {MOST_CHOICES} different values, too many for "
                f"{describe(parameter)}"
            )
        self.codes = numbers_of(parameter, self.raw)
        self.wrong = self.column.notnull() & ~self._is(self.codes.is_not_nan())
        if isinstance(parameter, Constant) or None in parameter.choices:
            self.gap = None

    def among(self, wanted: Sequence[Choice]) -> Any:
        """Where the parameter has one of the wanted values."""
        numbers = wanted_numbers(self.parameter, wanted)
        if isinstance(self.parameter, Int):
            near = [(number(self.column) - wanted).abs() < 0.5 for wanted in numbers]
            return reduce(or_, near).fill_null(False)
        return self._is(self.codes.is_in(numbers))

    def _is(self, chosen: pl.Series) -> Any:
        """Where the column has one of the chosen ones of its different values."""
        raw = self.raw.filter(chosen.fill_null(False))
        found = self.column.isin(raw.drop_nulls().to_list()).fill_null(False)
        return found | self.column.isnull() if raw.has_nulls() else found


def _within(parameter: Float | Int, numbers: Any) -> Any:
    """Where numbers lie in the range, up to rounding, as `values.numbers_of` has it."""
    import ibis

    low, high = float(parameter.low), float(parameter.high)
    scale = max(abs(low), abs(high))
    below, above = (abs(low), abs(high)) if parameter.log else (scale, scale)
    inside = numbers.between(low - ROUNDING * below, high + ROUNDING * above)
    if isinstance(parameter, Int):
        rest = (numbers % 1).abs()
        off = ibis.least(rest, 1.0 - rest)
        inside &= off <= ROUNDING * ibis.greatest(numbers.abs(), 1.0)
    return inside


def _require_none_given(standing: Any, test: _Test, given: Any) -> None:
    """A missing value is an error, unless its whole task lacks the parameter."""
    marked = standing.mutate(**{":gap": test.fails, ":given": given})
    tasks = marked.group_by(":task").aggregate(
        gaps=marked[":gap"].sum(), given=marked[":given"].sum()
    )
    found = tasks.filter((tasks.gaps > 0) & (tasks.given > 0)).order_by(":task").limit(1)
    for row in found.to_polars().iter_rows(named=True):
        raise HistoryError(
            f"task {row[':task']!r}, column {test.gap_of!r}: {row['gaps']} values are missing, and "
            f"no condition says that {test.gap_of} is inactive there; fill them in, or add a "
            "condition to the space"
        )
