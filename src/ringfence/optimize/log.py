"""TrialLog: the trials of an optimizer so far, and their results."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.trial import Trial


class TrialLog:
    """The trials in the order of their numbers, with their rows beside them."""

    def __init__(self, layout: Layout, trials: Iterable[Trial] = ()) -> None:
        self.layout = layout
        self.trials: list[Trial] = []
        self.tried: set[bytes] = set()
        self._rows: list[FloatArray] = []
        for trial in trials:
            self.add(trial)

    def __len__(self) -> int:
        return len(self.trials)

    def add(self, trial: Trial) -> None:
        """Append a trial; its number must be the next one."""
        row = self.layout.encode([trial.config])
        self.trials.append(trial)
        self._rows.append(row)
        self.tried.update(self.layout.keys(row))

    def settle(self, number: int, **outcome: object) -> Trial:
        """Replace a trial by itself with its outcome."""
        self.trials[number] = msgspec.structs.replace(self.trials[number], **outcome)
        return self.trials[number]

    @property
    def rows(self) -> FloatArray:
        """(n, names)."""
        return np.concatenate(self._rows) if self._rows else np.empty((0, len(self.layout.names)))

    @property
    def running(self) -> BoolArray:
        """Which trials have no result yet."""
        return np.array([trial.state == "running" for trial in self.trials], dtype=bool)

    @property
    def values(self) -> FloatArray:
        """(n,): failed trials count as the worst value so far, running ones are NaN."""
        results = [trial.value for trial in self.trials if trial.value is not None]
        worst = max(results, default=np.nan)
        return np.array(
            [
                worst if trial.state == "failed" else np.nan if trial.value is None else trial.value
                for trial in self.trials
            ]
        )

    @property
    def best(self) -> Trial | None:
        """The finished trial with the smallest value, at the highest budget there is."""
        done = [trial for trial in self.trials if trial.value is not None]
        return min(done, key=lambda t: (-(t.budget or 0.0), t.value, t.number), default=None)
