"""The runs of earlier tasks, failed or not, as few as a model needs.

All failures of a task count alike, so that a choice of its failed and of its other runs only shifts
the log odds of the task, by a known offset (case-control sampling): rare failures are all kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray

MOST_RUNS = 256  # of a task, at most half of them failed: four tasks tell the edge to 1 % of ranks
MOST_IN_ALL = 4096  # of all tasks: a fit takes a tenth of a second


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of several tasks in the order of the tasks."""

    X: FloatArray  # (n, d) features
    y: FloatArray  # (n,) 1 if failed
    task: IntArray  # (n,)
    offset: FloatArray  # (n,) of the log odds, by the choice of runs
    weight: FloatArray  # (n,) how many runs each stands for

    @classmethod
    def of(
        cls,
        passed: Sequence[FloatArray],
        failed: Sequence[FloatArray],
        names: Sequence[str] | None = None,
        seed: int = 0,
    ) -> Runs:
        """A choice of the runs of each task, given as features (n, d) of both kinds. It follows
        from the name of the task, so that the choices of two tasks have nothing in common, and a
        task that joins leaves those of the others as they are, or takes some away."""
        names = [str(t) for t in range(len(passed))] if names is None else names
        most = max(16, min(MOST_RUNS, MOST_IN_ALL // max(len(passed), 1)))
        X, y, task, offset, weight = [], [], [], [], []
        for t, (name, good, bad) in enumerate(zip(names, passed, failed)):
            rng = np.random.default_rng([seed, *name.encode()])
            some_bad = bad[_choice(len(bad), most // 2, rng)]
            some_good = good[_choice(len(good), most - len(some_bad), rng)]
            n = len(some_good) + len(some_bad)
            X += [some_good, some_bad]
            y += [np.zeros(len(some_good)), np.ones(len(some_bad))]
            task.append(np.full(n, t))
            kept_bad, kept_good = _kept(some_bad, bad), _kept(some_good, good)
            offset.append(np.full(n, np.log(kept_bad / kept_good)))
            weight += [np.full(len(some_good), 1 / kept_good), np.full(len(some_bad), 1 / kept_bad)]
        return cls(*map(np.concatenate, (X, y, task, offset, weight)))

    @property
    def informative(self) -> IntArray:
        """The tasks in which some runs failed and others did not: only they compare."""
        T = int(self.task.max(initial=-1)) + 1
        failed, runs = np.bincount(self.task, self.y, T), np.bincount(self.task, minlength=T)
        return np.flatnonzero((failed > 0) & (failed < runs))

    def without(self, tasks: IntArray) -> BoolArray:
        """Which runs are of other tasks, (n,)."""
        return ~np.isin(self.task, tasks)


def _choice(n: int, most: int, rng: np.random.Generator) -> IntArray:
    return np.sort(rng.permutation(n)[:most])


def _kept(some: FloatArray, every: FloatArray) -> float:
    return len(some) / len(every) if len(every) else 1.0
