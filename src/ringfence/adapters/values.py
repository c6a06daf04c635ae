"""Single values on their way between a parameter and a tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ringfence.errors import SpaceError
from ringfence.space import Categorical, Choice, Constant, Int, Parameter, axis_of, value_of


def nearest(name: str, parameter: Parameter, value: Any) -> Choice:
    """The value of `parameter` that `value` stands for: numbers are rounded and moved into range,
    choices match in whatever scalar type they come. `name` is for the error message."""
    if isinstance(parameter, Constant):
        return parameter.value
    if isinstance(parameter, Categorical):
        position = parameter.index(value)
        if position is None:
            choices = list(parameter.choices)
            raise SpaceError(f"parameter {name!r}: {value!r} is none of the choices {choices}")
        return parameter.choices[position]
    if value == parameter.off:
        return parameter.off
    number = min(max(float(value), parameter.low), parameter.high)
    return round(number) if isinstance(parameter, Int) else number


def middle(parameter: Parameter) -> Choice:
    """A value in the middle of the range, on its own scale; the first of unordered choices."""
    axis = axis_of(parameter)
    if axis is not None:
        return value_of(parameter, float(axis.decode(np.array([0.5]))[0]))
    if isinstance(parameter, Categorical):
        return parameter.choices[0]
    assert isinstance(parameter, Constant)
    return parameter.value


def any_choices(choices: Sequence[Choice]) -> bool:
    """For a tool that can represent choices of every kind."""
    return True


def one_type(choices: Sequence[Choice]) -> bool:
    """For a tool that needs all text, all booleans, all integers or all floats."""
    kinds = {type(choice) for choice in choices}
    return len(kinds) == 1 and type(None) not in kinds


def unequal(choices: Sequence[Choice]) -> bool:
    """For a tool that confuses 1 with True and with 1.0."""
    return len(set(choices)) == len(choices)
