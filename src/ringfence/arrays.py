"""Names for array types, and sums over arrays that no magnitude overflows."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
HALF_OF_LARGEST = float(np.finfo(float).max) / 2.0
"""Two numbers below this have a sum and a difference."""


def median(values: FloatArray) -> float:
    """The median; the mean of the two in the middle does not overflow, whatever number users take
    for a failed run. Only the largest are halved: the smallest floats have no exact half."""
    if np.abs(values).max(initial=0.0) < HALF_OF_LARGEST:
        return float(np.median(values))
    return 2.0 * float(np.median(values / 2.0))


def near_one(values: FloatArray) -> tuple[FloatArray, int]:
    """values / 2**exponent with the largest magnitude near 1, so that squares do not overflow."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent
