"""Expected improvement on a logarithmic scale, and its maximization inside a region.

    EI = E max(best - f, 0) = s h(z),   h(z) = z Φ(z) + φ(z),   z = (best - mean) / s

for an objective f that is normal with a mean and a standard deviation s. If an improvement is
unlikely, z << 0, EI underflows while log EI does not; then h = φ (1 - u M) with u = -z and Mills'
ratio M = Φ(-u) / φ(u), and for large u 1 - u M comes from its asymptotic series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import fmin_l_bfgs_b
from scipy.special import erfcx, ndtr

from ringfence.arrays import BoolArray, FloatArray, IntArray

LOG_ROOT_2PI = 0.5 * math.log(2.0 * math.pi)
ROOT_HALF_PI = math.sqrt(0.5 * math.pi)
SERIES_FROM = 60.0  # u at which the series takes over: both sides are good to 1e-11 there
LARGEST_U, LEAST_VARIANCE = 1e50, 1e-200  # within these all derivatives are finite
MAX_ITERATIONS = 50
TOLERANCE = 1e-6  # of log EI, relative
MOST_BEHIND = 1e4  # log EI behind the best; what is worse counts alike
MOST_EXPONENT = 100.0  # exp(-100) is as good as never drawn, and does not underflow
TINY = float(np.finfo(np.float64).tiny)


class Surrogate(Protocol):
    """A model of the objective with gradients of its predictions."""

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance, each (m,)."""

    def predict_with_gradient(
        self, X: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Mean and variance, each (m,), and their gradients, each (m, d)."""


class SearchCoordinates(Protocol):
    """A differentiable map from search coordinates u (k, q) to features (k, d), row by row."""

    def to_features(self, u: FloatArray) -> FloatArray:
        """The features of every row."""

    def linearized(self, u: FloatArray) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
        """The features, and a function from gradients by them (k, d) to gradients by u (k, q)."""


class WeightSlopes(Protocol):
    """What is added to log EI, as a function of search coordinates u (k, q)."""

    def at(self, u: FloatArray) -> FloatArray:
        """The weights, (k,)."""

    def with_gradient(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The weights (k,) and their gradient (k, q)."""


def log_expected_improvement(
    mean: FloatArray, variance: FloatArray, best: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """log EI below `best`, and its derivatives by mean and by variance, shaped like them."""
    variance = np.maximum(variance, LEAST_VARIANCE)
    deviation = np.sqrt(variance)
    z = np.maximum((best - mean) / deviation, -LARGEST_U)
    log_h, by_z, by_log_s = _log_h(z)
    return log_h + np.log(deviation), -by_z / deviation, 0.5 * by_log_s / variance


def _log_h(z: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """log h(z), Φ/h (its derivative) and φ/h: by Mills' ratio below -1, directly above."""
    u = np.maximum(-z, 1.0)
    mills = ROOT_HALF_PI * erfcx(u / math.sqrt(2.0))
    tail = 1.0 - u * mills
    large = u > SERIES_FROM
    if large.any():
        w = 1.0 / (u[large] * u[large])
        tail[large] = w * (1.0 - w * (3.0 - w * (15.0 - w * (105.0 - 945.0 * w))))
    x = np.maximum(z, -1.0)
    Phi, phi = ndtr(x), np.exp(-0.5 * np.minimum(x, SERIES_FROM) ** 2 - LOG_ROOT_2PI)
    h = x * Phi + phi
    unlikely = z < -1.0
    return (
        np.where(unlikely, -0.5 * u * u - LOG_ROOT_2PI + np.log(tail), np.log(h)),
        np.where(unlikely, mills / tail, Phi / h),
        np.where(unlikely, 1.0 / tail, phi / h),
    )


def choose_starts(log_ei: FloatArray, count: int, rng: np.random.Generator) -> IntArray:
    """Which of the candidates to climb from: the best, and others, the better the likelier."""
    best = int(log_ei.argmax())
    behind = np.minimum(log_ei[best] - log_ei, MOST_BEHIND)
    weights = np.exp(-np.minimum(behind / max(float(behind.std()), TINY), MOST_EXPONENT))
    weights[best] = 0.0
    n_others = min(count, log_ei.size) - 1
    if n_others < 1:
        return np.array([best])
    others = rng.choice(log_ei.size, n_others, replace=False, p=weights / weights.sum())
    return np.append(best, others)


@dataclass(frozen=True, eq=False)
class _Climb:
    """The sum of log EI over several points, as a function of their free coordinates."""

    model: Surrogate
    best: float
    starts: FloatArray  # (k, q)
    free: IntArray
    coordinates: SearchCoordinates | None
    slopes: WeightSlopes | None = None

    def points(self, flat: FloatArray) -> FloatArray:
        u = self.starts.copy()
        u[:, self.free] = flat.reshape(len(u), -1)
        return u

    def features(self, u: FloatArray) -> FloatArray:
        return u if self.coordinates is None else self.coordinates.to_features(u)

    def log_ei(self, u: FloatArray) -> FloatArray:
        moments = self.model.predict(self.features(u))
        log_ei = log_expected_improvement(*moments, self.best)[0]
        return log_ei if self.slopes is None else log_ei + self.slopes.at(u)

    def loss(self, flat: FloatArray) -> tuple[float, FloatArray]:
        u = self.points(flat)
        X, pull = (u, None) if self.coordinates is None else self.coordinates.linearized(u)
        mean, variance, d_mean, d_variance = self.model.predict_with_gradient(X)
        log_ei, by_mean, by_variance = log_expected_improvement(mean, variance, self.best)
        slope = by_mean[:, None] * d_mean + by_variance[:, None] * d_variance
        if pull is not None:
            slope = pull(slope)
        if self.slopes is not None:
            weights, by_u = self.slopes.with_gradient(u)
            log_ei, slope = log_ei + weights, slope + by_u
        return -float(log_ei.sum()), -slope[:, self.free].ravel()


def maximize_acquisition(
    model: Surrogate,
    best: float,
    starts: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    fixed: BoolArray | None = None,
    coordinates: SearchCoordinates | None = None,
    slopes: WeightSlopes | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Climb log EI from every start (k, q) within lower <= u <= upper (q,), all in one search.

    Columns in the mask `fixed` (q,) stay as they are. Without coordinates, u are features. `slopes`
    are weights that are added to log EI. Returns
    the end of each climb (k, q), in the order of the starts, and log EI there (k,), never lower
    than at its start.
    """
    free = np.arange(starts.shape[1]) if fixed is None else np.flatnonzero(~fixed)
    starts = starts.copy()
    starts[:, free] = np.clip(starts[:, free], lower[free], upper[free])
    climb = _Climb(model, best, starts, free, coordinates, slopes)
    before = climb.log_ei(starts)
    if not free.size:
        return starts, before
    bounds = np.tile(np.stack([lower, upper], axis=1)[free], (len(starts), 1))
    flat = fmin_l_bfgs_b(
        climb.loss,
        starts[:, free].ravel(),
        bounds=bounds,
        maxiter=MAX_ITERATIONS,
        factr=TOLERANCE / np.finfo(float).eps,
        pgtol=1e-4,
    )[0]
    ends = climb.points(flat)
    after = climb.log_ei(ends)
    worse = after < before
    return np.where(worse[:, None], starts, ends), np.where(worse, before, after)
