"""A box to start from if scales lie decades apart: eq. 7 for each coordinate on its own.

With one coordinate, the points outside pull with weight one each, and both sides pull alike:

    number below / (2T a) = number above / (2T b) = ρ = λ (u - l)

So ρ says which order statistics the bounds are, and the larger it is the narrower the box; halving
finds where both agree. Between two order statistics a bound slides. Notation in problem.py.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.fit.solvers.slack_box.problem import Problem

HALVINGS = 60
"""Of the interval of ρ: to rounding, also for a box that is narrower than the points by decades."""


def separate_box(problem: Problem, penalty: float) -> FloatArray:
    """Its bounds, shape (2, p)."""
    ranked = np.sort(problem.sides, axis=1)
    last = problem.known.sum(axis=0) - 1

    def bounds_at(rho: FloatArray) -> FloatArray:
        n_outside = np.minimum(2 * problem.n_tasks * rho * problem.scales, last).astype(np.intp)
        bounds: FloatArray = np.take_along_axis(ranked, n_outside[:, None, :], axis=1)[:, 0]
        return bounds

    high = -penalty * problem.hull.sum(axis=0)
    low = np.zeros_like(high)
    for _ in range(HALVINGS):
        rho = 0.5 * (low + high)
        wide = -penalty * bounds_at(rho).sum(axis=0) > rho
        low, high = np.where(wide, rho, low), np.where(wide, high, rho)
    outer, inner = bounds_at(low), bounds_at(high)
    excess = -outer.sum(axis=0) - high / penalty
    jump = (inner - outer).sum(axis=0)
    bounds: FloatArray = outer + (inner - outer) * (excess / np.where(jump > 0.0, jump, np.inf))
    return bounds
