"""What a mean over tasks shows: t tests against a limit, equivalence, corrections for many tests.

symbol     meaning
d          differences of n tasks, with mean m and standard error s/√n
t          (m - limit) √n / s, under the mean `limit` Student's with n - 1 degrees of freedom
p          twice the one-sided probability, at most 1: p < 0.05 says what the 95 % interval says
margin     the smallest difference that matters

Equivalence is shown by two one-sided tests (TOST): the mean is above -margin and below +margin.

Of m tests with p(1) ≤ … ≤ p(m), Holm (1979) corrects p(i) to the max over j ≤ i of (m-j+1) p(j),
which bounds the chance of a single false rejection; Benjamini and Hochberg (1995) to the min over
j ≥ i of m p(j) / j, which bounds the expected share of false ones among the rejections.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ringfence.arrays import FloatArray, IntArray

CONFIDENCE = 0.95
ROUNDING = 1e-12
"""Regrets of at most 1 that differ by less are the same: sums in another order differ by 1e-16."""
Answer: TypeAlias = Literal["better", "worse", "no difference seen"]


@dataclass(frozen=True)
class Difference:
    """A mean over tasks with its interval; below zero the first method is better."""

    mean: float
    low: float
    high: float
    n_tasks: int
    error: float = math.nan
    """Standard error of the mean."""

    @property
    def answer(self) -> Answer:
        """The answer by the interval; with a single task, none."""
        if self.high < 0:
            return "better"
        return "worse" if self.low > 0 else "no difference seen"

    def p_below(self, limit: float) -> float:
        """Of the test that rejects "the mean is `limit` or more"."""
        from scipy.stats import t

        if self.n_tasks < 2:
            return 1.0
        gap = self.mean - limit
        if self.error == 0:
            return 0.0 if gap < 0 else 1.0
        return min(1.0, 2 * float(t.cdf(gap / self.error, self.n_tasks - 1)))

    def p_above(self, limit: float) -> float:
        """Of the test that rejects "the mean is `limit` or less"."""
        return Difference(-self.mean, -self.high, -self.low, self.n_tasks, self.error).p_below(
            -limit
        )

    def p_within(self, margin: float) -> float:
        """Of the two tests that reject "the mean is `margin` or more from zero"."""
        return max(self.p_above(-margin), self.p_below(margin))

    def p_beyond(self, margin: float) -> float:
        """Of the test that rejects "the mean is within `margin` of zero"."""
        return min(self.p_above(margin), self.p_below(-margin))


def difference(by_task: FloatArray) -> Difference:
    """The mean of these differences with its t interval, unbounded if there is only one.

    What is only rounding counts as 0, so that no test is made of it.
    """
    from scipy.stats import t

    by_task = np.where(np.abs(by_task) <= ROUNDING, 0.0, by_task)
    n, mean = len(by_task), float(np.mean(by_task))
    if n < 2:
        return Difference(mean, -math.inf, math.inf, n)
    error = float(np.std(by_task, ddof=1)) / math.sqrt(n)
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return Difference(mean, mean - half, mean + half, n, error)


def holm(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """Holm's corrected p-values, in the order given."""
    p, order = _sorted(p_values)
    factors = np.arange(len(p), 0, -1)
    return _unsorted(np.maximum.accumulate(p * factors), order)


def benjamini_hochberg(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """Benjamini and Hochberg's corrected p-values, in the order given."""
    p, order = _sorted(p_values)
    factors = len(p) / np.arange(1, len(p) + 1)
    return _unsorted(np.minimum.accumulate((p * factors)[::-1])[::-1], order)


def _sorted(p_values: Sequence[float] | FloatArray) -> tuple[FloatArray, IntArray]:
    p: FloatArray = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    return p[order], order


def _unsorted(p: FloatArray, order: IntArray) -> FloatArray:
    back = np.empty_like(p)
    back[order] = np.minimum(p, 1.0)
    return back
