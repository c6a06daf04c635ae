"""How well Gaussian Naive Bayes classifies a data set: a landmark that is quick to measure.

symbol   meaning                                       shape
X        features, all numbers                         (n, p)
labels   class of each row, 0 … k - 1                  (n,)
folds    fold of each row: the one it is held out in   (n,)
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray, IntArray

SMOOTHING = 1e-9  # of the largest variance, added to all of them


def cross_validated_error(X: FloatArray, labels: IntArray, folds: IntArray) -> float:
    """Share of the rows that are misclassified by a model of the other folds' rows."""
    n_wrong = 0
    for fold in np.unique(folds):
        held_out = folds == fold
        predicted = _predict(X[~held_out], labels[~held_out], X[held_out])
        n_wrong += int((predicted != labels[held_out]).sum())
    return n_wrong / len(labels)


def stratified_folds(labels: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Folds of equal size, to one row, that share every class as evenly as can be."""
    shuffled = rng.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(len(labels), dtype=np.int64)
    folds[by_class] = np.arange(len(labels)) % count
    return folds


def _predict(X: FloatArray, labels: IntArray, queries: FloatArray) -> IntArray:
    """The likeliest class of each query."""
    smoothing = SMOOTHING * float(X.var(axis=0).max(initial=0.0)) or SMOOTHING
    classes = np.unique(labels)
    scores = np.empty((len(classes), len(queries)))
    for i, label in enumerate(classes):
        rows = X[labels == label]
        variance = rows.var(axis=0) + smoothing
        distance = ((queries - rows.mean(axis=0)) ** 2 / variance).sum(axis=1)
        scores[i] = np.log(len(rows)) - 0.5 * (np.log(variance).sum() + distance)
    best: IntArray = classes[scores.argmax(axis=0)]
    return best
