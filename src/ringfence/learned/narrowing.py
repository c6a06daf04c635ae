"""A space with narrower ranges and fewer choices, its conditions adjusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringfence.space import Categorical, Condition, Constant, Parameter, Space, allows, axis_of


def narrowed(parameter: Parameter, low: Any, high: Any) -> Parameter:
    """The parameter with these bounds."""
    if isinstance(parameter, Categorical):
        first, last = parameter.choices.index(low), parameter.choices.index(high)
        kept = parameter.choices[first : last + 1]
        return Categorical(kept, ordered=True) if len(kept) > 1 else Constant(kept[0])
    if low == high or isinstance(parameter, Constant):
        return Constant(low)
    if parameter.off not in (low, high):
        return type(parameter)(low, high, parameter.log)
    axis = axis_of(parameter)
    assert axis is not None
    ends = (axis.low, high) if low == parameter.off else (low, axis.high)
    if ends[0] == ends[1]:
        return Categorical((low, high), ordered=True)
    return type(parameter)(*ends, parameter.log, parameter.off)  # type: ignore[arg-type]


def restricted(space: Space, narrower: Mapping[str, Parameter]) -> Space:
    """The space of these narrower parameters: conditions on the values that are left, without the
    parameters that can no longer be active."""
    parameters, conditions = dict(narrower), []
    for child in space.parents_first:
        for condition in space.conditions_of(child):
            parent = parameters.get(condition.parent)
            values = [v for v in condition.values if parent is not None and allows(parent, v)]
            if not values:
                parameters.pop(child, None)
            elif not isinstance(parent, Constant):
                conditions.append(Condition(child, condition.parent, tuple(values)))
    return Space(parameters, [c for c in conditions if c.child in parameters])
