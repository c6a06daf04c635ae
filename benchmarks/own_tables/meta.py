"""Meta-features of prepared tasks: the paper's four by `rf.meta_features`, and the usual ones.

Landmarks are errors (RMSE in standard deviations for a regression) of plain learners in the same
five folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.own_tables.encoding import Fold
from benchmarks.own_tables.prepare import FOLDS, Task

LANDMARKS = ("stump", "tree", "nearest", "linear")
KEPT_VARIANCE = 0.95


def meta_features(task: Task) -> dict[str, float]:
    """All of them, by name; what a regression has no meaning for is NaN."""
    columns = {
        f"x{j}": pl.Series(values, nan_to_null=True).cast(pl.Int64).cast(pl.String)
        if task.categorical[j]
        else pl.Series(values.astype(float), nan_to_null=True)
        for j, values in enumerate(task.features.T)
    }
    found = {k: float("nan") for k in ("class_imbalance", "naive_bayes_error")}
    found |= rf.meta_features(pl.DataFrame(columns), task.target, classification=bool(task.classes))
    return found | _shape(task) | _numbers(task) | _target(task) | _landmarks(task)


def _shape(task: Task) -> dict[str, float]:
    n, p = task.features.shape
    levels = [len(np.unique(c[~np.isnan(c)])) for c in task.features.T[task.categorical]]
    return {
        "n_classes": float(task.classes) if task.classes else float("nan"),
        "rows_per_feature": n / p,
        "share_categorical": float(task.categorical.mean()),
        "share_missing": float(np.isnan(task.features).mean()),
        "most_levels": float(max(levels, default=0)),
        "share_binary": float(np.mean([len(np.unique(c[~np.isnan(c)])) == 2
                                       for c in task.features.T])),
    }  # fmt: skip


def _numbers(task: Task) -> dict[str, float]:
    """Of the columns that the learners see once scaled, over all but one fold."""
    scaled = Fold(task, 0).scaled[0]
    scaled = scaled[:, scaled.std(0) > 0]
    correlations = np.atleast_2d(np.corrcoef(scaled.T))
    upper = np.abs(correlations[np.triu_indices(len(correlations), 1)])
    variances = np.sort(np.linalg.eigvalsh(correlations))[::-1]
    needed = int(np.searchsorted(np.cumsum(variances) / variances.sum(), KEPT_VARIANCE)) + 1
    return {
        "n_indicators": float(scaled.shape[1]),
        "mean_correlation": float(upper.mean()) if upper.size else 0.0,
        "mean_skewness": float(np.abs((scaled**3).mean(0)).mean()),
        "mean_kurtosis": float((scaled**4).mean(0).mean() - 3),
        "share_of_components": needed / len(correlations),
    }


def _target(task: Task) -> dict[str, float]:
    if task.classes:
        shares = np.bincount(task.target) / len(task.target)
        entropy = float(-(shares * np.log2(shares)).sum())
        return {
            "smallest_class": float(shares.min()),
            "class_entropy": entropy / np.log2(task.classes),
            "target_skewness": float("nan"),
            "target_kurtosis": float("nan"),
        }
    return {
        "smallest_class": float("nan"),
        "class_entropy": float("nan"),
        "target_skewness": float((task.target**3).mean()),
        "target_kurtosis": float((task.target**4).mean() - 3),
    }


def _landmarks(task: Task) -> dict[str, float]:
    losses: dict[str, list[float]] = {name: [] for name in LANDMARKS}
    for fold in (Fold(task, k) for k in range(FOLDS)):
        train, wanted = fold.targets
        for name, model in _plain_learners(bool(task.classes)).items():
            predicted = model.fit(fold.scaled[0], train).predict(fold.scaled[1])
            wrong = predicted != wanted if task.classes else (predicted - wanted) ** 2
            losses[name].append(float(np.mean(wrong)))
    means = {f"landmark_{name}": float(np.mean(values)) for name, values in losses.items()}
    return means if task.classes else {k: v**0.5 for k, v in means.items()}


def _plain_learners(classification: bool) -> dict[str, Any]:
    from sklearn import linear_model, neighbors, tree

    kind = "Classifier" if classification else "Regressor"
    grown, near = getattr(tree, f"DecisionTree{kind}"), getattr(neighbors, f"KNeighbors{kind}")
    linear = linear_model.RidgeClassifier if classification else linear_model.Ridge
    models = (grown(max_depth=1, random_state=0), grown(random_state=0), near(1), linear())
    return dict(zip(LANDMARKS, models, strict=True))
