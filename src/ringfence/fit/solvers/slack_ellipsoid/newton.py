"""Semismooth Newton for the augmented Lagrangian of the slack ellipsoid (eq. 8).

Rotating y changes nothing in the objective of augmented.py, so each step is taken in the frame of
the current y: y' = (I + S) y + h with S symmetric. There the objective is convex in (S, h), its
Hessian diagonal plus one rank for each point.

symbol   meaning                                                     shape
y, d     points as the ellipsoid ‖y‖ ≤ 1 sees them, and their norms  (m, p), (m,)
β, ω     multipliers in [0, ω], and shares of the tasks              (m,)
S, h     step: symmetric part and shift                              (p, p), (p,)
G        gradients of d by (S, h), a column for each point           (p(p+3)/2, m)
λ        penalty of eq. 8
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.fit.solvers.slack_ellipsoid.augmented import Hinges, View
from ringfence.fit.solvers.slack_ellipsoid.line_search import TINY, Line, step_length

MAX_STEPS = 60
"""For one set of multipliers: 3 in the median, 13 at most in 200 random clouds."""
NEAREST = 1e-3
"""d has no derivative at 0: directions y/d are cut off there."""
SLIVER = 1e-6
"""The norm has no curvature along y. In one dimension nothing else supplies it, so that this share
of the isotropic curvature stays."""
NEGLIGIBLE = 1e-14
"""Ranks with less than this share of the largest curvature are rounding and left out."""


def descend(view: View, hinges: Hinges, penalty: float, accuracy: float) -> View:
    """Take Newton steps until one predicts a decrease below `accuracy` times λ."""
    for _ in range(MAX_STEPS):
        beta = hinges.multipliers(view.d)
        k = beta.nonzero()[0]
        pull = beta[k]
        bend = np.where(pull < hinges.shares[k], hinges.stiffness[k], 0.0)
        S, h, decrease = _newton_direction(view.y[k], view.d[k], pull, bend, penalty)
        t = step_length(Line.of(view, S, h, hinges, penalty), decrease)
        view = view.moved(np.eye(len(h)) + t * S, t * h)
        if decrease <= accuracy * penalty:
            break
    return view


def _newton_direction(
    y: FloatArray, d: FloatArray, beta: FloatArray, bend: FloatArray, penalty: float
) -> tuple[FloatArray, FloatArray, float]:
    """The step (S, h) from the points that pull (β > 0), and the decrease it predicts.

    The curvature of β|y| is w(I - uuᵀ) with w = β/d, u = y/d. The sum of the isotropic parts, about
    the weighted mean, is diagonal in the eigenbasis R of the scatter of y. The rest, and `bend`,
    the curvature of φ, multiply for each point the outer product of its column of G.
    """
    p = y.shape[1]
    i, j, half = _upper_triangle(p)
    d = np.maximum(d, NEAREST)
    w = beta / d
    total = max(float(w.sum()), TINY)  # no point pulls when the ellipsoid is much too large
    mean = w @ y / total
    q = y - mean
    v, R = np.linalg.eigh((q.T * w) @ q)
    q = R.T @ q.T
    u = R.T @ (y.T / d)

    n = i.size
    G = np.empty((n + p, d.size))
    np.multiply(u.take(i, 0), q.take(j, 0), out=G[:n])
    G[:n] += u.take(j, 0) * q.take(i, 0)
    G[:n] *= half[:, None]
    G[n:] = u
    gradient = G @ beta
    gradient[:n] -= penalty * (i == j)
    diagonal = np.full(n + p, total)
    diagonal[:n] = half * (2 * penalty + v[i] + v[j])
    step = -_solve(diagonal, G, bend - (1 - SLIVER) * w, gradient)

    S = np.empty((p, p))
    S[i, j] = S[j, i] = step[:n]
    S = R @ S @ R.T
    return S, R @ step[n:] - S @ mean, -float(gradient @ step)


def _solve(D: FloatArray, G: FloatArray, e: FloatArray, g: FloatArray) -> FloatArray:
    """(diag(D) + G diag(e) Gᵀ)⁻¹ g, by way of the smaller side of G."""
    n, m = G.shape
    if n <= m:
        H = (G * e) @ G.T
        H.flat[:: n + 1] += D
        return np.linalg.solve(H, g).astype(np.float64, copy=False)
    k = (np.abs(e) > NEGLIGIBLE * np.abs(e).max(initial=0.0)).nonzero()[0]
    root = np.sqrt(D)
    B = G[:, k] / root[:, None]
    K = B.T @ B
    K.flat[:: k.size + 1] += 1 / e[k]
    x: FloatArray = g / root
    x -= B @ np.linalg.solve(K, B.T @ x)
    return x / root


@lru_cache(maxsize=64)
def _upper_triangle(p: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows and columns of the upper triangle of a (p, p) matrix; 1/2 on its diagonal, 1 above."""
    i, j = np.triu_indices(p)
    return i, j, np.where(i == j, 0.5, 1.0)
