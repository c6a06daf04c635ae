"""What predictions are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

LEAST_PROBABILITY = 1e-6
"""Below that a probability counts as this in the log loss."""


class NotFiniteError(ArithmeticError):
    """A prediction that is no number."""


def scores_of(target: Any, labels: Any, scores: Any, *, probabilities: bool) -> dict[str, float]:
    """Error, AUC, and the log loss if `scores` (n, k) are probabilities."""
    if not np.isfinite(scores).all():
        raise NotFiniteError("scores")
    found = {"error": float(np.mean(labels != target)), "auc": auc(target, scores)}
    if probabilities:
        likely = np.clip(scores[np.arange(len(target)), target], LEAST_PROBABILITY, 1.0)
        found["log_loss"] = float(-np.log(likely).mean())
    return found


def regression_scores(target: Any, predicted: Any) -> dict[str, float]:
    """Root mean squared error and mean absolute error."""
    if not np.isfinite(predicted).all():
        raise NotFiniteError("predictions")
    with np.errstate(over="ignore"):
        rmse = float(np.sqrt(np.mean((predicted - target) ** 2)))
    if not np.isfinite(rmse):
        raise NotFiniteError("squared errors")
    return {"rmse": rmse, "mae": float(np.abs(predicted - target).mean())}


def auc(target: Any, scores: Any) -> float:
    """Of each class against all others, the mean over the classes that occur."""
    areas = []
    for k in range(scores.shape[1]):
        inside = target == k
        n, m = int(inside.sum()), int((~inside).sum())
        if n and m:
            ranks = rankdata(scores[:, k])[inside].sum()
            areas.append((ranks - n * (n + 1) / 2) / (n * m))
    return float(np.mean(areas)) if areas else float("nan")
