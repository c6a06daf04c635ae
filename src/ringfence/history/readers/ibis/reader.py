"""An Ibis table expression: a warehouse's table that stays where it is.

Rows are judged and the best of each task chosen inside the engine (DuckDB, BigQuery, Snowflake,
Spark, PostgreSQL, …); only those travel, with the counts, extremes and categories that a space is
inferred from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ringfence.checks import integer
from ringfence.errors import HistoryError, RingfenceError, SettingError
from ringfence.history.doubts.metric_ranges import without_impossible
from ringfence.history.guessing.names import TASKS
from ringfence.history.history import EXACT_INTEGERS, History, history_from
from ringfence.history.places import Places
from ringfence.history.readers.ibis.best import best_rows
from ringfence.history.readers.ibis.columns import EngineColumns
from ringfence.history.readers.ibis.long import require_one_value, widened
from ringfence.history.readers.ibis.numbers import first_row, number, plain
from ringfence.history.readers.ibis.rows import COUNTED, UNNAMED, finished, highest_budgets, usable
from ringfence.history.readers.ibis.sample import sampled_rows
from ringfence.history.roles import NamedColumns, Roles, require_column
from ringfence.history.selection import Dropped, Selection
from ringfence.history.usable import finished_rows
from ringfence.incoming.parsing import reason
from ringfence.space import Constant, Space
from ringfence.space.inference import Inferred, infer_from
from ringfence.words import some

SAMPLE = 1000
"""Rows from which the parts of columns that are not named are guessed."""
MOST = 2**53
"""More rows than any table has."""


def recognizes(source: Any) -> bool:
    """Whether the source is an Ibis table."""
    return type(source).__module__.startswith("ibis.") and hasattr(source, "to_polars")


def read(
    source: Any,
    columns: NamedColumns,
    *,
    budget: str | None = None,
    status: str | None = None,
    space: Space | None = None,
    best: int | None = 100,
    order: str | None = None,
    sample: int | None = None,
    long: Sequence[str] | None = None,
) -> History:
    """The best rows of each task of an Ibis table; the rest stays in its engine.

    `space` is what rows are judged against (None: inferred, in the engine too). `best` rows of each
    task travel, enough for `learn` up to `top` = best / rows of the task; None brings all of them,
    which `check` needs. Among equals the row with the least `order` wins; without that column
    DuckDB's own order of rows counts, and in other engines the values of the parameters do.

    `sample` instead of `best` takes the best row of each task and so many others at random, with
    which everything can be done. `long` names the columns of runs, keys and values of a table with
    a row for each of a run's values; maps become columns unasked.
    """
    if not recognizes(source) or not hasattr(source, "columns"):
        raise HistoryError(
            f"format='ibis' reads an Ibis table, such as connection.table('runs'), "
            f"not a {type(source).__name__}"
        )
    if space is not None and not isinstance(space, Space):
        raise SettingError(f"space must be a Space, not {type(space).__name__}")
    sample = _at_most(integer(sample, "sample", 1))
    best = _at_most(integer(best, "best", 1)) if sample is None else None
    columns = replace(columns, budget=budget, status=status)
    with _engine():
        return _read(source, columns, space, best=best, order=order, sample=sample, long=long)


def _at_most(count: int | None) -> int | None:
    return None if count is None else min(count, MOST)


@contextmanager
def _engine() -> Iterator[None]:
    """HistoryError for whatever the engine, or Ibis on the way to it, cannot do with the table."""
    try:
        yield
    except RingfenceError:
        raise
    except Exception as error:
        raise HistoryError(f"the engine cannot read the table: {reason(error)}") from error


def _read(
    source: Any,
    columns: NamedColumns,
    space: Space | None,
    *,
    best: int | None,
    order: str | None,
    sample: int | None,
    long: Sequence[str] | None,
) -> History:
    given, source = source, widened(source, long)
    every_row = best is None and sample is None
    columns.refuse("decimal", *([] if every_row else ["missing"]), reader="ibis")
    if order is not None:
        require_column(pl.DataFrame(schema=list(source.columns)), order)
        columns = replace(columns, ignore=[*columns.ignore, order])
        source = source.order_by(order) if every_row else source
    head = (source if every_row else source.limit(SAMPLE)).to_polars()
    if columns.task is None and not every_row:
        _require_one_task(head)
    if space is not None:
        columns = replace(columns, parameters=_columns_of(space, head))
    history = history_from(head, columns, typed=True, guesses_cost=True)
    if long is not None:
        roles = history.roles
        require_one_value(given, long, [n for n in (roles.task, roles.objective) if n is not None])
    history = replace(history, source=_name_of(source), space=space)
    if sample is not None:
        return _with_sample(source, history, sample, order)
    return history if best is None else _with_best(source, history, best, order)


def _require_one_task(head: pl.DataFrame) -> None:
    """Raise HistoryError if several columns are called like a task: the first rows of a table that
    may be sorted do not show which of them groups the runs."""
    names = [name for name in head.columns if name.lower() in TASKS]
    if len(names) > 1:
        raise HistoryError(
            f"which column is the task? candidates: {some(names)}; name it with task=… (--task …)"
        )


@dataclass(frozen=True)
class _Judged:
    """The usable rows of a table in its engine, and an account of all."""

    rows: Any
    inferred: Inferred
    """The space that they were judged against, and how it was read off."""
    per_task: pl.DataFrame
    """:task, its number `n` of rows and, if asked for, its `least` :value."""
    dropped: tuple[Dropped, ...]
    some_failed: bool
    """Whether runs failed, or have no finite objective."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each task."""
        return dict(self.per_task.select(":task", "n").rows())

    @property
    def total(self) -> int:
        """All rows, those that do not count as well."""
        return sum(self.counts.values()) + sum(group.rows for group in self.dropped)


def _judged(table: Any, history: History, order: str | None, *, with_least: bool) -> _Judged:
    """The usable rows of the whole table, of which the history has the first ones."""
    roles = history.roles
    _require_plain_names(roles)
    runs = finished(_prepared(table, roles, order), roles)
    if not runs.n_rows:
        raise HistoryError("no run of the history finished with a finite objective")
    if history.space is None:
        columns = EngineColumns(runs.rows, roles.parameters, runs.n_rows, _fractional(history))
        inferred = infer_from(columns, roles.parameters)
        doubtful = [n for n in roles.parameters if _is_doubtful(n, columns, inferred.space)]
    else:
        inferred, doubtful = Inferred(history.space, ()), [*roles.parameters]
    remaining = usable(runs, inferred.space, doubtful)
    rows = remaining.rows
    if roles.budget is not None:
        rows = highest_budgets(rows, roles.budget)
    least = {"least": rows[":value"].min()} if with_least else {}
    per_task = rows.group_by(":task").aggregate(n=rows.count(), **least).to_polars()
    dropped = [*runs.dropped, *remaining.dropped]
    if below := remaining.n_rows - per_task["n"].sum():
        dropped.append(Dropped(below, f"below the highest {roles.budget} of the task", COUNTED))
    if not per_task.height:
        why = "; ".join(f"{group.rows} because {group.reason}" for group in dropped)
        raise HistoryError(f"no row of the history can be used: {why}")
    some_failed = any(group.reason != UNNAMED for group in runs.dropped)
    return _Judged(rows, inferred, per_task, tuple(dropped), some_failed)


def _with_best(table: Any, history: History, best: int, order: str | None) -> History:
    """The history with the best rows of each task of the table in place of its first rows."""
    judged = _judged(table, history, order, with_least=False)
    counts, inferred = judged.counts, judged.inferred
    frame = best_rows(judged.rows, best, max(counts.values()), history.roles.parameters)
    _require_possible(frame, history.roles)
    selection = Selection(
        inferred.space, best, judged.total, counts, judged.dropped, inferred.notes
    )
    read = f"{frame.height} of {judged.total} rows were read, at most the best {best} of each task"
    notes = (*history.notes, *inferred.notes, read)
    return replace(history, frame=frame, space=inferred.space, notes=notes, selection=selection)


def _with_sample(table: Any, history: History, sample: int, order: str | None) -> History:
    """The history with a random sample of each task of the table in place of its first rows."""
    judged = _judged(table, history, order, with_least=True)
    frame = sampled_rows(judged.rows, sample, judged.per_task, history.roles.parameters)
    _require_possible(frame, history.roles)
    left = [f"{group.rows} rows do not count: {group.reason}" for group in judged.dropped]
    if judged.some_failed:
        left.append(
            "failed runs are not read in a sample, so nothing is learned of failures; "
            "best=None reads all rows"
        )
    read = (
        f"{frame.height} of {judged.total} rows were read, the best and a random {sample} of each "
        "task"
    )
    notes = (*history.notes, *judged.inferred.notes, *left, read)
    return replace(history, frame=frame, space=judged.inferred.space, notes=notes)


def _require_possible(frame: pl.DataFrame, roles: Roles) -> None:
    """Raise HistoryError for objectives that cannot be, by the name of the metric."""
    for note in without_impossible(frame, roles, Places())[1]:
        raise HistoryError(f"{note}; leave such rows out by a filter, or read all (best=None)")


def _require_plain_names(roles: Roles) -> None:
    """Raise HistoryError if a column that plays a part is called like one of those that are added
    to the table on its way."""
    for name in (roles.task, roles.objective, roles.budget, roles.status, roles.cost):
        if name is not None and name[:1] == ":":
            raise HistoryError(f"a column's name cannot begin with a colon here: rename {name!r}")


def _fractional(head: History) -> list[str]:
    """The columns of numbers that are not all integers, as the first rows show already."""
    frame = head.frame[finished_rows(head)]
    floats = [name for name in head.roles.parameters if frame[name].dtype.is_float()]
    return [name for name in floats if (frame[name].filter(frame[name].is_finite()) % 1 != 0).any()]


def _is_doubtful(name: str, columns: EngineColumns, space: Space) -> bool:
    """Whether some rows may not fit a space that was inferred from all of them."""
    conditional = bool(space.conditions_of(name))
    return columns.has_infinities(name) or (columns.has_gaps(name) and not conditional)


def _prepared(table: Any, roles: Roles, order: str | None) -> Any:
    """The columns that play a part, plain, and :task, :value and, if there is one, :order."""
    import ibis

    parts = (roles.task, roles.objective, roles.budget, roles.status, roles.cost)
    names = (*parts, *roles.parameters)
    columns = {name: plain(table[name]) for name in names if name is not None}
    sign = -1.0 if roles.direction == "maximize" else 1.0
    columns[":value"] = number(columns[roles.objective]) * sign
    columns[":task"] = _text(table, columns[roles.task])
    if order is not None:
        columns[":order"] = table[order]
    elif ibis.get_backend(table).name == "duckdb":
        columns[":order"] = ibis.row_number()
    return table.select(**columns)


def _text(table: Any, column: Any) -> Any:
    """The names of tasks as `History.task_column` has them."""
    if column.type().is_floating():
        inexact = (column % 1 != 0) | (column.abs() >= EXACT_INTEGERS)
        count = (column.notnull() & inexact).sum()
        if not first_row(table, {"inexact": count})["inexact"]:
            column = column.cast("int64")
    return column.cast("string")


def _columns_of(space: Space, head: pl.DataFrame) -> list[str]:
    """The columns of a declared space that the table has, at least one."""
    names = [name for name in space if name in head.columns]
    if not any(not isinstance(space[name], Constant) for name in names):
        for name in space:
            require_column(head, name)
    return names


def _name_of(table: Any) -> str:
    name = table.get_name() if hasattr(table.op(), "name") else "an expression"
    return f"{name} (Ibis)"
