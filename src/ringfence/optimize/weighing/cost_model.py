"""The log cost of a configuration, from what it cost on the earlier tasks and on this one.

symbol   meaning                                                                   shape
A        the basis at some points: 1, the features, their squares                  (n, b)
y        log costs                                                                 (n,)
β        coefficients of one task; the first is the level, the others are slopes   (b,)
m        the mean of β over the tasks, its slopes times a share s                  (b,)
L        deviations of the tasks from m, over √T, and of the level:                (b, T + 1)
         β ~ N(m, L L')

Costs multiply (twice the rounds, twice the time), so their logarithm is close to linear in the
features, which are logarithms where a parameter has a log scale. Each task has a ridge regression,
its penalty chosen by the closed form of leaving one row out. A new task is a draw from the tasks'
coefficients, updated by its own costs as a linear regression with that prior. Where tasks do not
predict each other's costs, the share s is small: it is the slope of their log costs on what the
others' mean predicts, each task counting by the share of its own variation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ringfence.arrays import FloatArray

PENALTIES = 10.0 ** np.arange(-4.0, 5.0)  # of the ridge; features are within [0, 1]
FEWEST = 8  # costs that a task needs for a model of its own
LEAST_NOISE = 0.01  # variance of a log cost that no model explains, at least: 10 % either way
OWN_SLOPE, OWN_NOISE = 1.0, 0.25  # without earlier tasks: e² over a range, and 50 % noise
NO_LEVEL = 1e3  # deviation of the level of which nothing is known
OTHER_LEVEL = 1.0  # that of a task beyond what the earlier ones differ by: e times their data, say
MOST_LEVERAGE = 1.0 - 1e-10  # of a row in its own prediction; a row left out has an error, not 0/0


@dataclass(frozen=True, eq=False)
class CostModel:
    """What is expected of the log costs of one task."""

    mean: FloatArray  # (b,)
    root: FloatArray  # (b, r) the covariance of β is root root'
    noise: float
    squares: bool
    """Whether the basis has squares."""

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean of the log cost at features X (m, d), and its variance, noise included."""
        A = basis(X, squares=self.squares)
        return A @ self.mean, np.asarray(((A @ self.root) ** 2).sum(axis=1) + self.noise)

    def expected(self, X: FloatArray) -> FloatArray:
        """The mean alone."""
        return np.asarray(basis(X, squares=self.squares) @ self.mean)

    def slopes(self, X: FloatArray) -> FloatArray:
        """The gradient of the mean by X, (m, d)."""
        d = X.shape[1]
        linear = np.broadcast_to(2.0 * self.mean[1 : d + 1], X.shape)
        if not self.squares:
            return linear
        return np.asarray(linear + 4.0 * self.mean[d + 1 :] * (2.0 * X - 1.0))

    def given(self, X: FloatArray, y: FloatArray) -> CostModel:
        """The model once log costs y (n,) were seen at X (n, d)."""
        if not len(y):
            return self
        A = basis(X, squares=self.squares)
        U, size, Vt = np.linalg.svd(A @ self.root, full_matrices=False)
        rest = size * size + self.noise
        mean = self.mean + self.root @ (Vt.T @ (size / rest * (U.T @ (y - A @ self.mean))))
        shrunk = np.sqrt(self.noise / rest) - 1.0
        root = self.root + (self.root @ Vt.T) * shrunk @ Vt
        return replace(self, mean=mean, root=root)


def basis(X: FloatArray, *, squares: bool) -> FloatArray:
    """A at features X (n, d); all columns but the first have the mean 0 if X is uniform."""
    ones, centered = np.ones((len(X), 1)), 2.0 * X - 1.0
    return np.hstack([ones, centered, centered**2 - 1.0 / 3.0] if squares else [ones, centered])


def own_model(width: int) -> CostModel:
    """The model of a task without earlier ones, for features of this width."""
    deviations = np.append(NO_LEVEL, np.full(width, OWN_SLOPE))
    return CostModel(np.zeros(width + 1), np.diag(deviations), OWN_NOISE, squares=False)


def shared_model(tasks: Sequence[tuple[FloatArray, FloatArray]]) -> CostModel | None:
    """The model of a new task from features and log costs of earlier ones; None if none of them
    has enough."""
    kept = [(X, y) for X, y in tasks if len(y) >= FEWEST]
    fits = [_fitted(X.tobytes(), y.tobytes(), X.shape[1]) for X, y in kept]
    if not fits:
        return None
    B = np.array([beta for beta, _ in fits])
    mean = B.mean(axis=0)
    mean[1:] *= _share(B, kept)
    T = len(B)
    deviations = (B - mean).T / np.sqrt(T)
    if T == 1:  # nothing says how tasks differ
        deviations = np.diag(np.append(0.0, np.full(B.shape[1] - 1, OWN_SLOPE)))
    level = np.zeros((len(mean), 1))
    level[0] = OTHER_LEVEL
    noise = max(float(np.mean([noise for _, noise in fits])), LEAST_NOISE)
    return CostModel(mean, np.hstack([deviations, level]), noise, squares=True)


def task_model(X: FloatArray, y: FloatArray) -> CostModel | None:
    """The model of a task by its own runs alone; None if they are too few."""
    if len(y) < FEWEST:
        return None
    beta, noise = _fitted(X.tobytes(), y.tobytes(), X.shape[1])
    return CostModel(beta, np.zeros((len(beta), 1)), noise, squares=True)


@lru_cache(maxsize=512)
def _fitted(X: bytes, y: bytes, width: int) -> tuple[FloatArray, float]:
    """The regression of a task, remembered: the same tasks come again when another is left out."""
    costs = np.frombuffer(y)
    features = np.frombuffer(X).reshape(len(costs), width)
    return _ridge(basis(features, squares=True), costs)


def _ridge(A: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Coefficients on A, whose first column is 1, and the mean square error when each row is left
    out, at the best of PENALTIES."""
    middle, level = A[:, 1:].mean(axis=0), y.mean()
    centered = A[:, 1:] - middle
    squares, V = np.linalg.eigh(centered.T @ centered)
    scores = centered @ V
    along = scores.T @ (y - level)
    best = (np.zeros(len(squares)), np.inf)
    for penalty in PENALTIES:
        inverse = 1.0 / (np.maximum(squares, 0.0) + penalty)
        leverage = np.minimum((scores**2) @ inverse + 1.0 / len(y), MOST_LEVERAGE)
        errors = (y - level - scores @ (inverse * along)) / (1.0 - leverage)
        loss = float((errors**2).mean())
        if loss < best[1]:
            best = (V @ (inverse * along), loss)
    return np.append(level - middle @ best[0], best[0]), best[1]


def _share(B: FloatArray, tasks: Sequence[tuple[FloatArray, FloatArray]]) -> float:
    """s: how much of what the other tasks predict a task follows, within [0, 1]."""
    if len(B) < 2:
        return 1.0
    along, square = 0.0, 0.0
    for beta, (X, y) in zip(B, tasks):
        others = (B.sum(axis=0) - beta) / (len(B) - 1)
        said = basis(X, squares=True) @ others
        said, seen = said - said.mean(), y - y.mean()
        variation = float(seen @ seen)
        if variation > 0.0:
            along += float(said @ seen) / variation
            square += float(said @ said) / variation
    return float(np.clip(along / square, 0.0, 1.0)) if square > 0.0 else 0.0
