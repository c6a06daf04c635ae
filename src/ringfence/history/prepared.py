"""A history in one space, made ready once: for learning, checks, starting points and reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from ringfence.errors import SettingError
from ringfence.history.history import History
from ringfence.history.inference import infer_space
from ringfence.history.usable import UsableRows, usable_rows
from ringfence.space import Space


@dataclass(frozen=True, eq=False)
class PreparedHistory:
    """The runs, the space that they are judged against, and the rows that count."""

    history: History
    space: Space
    """The original space: given, carried by the history, or read off the runs."""
    notes: tuple[str, ...]
    """What was guessed on the way here."""

    @classmethod
    def of(cls, history: History, space: Space | None, caller: str) -> PreparedHistory:
        """The history in this space, or in its own; SettingError if one is something else."""
        if not isinstance(history, History):
            raise SettingError(
                f"{caller} takes a History, not {type(history).__name__}; "
                "make one with read_history(path) or History.from_frame(frame)"
            )
        if space is None and history.space is None:
            inferred = infer_space(history)
            return cls(history, inferred.space, (*history.notes, *inferred.notes))
        space = history.space if space is None else space
        if not isinstance(space, Space):
            raise SettingError(f"space must be a Space, not {type(space).__name__}")
        return cls(history, space, history.notes)

    @cached_property
    def usable(self) -> UsableRows:
        """The rows that count, and an account of the others."""
        return usable_rows(self.history, self.space)

    @property
    def rows(self) -> pl.DataFrame:
        """The rows that count."""
        return self.usable.frame
