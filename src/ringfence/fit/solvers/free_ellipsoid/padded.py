"""The least ellipsoid around points, if its volume counts with a padding (the step of descent.py).

    minimize  log det S + tr S⁻¹C   over c and S,   (x - c)'S⁻¹(x - c) ≤ 1 for all points x

With C = 0 that is eq. 6 in S = F F'. Any weights u ≥ 0 bound the least value from below, and the
ellipsoid drawn from u misses the bound by a gap that can be computed, as in minimum_ellipsoid.py.
An interior point method maximizes the bound on a small working set; the points left outside join
the set until there are none.

symbol   meaning                                                          shape
y        points, in a frame in which the answer is roughly the unit ball  (T, p)
u, σ     weights of the working set, and their sum                        (m,)
c, S     Σ u y / σ;  C + Σ u (y - c)(y - c)'                              (p,), (p, p)
d²       (y - c)'S⁻¹(y - c), at most 1                                    (T,)
q, M     lifted points (y, 1);  Σ u q q' + (C 0; 0 0),  det M = σ det S   (n, m), (n, n)
K        q'M⁻¹q;  its diagonal is d² + 1/σ                                (m, m)
s        what is left of the constraints, 1 - d²; u s = 0 at the optimum  (m,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

from ringfence.arrays import FloatArray, IntArray
from ringfence.errors import FitError

STEPS = 100
"""Of the interior point method; 10 to 20 as a rule."""
FALL = 0.1
"""Factor of the barrier from one step to the next."""
FAR = 0.5
"""Of the largest slack: if s is off by more, the barrier stays as it is."""
APART = 1e6
"""Factor by which u s may differ from μ."""
SHORTEST = 1e-8
"""Share of a step that is taken without a gain: rounding hides it."""
ROUNDS = 60
"""Working sets that are tried."""
IDLE = 1e-9
"""Weights below leave the working set."""
LEAST = 1e-2
"""Of the largest mean that weights can have, p/T: what each is at least at the start, as the method
needs room on all sides."""


@dataclass(frozen=True, eq=False)
class Padded:
    """The ellipsoid, its weights, and a lower bound of what can be reached."""

    center: FloatArray  # (p,)
    scatter: FloatArray  # (p, p) S, scaled such that all points are inside
    weights: FloatArray  # (T,) u ≥ 0
    value: float  # log det S + tr S⁻¹C of this ellipsoid
    bound: float  # no ellipsoid around the points has a smaller value


def padded_ellipsoid(y: FloatArray, C: FloatArray, weights: FloatArray, tol: float) -> Padded:
    """The ellipsoid around points `y` (T, p) for the padding `C` (p, p), to `tol` in value;
    `weights` (T,) are where to start."""
    dim = y.shape[1]
    active = _start(y, weights)
    least = LEAST * dim / len(active)
    u = np.maximum(weights[active], least)
    goal = tol / 2
    answer = None
    for _ in range(ROUNDS):
        u = _ascend(y[active], C, u, goal)
        answer = _measured(y, C, active, u)
        if answer.value - answer.bound <= tol:
            return answer
        center = answer.center
        z = np.linalg.solve(np.linalg.cholesky(answer.scatter), (y - center).T)
        squares = np.einsum("ij,ij->j", z, z)
        order = np.argsort(-squares)[: 4 * (dim + 1)]
        new = np.setdiff1d(order, active)
        if not new.size:
            break
        busy = u > IDLE
        active = np.concatenate([active[busy], new])
        u = np.concatenate([np.maximum(u[busy], least), np.full(len(new), least)])
    if answer is not None and answer.value - answer.bound <= 1e4 * tol:
        return answer  # as near as rounding lets it come; the gap is reported
    raise FitError(
        f"the ellipsoid around {len(y)} points that lack coordinates was not found to within "
        f"{tol:.0e}: drop a parameter that the others nearly determine"
    )


def _start(y: FloatArray, weights: FloatArray) -> IntArray:
    """The points that weigh, and those far out; all if they are few."""
    count, dim = y.shape
    if count <= 20 * (dim + 1):
        return np.arange(count)
    far = np.argsort(-np.einsum("ij,ij->i", y, y))[: 6 * (dim + 1)]
    ends = np.concatenate([y.argmin(axis=0), y.argmax(axis=0)])
    return np.unique(np.concatenate([np.flatnonzero(weights > IDLE), far, ends]))


def _ascend(y: FloatArray, C: FloatArray, u: FloatArray, goal: float) -> FloatArray:
    """Maximize log det S(u) - Σ u over u ≥ 0, to within `goal`, from u > 0.

    Newton's step to d²(u) + s = 1, u s = μ, as long as the bound with a barrier μ Σ log u grows."""
    m, dim = y.shape
    q = np.vstack([y.T, np.ones(m)])
    K, height = _kernel(q, u, C)
    slack = 1 + 1 / u.sum() - K.diagonal()
    mu = max(float(np.abs(u * slack).mean()), goal / m)
    s = np.maximum(slack, mu / u)
    for _ in range(STEPS):
        slack = 1 + 1 / u.sum() - K.diagonal()
        if float(u @ np.maximum(slack, 0.0)) - dim * min(float(slack.min()), 0.0) <= goal:
            break
        curvature = K * K - 1 / u.sum() ** 2
        curvature.flat[:: m + 1] += s / u
        cholesky, failed = dpotrf(curvature.T, lower=1, clean=0, overwrite_a=1)
        if failed:  # as near as rounding lets it come; the caller's gap decides
            break
        if np.abs(slack - s).max() <= FAR * float(s.max()):  # near the path: go down it
            mu = min(mu, FALL * float(u @ s) / m)
        slope = mu / u - slack
        du = dpotrs(cholesky, slope, lower=1)[0]
        ds = mu / u - s - s / u * du
        ahead = float(slope @ du)
        step = min(1.0, 0.99 * _reach(u, du))
        barrier = height + mu * float(np.log(u).sum())
        while True:
            tried = u + step * du
            K, height = _kernel(q, tried, C)
            gain = height + mu * float(np.log(tried).sum()) - barrier
            if gain >= 0.01 * step * ahead or step < SHORTEST:
                break
            step /= 2
        u, s = tried, s + min(step, 0.99 * _reach(s, ds)) * ds
        s = np.clip(s, mu / (APART * u), APART * mu / u)
    return u


def _kernel(q: FloatArray, u: FloatArray, C: FloatArray) -> tuple[FloatArray, float]:
    """K = q'M⁻¹q, and log det S - Σ u."""
    M = (q * u) @ q.T
    M[:-1, :-1] += C
    cholesky, _ = dpotrf(M, lower=1)
    root, _ = dtrtrs(cholesky, q, lower=1)
    total = float(u.sum())
    height = 2 * float(np.log(cholesky.diagonal()).sum()) - np.log(total) - total
    return np.asarray(root.T @ root), height


def _reach(value: FloatArray, step: FloatArray) -> float:
    """How many steps lead from `value` > 0 to the first zero."""
    fastest = float((-step / value).max())
    return 1 / fastest if fastest > 0 else float("inf")


def _measured(y: FloatArray, C: FloatArray, active: IntArray, u: FloatArray) -> Padded:
    """The ellipsoid of these weights, at its best size, with its value and the bound."""
    dim = y.shape[1]
    center = u @ y[active] / u.sum()
    away = y[active] - center
    S = C + (away.T * u) @ away
    L = np.linalg.cholesky(S)
    z = np.linalg.solve(L, (y - center).T)
    farthest = float(np.einsum("ij,ij->j", z, z).max())
    padding = float(np.trace(np.linalg.solve(S, C)))
    size = max(farthest, padding / dim)  # the least value of dim log size + padding / size
    log_det = 2 * float(np.log(np.diag(L)).sum())
    weights = np.zeros(len(y))
    weights[active] = u
    value = log_det + dim * np.log(size) + padding / size
    return Padded(center, size * S, weights, float(value), log_det + dim - float(u.sum()))
