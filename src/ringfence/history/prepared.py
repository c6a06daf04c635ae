"""A history in one space, made ready once: for learning, checks, starting points and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import polars as pl

from ringfence.history.doubts.repeated_bests import repeated_best
from ringfence.history.history import History
from ringfence.history.incumbents import RowChoice, incumbents
from ringfence.history.inference import asked_space, latest_space, own_space
from ringfence.history.mismatch.open_sides import with_open_sides
from ringfence.history.mismatch.units import odd_tasks, unit_warnings
from ringfence.history.runs import Runs, as_history
from ringfence.history.usable import UsableRows, usable_rows
from ringfence.space import Encoding, Space
from ringfence.space.inference import Inferred


@dataclass(frozen=True, eq=False)
class PreparedHistory:
    """The runs, the space that they are judged against, and the rows that count."""

    history: History
    space: Space
    """The full space: given, carried by the history, or read off the runs."""
    notes: tuple[str, ...]
    """What was guessed on the way here."""
    read_off: bool = False
    """Whether the space was read off the finished runs."""

    @classmethod
    def of(
        cls,
        runs: Runs,
        space: Space | Inferred | Literal["latest"] | None,
        caller: Callable[..., Any],
        reading: Mapping[str, Any] | None = None,
    ) -> PreparedHistory:
        """The runs, read with the options in `reading`, in this space, in that of the latest task,
        or in their own; errors are those of `caller`, whose arguments these are."""
        declared = asked_space(space)
        history = as_history(runs, reading or {}, caller, declared)
        if declared is not None:
            return cls(history, declared, history.notes)
        inferred = latest_space(history) if space == "latest" else own_space(history)
        return cls(
            history, inferred.space, (*history.notes, *inferred.notes), history.space is None
        )

    @cached_property
    def usable(self) -> UsableRows:
        """The rows that count, and an account of the others."""
        usable, history = usable_rows(self.history, self.space), self.history
        sign = -1.0 if history.roles.direction == "maximize" else 1.0
        doubts = repeated_best(usable.frame, sign, history.where)
        if history.selection is None:
            doubts = [*unit_warnings(history, odd_tasks(history, self.space)), *doubts]
        outside = usable.outside if self.read_off else ()
        return replace(usable, notes=(*usable.notes, *outside, *doubts))

    def incumbents(
        self, choice: RowChoice, *, top: float = 0.0, tolerance: float = 0.0
    ) -> tuple[pl.DataFrame, list[str]]:
        """The rows that a region is drawn around, and what is to be said of them. With a tolerance
        one of a task's rows is picked, and a second one of the same would be no choice. Where no
        number is tuned, no region could be smaller: the best row stands for its task."""
        tolerance = tolerance if Encoding.of(self.space).names else 0.0
        best = incumbents(self.rows, choice, top=top, tolerance=tolerance)
        if tolerance:
            return best, []
        return with_open_sides(best, self.space, self.history.task_spaces)

    @property
    def account(self) -> tuple[str, ...]:
        """What was guessed and converted, and which rows do not count, a line each."""
        dropped = [
            f"{one.rows:,} of {len(self.history):,} rows dropped: {one.reason} ({one.example})"
            for one in self.usable.dropped
        ]
        return tuple(dict.fromkeys((*self.notes, *self.usable.notes, *dropped)))

    @property
    def rows(self) -> pl.DataFrame:
        """The rows that count."""
        return self.usable.frame
