"""How the past fits the present: the table of `rf.match` for the page."""

from __future__ import annotations

from dataclasses import dataclass

from ringfence.history import History
from ringfence.history.display.match import group_lines, match_rows, mend_lines
from ringfence.history.mismatch.match import match
from ringfence.space import Space


@dataclass(frozen=True)
class PastFit:
    """Parameters by groups of tasks, in words."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    groups: tuple[str, ...]
    """Which tasks are in which group."""
    mends: tuple[str, ...]
    """What would mend the differences."""


def past_fit(history: History, space: Space) -> PastFit | None:
    """The fit of the tasks to the space; None if every one has every parameter as it is."""
    found = match(history, space)
    if found.fits:
        return None
    head, *rows = (tuple(map(str, row)) for row in match_rows(found))
    return PastFit(head, tuple(rows), tuple(group_lines(found)), tuple(mend_lines(found)))
