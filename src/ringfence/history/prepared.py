"""A history in one space, made ready once: for learning, checks, starting points and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from ringfence.errors import SettingError
from ringfence.history.doubts.repeated_bests import repeated_best
from ringfence.history.history import History
from ringfence.history.inference import inferred_from
from ringfence.history.runs import Runs, as_history
from ringfence.history.usable import UsableRows, usable_rows
from ringfence.space import Space
from ringfence.space.inference import Inferred


@dataclass(frozen=True, eq=False)
class PreparedHistory:
    """The runs, the space that they are judged against, and the rows that count."""

    history: History
    space: Space
    """The full space: given, carried by the history, or read off the runs."""
    notes: tuple[str, ...]
    """What was guessed on the way here."""

    @classmethod
    def of(
        cls,
        runs: Runs,
        space: Space | Inferred | None,
        caller: Callable[..., Any],
        reading: Mapping[str, Any] | None = None,
    ) -> PreparedHistory:
        """The runs, read with the options in `reading`, in this space or in their own; errors are
        those of `caller`, whose arguments these are."""
        space = space.space if isinstance(space, Inferred) else space
        history = as_history(runs, reading or {}, caller, space)
        if space is None and history.space is None:
            inferred = inferred_from(history)
            return cls(history, inferred.space, (*history.notes, *inferred.notes))
        space = history.space if space is None else space
        if not isinstance(space, Space):
            raise SettingError(f"space must be a Space, not {type(space).__name__}")
        return cls(history, space, history.notes)

    @cached_property
    def usable(self) -> UsableRows:
        """The rows that count, and an account of the others."""
        usable, history = usable_rows(self.history, self.space), self.history
        sign = -1.0 if history.roles.direction == "maximize" else 1.0
        doubts = repeated_best(usable.frame, sign, history.where)
        return replace(usable, notes=(*usable.notes, *doubts))

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
