"""Log posterior density of the hyperparameters of a Gaussian process, and its gradient.

    y ~ N(m 1, K),   K = k(Z, Z) + noise I,   k Matérn-5/2 of variance one

for standardized values y (n,). The mean m is not a hyperparameter: the likeliest one is inserted
for every θ, m = 1'K⁻¹y / 1'K⁻¹1.

symbol   meaning                                             shape
Z        X, warped, divided by the length scales             (n, d)
L        K = L L'                                            (n, n)
α        K⁻¹ (y - m)                                         (n,)
A        α α' - K⁻¹: twice the slope of the log likelihood   (n, n)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.surrogates.gp.warping import Warped, warp
from ringfence.optimize.surrogates.matern import matern52, squared_distances

LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, eq=False)
class Scaled:
    """Features as the kernel sees them."""

    Z: FloatArray
    inverse: FloatArray  # (d,) one over the length scales
    warped: Warped | None


@dataclass(frozen=True, eq=False)
class Factored:
    """The covariance of the observations, factored, and what follows from it."""

    L: FloatArray
    mean: float
    alpha: FloatArray
    log_likelihood: float


def scale_features(theta: FloatArray, X: FloatArray, columns: KernelColumns) -> Scaled:
    """Warp the warped columns and divide all by their length scales."""
    lengths, _, log_a, log_b = columns.split(theta)
    inverse = np.exp(-lengths)[columns.groups]
    if not columns.warped.size:
        return Scaled(X * inverse, inverse, None)
    warped = warp(X[:, columns.warped], log_a, log_b)
    Z = X * inverse
    Z[:, columns.warped] = warped.u * inverse[columns.warped]
    return Scaled(Z, inverse, warped)


def factor(kernel: FloatArray, noise: float, y: FloatArray) -> Factored:
    """Condition on y. The kernel matrix is overwritten."""
    n = y.size
    kernel.flat[:: n + 1] += noise
    L, failed = dpotrf(kernel.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise FitError(f"the covariance of {n} observations is singular at noise {noise:.1e}")
    both = np.ones((2, n))
    both[0] = y
    by_y, by_one = dpotrs(L, both.T, lower=1)[0].T
    mean = float(by_y.sum() / by_one.sum())
    alpha = by_y - mean * by_one
    misfit = float((y - mean) @ alpha)
    log_det = 2.0 * float(np.log(L.diagonal()).sum())
    return Factored(L, mean, alpha, -0.5 * (misfit + log_det + n * LOG_2PI))


def log_posterior(
    theta: FloatArray, X: FloatArray, y: FloatArray, columns: KernelColumns
) -> tuple[float, FloatArray]:
    """Log posterior density of θ up to a constant, and its gradient."""
    scaled = scale_features(theta, X, columns)
    kernel, slope = matern52(squared_distances(scaled.Z, scaled.Z))
    g = columns.n_groups
    noise = math.exp(theta[g])
    factored = factor(kernel, noise, y)
    alpha = factored.alpha
    half = dpotri(factored.L, lower=1)[0]  # the lower triangle of K⁻¹
    slope *= np.outer(alpha, alpha) - half - half.T  # A; its diagonal cancels below
    by_Z = 2.0 * (slope @ scaled.Z - slope.sum(axis=1)[:, None] * scaled.Z)
    trace = float(alpha @ alpha - half.diagonal().sum())

    mode, spread = columns.prior
    deviation = (theta - mode) / spread
    gradient = -deviation / spread
    by_lengths = np.einsum("ij,ij->j", by_Z, scaled.Z)
    gradient[:g] -= np.bincount(columns.groups, by_lengths, minlength=g)
    gradient[g] += 0.5 * noise * trace
    if scaled.warped is not None:
        by_u = (by_Z * scaled.inverse)[:, columns.warped]
        by_log_a = np.einsum("ij,ij->j", by_u, scaled.warped.by_log_a)
        by_log_b = np.einsum("ij,ij->j", by_u, scaled.warped.by_log_b)
        gradient[g + 1 :] += np.concatenate([by_log_a, by_log_b])
    return factored.log_likelihood - 0.5 * float(deviation @ deviation), gradient
