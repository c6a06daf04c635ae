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
FOLDS = 5  # groups of tasks left out
LEFT_OUT = 0.8  # share of failed runs in the zones of tasks left out, by the rule of the others
AT_ONCE = 16  # rules whose sums are made together: as many as the processor keeps at hand
ROUNDED = 6  # digits of sums of weights: in whatever order, equal sums are equal
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

    def mostly_fail(self, found: Found, below: float) -> bool:
        """Whether most of the runs failed that a rule would hold beyond another threshold. A zone
        bears some that did not, and at its end there may be no others."""
        beyond = found.inside(self.S, self.M, found.begins) & ~found.inside(self.S, self.M, below)
        return bool(2.0 * (self.w[beyond] @ self.y[beyond]) > self.w[beyond].sum())

    @cached_property
    def rankings(self) -> list[tuple[IntArray, BoolArray]]:
        """For each choice its runs from the highest score down, (K, m), and where a threshold can
        be: at the last of runs that are equal. No zone holds more than these m runs, whichever of
        the FOLDS is left out."""
        fold = self.task % FOLDS
        found = []
        for concerned in self.M:
            some = np.flatnonzero(concerned)
            left_out = np.bincount(fold[some], minlength=1).max()
            failed = float(self.w[some] @ self.y[some])
            most = int(failed / (FAILING * self.w.min()) + left_out) + 1
            order, ends = _ranking(self.S[:, some], most)
            found.append((some[order], ends))
        return found


@dataclass(frozen=True)
class Found:
    """A rule: number of its score and of its choice, and the threshold."""

    score: int
    choice: int
    threshold: float
    begins: float
    """The threshold that it would have if it were not for MOST_SHARE."""

    def inside(self, S: FloatArray, M: BoolArray, threshold: float | None = None) -> BoolArray:
        """Which runs it holds, or would hold with another threshold."""
        at = self.threshold if threshold is None else threshold
        with np.errstate(invalid="ignore"):
            return np.asarray((S[self.score] >= at) & M[self.choice])


def search(runs: Marked, counted: BoolArray | None = None) -> Found | None:
    """The best rule by the `counted` runs (n,), all by default; None if no rule is good enough."""
    w = runs.w if counted is None else np.where(counted, runs.w, 0.0)
    held = _held(runs, w) / WORDS ** (runs.words[:, None] + 2.0 * (np.arange(len(runs.M)) > 0))
    leads = np.argsort(-held, axis=None, kind="stable")[:TRIED]
    for k, q in zip(*np.unravel_index(leads[held.flat[leads] > 0.0], held.shape)):
        found = _lowest(runs, w, int(k), int(q))
        if found is not None:
            return found
    return None


def holds(runs: Marked) -> bool:
    """Whether the rules of the other tasks hold in tasks left out."""
    failed = every = 0.0
    for k in range(min(FOLDS, int(runs.task.max()) + 1)):
        own = runs.task % FOLDS == k
        found = search(runs, ~own)
        if found is not None:
            inside = own & found.inside(runs.S, runs.M)
            failed += float(runs.w[inside] @ runs.y[inside])
            every += float(runs.w[inside].sum())
    return every > 0.0 and failed >= LEFT_OUT * every


def _held(runs: Marked, w: FloatArray) -> FloatArray:
    """The failures that each rule holds, (K, Q), by all tasks together; 0 where it cannot hold
    enough of them."""
    every_run, failed_run = w * (1.0 + BARRED * runs.barred), w * runs.y
    held = np.zeros((len(runs.S), len(runs.M)))
    for q, (order, ends) in enumerate(runs.rankings):
        for k in range(0, len(order), AT_ONCE):
            some = slice(k, k + AT_ONCE)
            every = np.cumsum(every_run[order[some]], axis=1)
            failed = np.cumsum(failed_run[order[some]], axis=1)
            failed *= ends[some] & (failed >= FAILING * every)
            held[some, q] = failed.max(axis=1, initial=0.0)
    return np.where(held >= LEAST_FAILED, held, 0.0).round(ROUNDED)


def _ranking(S: FloatArray, most: int) -> tuple[IntArray, BoolArray]:
    """The highest of each row in order, `most` if there are more, NaN last; and which of them end a
    run of equal ones. Of the last one that is not known unless it is the last of all."""
    n = S.shape[1]
    m = min(n, most)
    down = np.where(np.isnan(S), np.inf, -S)
    first = np.broadcast_to(np.arange(n), S.shape)
    if m < n:
        first = np.argpartition(down, m, axis=1)[:, :m]
        down = np.take_along_axis(down, first, axis=1)
    places = np.argsort(down, axis=1)
    down = np.take_along_axis(down, places, axis=1)
    last = np.full((len(S), min(m, 1)), m == n)
    ends = np.hstack([down[:, 1:] != down[:, :-1], last]) & (down < np.inf)
    return np.take_along_axis(first, places, axis=1), ends


def _lowest(runs: Marked, w: FloatArray, k: int, q: int) -> Found | None:
    """The rule with the lowest threshold that all conditions allow."""
    order, ends = (each[k] for each in runs.rankings[q])
    weights, y, T = w[order], runs.y[order], int(runs.task.max()) + 1
    by_task = np.zeros((len(order), T))
    by_task[np.arange(len(order)), runs.task[order]] = weights
    every = np.cumsum(by_task, axis=0)[ends]
    failed = np.cumsum(by_task * y[:, None], axis=0)[ends]
    barred = np.cumsum(weights * runs.barred[order])[ends]
    good = allowed(every, failed, barred)
    thresholds = runs.S[k][order[ends]]
    known = runs.M_space[q] & ~np.isnan(runs.S_space[k])
    space = np.sort(np.where(known, runs.S_space[k], -np.inf))
    small = len(space) - np.searchsorted(space, thresholds) <= MOST_SHARE * len(space)
    if not (good & small).any():
        return None
    lowest, threshold = thresholds[good][-1], thresholds[good & small][-1]
    return Found(k, q, float(threshold), float(lowest))


def allowed(every: FloatArray, failed: FloatArray, barred: FloatArray) -> BoolArray:
    """Which of m zones hold runs as the conditions say, by all and the failed ones that they hold
    of each task (m, T), and the barred ones (m,)."""
    good = (every - failed <= (1.0 - IN_A_TASK) * every + 1.0).all(axis=1)
    good &= (failed > 0).sum(axis=1) >= LEAST_TASKS
    good &= failed.sum(axis=1) >= np.maximum(FAILING * every.sum(axis=1), LEAST_FAILED)
    return np.asarray(good & (barred == 0))
