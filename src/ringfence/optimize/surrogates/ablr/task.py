"""One task of ABLR: its evaluations as the model sees them, and what the model predicts for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import SettingError
from ringfence.optimize.surrogates.ablr.linear_head import Head
from ringfence.optimize.surrogates.ablr.network import Network, with_ones
from ringfence.optimize.surrogates.standardize import Standardized, standardize

UNIFORM_ROWS = 5  # uniform rows of the unit cube that count as well, if rows are few or alike
LEAST_SPREAD = 0.1  # of an input: one that hardly varies is not blown up


@dataclass(frozen=True, eq=False)
class TaskData:
    """Features (n, d) and values (n,) of a task, and those values standardized."""

    X: FloatArray
    y: FloatArray
    values: Standardized


def task_data(number: int, X: Any, y: Any, *, compressed: bool) -> TaskData:
    """Check one task's evaluations and standardize them, the bad ones `compressed` or not."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise SettingError(
            f"task {number} has features of shape {X.shape} and values of shape {y.shape}: "
            "expected (n, d) and (n,)"
        )
    for name, array in (("features", X), ("values", y)):
        bad = ~np.isfinite(array if array.ndim == 1 else array.sum(axis=1))
        if bad.any():
            raise SettingError(f"row {bad.argmax()} of the {name} of task {number} is not finite")
    values = standardize(y, compressed=compressed) if y.size else Standardized(y, 0.0, 1.0)
    return TaskData(X, y, values)


def with_known_units(data: TaskData, others: Sequence[TaskData]) -> TaskData:
    """If the spread of a task's values is unknown (none, one, all equal), the median of the others'
    spreads replaces it; without any value, the median of their means replaces the mean, too."""
    known = [other.values for other in others if other.values.y.any()]
    if data.values.y.any() or not known:
        return data
    values = replace(data.values, scale=float(np.median([other.scale for other in known])))
    if not data.y.size:
        values = replace(values, shift=float(np.median([other.shift for other in known])))
    return replace(data, values=values)


@dataclass(frozen=True, eq=False)
class Inputs:
    """Center and spread (d,) of the features, by which the network's inputs are standardized."""

    center: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Inputs:
        """From the rows of all tasks, and a few that fill the unit cube."""
        n = len(X) + UNIFORM_ROWS
        center = (X.sum(axis=0) + UNIFORM_ROWS / 2) / n
        square = ((X - center) ** 2).sum(axis=0) + UNIFORM_ROWS * (1 / 12 + (center - 0.5) ** 2)
        return cls(center, np.maximum(np.sqrt(square / n), LEAST_SPREAD))

    def standardize(self, X: FloatArray) -> FloatArray:
        """Inputs of the network."""
        inputs: FloatArray = (X - self.center) / self.spread
        return inputs


@dataclass(frozen=True, eq=False)
class TaskModel:
    """The posterior of one task's objective."""

    network: Network
    inputs: Inputs
    head: Head
    data: TaskData

    @property
    def noise(self) -> float:
        """Variance of the noise, in units of the variance of the values."""
        return self.head.noise

    @property
    def best(self) -> float:
        """The smallest predicted mean at the evaluated points; with none, the expected value."""
        if not len(self.data.X):
            return self.data.values.shift
        return float(self.predict(self.data.X)[0].min())

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the objective without its noise, each (m,), in units of y."""
        shift, scale = self.data.values.shift, self.data.values.scale
        mean, variance, _ = self.head.moments(self._features(X))
        return shift + scale * mean, scale**2 * variance

    def predict_with_gradient(
        self, X: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Mean (m,), variance (m,) and their gradients with respect to X, each (m, d)."""
        shift, scale = self.data.values.shift, self.data.values.scale
        H = self.network.forward(self.inputs.standardize(X))
        mean, variance, half = self.head.moments(with_ones(H[-1]))
        weights = np.broadcast_to(self.head.mean, half.shape)
        by_mean = scale * self.network.pullback(H, weights) / self.inputs.spread
        by_variance = 2.0 * scale**2 * self.network.pullback(H, half) / self.inputs.spread
        return shift + scale * mean, scale**2 * variance, by_mean, by_variance

    def with_pending(self, X: FloatArray) -> TaskModel:
        """The model once evaluations of X (m, d) have returned the means predicted now."""
        return replace(self, head=self.head.with_pending(self._features(X)))

    def _features(self, X: FloatArray) -> FloatArray:
        return self.network.features(self.inputs.standardize(X))
