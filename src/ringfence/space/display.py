"""A space for people: its parameters in a few words, as text and as a notebook's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringfence.rendering.layout import Table, lay_out
from ringfence.rendering.markup import name as marked
from ringfence.rendering.notebook import notebook_block, notebook_table
from ringfence.space.conditions import Condition
from ringfence.space.parameters import Categorical, Choice, Constant, Float, Int, Parameter
from ringfence.words import choices, value

if TYPE_CHECKING:
    from ringfence.space.space import Space

HEAD = ("parameter", "kind", "range", "active")


def range_of(parameter: Parameter) -> str:
    """A parameter's range in a few words."""
    if isinstance(parameter, Categorical):
        return choices(parameter.choices, " < " if parameter.ordered else ", ")
    if isinstance(parameter, Constant):
        return value(parameter.value)
    scale = " (log)" if parameter.log else ""
    text = f"{value(parameter.low)} … {value(parameter.high)}{scale}"
    return text if parameter.off is None else f"{_off(parameter.off)}, {text}"


def between(parameter: Parameter, low: Choice, high: Choice) -> str:
    """The values of a parameter with a scale from the smallest to the largest, in a few words."""
    if not isinstance(parameter, (Float, Int)) or parameter.off not in (low, high):
        return f"{value(low)} … {value(high)}"
    off = parameter.off
    assert off is not None
    if low == high:
        return _off(off)
    low, high = (parameter.low, high) if low == off else (low, parameter.high)
    return f"{_off(off)}, {value(low)} … {value(high)}"


def _off(off: float) -> str:
    return f"off ({value(off)})"


def when_active(conditions: Sequence[Condition]) -> str:
    """Under which conditions a parameter is active; empty if it always is."""
    parts = [f"{c.parent} is {choices(c.values, ' or ')}" for c in conditions]
    return "where " + " and ".join(parts) if parts else ""


def space_text(space: Space) -> str:
    """The space as a table, a line for each parameter."""
    rows = [[name, *cells] for name, *cells in _rows(space)]
    return "\n".join([_title(space), "", *lay_out([Table([HEAD, *rows])])])


def space_html(space: Space) -> str:
    """What a notebook shows for a space."""
    rows = [(marked(name), *cells) for name, *cells in _rows(space)]
    return notebook_block(_title(space), [notebook_table(HEAD, rows)], [])


def _title(space: Space) -> str:
    return f"a space of {len(space)} parameter{'s' * (len(space) != 1)}"


def _rows(space: Space) -> list[list[str]]:
    return [
        [
            name,
            type(parameter).__name__,
            range_of(parameter),
            when_active(space.conditions_of(name)),
        ]
        for name, parameter in space.parameters.items()
    ]
