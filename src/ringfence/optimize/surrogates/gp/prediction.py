"""What a Gaussian process predicts, given its hyperparameters and evaluations.

symbol   meaning                                                      shape
X        features of the points at which the objective is predicted   (m, d)
Z        features of the n evaluations as the kernel sees them        (n, d)
α        weights of the evaluations in the predicted mean             (n,)
root     L⁻¹, for the covariance L L' of the evaluations              (n, n)
white    k(X, Z) L⁻ᵀ: the variance drops by the squares of its rows   (m, n)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dpotrf, dtrtri

from ringfence.arrays import FloatArray
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.posterior import Scaled, factor, scale_features
from ringfence.optimize.surrogates.matern import matern52, matern52_values, squared_distances
from ringfence.optimize.surrogates.standardize import Standardized

LEAST_VARIANCE = 1e-12  # rounding leaves no digits below


@dataclass(frozen=True, eq=False)
class GP:
    """The posterior given the evaluations; all but the predictions is in standardized units."""

    columns: KernelColumns
    theta: FloatArray
    Z: FloatArray
    mean: float
    alpha: FloatArray
    root: FloatArray
    values: Standardized
    log_marginal_likelihood: float  # of the standardized values
    best: float
    """The smallest predicted mean at evaluated and pending points, in units of y; unlike the
    smallest value it is not a lucky draw."""

    @property
    def hyperparameters(self) -> Hyperparameters:
        """Length scales, noise, warping: pass them as `start` to the next fit."""
        return self.columns.named(self.theta)

    @property
    def noise(self) -> float:
        """Variance of the noise, in units of the variance of the values."""
        return math.exp(self.theta[self.columns.n_groups])

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the objective without its noise, each (m,), in units of y."""
        queries = scale_features(self.theta, X, self.columns)
        kernel = matern52_values(squared_distances(queries.Z, self.Z))
        return self._moments(kernel, self._white(kernel))

    def predict_with_gradient(
        self, X: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Mean (m,), variance (m,) and their gradients with respect to X, each (m, d)."""
        queries = scale_features(self.theta, X, self.columns)
        kernel, slope = matern52(squared_distances(queries.Z, self.Z))
        white = self._white(kernel)
        mean, variance = self._moments(kernel, white)
        by_mean = self._gradient(slope * self.alpha, queries)
        by_variance = self._gradient(slope * (white @ self.root), queries)
        scale = self.values.scale
        return mean, variance, scale * by_mean, -2.0 * scale**2 * by_variance

    def with_pending(self, X: FloatArray) -> GP:
        """The GP once evaluations of X (m, d) have returned the means predicted now.

        No predicted mean changes, so the new points get the weight 0.
        """
        Z = scale_features(self.theta, X, self.columns).Z
        B = matern52_values(squared_distances(Z, self.Z)) @ self.root.T
        rest = matern52_values(squared_distances(Z, Z)) - B @ B.T
        rest.flat[:: len(Z) + 1] += self.noise
        corner = dtrtri(dpotrf(rest, lower=1, clean=1)[0], lower=1)[0]
        n, m = len(self.Z), len(Z)
        root = np.zeros((n + m, n + m), order="F")
        root[:n, :n], root[n:, n:] = self.root, corner
        root[n:, :n] = -corner @ B @ self.root
        alpha = np.append(self.alpha, np.zeros(m))
        best = min([self.best, *self.predict(X)[0].tolist()])
        return replace(self, Z=np.vstack([self.Z, Z]), alpha=alpha, root=root, best=best)

    def _white(self, kernel: FloatArray) -> FloatArray:
        """k(X, Z) L⁻ᵀ; that L⁻¹ is a triangle halves the work."""
        white: FloatArray = dtrmm(1.0, self.root, kernel.T, lower=1).T
        return white

    def _moments(self, kernel: FloatArray, white: FloatArray) -> tuple[FloatArray, FloatArray]:
        shift, scale = self.values.shift, self.values.scale
        variance = np.maximum(1.0 - np.einsum("ij,ij->i", white, white), LEAST_VARIANCE)
        return shift + scale * (self.mean + kernel @ self.alpha), scale**2 * variance

    def _gradient(self, slopes: FloatArray, queries: Scaled) -> FloatArray:
        """Gradient by X of a weighted sum of kernels, from their weighted slopes (m, n)."""
        by_Z = 2.0 * (slopes @ self.Z - slopes.sum(axis=1)[:, None] * queries.Z)
        by_X: FloatArray = by_Z * queries.inverse
        if queries.warped is not None:
            by_X[:, self.columns.warped] *= queries.warped.by_x
        return by_X


def condition(theta: FloatArray, X: FloatArray, values: Standardized, columns: KernelColumns) -> GP:
    """The posterior at given hyperparameters."""
    Z = scale_features(theta, X, columns).Z
    noise = math.exp(theta[columns.n_groups])
    factored = factor(matern52_values(squared_distances(Z, Z)), noise, values.y)
    root = dtrtri(factored.L, lower=1)[0]
    fitted = values.shift + values.scale * (values.y - noise * factored.alpha)
    return GP(
        columns,
        theta,
        Z,
        factored.mean,
        factored.alpha,
        root,
        values,
        factored.log_likelihood,
        best=float(fitted.min()),
    )
