"""The rule that holds most failures, among those that hold hardly anything else.

symbol   meaning                                                                   shape
S        scores: a run is in the zone of rule k from a threshold on; NaN: never    (K, n)
M        choices: which runs each concerns; the first concerns all                 (Q, n)
w        how many runs each stands for                                             (n,)
barred   runs that no zone may hold, such as a task's best                         (n,)

A zone must hold at least LEAST_FAILED failures of LEAST_TASKS tasks; at least FAILING of its runs
failed, and in each task all but a quarter, one run more or less; and it is at most MOST_SHARE of
the space. A rule with more words must hold a quarter more failures for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray

LEAST_FAILED = 10  # as many runs of a coin that fails half the time all fail once in a thousand
LEAST_TASKS = 2  # a zone of one task says nothing about others
FAILING = 0.9  # share of failed runs in a zone
IN_A_TASK = 0.75  # the same in each of its tasks
MOST_SHARE = 0.25  # of the space
WORDS = 1.25  # times as many failures that a rule with a word more must hold
BARRED = 1e9  # runs that a barred one stands for: no share of failures bears it
TRIED = 12  # rules looked at in each task, those that hold the most failures first


@dataclass(frozen=True, eq=False)
class Marked:
    """Runs and draws of the space with their scores."""

    S: FloatArray
    M: BoolArray
    words: IntArray  # (K,) how long a rule is
    y: FloatArray
    w: FloatArray
    task: IntArray
    barred: BoolArray
    S_space: FloatArray  # (K, N) at uniform draws from the space
    M_space: BoolArray  # (Q, N)

    @cached_property
    def prefixes(self) -> list[tuple[IntArray, IntArray]]:
        """Those of each score, found once for all choices of runs."""
        return [_prefixes(score) for score in self.S]


@dataclass(frozen=True)
class Found:
    """A rule: number of its score and of its choice, and the threshold."""

    score: int
    choice: int
    threshold: float
    cut: bool = False
    """Whether it would go on if it were not for MOST_SHARE."""

    def inside(self, S: FloatArray, M: BoolArray) -> BoolArray:
        """Which runs it holds."""
        with np.errstate(invalid="ignore"):
            return np.asarray((S[self.score] >= self.threshold) & M[self.choice])


def search(runs: Marked, counted: BoolArray | None = None) -> Found | None:
    """The best rule by the `counted` runs (n,), all by default; None if no rule is good enough."""
    w = runs.w if counted is None else np.where(counted, runs.w, 0.0)
    leads = sorted(_leads(runs, w), key=lambda lead: -lead[0])
    for _, k, q in leads[:TRIED]:
        found = _lowest(runs, w, k, q)
        if found is not None:
            return found
    return None


def _leads(runs: Marked, w: FloatArray) -> Iterator[tuple[float, int, int]]:
    """Rules that hold enough by all tasks together: the failures they hold, divided by WORDS for
    each word."""
    Q = len(runs.M)
    every = (w + BARRED * runs.barred * w) * runs.M
    both = np.concatenate([w * runs.y * runs.M, every])  # (2 Q, n)
    for k, (order, ends) in enumerate(runs.prefixes):
        sums = np.cumsum(both.take(order, axis=1), axis=1).take(ends, axis=1)
        failed = sums[:Q]
        good = (failed >= FAILING * sums[Q:]) & (failed >= LEAST_FAILED)
        best = np.where(good, failed, 0.0).max(axis=1, initial=0.0)
        for q in np.flatnonzero(best > 0):
            yield float(best[q]) / WORDS ** (runs.words[k] + 2 * (q > 0)), k, int(q)


def _prefixes(score: FloatArray) -> tuple[IntArray, IntArray]:
    """Runs from the highest score down, and the positions where a threshold can be: the last of
    runs that are equal."""
    order = np.argsort(-score, kind="stable")  # NaN comes last
    order = order[: len(order) - int(np.isnan(score).sum())]
    ends = np.flatnonzero(np.diff(score[order], append=-np.inf))
    return order, ends


def _lowest(runs: Marked, w: FloatArray, k: int, q: int) -> Found | None:
    """The rule with the lowest threshold that all conditions allow."""
    order, ends = runs.prefixes[k]
    weights, y, T = (w * runs.M[q])[order], runs.y[order], int(runs.task.max()) + 1
    by_task = np.zeros((len(order), T))
    by_task[np.arange(len(order)), runs.task[order]] = weights
    every = np.cumsum(by_task, axis=0)[ends]
    failed = np.cumsum(by_task * y[:, None], axis=0)[ends]
    barred = np.cumsum(weights * runs.barred[order])[ends]
    good = allowed(every, failed, barred)
    thresholds = runs.S[k][order[ends]]
    space = np.sort(np.where(runs.M_space[q], runs.S_space[k], -np.inf))
    space = np.where(np.isnan(space), -np.inf, space)
    small = len(space) - np.searchsorted(np.sort(space), thresholds) <= MOST_SHARE * len(space)
    if not (good & small).any():
        return None
    lowest, threshold = thresholds[good][-1], thresholds[good & small][-1]
    return Found(k, q, float(threshold), bool(lowest < threshold))


def allowed(every: FloatArray, failed: FloatArray, barred: FloatArray) -> BoolArray:
    """Which of m zones hold runs as the conditions say, by all and the failed ones that they hold
    of each task (m, T), and the barred ones (m,)."""
    good = (every - failed <= (1.0 - IN_A_TASK) * every + 1.0).all(axis=1)
    good &= (failed > 0).sum(axis=1) >= LEAST_TASKS
    good &= failed.sum(axis=1) >= np.maximum(FAILING * every.sum(axis=1), LEAST_FAILED)
    return np.asarray(good & (barred == 0))
