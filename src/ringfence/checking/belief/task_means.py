"""What models of some tasks expect at any configuration: the prior of each other task.

symbol   meaning                                                                  shape
F        expected scores at some points, a row for each of the tasks              (T, n)
mean     their mean over the tasks other than the one that is judged              (n,)
spread   deviations of those tasks from it, divided by √(T-1); spread spread' is  (n, T-1)
         their covariance
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.checking.belief.kernel import SharedKernel
from ringfence.optimize.surrogates.gp.posterior import factor

AT_ONCE = 500_000  # kernel values, 4 MB


@dataclass(frozen=True, eq=False)
class TaskMeans:
    """The means of Gaussian processes, one for each task, stacked."""

    names: tuple[str, ...]
    kernel: SharedKernel
    Z: FloatArray
    """Scaled features of the rows of all tasks."""
    alpha: FloatArray
    first: IntArray
    """The first row of each task."""
    level: FloatArray
    """(T,) what each process expects far from its rows."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        rows: Sequence[tuple[FloatArray, FloatArray]],
        kernel: SharedKernel,
    ) -> TaskMeans:
        """From the features (n, d) and scores (n,) of each task."""
        Z, alpha, level = [], [], []
        for X, y in rows:
            scaled, shift, scale = kernel.scaled(X), float(y.mean()), float(y.std())
            factored = factor(kernel.between(scaled, scaled), kernel.noise, (y - shift) / scale)
            Z.append(scaled)
            alpha.append(scale * factored.alpha)
            level.append(shift + scale * factored.mean)
        first = np.cumsum([0, *map(len, Z[:-1])])
        return cls(
            tuple(names), kernel, np.concatenate(Z), np.concatenate(alpha), first, np.array(level)
        )

    def predict(self, Z: FloatArray) -> FloatArray:
        """F at scaled features (n, d)."""
        F = np.empty((len(self.names), len(Z)))
        size = max(1, AT_ONCE // len(self.alpha))
        for start in range(0, len(Z), size):
            weighted = self.kernel.between(Z[start : start + size], self.Z)
            weighted *= self.alpha
            F[:, start : start + size] = np.add.reduceat(weighted, self.first, axis=1).T
        F += self.level[:, None]
        return F

    def prior(self, F: FloatArray, name: str) -> tuple[FloatArray, FloatArray]:
        """Mean and spread for the task of this name, which has no part in them."""
        others = F[[other != name for other in self.names]]
        if not len(others):
            return np.zeros(F.shape[1]), np.zeros((F.shape[1], 0))
        mean = others.mean(axis=0)
        return mean, (others - mean).T / math.sqrt(max(len(others) - 1, 1))
