"""The rows that count, judged inside the engine by the rules of `usable_rows`.

For each parameter a row is tested twice: is its value not one of the parameter's although it is
active (wrong), or is it missing although it is active (a gap)? A row counts for the first test that
it fails, so the counts add up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.guessing.statuses import GOOD_STATUS
from ringfence.history.readers.ibis.best import joined_by_task
from ringfence.history.readers.ibis.numbers import first_row, is_finite, number
from ringfence.history.readers.ibis.parameters import ParameterColumn
from ringfence.history.roles import Roles
from ringfence.history.selection import Dropped
from ringfence.history.values import describe
from ringfence.space import Space

COUNTED = "counted in the engine"


@dataclass(frozen=True)
class EngineRows:
    """The rows of a table that count, and an account of those that do not."""

    rows: Any
    n_rows: int
    dropped: tuple[Dropped, ...]


def finished(table: Any, roles: Roles) -> EngineRows:
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
    return _passing(table, tests)


def usable(runs: EngineRows, space: Space, doubtful: Collection[str]) -> EngineRows:
    """The finished `runs` that can be used to learn in `space`; parameters that are not `doubtful`
    need no test."""
    rows = runs.rows
    names = _with_parents(space, [name for name in doubtful if name in rows.columns])
    if not names:
        return EngineRows(rows, runs.n_rows, ())
    tests = _parameter_tests(rows, space, names)
    remaining = _passing(rows, tests)
    reasons = {dropped.reason for dropped in remaining.dropped}
    for i, test in enumerate(tests):
        if test.gap_of is not None and test.reason in reasons:
            _check_gaps(rows.filter([~earlier.fails for earlier in tests[:i]]), test)
    return remaining


def highest_budgets(rows: Any, budget: str) -> Any:
    """The rows with the highest budget of their task."""
    amount = rows.mutate(**{":amount": number(rows[budget])})
    top = amount.group_by(":task").aggregate(**{":top": amount[":amount"].max()})
    joined = joined_by_task(amount, top)
    return joined.filter(joined[":amount"] == joined[":top"]).select(rows.columns)


@dataclass(frozen=True)
class _Test:
    """Which rows fail, and why."""

    fails: Any
    reason: str
    gap_of: str | None = None
    """The parameter, if the test is for missing values."""
    given: Any = None
    """Where that parameter is active and has a value."""


def _passing(table: Any, tests: Sequence[_Test]) -> EngineRows:
    """The rows that pass all tests. One aggregate counts those that fail each test after passing
    the earlier ones; then only the tests that some row fails are filters."""
    names = [f":fails{i}" for i in range(len(tests))]
    flags = table.select(**{name: test.fails for name, test in zip(names, tests)})
    aggregates = {":all": flags.count()}
    for i, name in enumerate(names):
        passes_earlier = [~flags[earlier] for earlier in names[:i]]
        aggregates[name] = reduce(and_, [flags[name], *passes_earlier]).sum()
    counts = first_row(flags, aggregates)
    failed = [(test, counts[name]) for name, test in zip(names, tests) if counts[name]]
    dropped = tuple(Dropped(count, test.reason, COUNTED) for test, count in failed)
    rows = table.filter([~test.fails for test, _ in failed]) if failed else table
    return EngineRows(rows, counts[":all"] - sum(count for _, count in failed), dropped)


def _with_parents(space: Space, names: Sequence[str]) -> list[str]:
    """These parameters and all that they depend on, every parent before its children."""
    wanted = set(names)
    for name in reversed(space.parents_first):
        if name in wanted:
            wanted |= {condition.parent for condition in space.conditions_of(name)}
    return [name for name in space.parents_first if name in wanted]


def _parameter_tests(rows: Any, space: Space, names: Sequence[str]) -> list[_Test]:
    """For each parameter, the test for wrong values and, unless missing is a value, for gaps."""
    columns = {name: ParameterColumn(rows, name, space[name]) for name in names}
    active = _active(space, columns)
    tests = []
    for name, column in columns.items():
        is_active = active.get(name, True)
        reason = f"{name} is not {describe(space[name])}"
        tests.append(_Test(column.wrong & is_active, reason))
        if column.gap is not None:
            reason = f"the task has no values of {name}"
            given = rows[name].notnull() & is_active
            tests.append(_Test(column.gap & is_active, reason, name, given))
    return tests


def _active(space: Space, columns: Mapping[str, ParameterColumn]) -> dict[str, Any]:
    """Where each parameter with conditions is active; `columns` have every parent first."""
    active: dict[str, Any] = {}
    for name in columns:
        conditions = space.conditions_of(name)
        parts = [columns[c.parent].among(c.values) for c in conditions]
        parts += [active[c.parent] for c in conditions if c.parent in active]
        if parts:
            active[name] = reduce(and_, parts)
    return active


def _check_gaps(rows: Any, test: _Test) -> None:
    """Raise HistoryError for a missing value unless its whole task lacks the parameter."""
    marked = rows.mutate(**{":gap": test.fails, ":given": test.given})
    tasks = marked.group_by(":task").aggregate(
        gaps=marked[":gap"].sum(), given=marked[":given"].sum()
    )
    mixed = tasks.filter((tasks.gaps > 0) & (tasks.given > 0)).order_by(":task").limit(1)
    for row in mixed.to_polars().iter_rows(named=True):
        raise HistoryError(
            f"task {row[':task']!r}, column {test.gap_of!r}: {row['gaps']} values are missing, and "
            f"no condition says that {test.gap_of} is inactive there; fill them in, or add a "
            "condition to the space"
        )
