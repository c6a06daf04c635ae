"""Configurations among which a transfer method chooses, and what the source models predict there.

Of a list: its rows, or a random choice if they are many. Of a region: uniform draws and the best
rows of the earlier tasks inside it. Either way also neighbors of the best trials so far. The models
predict the fixed candidates once, and as many neighbors as take a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.optimize.domain.domain import Domain, each_once
from ringfence.optimize.search.maximize import admissible, steps
from ringfence.optimize.transfer.source_models import SourceModels
from ringfence.optimize.transfer.sources import Source

DRAWS = 1500  # from a region, uniformly
MOST_LISTED = 4000  # rows of a list
TOP = 0.05  # share of each earlier task's rows that are candidates in a region
MOST_TOP = 500  # of those, in all tasks together
COMPLETIONS = 8  # draws for what a task does not know of one of its best rows
BEST_TRIALS = 3  # trials that have neighbors
KERNELS = 200_000  # evaluations of the kernel for the neighbors, a few milliseconds
FEWEST_NEIGHBORS, MOST_NEIGHBORS = 16, 128


class Candidates:
    """The fixed candidates of one domain, and the neighbors of given rows."""

    def __init__(
        self, domain: Domain, models: SourceModels, sources: Sequence[Source], seed: int
    ) -> None:
        self.domain = domain
        self.models = models
        self.sources = sources
        self.seed = seed
        self._predictions: dict[bytes, FloatArray] = {}
        work = sum(len(task.alpha) for task in models.tasks)
        self.n_neighbors = int(np.clip(KERNELS // max(work, 1), FEWEST_NEIGHBORS, MOST_NEIGHBORS))

    @cached_property
    def rows(self) -> FloatArray:
        """The fixed candidates, (m, names), each once."""
        rng = np.random.default_rng([self.seed, DRAWS])
        pool = self.domain.pool
        if pool is not None:
            if len(pool) <= MOST_LISTED:
                return pool
            return pool[np.sort(rng.choice(len(pool), MOST_LISTED, replace=False))]
        rows = np.concatenate([self.domain.draw(DRAWS, rng), self._top()])
        return each_once(self.domain.layout, admissible(self.domain, rows, set()))

    @cached_property
    def F(self) -> FloatArray:
        """The regrets that the models predict at the fixed candidates, (T, m)."""
        return self.models.predict(self.rows)

    def untried(self, tried: Set[bytes]) -> BoolArray:
        """Which of the fixed candidates were not tried, (m,)."""
        return np.array([key not in tried for key in self._keys], dtype=bool)

    def neighbors(
        self, tried: Set[bytes], best: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Untried rows near the `best` ones so far, (k, names): steps, or the nearest of a long
        list."""
        pool, best = self.domain.pool, best[:BEST_TRIALS]
        if not len(best) or (pool is not None and len(pool) <= MOST_LISTED):
            return np.empty((0, len(self.domain.layout.names)))
        if pool is None:
            rows = admissible(self.domain, steps(self.domain, best, rng), tried)
            return rows[: self.n_neighbors]
        features = self.domain.layout.features
        gaps = features(pool) - features(best[:1])
        nearest = np.argsort(np.einsum("ij,ij->i", gaps, gaps), kind="stable")[: self.n_neighbors]
        keys = self.domain.layout.keys(pool[nearest])
        return pool[nearest[[key not in tried for key in keys]]]

    def predict_each(self, rows: FloatArray) -> FloatArray:
        """The regrets that the models predict at rows that were tried, (T, n). Each is predicted
        once and alone: together the last digits could differ, and with them a resumed search."""
        keys = self.domain.layout.keys(rows)
        for key, row in zip(keys, rows):
            if key not in self._predictions:
                self._predictions[key] = self.models.predict(row[None])[:, 0]
        columns = [self._predictions[key] for key in keys]
        return np.array(columns).reshape(len(keys), len(self.models.tasks)).T

    @cached_property
    def _keys(self) -> list[bytes]:
        return self.domain.layout.keys(self.rows)

    def _top(self) -> FloatArray:
        """The best rows of the earlier tasks, from each an equal share of MOST_TOP at most."""
        most = max(1, MOST_TOP // len(self.sources))
        counts = [max(1, min(int(TOP * len(task.values)), most)) for task in self.sources]
        return np.concatenate([self._best(task, k) for task, k in zip(self.sources, counts)])

    def _best(self, task: Source, k: int) -> FloatArray:
        """The k best rows of a task; for what it does not know, of some draws the one that the
        models like best on the mean."""
        rows = task.best(k)[0]
        if not task.unknown:
            return rows
        rng = np.random.default_rng([self.seed, *task.name.encode()])
        draws = self.domain.completed(np.repeat(rows, COMPLETIONS, axis=0), rng)
        total = self.models.predict(draws).sum(axis=0)
        total[~self.domain.layout.inside(draws)] = np.inf
        chosen = total.reshape(len(rows), COMPLETIONS).argmin(axis=1)
        best: FloatArray = draws[np.arange(len(rows)) * COMPLETIONS + chosen]
        return best
