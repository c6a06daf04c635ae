"""Semismooth Newton for the augmented Lagrangian of the slack ellipsoid (eq. 8).

With multipliers α and a stiffness σ the hinges of eq. 8 become smooth,

    φ_t(s) = max over 0 <= β <= ω_t of  β s - (β - α_t)² / (2 σ ω_t),

and `descend` minimizes  -λ log det W + Σ_t φ_t(d_t - 1)  over the map y = W x + b. Rotating y changes
nothing, so each step is taken in the frame of the current y: y' = (I + S) y + h with S symmetric.
There the objective is convex in (S, h), and its Hessian is diagonal plus one rank for each point.

| symbol | meaning                                             | shape          |
|--------|-----------------------------------------------------|----------------|
| x, y   | points, and as the ellipsoid |y| <= 1 sees them     | (m, p)         |
| d      | norms of y                                          | (m,)           |
| ω      | share of the tasks that sit at a point, Σ ω = 1     | (m,)           |
| α, β   | multipliers in [0, ω]: held, and those attaining φ  | (m,)           |
| λ, σ   | penalty of eq. 8; stiffness                         | scalars        |
| S, h   | step: symmetric part and shift                      | (p, p), (p,)   |
| G      | gradients of d by (S, h), a column for each point   | (p(p+3)/2, m)  |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray

MAX_STEPS = 60  # Newton steps for one set of multipliers
MAX_HALVINGS = 30
LONGEST_STEP = 2.0  # in radii of the ellipsoid
NEAREST = 1e-3  # d has no derivative at 0: directions y/d are cut off there
# The norm has no curvature along y. In one dimension nothing else supplies it, so a sliver stays.
SLIVER = 1e-6
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Hinges:
    """The functions φ_t for one set of multipliers."""

    shares: FloatArray  # (m,) ω
    alpha: FloatArray  # (m,)
    stiffness: FloatArray  # (m,) σ ω

    def multipliers(self, d: FloatArray) -> FloatArray:
        """β (m,) at the norms d (m,)."""
        return np.minimum(np.maximum(self.alpha + self.stiffness * (d - 1), 0.0), self.shares)

    def total(self, d: FloatArray) -> float:
        """Σ φ_t(d_t - 1)."""
        beta = self.multipliers(d)
        rise = beta - self.alpha
        return float(beta @ (d - 1)) - 0.5 * float(rise @ (rise / self.stiffness))


@dataclass(frozen=True)
class View:
    """Points x seen from the ellipsoid {x : |W x + b| <= 1}."""

    W: FloatArray  # (p, p)
    b: FloatArray  # (p,)
    y: FloatArray  # (m, p)
    d: FloatArray  # (m,)

    @classmethod
    def of(cls, points: FloatArray, W: FloatArray, b: FloatArray) -> View:
        """Compute y and d afresh."""
        y = points @ W.T + b
        return cls(W, b, y, norms_of(y))


def norms_of(y: FloatArray) -> FloatArray:
    """Euclidean norm of every row of y (m, p)."""
    return np.sqrt(np.einsum("ij,ij->i", y, y))


def descend(at: View, hinges: Hinges, penalty: float, accuracy: float) -> View:
    """Take Newton steps until one predicts a decrease below `accuracy` times λ."""
    for _ in range(MAX_STEPS):
        beta = hinges.multipliers(at.d)
        k = beta.nonzero()[0]
        pulls = beta[k]
        bend = np.where(pulls < hinges.shares[k], hinges.stiffness[k], 0.0)
        S, h, decrease = newton_direction(at.y[k], at.d[k], pulls, bend, penalty)
        at, t = _line_search(at, S, h, decrease, hinges, penalty)
        if t == 0.0 or (t == 1.0 and decrease <= accuracy * penalty):
            break
    return at


def _line_search(
    at: View, S: FloatArray, h: FloatArray, decrease: float, hinges: Hinges, penalty: float
) -> tuple[View, float]:
    """Backtrack (Armijo) along (S, h); length 0 where rounding hides every decrease."""
    s = np.linalg.eigvalsh(S)
    t = min(1.0, LONGEST_STEP / max(-s[0], s[-1], math.sqrt(h @ h), TINY))
    if 1 + t * s[0] < 0.05:
        t = -0.9 / s[0]
    dy = at.y @ S + h
    squared = at.d**2
    linear = 2 * np.einsum("ij,ij->i", at.y, dy)
    quadratic = np.einsum("ij,ij->i", dy, dy)
    before = hinges.total(at.d)
    rounding = 1e-15 * (abs(before) + penalty)
    for _ in range(MAX_HALVINGS):
        d = np.sqrt(np.maximum(squared + t * (linear + t * quadratic), 0.0))
        change = hinges.total(d) - before - penalty * float(np.log1p(t * s).sum())
        if change <= rounding - 1e-4 * t * decrease:
            W, b = at.W + t * (S @ at.W), at.b + t * (S @ at.b + h)
            return View(W, b, at.y + t * dy, d), t
        t /= 2
    return at, 0.0


def newton_direction(
    y: FloatArray, d: FloatArray, beta: FloatArray, bend: FloatArray, penalty: float
) -> tuple[FloatArray, FloatArray, float]:
    """The step (S, h) from the points that pull (β > 0), and the decrease it predicts.

    The curvature of β|y| is w(I - uuᵀ) with w = β/d, u = y/d. The sum of its isotropic parts, taken
    about the weighted mean, is diagonal in the eigenbasis R of the scatter of y. The rest is, for each
    point, a multiple of the outer product of its column of G.
    """
    p = y.shape[1]
    i, j, half = _upper_triangle(p)
    size = i.size
    d = np.maximum(d, NEAREST)
    w = beta / d
    total = max(float(w.sum()), TINY)  # no point pulls when the ellipsoid is much too large
    mean = w @ y / total
    q = y - mean
    v, R = np.linalg.eigh((q.T * w) @ q)
    q = R.T @ q.T
    u = R.T @ (y.T / d)

    G = np.empty((size + p, d.size))
    np.multiply(u.take(i, 0), q.take(j, 0), out=G[:size])
    G[:size] += u.take(j, 0) * q.take(i, 0)
    G[:size] *= half[:, None]
    G[size:] = u
    gradient = G @ beta
    gradient[:size] -= penalty * (i == j)
    diagonal = np.full(size + p, total)
    diagonal[:size] = half * (2 * penalty + v[i] + v[j])
    step = -_solve(diagonal, G, bend - (1 - SLIVER) * w, gradient)

    S = np.empty((p, p))
    S[i, j] = S[j, i] = step[:size]
    S = R @ S @ R.T
    return S, R @ step[size:] - S @ mean, -float(gradient @ step)


def _solve(D: FloatArray, G: FloatArray, e: FloatArray, g: FloatArray) -> FloatArray:
    """(diag(D) + G diag(e) Gᵀ)⁻¹ g, by way of the smaller side of G."""
    n, m = G.shape
    if n <= m:
        H = (G * e) @ G.T
        H.flat[:: n + 1] += D
        return np.linalg.solve(H, g)
    (k,) = np.nonzero(np.abs(e) > 1e-14 * np.abs(e).max(initial=0.0))
    G = G[:, k]
    K = G.T @ (G / D[:, None])
    K.flat[:: k.size + 1] += 1 / e[k]
    x: FloatArray = g / D
    x -= (G @ np.linalg.solve(K, G.T @ x)) / D
    return x


@lru_cache(maxsize=64)
def _upper_triangle(p: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows and columns of the upper triangle of a (p, p) matrix; 1/2 on the diagonal, 1 off it."""
    i, j = np.triu_indices(p)
    return i, j, np.where(i == j, 0.5, 1.0)
