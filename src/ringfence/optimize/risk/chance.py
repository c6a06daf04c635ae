"""Chance: how likely a run of a new task fails at a configuration.

    log odds of failure at x = a + c f(x),   f = the slopes of the earlier tasks (logistic.py)
    a ~ N(m, s²),  c ~ N(1, SLOPE²)

Before its first trial the new task is one of the earlier ones, with their mean and deviation of the
log odds. Its own trials, failed or not, move a and c (the mode, and the curvature there). If the
earlier failures show no dependence on x, there is no `Chance` at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import expit, log_expit

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.optimize.risk import logistic
from ringfence.optimize.risk.basis import Basis
from ringfence.optimize.risk.evidence import ENOUGH, LEAST_FAILED, evidence
from ringfence.optimize.risk.runs import Runs

SLOPE = 0.5  # deviation of c: that of the slopes of tasks left out (docs/failures.md)
STEPS = 30  # of Newton's method with two unknowns


@dataclass(frozen=True, eq=False)
class Chance:
    """What earlier tasks say about failures."""

    basis: Basis
    b: FloatArray  # (p,)
    mean: float
    deviation: float
    evidence: float
    constant: float = 0.0
    """Part of f at every x."""

    @classmethod
    def of(
        cls,
        passed: Sequence[FloatArray],
        failed: Sequence[FloatArray],
        groups: IntArray,
        names: Sequence[str] | None = None,
    ) -> Chance | None:
        """From the features of each task's finished and failed runs; None if failures do not depend
        on them, or are too few to tell."""
        if sum(map(len, failed)) < LEAST_FAILED:
            return None
        runs = Runs.of(passed, failed, names)
        parts = (runs.X, runs.y, runs.task, runs.offset, groups)
        return _found(*(part.tobytes() for part in parts))

    def slopes(self, X: FloatArray) -> FloatArray:
        """f at features X, (m,)."""
        constant, linear, square = self._combination
        centered = X[:, : len(linear)] - 0.5
        bent = np.einsum("ij,ij->i", centered @ square, centered)
        return np.asarray(centered @ linear + bent + (constant + self.constant))

    def slopes_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """f at features X, (m,), and its gradient, (m, d)."""
        constant, linear, square = self._combination
        centered = X[:, : len(linear)] - 0.5
        bent = centered @ square
        by_x = np.zeros(X.shape)
        by_x[:, : len(linear)] = linear + bent + centered @ square.T
        f = centered @ linear + np.einsum("ij,ij->i", bent, centered)
        return f + (constant + self.constant), by_x

    @cached_property
    def _combination(self) -> tuple[float, FloatArray, FloatArray]:
        return self.basis.combination(self.b)

    def given(self, tried: FloatArray, failed: BoolArray) -> TaskChance:
        """The same for a task with these trials: features (n, d), and which of them failed."""
        f = self.slopes(tried)
        y = np.asarray(failed, float)
        design = np.column_stack([np.ones(len(f)), f])
        center = np.array([self.mean, 1.0])
        precision = 1.0 / np.array([self.deviation, SLOPE]) ** 2
        at = center.copy()
        H = np.diag(precision)
        for _ in range(STEPS):
            chance = expit(design @ at)
            H = (design * (chance * (1.0 - chance))[:, None]).T @ design + np.diag(precision)
            step = np.linalg.solve(H, design.T @ (y - chance) - precision * (at - center))
            step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
            at = at + step
            if np.abs(step).max() < 1e-9:
                break
        return TaskChance(self, at, np.asarray(np.linalg.inv(H)))


@lru_cache(maxsize=8)
def _found(X: bytes, y: bytes, task: bytes, offset: bytes, groups: bytes) -> Chance | None:
    """The chance by these runs, remembered: a search asks for what was learned a moment ago."""
    width = np.frombuffer(groups, dtype=np.int64)
    runs = Runs(
        np.frombuffer(X).reshape(-1, len(width)),
        np.frombuffer(y),
        np.frombuffer(task, dtype=np.int64),
        np.frombuffer(offset),
        np.ones(len(y)),
    )
    basis = Basis.of(runs.X, width)
    Phi = basis.at(runs.X)
    fit = logistic.fit(Phi, runs.y, runs.task, runs.offset, basis.kinds)
    found = evidence(Phi, runs, basis.kinds, fit)
    if found < ENOUGH:
        return None
    return Chance(basis, fit.b, fit.mean, fit.deviations.tasks, found)


@dataclass(frozen=True, eq=False)
class TaskChance:
    """The chance of failure in one task."""

    chance: Chance
    at: FloatArray  # (2,) a and c
    covariance: FloatArray  # (2, 2)

    def log_odds(self, X: FloatArray) -> FloatArray:
        """Of failure at features X (m, d), a mean over what is not known of a and c: the odds of a
        normal variable with that mean and variance (MacKay 1992)."""
        return self._by_slopes(self.chance.slopes(X))[0]

    def _by_slopes(self, f: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The log odds where the slopes' part is f, and their derivative by it."""
        (a, c), ((aa, ac), (_, cc)) = self.at.tolist(), self.covariance.tolist()
        wide = 1.0 + np.pi / 8.0 * (aa + f * (2.0 * ac + f * cc))
        odds = (a + c * f) / np.sqrt(wide)
        return odds, c / np.sqrt(wide) - np.pi / 8.0 * (ac + f * cc) * odds / wide

    def failure(self, X: FloatArray) -> FloatArray:
        """The chance of failure, (m,)."""
        return np.asarray(expit(self.log_odds(X)))

    def log_success(self, X: FloatArray) -> FloatArray:
        """The log of the chance that a run finishes, (m,)."""
        return np.asarray(log_expit(-self.log_odds(X)))

    def log_success_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same, and its gradient by X, (m, d)."""
        f, by_x = self.chance.slopes_gradient(X)
        odds, by_f = self._by_slopes(f)
        return np.asarray(log_expit(-odds)), (-expit(odds) * by_f)[:, None] * by_x
