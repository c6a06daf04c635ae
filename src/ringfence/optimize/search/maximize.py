"""Where in the domain is the expected improvement, times the weights, largest?

Of a list every untried row is scored. In a region, uniform draws and steps around the best rows are
scored, a few of them climb together in smooth coordinates of the region, and the ends of the climbs
are rounded, checked and scored again. Nothing that was tried or lies outside is returned.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.coordinates import SmoothCoordinates, with_context
from ringfence.optimize.domain.domain import Domain
from ringfence.optimize.search.acquisition import (
    Surrogate,
    choose_starts,
    log_expected_improvement,
    maximize_acquisition,
)
from ringfence.optimize.surrogates.gp.listed import ListedMoments
from ringfence.optimize.weighing.weighing import RowWeights, Slopes

DRAWS = 512  # from the region, uniformly
STEPS = 128  # around the best rows
STEP = 0.1  # length of a step, in units of the region's width
CLIMBERS = 4


@dataclass(frozen=True, eq=False)
class Search:
    """A search of one domain, from its draws and the best rows so far."""

    domain: Domain
    tried: Set[bytes]
    best_rows: FloatArray
    """Rows to take steps around, (k, names)."""
    context: FloatArray | None = None
    """Columns that the model sees beside the features of a row, the same for all rows."""
    weights: RowWeights | None = None
    """What is added to log EI at some rows."""

    def maximize(
        self, model: Surrogate | ListedMoments, best: float, rng: np.random.Generator
    ) -> FloatArray:
        """The untried row, shape (1, names), with the largest expected improvement below `best`
        that the search finds."""

        if isinstance(model, ListedMoments):
            assert self.domain.pool is not None
            places = self.domain.untried_places(self.tried)
            rows = self.domain.pool[places]
            return rows[[np.argmax(self._scores(rows, model.at(places), best))]]

        def log_ei(rows: FloatArray) -> FloatArray:
            X = with_context(self.domain.layout.features(rows), self.context)
            return self._scores(rows, model.predict(X), best)

        if self.domain.pool is not None:
            rows = self.domain.untried(self.tried)
            return rows[[np.argmax(log_ei(rows))]]
        draws = self.domain.draw(DRAWS, rng)
        rows = np.concatenate([draws, steps(self.domain, self.best_rows, rng)])
        rows = admissible(self.domain, rows, self.tried)
        if not len(rows):
            return self.domain.fresh(self.tried, rng)
        scores = log_ei(rows)
        climbers = rows[choose_starts(scores, CLIMBERS, rng)]
        coordinates = SmoothCoordinates(self.domain.layout, climbers, self.context)
        ends, _ = maximize_acquisition(
            model,
            best,
            coordinates.start,
            *coordinates.bounds,
            coordinates=coordinates,
            slopes=None if self.weights is None else Slopes(self.weights, coordinates),
        )
        summits = admissible(self.domain, coordinates.rows(ends), self.tried)
        rows = np.concatenate([rows[[np.argmax(scores)]], summits])
        return rows[[np.argmax(log_ei(rows))]]

    def _scores(
        self, rows: FloatArray, moments: tuple[FloatArray, FloatArray], best: float
    ) -> FloatArray:
        """log EI of the rows, with their weights."""
        scores = log_expected_improvement(*moments, best)[0]
        return scores if self.weights is None else scores + self.weights(rows)


def admissible(domain: Domain, rows: FloatArray, tried: Set[bytes]) -> FloatArray:
    """The rows, rounded, that lie inside and were not tried."""
    layout = domain.layout
    rows = layout.snap(rows)
    rows = rows[layout.inside(rows)]
    return rows[[key not in tried for key in layout.keys(rows)]]


def steps(domain: Domain, rows: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Rows near `rows`. Of q coordinates, max(0.3 q, 2) move a little on average; each of c
    unordered categories is drawn again with probability 1 / max(c, 2)."""
    if not len(rows):
        return rows
    base = rows[rng.integers(len(rows), size=STEPS)]
    draws = domain.draw(STEPS, rng)
    unordered = np.array([axis is None for axis in domain.layout.axes])
    redrawn = rng.random(base.shape) < 1 / max(unordered.sum(), 2)
    base = np.where(redrawn & unordered, draws, base)
    base = np.where(np.isnan(base), draws, base)  # a new category may switch parameters on
    coordinates = SmoothCoordinates(domain.layout, domain.layout.without_inactive(base))
    start = coordinates.start
    moving = rng.random(start.shape) < max(0.3, 2 / max(start.shape[1], 1))
    ends = start + STEP * moving * rng.standard_normal(start.shape)
    return coordinates.rows(np.clip(ends, *coordinates.bounds))
