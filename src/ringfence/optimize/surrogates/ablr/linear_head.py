"""Bayesian linear regression on the features of one task (Perrone et al. 2018, section 3).

    y = Φ w + e,    w ~ N(0, s I),    e ~ N(0, v I),    K = s Φ Φᵀ + v I

symbol        meaning                                                             shape
Φ             features of the n evaluations                                       (n, D)
y             their values, standardized                                          (n,)
s, v          variance of the weights, 1/α in that paper, and of the noise, 1/β   scalars
r             s / v                                                               scalar
M             I + r ΦᵀΦ; if n < D, I + r Φ Φᵀ serves as well                      (D, D)
a             K⁻¹ y                                                               (n,)
m             posterior mean of w, s Φᵀ a                                         (D,)
n_determined  trace of I - M⁻¹: the number of weights that the data determine     scalar
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtri
from scipy.optimize import fmin_l_bfgs_b

from ringfence.arrays import FloatArray

LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True)
class HeadPrior:
    """Normal priors of log s and log v, and the limits of both."""

    log_signal: float
    """Mean of log s."""
    signal_deviation: float = 2.0
    log_noise: float = math.log(0.1)
    noise_deviation: float = 1.0
    noise_floor: float = math.log(1e-6)

    @property
    def mean(self) -> FloatArray:
        """Of (log s, log v)."""
        return np.array([self.log_signal, self.log_noise])

    @property
    def deviation(self) -> FloatArray:
        """Standard deviations of (log s, log v)."""
        return np.array([self.signal_deviation, self.noise_deviation])

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest (log s, log v)."""
        lower = [self.log_signal - 10.0, self.noise_floor]
        return np.array(lower), np.array([self.log_signal + 10.0, 3.0])


@dataclass(frozen=True, eq=False)
class Evidence:
    """-log p(y) and its derivatives."""

    value: float
    by_features: FloatArray
    by_scales: FloatArray  # (log s, log v)


def evidence(Phi: FloatArray, y: FloatArray, scales: FloatArray) -> Evidence:
    """-log p(y) at scales (log s, log v); the cost is n D min(n, D)."""
    n, D = Phi.shape
    s, v = np.exp(scales).tolist()
    r = s / v
    if 0 < n < D:
        inverse, log_det = _inverse(r * (Phi @ Phi.T))
        a = inverse @ y / v
        m = s * (Phi.T @ a)
        by_features = r * (inverse @ Phi)
    else:
        inverse, log_det = _inverse(r * (Phi.T @ Phi))
        m = r * (inverse @ (Phi.T @ y))
        a = (y - Phi @ m) / v
        by_features = r * (Phi @ inverse)
    n_determined = len(inverse) - float(np.trace(inverse))
    by_features -= np.outer(a, m)
    by_scales = 0.5 * np.array(
        [n_determined - float(m @ m) / s, n - n_determined - v * float(a @ a)]
    )
    value = 0.5 * (n * (LOG_2PI + scales[1]) + log_det + float(y @ a))
    return Evidence(value, by_features, by_scales)


def _inverse(gram: FloatArray) -> tuple[FloatArray, float]:
    """Inverse and log determinant of I + gram."""
    M = gram
    M.flat[:: len(M) + 1] += 1.0
    root, _ = dpotrf(M, lower=1)
    lower, _ = dpotri(root, lower=1)
    inverse = np.tril(lower) + np.tril(lower, -1).T
    return inverse, 2.0 * float(np.log(root.diagonal()).sum())


@dataclass(frozen=True, eq=False)
class Head:
    """The posterior of the weights w: normal with mean m and covariance s M⁻¹."""

    scales: FloatArray  # (log s, log v)
    precision: FloatArray  # M (D, D)
    mean: FloatArray  # m (D,)
    root: FloatArray  # upper triangular R, s M⁻¹ = R Rᵀ

    @property
    def noise(self) -> float:
        """v."""
        return math.exp(self.scales[1])

    def moments(self, Phi: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean (n,), variance (n,) of Φ w, and half the derivative of the variance by Φ."""
        white = Phi @ self.root
        return Phi @ self.mean, np.einsum("ij,ij->i", white, white), white @ self.root.T

    def with_pending(self, Phi: FloatArray) -> Head:
        """The head once evaluations with these features have returned their predicted means."""
        M = self.precision + math.exp(self.scales[0] - self.scales[1]) * (Phi.T @ Phi)
        return Head(self.scales, M, self.mean, _covariance_root(M, self.scales))


def condition(Phi: FloatArray, y: FloatArray, scales: FloatArray) -> Head:
    """The posterior at given scales."""
    r = math.exp(scales[0] - scales[1])
    M = np.eye(Phi.shape[1]) + r * (Phi.T @ Phi)
    mean = dpotrs(dpotrf(M, lower=1)[0], r * (Phi.T @ y), lower=1)[0]
    return Head(scales, M, mean, _covariance_root(M, scales))


def fit_head(Phi: FloatArray, y: FloatArray, prior: HeadPrior) -> Head:
    """The posterior at the likeliest scales for given features."""

    def loss(z: FloatArray) -> tuple[float, FloatArray]:
        misfit = evidence(Phi, y, prior.mean + prior.deviation * z)
        return misfit.value + 0.5 * float(z @ z), misfit.by_scales * prior.deviation + z

    bounds = np.transpose([(limit - prior.mean) / prior.deviation for limit in prior.limits])
    z = fmin_l_bfgs_b(loss, np.zeros(2), bounds=bounds, maxiter=50)[0]
    return condition(Phi, y, prior.mean + prior.deviation * z)


def _covariance_root(M: FloatArray, scales: FloatArray) -> FloatArray:
    lower = dtrtri(dpotrf(M, lower=1, clean=1)[0], lower=1)[0]
    root: FloatArray = math.exp(0.5 * scales[0]) * lower.T
    return root
