"""Weighing: what is added to the log of an acquisition at some configurations.

The gain of a cover and expected improvement say how much a trial may bring. Whether it is worth
that depends on what it costs and on whether it ends at all: each such reason is a `Weight`, and the
acquisition is multiplied by the product of all. Without weights an acquisition is left as it is, to
the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.coordinates import SmoothCoordinates
from ringfence.optimize.log import TrialLog
from ringfence.optimize.trial import Trial

Model = TypeVar("Model")
LEAST = 1e-300  # an acquisition below counts as this, since it has a logarithm


class Weight(Protocol):
    """One reason to prefer some configurations, whatever they may bring."""

    def log_weights(self, rows: FloatArray, log: TrialLog) -> FloatArray:
        """What is added to the log of an acquisition at rows of the layout (m, names), given the
        trials so far, shape (m,). A constant changes nothing."""

    def with_gradient(self, rows: FloatArray, log: TrialLog) -> tuple[FloatArray, FloatArray]:
        """The same, and its gradient by the numeric coordinates of the rows, (m, names); 0 for the
        others."""


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
        return RowWeights(self, log) if self else None


@dataclass(frozen=True, eq=False)
class RowWeights:
    """What is added to the log of an acquisition at rows (m, names), after some trials."""

    weighing: Weighing
    log: TrialLog

    def __call__(self, rows: FloatArray) -> FloatArray:
        """At these rows, (m,)."""
        return self.weighing.log_weights(rows, self.log)

    def with_gradient(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same, and its gradient by the numeric coordinates of the rows, (m, names)."""
        total, gradient = np.zeros(len(rows)), np.zeros(rows.shape)
        for weight in self.weighing.weights:
            values, by_rows = weight.with_gradient(rows, self.log)
            total += values
            gradient += by_rows
        return total, gradient


@dataclass(frozen=True, eq=False)
class Slopes:
    """Weights along search coordinates."""

    weights: RowWeights
    coordinates: SmoothCoordinates

    def at(self, u: FloatArray) -> FloatArray:
        """The weights at coordinates u (k, q), (k,)."""
        return self.weights(self.coordinates.rows(u))

    def with_gradient(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The weights (k,) and their gradient (k, q)."""
        rows, pull = self.coordinates.linearized_rows(u)
        values, by_rows = self.weights.with_gradient(rows)
        return values, pull(by_rows)


class Remembered(Generic[Model]):
    """What follows from the trials so far, found once: a climb asks for it again and again."""

    def __init__(self, find: Callable[[TrialLog], Model]) -> None:
        self.find = find
        self._trials: list[Trial] | None = None
        self._model: Model

    def __call__(self, log: TrialLog) -> Model:
        """By the trials of a log."""
        if self._trials != log.trials:  # quick: most are the same objects
            self._model, self._trials = self.find(log), list(log.trials)
        return self._model
