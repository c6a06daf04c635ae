"""A history for people: how much there is of what, as text and as a notebook's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ringfence.rendering.layout import Table, lay_out
from ringfence.rendering.markup import name as marked
from ringfence.rendering.notebook import notebook_block, notebook_table
from ringfence.space.display import range_of
from ringfence.words import choices, counted, plain, shortened, some, value

if TYPE_CHECKING:
    from ringfence.history.history import History

HEAD = ("parameter", "values")
NOTE = 300  # characters of a note: one that lists columns may be very long
MOST_PARAMETERS = 40  # a screen of lines; the rest is counted


def history_text(history: History) -> str:
    """Runs, tasks, what is better, and the values of each parameter."""
    rows = [[name, values] for name, values in _rows(history)]
    below = _lines(history)
    return "\n".join(lay_out([_title(history), "", Table([HEAD, *rows]), "", *below]))


def history_html(history: History) -> str:
    """What a notebook shows for a history."""
    rows = [(marked(name), values) for name, values in _rows(history)]
    return notebook_block(_title(history), [notebook_table(HEAD, rows)], _lines(history))


def _title(history: History) -> str:
    count = len(history.tasks)
    return f"{counted(len(history), 'run')} of {counted(count, 'task')}; {history.goal}"


def _lines(history: History) -> list[str]:
    roles = history.roles
    left = len(roles.parameters) - MOST_PARAMETERS
    more = [f"and {left} more parameters"] if left > 0 else []
    goal = f"{roles.direction} {roles.objective!r}"  # the title says it
    notes = [shortened(plain(n), NOTE) for n in history.notes if not n.startswith(goal)]
    return [*more, f"tasks: {some(history.tasks)}", *notes]


def _rows(history: History) -> list[tuple[str, str]]:
    names = history.roles.parameters[:MOST_PARAMETERS]
    space = history.space
    return [
        (name, range_of(space[name]) if space and name in space else _seen(history.frame[name]))
        for name in names
    ]


def _seen(column: pl.Series) -> str:
    """The values that occur."""
    if column.dtype.is_numeric():
        low, high = column.min(), column.max()
        return "" if low is None else f"{value(low)} … {value(high)}"
    return choices(column.drop_nulls().unique(maintain_order=True).to_list())
