"""What a reader that takes only the best rows of each task remembers of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from ringfence.space import Space


class Dropped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows that do not count: how many, why, and where the first of them is."""

    rows: int
    reason: str
    example: str


@dataclass(frozen=True)
class Selection:
    """The usable rows were counted, and the best of them chosen, inside the database."""

    space: Space
    """What they were judged against; they say nothing about another space."""
    best: int
    """At most this many rows of a task were taken."""
    rows: int
    """Rows of the source, including those that do not count."""
    counts: Mapping[str, int]
    """Usable rows of each task."""
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...] = ()
    """How the space was read off."""

    def every_row_needed(self, what: str) -> str:
        """The message for a call that cannot work with the best rows alone."""
        return (
            f"{what} needs every row, and the history holds only the best {self.best} of each "
            "task: read it with best=None"
        )
