"""From the share of random configurations that are better to regret.

symbol   meaning
u        share of the random configurations of the full space that are better, from 0 to 1
r(u)     regret, min(1, (2u)^γ): 0 at the best that there is, 1 at the median and beyond
γ        how fast values worsen away from the best, one for all tasks

The best of K random configurations has E r = 2^γ K B(½; γ+1, K) + 2^-K with the incomplete beta
function B. Nothing here needs the best value that exists, which a task of few rows does not know.
γ is uncertain, so there is a grid of it with weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import beta, betainc

from ringfence.arrays import FloatArray, near_one

FULL_DRAWS = (*range(1, 20), *range(20, 100, 5), *range(100, 1000, 50), 1000)
"""Numbers of draws from the full space to compare with."""
COUNTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, *FULL_DRAWS)
"""The same, and parts of a draw: what one draw inside is worth if it is worse than one outside."""
EXPONENTS = tuple(float(g) for g in np.geomspace(0.3, 2.4, 12))
FIFTH = 0.2  # the share u of the row whose regret gives γ away
INTERCEPT, SLOPE = 0.7, -2.7  # log γ = INTERCEPT + SLOPE × that regret; measured, see docs/check.md
SPREAD = 0.3  # of log γ around that, measured as well
USUAL_REGRET = 0.37  # of that row, if no task tells: γ is then three quarters


@dataclass(frozen=True, eq=False)
class RegretScale:
    """The believed weights of EXPONENTS."""

    weights: FloatArray

    @cached_property
    def full(self) -> FloatArray:
        """Expected regret of the best of K draws from the full space, for each exponent and each K
        of COUNTS."""
        return full_curves()

    @property
    def full_curve(self) -> FloatArray:
        """The mean over the exponents, for each K of FULL_DRAWS."""
        mean: FloatArray = self.weights @ self.full[:, -len(FULL_DRAWS) :]
        return mean

    @property
    def exponent(self) -> float:
        """The mean exponent, on the scale of its logarithm."""
        return float(np.exp(self.weights @ np.log(EXPONENTS)))


@lru_cache(maxsize=1)
def full_curves() -> FloatArray:
    """E r for each exponent and each K of COUNTS."""
    g, K = np.array(EXPONENTS)[:, None], np.array(COUNTS, dtype=float)
    within = 2.0**g * K * beta(g + 1.0, K) * betainc(g + 1.0, K, 0.5)
    return np.asarray(within + 0.5**K)


def regrets(shares: FloatArray) -> FloatArray:
    """r at each share u, for each exponent: a new first axis."""
    exponents = np.array(EXPONENTS).reshape(-1, *[1] * shares.ndim)
    return np.asarray(np.minimum(2.0 * shares, 1.0) ** exponents)


def best_of_draws(n: int, draws: Sequence[int]) -> FloatArray:
    """Weights (len(draws), n) of n ordered values for the expected smallest of k of them, drawn
    without replacement: for random values it is the expected smallest of k new ones. All are drawn
    if there are fewer than k."""
    left = n - np.arange(n)
    weights = np.empty((len(draws), n))
    for row, k in enumerate(draws):
        # the chance that none of the first i + 1 is drawn, C(n-i-1, k) / C(n, k)
        beyond = np.cumprod(np.maximum(left - min(k, n), 0) / left)
        weights[row] = -np.diff(np.concatenate([[1.0], beyond]))
    return weights


def fit_scale(tasks: Iterable[tuple[FloatArray, FloatArray]]) -> RegretScale:
    """From the shares u (n,) and the values (n,) of each task's rows.

    The row that a fifth of the random configurations beat: how far is it from the best recorded
    row, if the median is at distance 1? The mean over the tasks gives γ. By a power law alone it
    would be (2/5)^γ; but the best row of a few is not the best that there is, and few tasks follow
    a power law down to it. So the relation between the two is a measured one.
    """
    distances = [d for u, values in tasks if (d := _distance_of_fifth(u, values)) is not None]
    distance = float(np.mean(distances)) if distances else USUAL_REGRET
    deviations = (np.log(EXPONENTS) - INTERCEPT - SLOPE * distance) / SPREAD
    nearest = float(np.abs(deviations).min())  # so that some weight is left far beyond the grid
    weights = np.exp(-0.5 * (deviations**2 - nearest**2))
    return RegretScale(weights / weights.sum())


def _distance_of_fifth(u: FloatArray, values: FloatArray) -> float | None:
    """None if the task's median is no worse than its best row."""
    order = np.argsort(values, kind="stable")
    ordered, _ = near_one(values[order])
    fifth, middle = np.interp([FIFTH, 0.5], np.maximum.accumulate(u[order]), ordered)
    unit = middle - ordered[0]
    return float((fifth - ordered[0]) / unit) if unit > 0.0 else None
