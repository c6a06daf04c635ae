"""Regret: how far a value is from the best of its task, 0 at the best and 1 at the median."""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray, median


def capped_regret(values: FloatArray) -> tuple[FloatArray, float] | None:
    """The regret of each value (n,), 1 from the median on, and its unit, median - best. None if the
    best value and the median are equal up to rounding: such a task does not tell good from bad."""
    best, middle = float(values.min()), median(values)
    unit = middle - best
    if not unit > 4.0 * np.finfo(float).eps * max(abs(best), abs(middle)):
        return None
    part = 0.5 if np.isinf(unit) else 1.0  # near the largest float only halves have a difference
    above = np.minimum(values, middle) * part - best * part
    return above / (middle * part - best * part), min(unit, float(np.finfo(float).max))
