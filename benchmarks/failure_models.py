"""Ways to predict the failures of a task from those of others."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk.chance import Chance
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.failure import chance_of

OWN = 20  # runs of the task itself that are known
MOST = 300  # runs that the Gaussian process sees: a fit takes their cube, many times


def predictions(
    layout: Layout, tasks: Sequence[Source], X: FloatArray, y: FloatArray
) -> dict[str, FloatArray]:
    """The chance of failure at X by each way; y says which fail, for the runs that are known."""
    rng = np.random.default_rng(0)
    passed = sum(len(task.rows) for task in tasks)
    failed = sum(len(task.failed) for task in tasks)
    known = rng.permutation(len(y))[:OWN]
    found = {"rate of the others": np.full(len(y), failed / (passed + failed))}
    chance = chance_of(layout, tasks)
    if chance is None:
        chance = Chance.of([], [], layout.groups)
    assert chance is not None
    found["slopes of the others"] = chance.given(X[:0], y[:0] > 0).failure(X)
    found["and 20 runs of its own"] = chance.given(X[known], y[known] > 0).failure(X)
    found["Gaussian process"] = _process(layout, tasks, X, rng)
    return found


def _process(
    layout: Layout, tasks: Sequence[Source], X: FloatArray, rng: np.random.Generator
) -> FloatArray:
    rows = [layout.features(np.concatenate([task.rows, task.failed])) for task in tasks]
    marks = [np.repeat([0, 1], [len(task.rows), len(task.failed)]) for task in tasks]
    seen, y = np.concatenate(rows), np.concatenate(marks)
    some = rng.permutation(len(y))[:MOST]
    kernel = ConstantKernel(10.0) * RBF(np.ones(X.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # length scales of what does not matter are at their bound
        model = GaussianProcessClassifier(kernel, random_state=0).fit(seen[some], y[some])
    return np.asarray(model.predict_proba(X)[:, 1])
