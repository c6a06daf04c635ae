"""Semismooth Newton for the augmented Lagrangian of the slack ellipsoid (eq. 8).

With multipliers α and a stiffness σ the hinges of eq. 8 become smooth,

    φ_t(s) = max over 0 <= β <= ω_t of  β s - (β - α_t)² / (2 σ ω_t),

and `descend` minimizes  -λ log det W + Σ_t φ_t(d_t - 1)  over the map y = W x + b. Rotating y
changes nothing, so each step is taken in the frame of the current y: y' = (I + S) y + h with S
symmetric. There the objective is convex in (S, h), its Hessian diagonal plus one rank a point.

| symbol | meaning                                             | shape          |
|--------|-----------------------------------------------------|----------------|
| x, y   | points, and as the ellipsoid |y| <= 1 sees them     | (m, p)         |
| d      | norms of y                                          | (m,)           |
| ω      | share of the tasks that sit at a point, Σ ω = 1     | (m,)           |
| α, β   | multipliers in [0, ω]: held, and those attaining φ  | (m,)           |
| λ, σ   | penalty of eq. 8; stiffness                         | scalars        |
| S, h   | step: symmetric part and shift                      | (p, p), (p,)   |
| t      | length of the step, 1 for all of it                 | scalar         |
| G      | gradients of d by (S, h), a column for each point   | (p(p+3)/2, m)  |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ringfence.arrays import FloatArray, IntArray

MAX_STEPS = 60  # for one set of multipliers
MAX_TRIALS = 30  # of the length of one step
FLAT = 0.1  # slope at the end of a step, relative to that at its start
LONGEST = 2.0  # step, in radii of the ellipsoid
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

    def of(self, k: IntArray) -> Hinges:
        """The functions of the points k."""
        return Hinges(self.shares[k], self.alpha[k], self.stiffness[k])


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

    def moved(self, M: FloatArray, h: FloatArray) -> View:
        """The view after y' = M y + h."""
        y = self.y @ M.T + h
        return View(M @ self.W, M @ self.b + h, y, norms_of(y))


def norms_of(y: FloatArray) -> FloatArray:
    """Euclidean norm of every row of y (m, p)."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", y, y))
    return norms


def descend(at: View, hinges: Hinges, penalty: float, accuracy: float) -> View:
    """Take Newton steps until one predicts a decrease below `accuracy` times λ."""
    for _ in range(MAX_STEPS):
        beta = hinges.multipliers(at.d)
        k = beta.nonzero()[0]
        pull = beta[k]
        bend = np.where(pull < hinges.shares[k], hinges.stiffness[k], 0.0)
        S, h, decrease = _newton_direction(at.y[k], at.d[k], pull, bend, penalty)
        at = _line_search(at, S, h, decrease, hinges, penalty)
        if decrease <= accuracy * penalty:
            break
    return at


def _line_search(
    at: View, S: FloatArray, h: FloatArray, decrease: float, hinges: Hinges, penalty: float
) -> View:
    """Minimize along (S, h) up to the full step: regula falsi on the slope, which only increases.

    Backtracking instead would cut many steps too short: the stiff hinges bend the slope sharply.
    """
    s = np.linalg.eigvalsh(S)
    stretch, shift = max(-s[0], s[-1]), math.sqrt(h @ h)
    t = min(1.0, LONGEST / max(stretch, shift, TINY))
    if 1 + t * s[0] < 0.05:
        t = -0.9 / s[0]
    # Points that stay inside all the way, where their hinges are flat, add nothing to the slope.
    reach = at.d * (1 + t * stretch) + t * shift
    k = ((hinges.alpha > 0) | (reach > 1)).nonzero()[0]
    y, hinges = at.y[k], hinges.of(k)
    dy = y @ S + h
    squares = at.d[k] ** 2
    linear = np.einsum("ij,ij->i", y, dy)
    quadratic = np.einsum("ij,ij->i", dy, dy)
    near, far = (0.0, -decrease), (t, math.inf)
    for _ in range(MAX_TRIALS):
        rate = linear + t * quadratic
        d = np.sqrt(np.maximum(squares + t * (linear + rate), TINY))
        slope = float(hinges.multipliers(d) @ (rate / d)) - penalty * float((s / (1 + t * s)).sum())
        if abs(slope) <= FLAT * decrease or (slope < 0 and t == far[0]):
            break
        if slope < 0:
            near, far = (t, slope), (far[0], far[1] / 2)
        else:
            near, far = (near[0], near[1] / 2), (t, slope)
        share = near[1] / (near[1] - far[1])
        t = near[0] + min(max(share, 0.05), 0.95) * (far[0] - near[0])
    return at.moved(np.eye(len(h)) + t * S, t * h)


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
    k = (np.abs(e) > 1e-14 * np.abs(e).max(initial=0.0)).nonzero()[0]
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
