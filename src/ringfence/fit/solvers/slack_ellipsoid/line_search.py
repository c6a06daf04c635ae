"""How long a Newton step of the slack ellipsoid is to be: where the slope along it vanishes.

Along y + t (S y + h) the objective of augmented.py is convex, so that its slope only increases.
Backtracking instead would cut many steps too short: the stiff hinges bend the slope sharply.

symbol   meaning                                                     shape
S, h     step: symmetric part and shift                              (p, p), (p,)
t        length of the step, 1 for all of it
d²       squares + 2 t linear + t² quadratic                         (k,)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.fit.solvers.crossing import Bracket
from ringfence.fit.solvers.slack_ellipsoid.augmented import Hinges, View

MAX_TRIALS = 30
"""Lengths tried for one step: 2 in the median, 15 in 99 of 100 steps."""
FLAT = 0.1
"""A step may end where its slope is this share of that at its start: a more exact minimum along
one direction saves no steps."""
LONGEST = 2.0
"""Longest step, in radii of the ellipsoid: the quadratic model behind it reaches no farther."""
LEAST_SCALE, SAFE_SCALE = 0.05, 0.1
"""A step that would shrink y in some direction by more than the first factor, or even reflect it,
is cut to the one that shrinks it by the second."""
EDGE = 0.05
"""Share of a bracket that every trial leaves on either side, so that the bracket does shrink."""
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Line:
    """The objective along a step, by the points that may have a slope on it."""

    longest: float
    squares: FloatArray  # (k,)
    linear: FloatArray  # (k,)
    quadratic: FloatArray  # (k,)
    hinges: Hinges
    eigenvalues: FloatArray  # (p,) of S, in ascending order
    penalty: float

    @classmethod
    def of(cls, view: View, S: FloatArray, h: FloatArray, hinges: Hinges, penalty: float) -> Line:
        """From a view. Points that stay inside all the way, where their hinges are flat, add
        nothing to the slope and are left out."""
        eigenvalues = np.asarray(np.linalg.eigvalsh(S), dtype=np.float64)
        stretch, shift = max(-eigenvalues[0], eigenvalues[-1]), math.sqrt(h @ h)
        longest = _longest_step(eigenvalues[0], max(stretch, shift))
        reach = view.d * (1 + longest * stretch) + longest * shift
        k = ((hinges.alpha > 0) | (reach > 1)).nonzero()[0]
        y = view.y[k]
        dy = y @ S + h
        return cls(
            longest,
            squares=view.d[k] ** 2,
            linear=np.einsum("ij,ij->i", y, dy),
            quadratic=np.einsum("ij,ij->i", dy, dy),
            hinges=hinges.of(k),
            eigenvalues=eigenvalues,
            penalty=penalty,
        )

    def slope(self, t: float) -> float:
        """Derivative by t: that of the hinges, less that of λ log det(I + t S)."""
        rate = self.linear + t * self.quadratic
        d = np.sqrt(np.maximum(self.squares + t * (self.linear + rate), TINY))
        growth = float((self.eigenvalues / (1 + t * self.eigenvalues)).sum())
        return float(self.hinges.multipliers(d) @ (rate / d)) - self.penalty * growth


def _longest_step(least_eigenvalue: float, length: float) -> float:
    """The whole step, unless it is too long or shrinks y too much."""
    t = min(1.0, LONGEST / max(length, TINY))
    if 1 + t * least_eigenvalue < LEAST_SCALE:
        t = (SAFE_SCALE - 1) / least_eigenvalue
    return t


def step_length(line: Line, decrease: float) -> float:
    """The t at which the slope is all but zero, or the longest; -`decrease` is the slope at 0."""
    bracket = Bracket(0.0, -decrease, line.longest, math.inf)
    t = line.longest
    for _ in range(MAX_TRIALS):
        slope = line.slope(t)
        falls_to_the_end = slope < 0 and t == bracket.high
        if abs(slope) <= FLAT * decrease or falls_to_the_end:
            break
        # Regula falsi, the score of the end that stays halved each time (the Illinois rule).
        bracket = bracket.narrowed(t, slope, 0.5)
        share = bracket.low_score / (bracket.low_score - bracket.high_score)
        t = bracket.low + min(max(share, EDGE), 1 - EDGE) * bracket.width
    return t
