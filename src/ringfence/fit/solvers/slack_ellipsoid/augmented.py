"""The augmented Lagrangian of the slack ellipsoid (eq. 8), as a function of the map y = W x + b.

With multipliers α and a stiffness σ the hinges of eq. 8 become smooth,

    φ_t(s) = max over 0 ≤ β ≤ ω_t of  β s - (β - α_t)² / (2 σ ω_t),

and what is to be minimized is  -λ log det W + Σ_t φ_t(d_t - 1).

symbol   meaning                                                     shape
x, y     points, and as the ellipsoid ‖y‖ ≤ 1 sees them              (m, p)
d        norms of y                                                  (m,)
ω        share of the tasks that sit at a point, Σ ω = 1             (m,)
α, β     multipliers in [0, ω]: given, and those that attain φ       (m,)
λ, σ     penalty of eq. 8; stiffness
W, b     the map y = W x + b                                         (p, p), (p,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray

SOFTEST = 5.0
"""The least σ. The stiffer the hinges, the faster the multipliers converge, and the harder it is to
minimize for given ones."""


@dataclass(frozen=True)
class Hinges:
    """The functions φ_t for one set of multipliers."""

    shares: FloatArray  # (m,) ω
    alpha: FloatArray  # (m,)
    stiffness: FloatArray  # (m,) σ ω

    def multipliers(self, d: FloatArray) -> FloatArray:
        """β (m,) at the norms d (m,)."""
        return np.minimum(np.maximum(self.alpha + self.stiffness * (d - 1), 0.0), self.shares)

    def of(self, k: IntArray) -> Hinges:
        """The functions of the points k."""
        return Hinges(self.shares[k], self.alpha[k], self.stiffness[k])


@dataclass(frozen=True)
class View:
    """Points x seen from the ellipsoid {x : ‖W x + b‖ ≤ 1}."""

    W: FloatArray  # (p, p)
    b: FloatArray  # (p,)
    y: FloatArray  # (m, p)
    d: FloatArray  # (m,)

    @classmethod
    def of(cls, points: FloatArray, W: FloatArray, b: FloatArray) -> View:
        """Compute y and d from the points."""
        y = points @ W.T + b
        return cls(W, b, y, norms_of(y))

    def moved(self, M: FloatArray, h: FloatArray) -> View:
        """The view after y' = M y + h."""
        y = self.y @ M.T + h
        return View(M @ self.W, M @ self.b + h, y, norms_of(y))


def norms_of(y: FloatArray) -> FloatArray:
    """Euclidean norm of every row of y (m, p)."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", y, y))
    return norms
