"""Where the ticks of a parameter lie in its unit coordinate, and what they say."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ringfence.space import Categorical, Constant, Parameter, axis_of, value_of
from ringfence.words import value

MOST_TICKS = 6  # more labels would run into each other on the narrowest chart, 320 pixels


@dataclass(frozen=True)
class Scale:
    """A parameter's axis from 0 to 1."""

    name: str
    log: bool
    ticks: tuple[tuple[float, str], ...]
    """Unit coordinates and their labels."""


def scale_of(name: str, parameter: Parameter) -> Scale:
    """The axis of a numeric or ordered parameter: round numbers, powers of ten, or choices."""
    axis = axis_of(parameter)
    assert axis is not None
    numbers = _round_numbers(parameter)
    places = axis.encode(np.array(numbers, dtype=float)).tolist()
    labels = [value(value_of(parameter, number)) for number in numbers]
    return Scale(name, axis.log, tuple(zip(places, labels)))


def _round_numbers(parameter: Parameter) -> list[float]:
    if isinstance(parameter, Categorical):
        step = -(-len(parameter.choices) // MOST_TICKS)
        return [float(index) for index in range(0, len(parameter.choices), step)]
    assert not isinstance(parameter, Constant)
    low, high = float(parameter.low), float(parameter.high)
    if parameter.log:
        powers = _steps(math.log10(low), math.log10(high), least=1.0)
        return [10.0**power for power in powers] if len(powers) > 1 else [low, high]
    return _steps(low, high, least=1.0 if isinstance(parameter.low, int) else 0.0)


def _steps(low: float, high: float, least: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most MOST_TICKS; steps
    of `least` or more."""
    rough = (high - low) / (MOST_TICKS - 1)
    if rough < 1e-300:  # no power of ten lies below it
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(least, next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9)))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)] or [low, high]
