"""Every parameter before and after: the rows of the table that text, notebook and report show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ringfence.space import Categorical, Parameter
from ringfence.space.display import between, range_of, when_active
from ringfence.words import choices

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace


@dataclass(frozen=True)
class Range:
    """A parameter before and after."""

    name: str
    original: str
    learned: str
    kept: float
    """Share of the range, on the parameter's own scale, or of the choices."""
    span: tuple[float, float] | None
    """Where the learned range lies in the original one; None for unordered choices."""
    condition: str


def range_rows(learned: LearnedSpace) -> tuple[Range, ...]:
    """Every parameter of the space, in its order."""
    spans, bounds = spans_of(learned), learned.bounds
    rows = []
    for name, parameter in learned.space.parameters.items():
        span = spans.get(name)
        if span is not None:
            low, high = bounds[name]
            after, kept = between(parameter, low, high), span[1] - span[0]
        else:
            after, kept = _choices(learned, name, parameter)
        condition = when_active(learned.space.conditions_of(name))
        rows.append(Range(name, range_of(parameter), after, kept, span, condition))
    return tuple(rows)


def _choices(learned: LearnedSpace, name: str, parameter: Parameter) -> tuple[str, float]:
    kept = learned.choices.get(name, ())
    if not isinstance(parameter, Categorical) or len(kept) == len(parameter.choices):
        return "unchanged", 1.0
    return choices(kept), len(kept) / len(parameter.choices)


def spans_of(learned: LearnedSpace) -> dict[str, tuple[float, float]]:
    """The learned interval of each numeric parameter in its own unit coordinate."""
    spans = {}
    for block in learned.blocks:
        lower, upper = block.spans
        for name, start, stop in zip(block.names, lower.tolist(), upper.tolist()):
            spans[name] = (start, stop)
    return spans
