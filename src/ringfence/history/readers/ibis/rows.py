"""The rows that count, judged inside the engine by the rules of `usable_rows`.

For each parameter a row is tested: is its value not one of the parameter's although it is active
(wrong)? A row counts for the first test that it fails, so the counts add up. Where values are
missing although the parameter is active (a gap), the whole task must lack them: it did not tune the
parameter, which is then unknown. A task that tuned none of them does not count.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.guessing.statuses import GOOD_STATUS
from ringfence.history.readers.ibis.best import joined_by_task
from ringfence.history.readers.ibis.columns import MOST_CHOICES
from ringfence.history.readers.ibis.different import choices
from ringfence.history.readers.ibis.numbers import first_row, is_finite, number
from ringfence.history.readers.ibis.parameters import ParameterColumn
from ringfence.history.roles import Roles
from ringfence.history.selection import Dropped
from ringfence.history.values import describe
from ringfence.space import Categorical, Constant, Float, Int, Space

COUNTED = "counted in the engine"
UNNAMED = "no task is named"


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
        _Test(table[":task"].isnull(), UNNAMED),
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
    chosen = [name for name in names if not isinstance(space[name], (Float, Int))]
    raw = choices(rows, chosen, MOST_CHOICES)
    columns = {n: ParameterColumn(rows, n, space[n], raw.get(n, pl.Series())) for n in names}
    active = _active(space, columns)
    wrong = [
        _Test(c.wrong & active.get(n, True), f"{n} is not {describe(space[n])}")
        for n, c in columns.items()
    ]
    gaps = {n: c.gap & active.get(n, True) for n, c in columns.items() if c.gap is not None}
    remaining = _passing(rows, wrong)
    counted = first_row(rows, {name: gap.sum() for name, gap in gaps.items()})
    for name in [name for name in gaps if counted[name]]:
        before = [test.fails for test in wrong[: 1 + names.index(name)]]
        given = rows[name].notnull() & active.get(name, True)
        _check_gaps(rows.mutate(**{":gap": gaps[name], ":given": given}), before, name)
    return _without_strangers(remaining, space)


def _without_strangers(runs: EngineRows, space: Space) -> EngineRows:
    """Drop the rows without a value of any parameter."""
    names = [n for n in space if n in runs.rows.columns and not isinstance(space[n], Constant)]
    if any(isinstance(p := space[n], Categorical) and None in p.choices for n in names):
        return runs
    if not names:  # all are constants
        return runs
    strange = reduce(and_, [runs.rows[name].isnull() for name in names])
    rest = _passing(runs.rows, [_Test(strange, "the task tuned none of the parameters")])
    return EngineRows(rest.rows, rest.n_rows, (*runs.dropped, *rest.dropped))


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


def _active(space: Space, columns: Mapping[str, ParameterColumn]) -> dict[str, Any]:
    """Where each parameter with conditions is active, or may be since a parent is unknown;
    `columns` have every parent first."""
    active: dict[str, Any] = {}
    for name in columns:
        conditions = space.conditions_of(name)
        parts = [columns[c.parent].may_be(c.values) for c in conditions]
        parts += [active[c.parent] for c in conditions if c.parent in active]
        if parts:
            active[name] = reduce(and_, parts)
    return active


def _check_gaps(marked: Any, dropped: Sequence[Any], name: str) -> None:
    """Raise HistoryError for a missing value of the rows that are not `dropped` unless its whole
    task lacks the parameter."""
    kept = marked.filter([~fails for fails in dropped])
    tasks = kept.group_by(":task").aggregate(gaps=kept[":gap"].sum(), given=kept[":given"].sum())
    mixed = tasks.filter((tasks.gaps > 0) & (tasks.given > 0)).order_by(":task").limit(1)
    for row in mixed.to_polars().iter_rows(named=True):
        raise HistoryError(
            f"task {row[':task']!r}, column {name!r}: {row['gaps']} values are missing, and "
            f"no condition says that {name} is inactive there; fill them in, or add a "
            "condition to the space"
        )
