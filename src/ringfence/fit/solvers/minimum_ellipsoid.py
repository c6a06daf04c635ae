"""The Löwner–John ellipsoid: least volume among the ellipsoids that hold all points (eq. 6).

The dual is a D-optimal design: weights u ≥ 0, Σ u = 1, that maximize log det S(u). Any such u
bounds the least volume from below, and the ellipsoid drawn from u misses that bound by its farthest
point, so every answer carries its own certificate. An interior point method solves the design on a
small working set; the points left outside join the set until there are none.

symbol   meaning                                                          shape
x        points                                                           (T, p)
z        whitened points of the working set, x = origin + B z             (m, p)
u        design weights of the working set                                (m,)
c, S     center Σ u x and scatter Σ u (x - c)(x - c)ᵀ                     (p,), (p, p)
F        lower triangular, F Fᵀ = p S: {c + F v : ‖v‖ ≤ 1}                (p, p)
d        ‖F⁻¹ (x - c)‖;  log vol ≤ optimum + p log max d                  (T,)
q        lifted points (z, 1), n = p + 1                                  (n, m)
K        qᵀ (Σ u q qᵀ)⁻¹ q;  diagonal g = 1 + p d²                        (m, m)
s        slack of the design's optimality conditions, n - g ≥ 0, u s = 0  (m,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtri, dtrtrs

from ringfence.arrays import FloatArray, IntArray
from ringfence.errors import FitError
from ringfence.fit.solvers.affine import EPS, Frame, affine_frame
from ringfence.fit.solvers.triangular import lower_triangular

ROUNDS = 60
"""Working sets that are tried; random clouds need 1 to 13."""
STEPS = 60
"""Steps of the interior point method; 2 to 12 as a rule."""
CHUNK = 4096
"""Points measured at a time, so that they stay in the cache."""
IDLE = 1e-6
"""Of the mean weight: points below leave the working set."""


@dataclass(frozen=True)
class MinimumEllipsoid:
    """The set {center + factor @ v : ‖v‖ ≤ 1}, and the proof that it is the least."""

    center: FloatArray  # (p,)
    factor: FloatArray  # (p, p) lower triangular with a positive diagonal
    weights: FloatArray  # (T,) design weights, ≥ 0, sum 1: the witness of the certificate
    gap: float  # nats; the log volume exceeds the least possible one by at most this


def minimum_ellipsoid(points: FloatArray, *, tol: float = 1e-7) -> MinimumEllipsoid:
    """The ellipsoid of least volume that holds all `points` (T, p).

    The points must affinely span R^p (see `affine_frame`). The log volume is within `tol` nats of
    the optimum or, if rounding forbids that, as near as double precision can certify.
    """
    frame = affine_frame(points)
    dim = points.shape[1]
    if frame.rank < dim:
        raise FitError(
            f"{len(points)} points span only {frame.rank} of {dim} dimensions, so no ellipsoid "
            "around them is least: fit inside their affine hull, or give more points"
        )
    active = _start(points, frame)
    weights = np.full(len(active), 1 / len(active))
    goal = tol / 4 if len(active) == len(points) else 0.01 * dim
    for _ in range(ROUNDS):
        z = frame.whiten(points[active])
        weights = _design(z, weights, goal)
        center, factor, inverse = _ellipsoid(frame, z, weights)
        squares = _squares(points, center, inverse)
        farthest = float(np.sqrt(squares.max()))
        blur, shift = _rounding(center, factor, inverse)
        excess = dim * float(np.log(farthest))
        gap = excess + 3 * dim * blur  # one for covering the points, two for the determinant
        limit = max(tol, 4 * dim * (3 * blur + shift))
        if gap <= limit:
            all_weights = np.zeros(len(points))
            all_weights[active] = weights
            return MinimumEllipsoid(center, factor * (farthest * (1 + blur)), all_weights, gap)
        outside = _outside(squares, active, 4 * (dim + 1))
        goal = max(limit / 4, 0.1 * excess) if len(outside) else limit / 4
        busy = weights > IDLE / len(weights)
        active = np.concatenate([active[busy], outside])
        weights = _restart(weights[busy], len(outside))
    raise FitError(
        f"the least ellipsoid around {len(points)} points in {dim} dimensions is certified to only "
        f"{gap:.1e} nats, not {limit:.1e}: pass a larger tol, or merge points that nearly coincide"
    )


def _start(points: FloatArray, frame: Frame) -> IntArray:
    """The indices of a working set that spans the space: extreme points, or all if few."""
    count, dim = points.shape
    if count <= 6 * (dim + 1):
        return np.arange(count)
    squares = _squares(points, frame.origin, frame.dual.T)
    farthest = np.argpartition(squares, -4 * (dim + 1))[-4 * (dim + 1) :]
    active = np.unique(np.concatenate([farthest, points.argmin(axis=0), points.argmax(axis=0)]))
    for _ in range(dim):
        cloud = frame.whiten(points[active])
        spread, directions = np.linalg.eigh(np.atleast_2d(np.cov(cloud, rowvar=False)))
        if spread[0] > 1e-3:
            break
        height = points @ (frame.dual @ directions[:, 0])
        active = np.union1d(active, [height.argmin(), height.argmax()])
    return active


def _design(z: FloatArray, weights: FloatArray, goal: float) -> FloatArray:
    """Maximize log det Σ u q qᵀ - n Σ u over u ≥ 0, to within `goal` nats, from `weights` > 0."""
    m, p = z.shape
    n = p + 1
    q = np.vstack([z.T, np.ones(m)])
    K = _kernel(q, weights)
    stretch = 1.1 * K.diagonal().max() / n  # makes every slack positive
    u, K = weights * stretch, K / stretch
    s = n - K.diagonal()
    for _ in range(STEPS):
        g = K.diagonal()
        if p / 2 * np.log((g.max() * u.sum() - 1) / p) <= goal:
            break
        hessian = K * K
        hessian.flat[:: m + 1] += s / u
        cholesky, failed = dpotrf(hessian.T, lower=1, clean=0, overwrite_a=1)
        if failed:  # as near as rounding lets us come; the caller's certificate decides
            break
        # Newton's step to g(u) + s = n, u s = target: target 0 first, then Mehrotra's correction.
        du = dpotrs(cholesky, g - n, lower=1)[0]
        ds = -s - s / u * du
        step = min(1.0, _reach(u, du), _reach(s, ds))
        complementarity = float(u @ s)
        shrink = float((u + step * du) @ (s + step * ds)) / complementarity
        target = shrink**3 * complementarity / m - du * ds
        du = dpotrs(cholesky, target / u + g - n, lower=1)[0]
        ds = target / u - s - s / u * du
        step = min(1.0, 0.99 * _reach(u, du), 0.99 * _reach(s, ds))
        u, s = u + step * du, s + step * ds
        K = _kernel(q, u)
    return np.asarray(u / u.sum())


def _kernel(q: FloatArray, u: FloatArray) -> FloatArray:
    """K = qᵀ (Σ u q qᵀ)⁻¹ q."""
    cholesky, _ = dpotrf((q * u) @ q.T, lower=1)
    root, _ = dtrtrs(cholesky, q, lower=1)
    return np.asarray(root.T @ root)


def _reach(value: FloatArray, step: FloatArray) -> float:
    """How many steps lead from `value` > 0 to the first zero."""
    fastest = float((-step / value).max())
    return 1 / fastest if fastest > 0 else float("inf")


def _ellipsoid(
    frame: Frame, z: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """c, F and F⁻¹ of the design; by QR throughout, as S would square the condition number."""
    mean = weights @ z
    spread = np.sqrt(z.shape[1] * weights)[:, None] * (z - mean)
    factor_of_z = lower_triangular(spread.T)
    factor = lower_triangular((factor_of_z.T @ frame.basis.T).T)
    return frame.restore(mean), factor, dtrtri(factor, lower=1)[0]


def _squares(points: FloatArray, center: FloatArray, inverse: FloatArray) -> FloatArray:
    """d² of all points, (T,)."""
    squares = np.empty(len(points))
    for first in range(0, len(points), CHUNK):
        v = (points[first : first + CHUNK] - center) @ inverse.T
        np.einsum("ij,ij->i", v, v, out=squares[first : first + CHUNK])
    return squares


def _rounding(center: FloatArray, factor: FloatArray, inverse: FloatArray) -> tuple[float, float]:
    """How far rounding may move d: in measuring it, and in storing the center.

    Each coordinate of x - c is off by EPS of the ellipsoid's extent, ‖F_j‖; F⁻¹ magnifies that, and
    errors of different coordinates add up like independent ones. Invariant to units.
    """
    extent = np.linalg.norm(factor, axis=1)
    magnifier = np.linalg.norm(inverse, axis=0)
    blur = 2 * EPS * float(np.linalg.norm(magnifier * extent))
    shift = EPS * float(np.linalg.norm(magnifier * center))
    return blur, shift


def _outside(squares: FloatArray, active: IntArray, most: int) -> IntArray:
    """The indices of the farthest points with d > 1 that are not in the working set."""
    outside = np.setdiff1d(np.flatnonzero(squares > 1), active, assume_unique=True)
    return outside[np.argsort(-squares[outside], kind="stable")[:most]]


def _restart(old: FloatArray, n_new: int) -> FloatArray:
    """Weights to start from: the old ones, a tenth for the new points, none near 0."""
    weights = np.concatenate([old, np.full(n_new, 0.1 / max(1, n_new))])
    weights = np.maximum(weights, 1e-3 / len(weights))
    return np.asarray(weights / weights.sum())
