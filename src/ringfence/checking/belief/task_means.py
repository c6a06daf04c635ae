"""What models of some tasks expect at any configuration: the prior of each other task.

symbol   meaning                                                                  shape
F        expected scores at some points, a row for each of the tasks              (T, n)
mean     their mean over the tasks other than the one that is judged              (n,)
spread   deviations of those tasks from it, divided by √(T-1); spread spread' is  (n, T-1)
         their covariance

A task that does not know some features expects the same whatever they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.checking.belief.kernel import SharedKernel
from ringfence.optimize.surrogates.gp.posterior import factor

AT_ONCE = 500_000  # kernel values, 4 MB


@dataclass(frozen=True, eq=False)
class _Alike:
    """Tasks that know the same features."""

    unknown: BoolArray  # (d,)
    tasks: IntArray
    rows: IntArray
    """Of all these tasks."""
    first: IntArray
    """The first of them for each task."""


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
    unknown: BoolArray
    """(T, d) the features that each task does not know, the same in all its rows."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        rows: Sequence[tuple[FloatArray, FloatArray]],
        kernel: SharedKernel,
        unknown: Sequence[BoolArray] | None = None,
    ) -> TaskMeans:
        """From the features (n, d) and scores (n,) of each task, and which of the features (d,) it
        does not know."""
        Z, alpha, level = [], [], []
        for X, y in rows:
            scaled, shift, scale = kernel.scaled(X), float(y.mean()), float(y.std())
            factored = factor(kernel.between(scaled, scaled), kernel.noise, (y - shift) / scale)
            Z.append(scaled)
            alpha.append(scale * factored.alpha)
            level.append(shift + scale * factored.mean)
        first = np.cumsum([0, *map(len, Z[:-1])])
        none = np.zeros((len(names), kernel.inverse.size), dtype=bool)
        return cls(
            tuple(names),
            kernel,
            np.concatenate(Z),
            np.concatenate(alpha),
            first,
            np.array(level),
            none if unknown is None else np.array(unknown),
        )

    def predict(self, Z: FloatArray) -> FloatArray:
        """F at scaled features (n, d)."""
        F = np.empty((len(self.names), len(Z)))
        for alike in self._alike:
            rows, first = alike.rows, alike.first
            seen = np.where(alike.unknown, self.Z[rows[0]], Z) if alike.unknown.any() else Z
            Z_rows, alpha, size = self.Z[rows], self.alpha[rows], max(1, AT_ONCE // len(rows))
            for start in range(0, len(Z), size):
                weighted = self.kernel.between(seen[start : start + size], Z_rows)
                weighted *= alpha
                sums = np.add.reduceat(weighted, first, axis=1).T
                F[alike.tasks, start : start + size] = sums
        F += self.level[:, None]
        return F

    @cached_property
    def _alike(self) -> list[_Alike]:
        """The tasks in groups that know the same."""
        sizes = np.diff([*self.first, len(self.alpha)])
        task = np.repeat(np.arange(len(sizes)), sizes)
        masks, group = np.unique(self.unknown, axis=0, return_inverse=True)
        groups = []
        for number, mask in enumerate(masks):
            tasks = np.flatnonzero(group.ravel() == number)
            first = np.cumsum([0, *sizes[tasks][:-1]])
            groups.append(_Alike(mask, tasks, np.flatnonzero(np.isin(task, tasks)), first))
        return groups

    def prior(self, F: FloatArray, name: str) -> tuple[FloatArray, FloatArray]:
        """Mean and spread for the task of this name, which has no part in them."""
        others = F[[other != name for other in self.names]]
        if not len(others):
            return np.zeros(F.shape[1]), np.zeros((F.shape[1], 0))
        mean = others.mean(axis=0)
        return mean, (others - mean).T / math.sqrt(max(len(others) - 1, 1))
