"""Numbers from what users pass: whole ones, random generators, values of any magnitude."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import SettingError


def whole_number(value: Any, name: str, least: int) -> int | None:
    """A plain int that is at least `least`; None stays None."""
    if value is None:
        return None
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise SettingError(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        raise SettingError(f"{name} must be at least {least}, not {number}")
    return number


def generator(seed: Any) -> np.random.Generator:
    """A random generator from a seed (a whole number or None), or the generator that was passed."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(whole_number(seed, "seed", 0))


def median(values: FloatArray) -> float:
    """The median; the mean of the two in the middle does not overflow, whatever number users take
    for a failed run."""
    return 2.0 * float(np.median(values / 2.0))


def near_one(values: FloatArray) -> tuple[FloatArray, int]:
    """values / 2**exponent with the largest magnitude near 1, so that squares do not overflow."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent
