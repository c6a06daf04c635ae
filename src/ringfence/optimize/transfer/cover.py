"""Configurations that cover the earlier tasks: each task finds a good one among the first few.

symbol   meaning                                                            shape
F        predicted regret of every task at the candidates                   (T, m)
tried    predicted regret of every task at the configurations tried         (T, n)
counts   how many tasks each stands for; None: itself alone                 (T,)
w        weights of the tasks, which sum to one                             (T,)
gain     Σ_t w_t max(0, min_i tried_ti - F_tx): what x adds to the cover    (m,)

The gain is submodular, so a list that always takes the largest next is, at each length, within
1 - 1/e of the best list of that length (Nemhauser et al. 1978), and the first five of ten are the
five that would be chosen alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ringfence.arrays import FloatArray, IntArray

TIE = 1e-6  # weight of the mean, which decides between equal gains
MOST_COMPARED = 100  # observations; of more, evenly spaced ones
TRUST = 4.0  # rate at which weights follow agreement with each further observation


Weigh: TypeAlias = Callable[[FloatArray, float, Sequence[int]], FloatArray]


def gain(F: FloatArray, tried: FloatArray, w: FloatArray) -> FloatArray:
    """What each candidate adds to the cover; before the first trial every task is at its median."""
    covered = tried.min(axis=1, initial=1.0)
    return np.asarray(w @ np.maximum(covered[:, None] - F, 0.0))


def promise(F: FloatArray, tried: FloatArray, w: FloatArray) -> FloatArray:
    """The gain, among equals the better mean; for the first configuration the mean alone."""
    mean = w @ F
    return gain(F, tried, w) - TIE * mean if tried.shape[1] else -mean


def lowest(tried: FloatArray) -> float:
    """The least promise that there can be."""
    return -TIE if tried.shape[1] else -1.0


def greedy_cover(
    F: FloatArray, k: int, weigh: Weigh | None = None, counts: FloatArray | None = None
) -> tuple[IntArray, FloatArray]:
    """k candidates in the order of their gain, and the mean regret of the tasks after each. `weigh`
    turns the promises of all into scores, given its least value and the candidates so far."""
    T, m = F.shape
    counts = np.ones(T) if counts is None else counts
    w = counts / counts.sum()
    order: list[int] = []
    available = np.ones(m, dtype=bool)
    for _ in range(min(k, m)):
        scores = promise(F, F[:, order], w)
        if weigh is not None:
            scores = weigh(scores, lowest(F[:, order]), order)
        scores = np.where(available, scores, -np.inf)
        order.append(int(scores.argmax()))
        available[order[-1]] = False
    covered = np.minimum.accumulate(F[:, order], axis=1)
    return np.array(order, dtype=np.int64), np.average(covered, axis=0, weights=counts)


def agreement_weights(
    tried: FloatArray, y: FloatArray, counts: FloatArray | None = None
) -> FloatArray:
    """Weights (T,), high for tasks that order the observations y (n,) as the new one does.

    w_t ∝ c_t exp(-TRUST n χ_t), c_t the task's count and χ_t the share of pairs that task t orders
    differently; a tie is half a disagreement. `tried` (T, n) holds the tasks' predictions at the
    observations.
    """
    T, n = tried.shape
    compared = slice(None, None, -(-n // MOST_COMPARED) or 1)
    tried, y = tried[:, compared], y[compared]
    first, second = np.triu_indices(len(y), 1)
    counts = np.ones(T) if counts is None else counts
    if not len(first):
        return np.asarray(counts / counts.sum())
    worse = np.greater(y[first], y[second]).astype(float) - np.less(y[first], y[second])
    agree = np.sign(tried[:, first] - tried[:, second]) * worse
    chi = (1.0 - agree).mean(axis=1) / 2.0
    w = counts * np.exp(-TRUST * n * (chi - chi.min()))
    return np.asarray(w / w.sum())
