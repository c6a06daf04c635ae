"""The dual of the slack ellipsoid (eq. 8), and the certificate that it gives to any ellipsoid.

    P(c, F) = λ log det F + Σ_t ω_t (d_t - 1)₊,                  d_t = ‖F⁻¹(x_t - c)‖
    D(v)    = λ log det sym Σ_t v_t x_tᵀ + λ p (1 - log λ) - Σ_t ‖v_t‖

over vectors v_t with Σ_t v_t = 0 and ‖v_t‖ ≤ ω_t. D(v) ≤ P(c, F) always, with equality at the
optimum, where v_t = α_t u_t for the unit vectors u_t along F⁻¹(x_t - c).

symbol   meaning                                                     shape
y, d     y = F⁻¹(x - c), the points in the ellipsoid's own frame     (m, p), (m,)
ω, α     shares of the tasks; multipliers, 0 ≤ α ≤ ω                 (m,)
w        weights α/d                                                 (m,)
λ        penalty
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from ringfence.arrays import FloatArray
from ringfence.fit.solvers.slack_ellipsoid.augmented import norms_of

NEAREST = 1e-12
"""A multiplier at the center would have a weight without bound."""


def duality_gap(
    y: FloatArray, d: FloatArray, shares: FloatArray, alpha: FloatArray, penalty: float
) -> float:
    """(P - D)/λ in nats, for an ellipsoid and a dual point made from any multipliers α ≥ 0.

    Weights w give v = g w λ^½ S^-½ (y - mean), where S is their scatter and g the best scale with
    ‖v‖ ≤ ω. Both P and D hold λ log det F, which cancels: the frame of the ellipsoid is enough.
    """
    p = y.shape[1]
    k = alpha.nonzero()[0]
    w = alpha[k] / np.maximum(d[k], NEAREST)
    total = float(w.sum())
    q = y[k] - (w @ y[k] / total if total > 0 else 0.0)
    L, failed = dpotrf((q.T * (w / penalty)) @ q, lower=1)
    if failed:  # too few points pull to span the space
        return math.inf
    v = w * norms_of(dtrtrs(L, q.T, lower=1)[0].T)
    total = float(v.sum())
    g = min(1 / float((v / shares[k]).max()), penalty * p / total)
    if not g > 0:
        return math.inf
    log_det = float(np.log(L.diagonal()).sum())
    dual: float = log_det + p * (1 + math.log(g)) - g * total / penalty
    return float(shares @ np.maximum(d - 1, 0.0)) / penalty - dual
