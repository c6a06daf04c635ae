"""Functions drawn from what is believed of one task, given its rows and the other tasks.

    y = A (b + m(x) + φ(x)'w + s g(x) + e),   w ~ N(0, I),   g ~ GP(0, k),   e ~ N(0, noise)

y are the task's scores, m and φ mean and spread of the other tasks (task_means.py), s² and the
noise the same for all tasks. The level b is free, A has a prior around 1. Given the rows, a
function is drawn by Matheron's rule: draw w, g and e from the prior, then add what the rows say
about the error of that draw. It can be evaluated anywhere.

symbol   meaning                                                          shape
v        rows in units of A, less m: what is left to explain              (n, S)
P        K⁻¹ - K⁻¹ 1 1'K⁻¹ / 1'K⁻¹1, K = φ φ' + s² k + noise: precision   (n, n)
ease     K⁻¹ 1 / 1'K⁻¹1: the level is ease'v                              (n,)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from ringfence.arrays import FloatArray, IntArray
from ringfence.checking.belief.kernel import SharedKernel

OWN_VARIANCES = (0.01, 0.05, 0.15, 0.4, 1.0, 2.0)  # the grid of s²
NOISES = (1e-3, 1e-2, 0.05, 0.15, 0.4)  # the grid of the noise's variance
UNITS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8)  # the grid of A: the means of thin tasks are too flat
UNIT_SPREAD = 0.5  # of log A under its prior


@dataclass(frozen=True, eq=False)
class Points:
    """Configurations as the model of one task sees them."""

    mean: FloatArray  # (n,)
    spread: FloatArray  # (n, T)
    Z: FloatArray  # (n, d)
    waves: FloatArray  # (n, draws) functions of the process g at these points


@dataclass(frozen=True)
class Variances:
    """s² and the noise."""

    own: float
    noise: float


@dataclass(frozen=True, eq=False)
class _Precision:
    P: FloatArray
    ease: FloatArray
    half_log_det: float

    @classmethod
    def of(cls, points: Points, kernel: SharedKernel, variances: Variances) -> _Precision:
        K = points.spread @ points.spread.T
        K += variances.own * kernel.between(points.Z, points.Z)
        K.flat[:: len(K) + 1] += variances.noise
        L = dpotrf(K, lower=1, clean=1)[0]
        half = dpotri(L, lower=1)[0]
        inverse = half + half.T
        inverse.flat[:: len(K) + 1] /= 2.0
        ones = inverse.sum(axis=0)
        total = float(ones.sum())
        half_log_det = float(np.log(L.diagonal()).sum()) + 0.5 * np.log(total)
        return cls(inverse - np.outer(ones, ones) / total, ones / total, half_log_det)

    def log_likelihoods(self, points: Points, y: FloatArray) -> FloatArray:
        """Of each unit of UNITS, its prior included."""
        log_units = np.log(UNITS)
        v = y / np.array(UNITS)[:, None] - points.mean
        misfit = np.einsum("ui,ij,uj->u", v, self.P, v)
        prior = 0.5 * (log_units / UNIT_SPREAD) ** 2
        loss = 0.5 * misfit + (y.size - 1) * log_units + prior + self.half_log_det
        return np.asarray(-loss)


def likeliest_variances(
    tasks: Sequence[tuple[Points, FloatArray]], kernel: SharedKernel
) -> Variances:
    """The variances of the grid that make the scores of all of these tasks likeliest."""
    grid = [Variances(own, noise) for own in OWN_VARIANCES for noise in NOISES]
    totals = np.zeros(len(grid))
    for number, variances in enumerate(grid):
        for points, y in tasks:
            each = _Precision.of(points, kernel, variances).log_likelihoods(points, y)
            totals[number] += np.logaddexp.reduce(each)
    return grid[int(totals.argmax())]


@dataclass(frozen=True, eq=False)
class TaskFunctions:
    """Functions drawn for one task, in units of A."""

    kernel: SharedKernel
    variances: Variances
    rows: Points
    values: FloatArray
    """(n, S) the task's scores in units of each function."""
    picked: IntArray
    """(S,) which functions of the process g these have."""
    weights: FloatArray  # (T, S) w
    level: FloatArray  # (S,)
    correction: FloatArray  # (n, S) what the rows add to the draw: P v

    @classmethod
    def drawn(
        cls,
        rows: Points,
        y: FloatArray,
        kernel: SharedKernel,
        variances: Variances,
        n: int,
        rng: np.random.Generator,
    ) -> TaskFunctions:
        """`n` functions given the scores y of the rows."""
        precision = _Precision.of(rows, kernel, variances)
        likelihoods = precision.log_likelihoods(rows, y)
        chances = np.exp(likelihoods - likelihoods.max())
        units = rng.choice(UNITS, size=n, p=chances / chances.sum())
        picked = rng.integers(rows.waves.shape[1], size=n)
        weights = rng.standard_normal((rows.spread.shape[1], n))
        values = y[:, None] / units
        before = rows.spread @ weights + np.sqrt(variances.own) * rows.waves[:, picked]
        before += np.sqrt(variances.noise) * rng.standard_normal(before.shape)
        v = values - rows.mean[:, None] - before
        level, correction = precision.ease @ v, precision.P @ v
        rows = replace(rows, waves=rows.waves[:, :0])  # no longer needed, and large
        return cls(kernel, variances, rows, values, picked, weights, level, correction)

    def at(self, points: Points, rng: np.random.Generator) -> FloatArray:
        """The value of each function at some points, noise included, (S, m)."""
        own = self.variances.own
        cross = points.spread @ self.rows.spread.T
        cross += own * self.kernel.between(points.Z, self.rows.Z)
        f = cross @ self.correction
        f += points.mean[:, None] + self.level
        f += points.spread @ self.weights
        f += np.sqrt(own) * points.waves[:, self.picked]
        f += np.sqrt(self.variances.noise) * rng.standard_normal(f.shape)
        return f.T
