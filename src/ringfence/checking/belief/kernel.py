"""One kernel for all tasks: length scales and noise that make the scores of all of them likeliest.

A task with sixteen rows says little about length scales; twelve such tasks together say enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

from ringfence.arrays import FloatArray
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.surrogates.gp.posterior import log_posterior
from ringfence.optimize.surrogates.matern import matern52_values, squared_distances

ITERATIONS = 25  # from each of two starts; more change the length scales by a few percent
NOISE_FLOOR = 1e-4  # of the variance of the scores
TOLERANCE = 1e-6  # of the mean log density of a row, relative
WAVES = 384  # random features: the kernel's error is about 1/√WAVES
FREEDOM = 5  # the frequencies of Matérn-5/2 are those of Student's t with this many


@dataclass(frozen=True, eq=False)
class SharedKernel:
    """Matérn-5/2 with a length scale for each parameter."""

    inverse: FloatArray
    """(d,) one over the length scale of each feature."""
    noise: float
    """In units of the variance of a task's scores."""

    def scaled(self, X: FloatArray) -> FloatArray:
        """Features (n, d) divided by their length scales."""
        return X * self.inverse

    def between(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Kernel values between scaled features, (m, n)."""
        return matern52_values(squared_distances(A, B))

    def waves(self, Z: FloatArray) -> FloatArray:
        """Random features of scaled features (n, WAVES): the inner product of two rows is the
        kernel, up to chance. Times normal weights they are functions drawn from the process."""
        frequencies, phases = self._frequencies
        return math.sqrt(2.0 / WAVES) * np.cos(Z @ frequencies + phases)

    @cached_property
    def _frequencies(self) -> tuple[FloatArray, FloatArray]:
        rng = np.random.default_rng(WAVES)
        directions = rng.standard_normal((self.inverse.size, WAVES))
        lengths = np.sqrt(rng.chisquare(FREEDOM, WAVES) / FREEDOM)
        return directions / lengths, 2.0 * np.pi * rng.random(WAVES)


def fit_shared_kernel(
    tasks: Sequence[tuple[FloatArray, FloatArray]], columns: KernelColumns
) -> SharedKernel:
    """The likeliest kernel for the features (n, d) and scores (n,) of some tasks."""
    data = [(X, (y - y.mean()) / y.std()) for X, y in tasks]
    n_rows = sum(y.size for _, y in data)
    mode, spread = columns.prior

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        """Minus the mean log density of a row; the prior, in every task's term, counts once."""
        deviation = (theta - mode) / spread
        extra = len(data) - 1
        value = extra * 0.5 * float(deviation @ deviation)
        gradient = extra * deviation / spread
        for X, y in data:
            term, slope = log_posterior(theta, X, y, columns)
            value += term
            gradient += slope
        return -value / n_rows, -gradient / n_rows

    bounds = columns.bounds(NOISE_FLOOR)
    ends = [
        fmin_l_bfgs_b(
            loss,
            np.clip(start, *bounds.T),
            bounds=bounds,
            maxiter=ITERATIONS,
            factr=TOLERANCE / np.finfo(float).eps,
            pgtol=1e-4,
        )
        for start in columns.starts
    ]
    theta = min(ends, key=lambda end: end[1])[0]
    lengths, log_noise, _, _ = columns.split(theta)
    return SharedKernel(np.exp(-lengths)[columns.groups], math.exp(log_noise))
