"""Where the ticks of a parameter lie in its unit coordinate, and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.space.axes import OffAxis
from ringfence.space.encoding import axis_of, value_of
from ringfence.space.parameters import Categorical, Choice, Constant, Parameter

MOST_TICKS = 6  # more labels would run into each other on the narrowest chart, 320 pixels
LEAST_TICKS = 3  # with fewer, a reader cannot tell how a scale runs
OFF = "off"  # the label of the value that switches a parameter off
MOST_DECADES = 8  # beyond these, powers of ten are not all marked, nor what lies between them


@dataclass(frozen=True)
class Scale:
    """A parameter's axis from 0 to 1."""

    name: str
    log: bool
    ticks: tuple[tuple[float, str], ...]
    """Unit coordinates and their labels."""
    minor: tuple[float, ...] = ()
    """Of a log scale, the unit coordinates of the multiples of powers of ten between the ticks."""


def scale_of(name: str, parameter: Parameter) -> Scale:
    """The axis of a numeric or ordered parameter: round numbers, powers of ten, or choices, and a
    tick of its own for the value that switches off."""
    axis = axis_of(parameter)
    assert axis is not None
    off = axis.off if isinstance(axis, OffAxis) else None
    numbers = [number for number in _round_numbers(parameter) if number != off]
    places = axis.encode(np.array(numbers, dtype=float)).tolist()
    labels = labels_of([value_of(parameter, number) for number in numbers])
    minor: list[float] = []
    if axis.log:
        between = sorted(set(_multiples(axis.low, axis.high, range(1, 10))) - set(numbers))
        minor = axis.encode(np.array(between, dtype=float)).tolist()
    ticks = list(zip(places, labels))
    if isinstance(axis, OffAxis):
        ticks = sorted([(axis.place, OFF), *ticks])
    return Scale(name, axis.log, tuple(ticks), tuple(minor))


def _round_numbers(parameter: Parameter) -> list[float]:
    if isinstance(parameter, Categorical):
        step = -(-len(parameter.choices) // MOST_TICKS)
        return [float(index) for index in range(0, len(parameter.choices), step)]
    assert not isinstance(parameter, Constant)
    low, high = float(parameter.low), float(parameter.high)
    least = 1.0 if isinstance(parameter.low, int) else 0.0
    return _log_steps(low, high, least) if parameter.log else _steps(low, high, least)


def _log_steps(low: float, high: float, least: float) -> list[float]:
    """Powers of ten if there are enough of them, else some of their multiples, else plain steps."""
    exponents = _steps(math.log10(low), math.log10(high), least=1.0, most=MOST_DECADES)
    powers = [10.0**power for power in exponents]
    if len(powers) >= LEAST_TICKS:
        return powers
    for digits in ((1, 3), (1, 2, 5)):
        numbers = _multiples(low, high, digits)
        if LEAST_TICKS < len(numbers) <= MOST_TICKS:
            return numbers
    return _steps(low, high, least)


def _multiples(low: float, high: float, digits: Sequence[int]) -> list[float]:
    """The multiples of powers of ten by `digits` from `low` to `high`; of a wide range the powers
    alone, of a very wide one none."""
    first, last = math.floor(math.log10(low)), math.floor(math.log10(high))
    if last - first > MOST_DECADES:
        digits = (1,) if last - first <= 4 * MOST_DECADES else ()
    numbers = [float(f"{digit}e{power}") for power in range(first, last + 1) for digit in digits]
    return [number for number in numbers if low * (1 - 1e-9) <= number <= high * (1 + 1e-9)]


def _steps(low: float, high: float, least: float, most: int = MOST_TICKS) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten from `low` to `high`: `most` of them, more
    if the next coarser steps are fewer than LEAST_TICKS; all are multiples of `least`."""
    rough = (high - low) / most
    if rough < 1e-300:  # no power of ten lies below it
        return [low, high]
    power = math.floor(math.log10(rough))
    finer: list[float] = []
    for factor, exponent in ((f, power + e) for e in (0, 1, 2) for f in (1, 2, 2.5, 5)):
        step = float(f"{factor}e{exponent}")
        if least and (step < least or step % least):
            continue
        rounding = 1e-14 * max(abs(low), abs(high)) / step
        first, last = math.ceil(low / step - rounding), math.floor(high / step + rounding)
        numbers = [number * step for number in range(first, last + 1)]
        if len(numbers) < LEAST_TICKS and finer:
            return finer
        if len(numbers) <= most:
            return numbers if len(numbers) > 1 else [low, high]
        finer = numbers
    return [low, high]


def labels_of(items: Sequence[Choice]) -> list[str]:
    """Values in four digits, or in as many as it takes to tell them apart."""
    for digits in (4, 6, 9, 12, 17):
        labels = [_label(item, digits) for item in items]
        if len(set(labels)) == len(labels):
            break
    return labels


def _label(item: Choice, digits: int) -> str:
    large = isinstance(item, int) and abs(item) >= 10**6
    return f"{item:.{digits}g}" if isinstance(item, float) or large else str(item)
