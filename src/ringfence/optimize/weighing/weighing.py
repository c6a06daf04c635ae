"""Weighing: what is added to the log of an acquisition at some configurations.

The gain of a cover and expected improvement say how much a trial may bring. Whether it is worth
that depends on what it costs and on whether it ends at all: each such reason is a `Weight`, and the
acquisition is multiplied by the product of all. Without weights an acquisition is left as it is, to
the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.coordinates import SmoothCoordinates
from ringfence.optimize.log import TrialLog

STEP = 1e-5  # of the differences that stand for a gradient, in search coordinates
LEAST = 1e-300  # an acquisition below counts as this, since it has a logarithm


class Weight(Protocol):
    """One reason to prefer some configurations, whatever they may bring."""

    def log_weights(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """What is added to the log of an acquisition at rows of the layout (m, names), given the
        trials so far, shape (m,). A constant changes nothing."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """All weights of a search; false if there are none."""

    weights: tuple[Weight, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.weights)

    def log_weights(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """The sum of all, (m,)."""
        total = np.zeros(len(rows))
        for weight in self.weights:
            total += weight.log_weights(rows, log)
        return total

    def apply(
        self, scores: FloatArray, rows: FloatArray, log: TrialLog, floor: float = 0.0
    ) -> FloatArray:
        """The log of the weighted acquisition, for scores that are at least `floor`; the scores
        themselves if there are no weights."""
        if not self:
            return scores
        return np.log(np.maximum(scores - floor, LEAST)) + self.log_weights(rows, log)

    def at(self, log: TrialLog) -> RowWeights | None:
        """The weights after some trials, as a function of rows; None if there are none."""
        return (lambda rows: self.log_weights(rows, log)) if self else None


RowWeights = Callable[[FloatArray], FloatArray]
"""Rows (m, names) → what is added to the log of an acquisition there, (m,)."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Weights along search coordinates, and their gradient by differences: weights are smooth and
    cheap, and need no derivative of their own."""

    weights: RowWeights
    coordinates: SmoothCoordinates

    def at(self, u: FloatArray) -> FloatArray:
        """The weights at coordinates u (k, q), (k,)."""
        return self.weights(self.coordinates.rows(u))

    def with_gradient(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The weights (k,) and their gradient (k, q)."""
        k, q = u.shape
        ahead = np.vstack([np.zeros(q), STEP * np.eye(q)])  # where they are, and a step each way
        rows = self._repeated.rows((u[:, None] + ahead).reshape(-1, q))
        values = self.weights(rows).reshape(k, q + 1)
        return values[:, 0], (values[:, 1:] - values[:, :1]) / STEP

    @cached_property
    def _repeated(self) -> SmoothCoordinates:
        """Every row once for itself and once for each of its coordinates."""
        base = np.repeat(self.coordinates.base, len(self.coordinates.numeric) + 1, axis=0)
        return SmoothCoordinates(self.coordinates.layout, base)
