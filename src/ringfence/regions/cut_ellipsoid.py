"""The share of an ellipsoid that lies in the unit cube, coordinate by coordinate.

A uniform point of the ellipsoid is c + L u with L lower triangular and u uniform in the unit ball.
Given the first coordinates of u, the next one has a scaled beta law, and the cube leaves it an
interval. So the share is the mean of a product of probabilities of intervals, each coordinate drawn
from the interval that the ones before it leave: all draws lie in the cube, none is wasted. (Genz's
method for the normal law, with the ball's law in its place.) The coordinates with the smallest
probabilities come first. The mean is taken over a Sobol sequence, shifted at random several times;
the shifts tell its error.

symbol   meaning                                                              shape
c, S     center; F F' of the ellipsoid {c + F z : ‖z‖ ≤ 1}                    (p,), (p, p)
L        S = L L', rows in the chosen order                                   (p, p)
low      smallest value of each coordinate less its center, in that order     (p,)
r        how far u can still go: sqrt(1 - u_1² - … - u_{i-1}²)                (n,)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv
from scipy.stats.qmc import Sobol

from ringfence.arrays import FloatArray

SHIFTS = 8  # of the sequence: their spread is the error
FEWEST, MOST = 8, 10  # base-2 logarithms of the points of a shift
GOOD_ENOUGH = 0.002  # relative error at which more points would change no digit that is shown
SMALLEST = 1e-300  # keeps logarithms and quotients finite


@dataclass(frozen=True, eq=False)
class _Ordered:
    """The ellipsoid with its coordinates in the order in which they are drawn."""

    L: FloatArray
    low: FloatArray
    high: FloatArray


def log_share_in_cube(center: FloatArray, factor: FloatArray) -> tuple[float, float]:
    """The logarithm of the share of {center + factor z : ‖z‖ ≤ 1} that lies in the unit cube, and
    the standard error of it."""
    ordered = _ordered(factor @ factor.T, -center, 1.0 - center)
    shifts = np.random.default_rng(0).random((SHIFTS, 1, center.size))
    for power in range(FEWEST, MOST + 1):
        sequence = Sobol(center.size, scramble=False).random_base2(power)
        logs = np.array([_log_mean(_log_weights(ordered, sequence + s)) for s in shifts])
        log_share = _log_mean(logs)
        error = float(np.exp(logs - log_share).std(ddof=1)) / math.sqrt(SHIFTS)
        if error <= GOOD_ENOUGH:
            break
    return log_share, error


def _ordered(S: FloatArray, low: FloatArray, high: FloatArray) -> _Ordered:
    """Cholesky with pivots: next is the coordinate with the smallest probability, if those before
    have the median of what the cube leaves them."""
    p = len(S)
    order, L, u = np.arange(p), np.zeros((p, p)), np.zeros(p)
    S, low, high = S.copy(), low.copy(), high.copy()
    for i in range(p):
        spread = np.sqrt(np.maximum(S.diagonal()[i:] - (L[i:, :i] ** 2).sum(axis=1), SMALLEST))
        r = math.sqrt(max(1.0 - float(u[:i] @ u[:i]), SMALLEST))
        begin, end = _interval(low[i:], high[i:], L[i:, :i] @ u[:i], spread * r, p - i)
        k = i + int(np.argmin(end - begin))
        for array in (order, low, high, L, S, S.T):
            array[[i, k]] = array[[k, i]]
        L[i, i] = spread[k - i]
        L[i + 1 :, i] = (S[i + 1 :, i] - L[i + 1 :, :i] @ L[i, :i]) / L[i, i]
        u[i] = r * _quantile(0.5 * (begin[k - i] + end[k - i]), p - i)
    return _Ordered(L, low, high)


def _log_weights(ordered: _Ordered, points: FloatArray) -> FloatArray:
    """For each point of the sequence (n, p), the logarithm of the product of probabilities."""
    cube = points % 1.0
    n, p = cube.shape
    u, left, total = np.zeros((n, p)), np.ones(n), np.zeros(n)
    for i in range(p):
        r = np.sqrt(np.maximum(left, SMALLEST))
        middle = u[:, :i] @ ordered.L[i, :i]
        reach = ordered.L[i, i] * r
        begin, end = _interval(ordered.low[i], ordered.high[i], middle, reach, p - i)
        chance = np.maximum(end - begin, 0.0)
        total += np.log(np.maximum(chance, SMALLEST))
        u[:, i] = r * _quantile(begin + cube[:, i] * chance, p - i)
        left -= u[:, i] ** 2
    return total


def _interval(
    low: FloatArray | float, high: FloatArray | float, middle: FloatArray, reach: FloatArray, m: int
) -> tuple[FloatArray, FloatArray]:
    """Probabilities that a coordinate with m - 1 others after it lies below each of two ends."""
    ends = (np.clip((end - middle) / reach, -1.0, 1.0) for end in (low, high))
    shape = 0.5 * (m + 1)
    begin, end = (np.asarray(betainc(shape, shape, 0.5 * (1.0 + e))) for e in ends)
    return begin, end


def _quantile(probability: FloatArray | float, m: int) -> FloatArray:
    """The value from -1 to 1 below which such a coordinate lies with this probability."""
    shape = 0.5 * (m + 1)
    return np.asarray(2.0 * betaincinv(shape, shape, np.clip(probability, 0.0, 1.0)) - 1.0)


def _log_mean(logs: FloatArray) -> float:
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).mean()))
