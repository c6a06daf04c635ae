"""History: a table of past runs, and what its columns mean."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history.roles import NamedColumns, Roles, assign_roles
from ringfence.history.selection import Selection
from ringfence.history.tables import as_table
from ringfence.space import Space

EXACT_INTEGERS = 2**53
"""Below this a float is exactly the integer that it looks like."""


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """What was tried on which task and how it went. Rows are kept as they came; they are judged
    against a space by `usable_rows` when one is learned."""

    frame: pl.DataFrame
    roles: Roles
    source: str = "a table in memory"
    files: tuple[tuple[str, int], ...] = ()
    """Where the rows come from, in order: file name and number of rows."""
    space: Space | None = None
    """The space that the source declares, if it does."""
    notes: tuple[str, ...] = field(default=())
    """What was guessed."""
    selection: Selection | None = None
    """Set if only the best rows of each task are here; None if all are."""

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        task: str | None = None,
        objective: str | None = None,
        direction: str | None = None,
        parameters: Sequence[str] | None = None,
        budget: str | None = None,
        status: str | None = None,
        ignore: Sequence[str] = (),
    ) -> History:
        """A history from a pandas or polars DataFrame with one row per evaluation.

        `direction` is 'minimize' unless said otherwise. Columns that are not named are guessed, and
        `notes` says how; `parameters` defaults to every column that plays no other part and is not
        in `ignore`.
        """
        named = NamedColumns(
            task=task,
            objective=objective,
            direction=direction,
            parameters=parameters,
            budget=budget,
            status=status,
            ignore=ignore,
        )
        return history_from(frame, named)

    def __repr__(self) -> str:
        roles = self.roles
        return (
            f"History({len(self)} runs, {len(self.tasks)} task{'s' * (len(self.tasks) != 1)}, "
            f"{roles.direction} "
            f"{roles.objective!r}, parameters: {', '.join(roles.parameters)})"
        )

    def __len__(self) -> int:
        return self.frame.height

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks in the order of their first run."""
        return tuple(self.task_column().drop_nulls().unique(maintain_order=True))

    def task_column(self) -> pl.Series:
        """The task of each row as text; integers lose the decimal point that a gap gave them."""
        column = self.frame[self.roles.task]
        if column.dtype.is_float():
            numbers = column.drop_nulls()
            if ((numbers % 1 == 0) & (numbers.abs() < EXACT_INTEGERS)).all():
                column = column.cast(pl.Int64)
        return column.cast(pl.String)

    def only(self, tasks: Sequence[str]) -> History:
        """The history of these tasks alone."""
        missing = set(tasks) - set(self.tasks)
        if missing:
            raise HistoryError(f"the history has no task {sorted(missing)[0]!r}")
        is_wanted = self.task_column().is_in(list(tasks))
        return replace(self, frame=self.frame.filter(is_wanted), files=())

    def split(self, n: int, *, seed: int | None = None) -> tuple[History, History]:
        """The first `n` runs of each task, or with a seed `n` random ones, and the rest: the former
        to learn the region from, the latter for a model that transfers."""
        order = np.arange(len(self))
        if seed is not None:
            order = np.random.default_rng(seed).permutation(order)
        ranks = pl.DataFrame({"task": self.task_column(), "order": order})
        is_first = ranks.select(pl.col("order").rank("ordinal").over("task") <= n).to_series()
        first, rest = (self.frame.filter(mask) for mask in (is_first, ~is_first))
        return replace(self, frame=first, files=()), replace(self, frame=rest, files=())

    @classmethod
    def concat(cls, histories: Sequence[History]) -> History:
        """Several histories as one, in order; columns take their names from the first."""
        if not histories:
            raise HistoryError("there is no history to join")
        first = histories[0]
        frames = [_renamed(history, first.roles) for history in histories]
        same_space = all(history.space == first.space for history in histories)
        return cls(
            pl.concat(frames, how="diagonal_relaxed"),
            first.roles,
            source=", ".join(dict.fromkeys(history.source for history in histories)),
            space=first.space if same_space else None,
            notes=tuple(note for history in histories for note in history.notes),
        )

    def where(self, row: int) -> str:
        """What to call row `row` (from 0) in a message."""
        for name, height in self.files if len(self.files) > 1 else ():
            if row < height:
                return f"row {row} of {name}"
            row -= height
        return f"row {row}"

    def digest(self, parameters: Sequence[str] | None = None) -> str:
        """SHA-256 of the tasks, the objective, budget, status and `parameters` (default: all), row
        by row: the same data, the same digest, whatever file it came from."""
        roles = self.roles
        digest = hashlib.sha256(roles.direction.encode())
        digest.update(_column_bytes(self.task_column()))
        parameters = roles.parameters if parameters is None else parameters
        for name in (roles.objective, roles.budget, roles.status, *parameters):
            if name is not None:
                digest.update(name.encode() + b"\0" + _column_bytes(self.frame[name]))
        return digest.hexdigest()


def history_from(frame: Any, named: NamedColumns) -> History:
    """The history in a table, its columns as they are named; see `History.from_frame`."""
    table = as_table(frame, [str(name) for name in named.names])
    if not table.height:
        raise HistoryError("the table has no rows")
    roles, notes = assign_roles(table, named)
    return History(table, roles, notes=tuple(notes))


def _renamed(history: History, roles: Roles) -> pl.DataFrame:
    """The columns of a history that play a part, under the names that `roles` has for them."""
    before = history.roles
    if before.direction != roles.direction:
        raise HistoryError("one history is minimized and another maximized")
    if set(before.parameters) != set(roles.parameters):
        unmatched = sorted(set(before.parameters) ^ set(roles.parameters))[0]
        raise HistoryError(f"only one of the histories has the parameter {unmatched!r}")
    names = {name: name for name in before.parameters}
    for role in ("task", "objective", "budget", "status"):
        column, target = getattr(before, role), getattr(roles, role)
        if (column is None) != (target is None):
            raise HistoryError(f"only one of the histories has a column for the {role}")
        if column is not None:
            names[column] = target
    return history.frame.select(list(names)).rename(names)


def _column_bytes(column: pl.Series) -> bytes:
    missing = column.is_null().to_numpy().tobytes() if column.null_count() else b""
    if column.dtype.is_numeric():
        return bytes(column.cast(pl.Float64).fill_null(0.0).to_numpy().tobytes()) + missing
    return "\0".join(column.cast(pl.String).fill_null("").to_list()).encode() + missing
