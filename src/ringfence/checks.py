"""What users pass, checked: integers and seeds; and whether polars can work in this process."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ringfence.errors import RingfenceError, SettingError
from ringfence.threads import polars_threads


def integer(value: Any, name: str, least: int) -> int | None:
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
    """A random generator from a seed (an integer or None), or the generator that was passed."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(integer(seed, "seed", 0))


def require_polars() -> None:
    """RingfenceError where polars would wait without an end."""
    if polars_threads.left_behind:
        raise RingfenceError(
            "polars cannot work in this process, which was forked after polars had started its "
            "threads; start processes with the method 'spawn' or 'forkserver' of multiprocessing, "
            "or use threads"
        )
