"""Values as the Gaussian process sees them: mean zero, variance one, bad ones compressed.

With the unit s = median - best, a value y above the median counts as
median + s log(1 + (y - median)/s), and as median + REACH s at the most. How bad a bad value is
hardly matters, and a crash that was recorded as 10⁴ would flatten all the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray

REACH = 3.0  # values e³ - 1 = 19 units above the median and worse count alike
FARTHEST = 20.0  # units above the median: more makes no difference, and may overflow
LARGEST, SMALLEST = 1e140, 1e-90  # beyond, squares or expected improvements overflow or vanish


@dataclass(frozen=True, eq=False)
class Standardized:
    """value = shift + scale * y, unless the value was compressed."""

    y: FloatArray
    shift: float
    scale: float


def standardize(values: FloatArray, *, compressed: bool = True) -> Standardized:
    """The values standardized; a single one, or equal ones, get the scale 1."""
    values = np.clip(values, -LARGEST, LARGEST)
    if compressed:
        values = compress(values)
    shift = float(values.mean())
    y = values - shift
    largest = float(np.abs(y).max())
    if largest <= 4.0 * np.finfo(float).eps * abs(shift) or largest < SMALLEST:
        return Standardized(np.zeros(values.size), shift, 1.0)
    y /= largest
    spread = math.sqrt(float(y @ y) / (y.size - 1))
    return Standardized(y / spread, shift, largest * spread)


def compress(values: FloatArray) -> FloatArray:
    """Compress the worse half; if half of the values tie for the best, leave all as they are."""
    best, median = float(values.min()), float(np.median(values))
    unit = median - best
    if unit <= 0.0:
        return values
    above = np.minimum(np.maximum(values - median, 0.0), FARTHEST * unit) / unit
    return np.minimum(values, median) + unit * np.minimum(np.log1p(above), REACH)
