"""A Gaussian process whose prior mean and covariance are those of the earlier tasks.

    y = A (b + m(x) + g(x) + e),   g ~ GP(0, Σ_t φ_t φ_t' + s² k),   e ~ N(0, noise)

with m the mean over the T earlier tasks of their predicted regrets f_t, φ_t = (f_t - m) / √(T-1)
their deviations from it (a task that stands for c tasks counts as c) and k a Matérn-5/2 kernel for
what the new task has of its own. The prior of the level b is flat; A, s² and the noise are the
likeliest of a grid by the restricted likelihood, A with a prior from the units of the earlier
tasks. Everything but y is in units of A, in which the median is 1 above the best.

symbol   meaning                                                    shape
mean     m at some points                                           (n,)
spread   φ at these points, a column for each task                  (n, T)
Z        features of these points, divided by k's length scales     (n, d)
u        the values y / A, centered                                 (n,)
P        K⁻¹ - K⁻¹ 1 1'K⁻¹ / 1'K⁻¹1: the precision if b is free     (n, n)
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from ringfence.arrays import FloatArray, median, near_one
from ringfence.optimize.surrogates.gp.prediction import LEAST_VARIANCE
from ringfence.optimize.surrogates.matern import matern52_values, squared_distances

OWN_VARIANCES = (0.003, 0.03, 0.2)  # the grid of s²
NOISES = (1e-4, 1e-2)  # the grid of the noise's variance
UNITS = 64  # the number of values of log A on its grid
REACH = 4.0  # values count at most as this many times the median's distance from the best
FARTHEST = 300.0  # log A below that of the values, so that the values in units of A can be squared
NARROWEST = 0.5  # the least spread of log A over the earlier tasks
FREEDOM = 4.0  # of the t prior of log A: heavy tails, for a new task on a scale of its own


@dataclass(frozen=True, eq=False)
class Prior:
    """What the earlier tasks predict at some points."""

    mean: FloatArray
    spread: FloatArray
    Z: FloatArray

    @classmethod
    def of(cls, F: FloatArray, Z: FloatArray, counts: FloatArray | None = None) -> Prior:
        """From the regrets F (T, n) that the models of the tasks predict, each of which stands for
        `counts` (T,) tasks; None: for itself."""
        counts = np.ones(len(F)) if counts is None else counts
        mean = np.average(F, axis=0, weights=counts)
        scale = math.sqrt(max(float(counts.sum()) - 1.0, 1.0))
        return cls(mean, (F - mean).T * np.sqrt(counts) / scale, Z)

    def covariance(self, other: Prior, own_variance: float) -> FloatArray:
        """Of g between these points and others, (n, m)."""
        kernel = matern52_values(squared_distances(self.Z, other.Z))
        kernel *= own_variance
        kernel += self.spread @ other.spread.T
        return kernel

    def variance(self, own_variance: float) -> FloatArray:
        """Of g at each point."""
        return np.asarray(own_variance + np.einsum("ij,ij->i", self.spread, self.spread))


@dataclass(frozen=True, eq=False)
class SourcePosterior:
    """What is expected of the new task, given its evaluations; in units of A."""

    points: Prior
    own_variance: float
    noise: float
    log_unit: float
    level: float
    weights: FloatArray  # (n,) K⁻¹ (u - b - m)
    inverse: FloatArray  # (n, n) K⁻¹
    best: float
    """The smallest mean at an evaluated point."""

    def predict(self, queries: Prior) -> tuple[FloatArray, FloatArray]:
        """Mean and variance without noise, each (m,)."""
        cross = queries.covariance(self.points, self.own_variance)
        n_known = self.weights.size  # pending points come after them and have the weight 0
        mean = self.level + queries.mean + cross[:, :n_known] @ self.weights
        gain = cross @ self.inverse
        ones = self.inverse.sum(axis=0)
        variance = queries.variance(self.own_variance) - np.einsum("ij,ij->i", gain, cross)
        variance += (1.0 - cross @ ones) ** 2 / ones.sum()
        return mean, np.maximum(variance, LEAST_VARIANCE)

    def with_pending(self, pending: Prior) -> SourcePosterior:
        """The same means, and the variances once the pending points have values, too."""
        points = Prior(
            np.concatenate([self.points.mean, pending.mean]),
            np.vstack([self.points.spread, pending.spread]),
            np.vstack([self.points.Z, pending.Z]),
        )
        inverse, _ = _inverse(points.covariance(points, self.own_variance), self.noise)
        best = min(self.best, float(self.predict(pending)[0].min()))
        return replace(self, points=points, inverse=inverse, best=best)


def condition_on(points: Prior, y: FloatArray, log_units: FloatArray) -> SourcePosterior:
    """The posterior given values y (n,) at points; `log_units` are those of the earlier tasks."""
    y, exponent = near_one(capped(y))
    y = y - y.mean()
    shift = exponent * math.log(2.0)
    grid = itertools.product(OWN_VARIANCES, NOISES)
    fits = [_fit(points, y, log_units - shift, own, noise) for own, noise in grid]
    posterior = min(fits, key=lambda fit: fit[0])[1]
    return replace(posterior, log_unit=posterior.log_unit + shift)


def capped(y: FloatArray) -> FloatArray:
    """The values, none farther from the best than REACH times the median is."""
    best = float(y.min())
    unit = median(y) - best
    return np.minimum(y, best + REACH * unit) if unit > 0.0 else y


def _fit(
    points: Prior, y: FloatArray, log_units: FloatArray, own_variance: float, noise: float
) -> tuple[float, SourcePosterior]:
    """Minus the log of the restricted likelihood at the likeliest A, and the posterior there."""
    kernel = points.covariance(points, own_variance)
    inverse, half_log_det = _inverse(kernel.copy(), noise)
    ones = inverse.sum(axis=0)
    P = inverse - np.outer(ones, ones) / ones.sum()
    unit = _likeliest_unit(points.mean, y, P, log_units)
    u = y * unit.inverse
    weights = u @ P - P @ points.mean
    level = float(ones @ (u - points.mean) / ones.sum())
    fitted = level + points.mean + kernel @ weights
    posterior = SourcePosterior(
        points, own_variance, noise, unit.log, level, weights, inverse, float(fitted.min())
    )
    return unit.loss + half_log_det + 0.5 * math.log(ones.sum()), posterior


@dataclass(frozen=True)
class _Unit:
    """A value of A, and minus the log of its density, all that does not depend on A left out."""

    log: float
    inverse: float
    loss: float


def _likeliest_unit(mean: FloatArray, y: FloatArray, P: FloatArray, log_units: FloatArray) -> _Unit:
    """The likeliest A of its grid, by the misfit (y/A - m)'P (y/A - m) and the t prior of log A."""
    log_A = _units(y, log_units)
    inverse_A = np.exp(-log_A)
    Py, Pm = P @ y, P @ mean
    misfit = (y @ Py) * inverse_A**2 - 2.0 * (y @ Pm) * inverse_A + mean @ Pm
    deviation = (log_A - log_units.mean()) / _spread(log_units)
    surprise = 0.5 * (FREEDOM + 1.0) * np.log1p(deviation**2 / FREEDOM)
    loss = 0.5 * misfit + (y.size - 1) * log_A + surprise
    best = int(loss.argmin())
    return _Unit(float(log_A[best]), float(inverse_A[best]), float(loss[best]))


def _inverse(kernel: FloatArray, noise: float) -> tuple[FloatArray, float]:
    """(kernel + noise I)⁻¹ and half the log of the determinant. The kernel is overwritten."""
    kernel.flat[:: len(kernel) + 1] += noise
    L = dpotrf(kernel, lower=1, clean=1)[0]
    half = dpotri(L, lower=1)[0]
    inverse = half + half.T
    inverse.flat[:: len(kernel) + 1] /= 2.0
    return inverse, float(np.log(L.diagonal()).sum())


def _units(y: FloatArray, log_units: FloatArray) -> FloatArray:
    """The grid of log A: around the earlier tasks' units and around the spread of y."""
    middle, width = float(log_units.mean()), 3.0 * _spread(log_units)
    spread = float(y.std())
    if not spread > 0.0:
        return np.array([max(middle, -FARTHEST)])
    low, high = math.log(spread) - 2.0, math.log(spread) + 3.0
    lowest = math.log(spread) - FARTHEST
    return np.linspace(max(min(low, middle - width), lowest), max(high, middle + width), UNITS)


def _spread(log_units: FloatArray) -> float:
    return max(float(log_units.std(ddof=1)) if log_units.size > 1 else 1.0, NARROWEST)
