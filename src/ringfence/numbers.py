"""Whole numbers and random generators from what users pass."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

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
