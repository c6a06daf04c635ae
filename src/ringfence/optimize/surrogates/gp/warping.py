"""Input warping: a learned monotone map of a coordinate (Snoek et al. 2014).

The map is the Kumaraswamy distribution function u = 1 - (1 - x^a)^b: close to that of the beta
distribution, and elementary. a = b = 1 leaves x as it is.

symbol   meaning                                   shape
x, u     a coordinate in [0, 1] before and after   (n, w)
a, b     exponents of every warped column          (w,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray

ROUNDING = 1e-9  # x that lies closer than this to an end is not outside
MARGIN = 1e-6  # x is moved inwards by this much, since slopes may be infinite at 0 and 1


@dataclass(frozen=True, eq=False)
class Warped:
    """Warped coordinates and their derivatives, all (n, w)."""

    u: FloatArray
    by_x: FloatArray
    by_log_a: FloatArray
    by_log_b: FloatArray


def warp(x: FloatArray, log_a: FloatArray, log_b: FloatArray) -> Warped:
    """Map the columns of x (n, w); beyond the ends of [0, 1] the map continues with slope 1."""
    a, b = np.exp(log_a), np.exp(log_b)
    within = np.clip(x, 0.0, 1.0)
    beyond = np.where(np.abs(x - within) > ROUNDING, x - within, 0.0)
    log_x = np.log(MARGIN + (1.0 - 2.0 * MARGIN) * within)
    power = np.exp(a * log_x)
    log_rest = np.log(-np.expm1(a * log_x))  # of 1 - x^a
    rest = np.exp(b * log_rest)
    by_log_x = a * power * b * np.exp((b - 1.0) * log_rest)
    by_x = by_log_x * np.exp(-log_x) * (1.0 - 2.0 * MARGIN)
    return Warped(
        1.0 - rest + beyond,
        np.where(x == within, by_x, beyond != 0.0),
        by_log_x * log_x,
        -b * rest * log_rest,
    )
