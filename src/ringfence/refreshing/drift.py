"""Drift: do new tasks lie elsewhere, or order configurations otherwise, than the past did?

A permutation test. If nothing has changed, any k of the n tasks could have been the new ones, so
what is measured of the k that are new is compared with the same for other k of the n. It needs no
model of the data to be right: the share of false alarms is at most the level, whatever the tasks.
Models only make it find more.

symbol   meaning                                                                       shape
S, C     the k tasks that are called new, and the others                               masks
y_i      normal scores of task i's values, centred, of length one                      (n_i,)
f_ij     what a model of task j expects at the configurations of task i                (n_i,)
G        y_i · f_ij, 0 for j = i                                                       (n, n)
H_i      f_ij · f_il, likewise                                                         (n, n, n)
D        distances between the best configurations of the tasks                       (n, n)

Three statistics: `outside`, the energy distance between the best configurations of S and of C;
`order`, how little the tasks of S follow the mean expectation of C; and `together`, how much more
the tasks of S follow each other than those of C. The smallest of their three p-values is compared
with its own distribution, so that looking at three costs what it costs and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from typing import Literal, TypeAlias

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.checking.belief.scores import normal_scores

Kind: TypeAlias = Literal["outside", "order", "together"]

ROWS = 64  # of a task: more cost n² and find little more
BEST = 16  # one in so many rows of a task, at least one, are its best configurations
NOISE = 0.3  # of the variance of the scores: models here are for order, not for values
REACH = 0.5  # length scale of the models for one column, in widths of the space; grows as d^(1/4)
SUBSETS = 1999  # random sets of k tasks, where there are more than that
TINY = 1e-9  # a difference between two statistics that rounding can make
KINDS: tuple[Kind, ...] = ("outside", "order", "together")


@dataclass(frozen=True)
class Verdict:
    """What the test says of the new tasks."""

    p: float
    """The share of sets of tasks that look at least as new."""
    kinds: tuple[Kind, ...]
    """What is most unusual about them."""
    least: float
    """The smallest share that so few tasks can have."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What is known of how tasks are like each other."""

    best: FloatArray
    """(n, d) where their best configurations are."""
    G: FloatArray
    H: FloatArray

    @classmethod
    def of(cls, X: Sequence[FloatArray], values: Sequence[FloatArray]) -> Compared:
        """From the features (n_i, d) and values (n_i,) of each task, the lower the better."""
        picked = [_spread(len(y)) for y in values]
        X = [x[rows] for x, rows in zip(X, picked)]
        scores = [normal_scores(y[rows]) for y, rows in zip(values, picked)]
        return cls(_best(X, scores), *_agreement(X, scores))

    def first(self, n: int) -> Compared:
        """The first n of the tasks."""
        return Compared(self.best[:n], self.G[:n, :n], self.H[:n, :n, :n])

    def judged(self, new: int) -> Verdict:
        """The last `new` of the tasks against the others."""
        masks = _subsets(len(self.best), new)
        measured = (_outside(self.best, masks), *_orders(self.G, self.H, masks))
        return _smallest(np.column_stack(measured))


def _spread(n: int) -> IntArray:
    """At most ROWS rows, evenly spaced in the order in which they were run."""
    return np.unique(np.linspace(0, n - 1, min(n, ROWS)).round().astype(int))


def _subsets(n: int, k: int) -> BoolArray:
    """Sets of k of the n tasks, each a row; the first is that of the last k."""
    if comb(n, k) <= SUBSETS + 1:
        sets = np.array(list(combinations(range(n), k)))[::-1]
    else:
        rng = np.random.default_rng([n, k])
        drawn = rng.random((SUBSETS, n)).argpartition(k, axis=1)[:, :k]
        sets = np.concatenate([np.arange(n - k, n)[None], drawn])
    masks = np.zeros((len(sets), n), dtype=bool)
    np.put_along_axis(masks, sets, True, axis=1)
    return masks


def _best(X: Sequence[FloatArray], scores: Sequence[FloatArray]) -> FloatArray:
    """The mean of the best configurations of each task, (n, d)."""
    first = [np.argsort(y, kind="stable")[: max(1, len(y) // BEST)] for y in scores]
    return np.array([x[rows].mean(axis=0) for x, rows in zip(X, first)])


def _outside(best: FloatArray, masks: BoolArray) -> FloatArray:
    """The energy distance between the best configurations of S and of C, for each S."""
    D = np.sqrt(((best[:, None] - best[None]) ** 2).sum(-1))
    S, C = masks.astype(float), (~masks).astype(float)
    k, m = S.sum(1), C.sum(1)
    across, inner, outer = ((S @ D) * C).sum(1), ((S @ D) * S).sum(1), ((C @ D) * C).sum(1)
    return np.asarray(2 * across / (k * m) - inner / k**2 - outer / m**2)


def _agreement(
    X: Sequence[FloatArray], scores: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """G and H."""
    n, width = len(X), REACH * X[0].shape[1] ** 0.25
    weights = []
    for x, y in zip(X, scores):
        kernel = _kernel(x, x, width)
        kernel[np.diag_indices(len(x))] += NOISE
        weights.append(np.linalg.solve(kernel, y))
    every, weight = np.concatenate(X), np.concatenate(weights)
    first = np.cumsum([0, *map(len, X[:-1])])
    G, H = np.zeros((n, n)), np.zeros((n, n, n))
    for i, (x, y) in enumerate(zip(X, scores)):
        f = np.add.reduceat(_kernel(x, every, width) * weight, first, axis=1).T
        f -= f.mean(axis=1, keepdims=True)
        f[i] = 0.0
        y = y - y.mean()
        length = sqrt(float(y @ y))
        G[i], H[i] = f @ y / (length or 1.0), f @ f.T
    return G, H


def _kernel(A: FloatArray, B: FloatArray, width: float) -> FloatArray:
    squares = (A**2).sum(1)[:, None] + (B**2).sum(1) - 2 * A @ B.T
    return np.asarray(np.exp(-np.maximum(squares, 0.0) / (2 * width**2)))


def _orders(G: FloatArray, H: FloatArray, masks: BoolArray) -> tuple[FloatArray, FloatArray]:
    """`order` and `together`, for each S."""
    S, C = masks.astype(float), (~masks).astype(float)
    own = np.sqrt(np.einsum("ijj->ij", H))
    R = np.divide(G, own, out=np.zeros_like(G), where=own > TINY)
    R = (R + R.T) / 2
    k, m = S.sum(1), C.sum(1)
    pairs = np.maximum(k * (k - 1), 1)
    together = ((S @ R) * S).sum(1) / pairs - 2 * ((S @ R) * C).sum(1) / (k * m)
    against = np.zeros(len(S))
    for i in range(len(G)):
        chosen = masks[:, i]
        rest = C[chosen]
        length = np.sqrt(np.maximum(((rest @ H[i]) * rest).sum(1), 0.0))
        followed = np.divide(rest @ G[i], length, out=np.zeros(len(rest)), where=length > TINY)
        against[chosen] -= followed
    return against, together


def _smallest(statistics: FloatArray) -> Verdict:
    """The p-value of the smallest of the p-values; the first row is that of the new tasks."""
    p = np.column_stack([_shares(column) for column in statistics.T])
    smallest = p.min(axis=1)
    share = float((smallest <= smallest[0] + TINY).mean())
    kinds = tuple(kind for kind, own in zip(KINDS, p[0]) if own <= smallest[0] + TINY)
    return Verdict(share, kinds, 1.0 / len(p))


def _shares(values: FloatArray) -> FloatArray:
    """The share of the values that are at least as large, for each."""
    ordered = np.sort(values)
    slack = TINY * max(1.0, float(np.abs(values).max()))
    return 1.0 - np.searchsorted(ordered, values - slack, side="left") / len(values)
