"""Does failure depend on the configuration, or does it strike anywhere?

A task is left out and its failures are predicted with the slopes of the others. Its own rate is
known either way, so that the comparison is of the slopes alone:

    d_t = log likelihood of task t with the slopes of the others - the same without slopes

Their sum over the tasks counts what two tasks have in common twice, once for each, so that half of
it is compared with log 100: nominally one history in a hundred whose failures are random passes.
docs/failures.md has how many do.
"""

from __future__ import annotations

import math

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.optimize.risk import logistic
from ringfence.optimize.risk.runs import Runs

ENOUGH = math.log(100.0)
FOLDS = 5  # groups of tasks left out together, if there are more
LEAST_TASKS = 2  # with failed and other runs: one alone cannot be compared
LEAST_FAILED = 5  # failed runs in all: fewer have no pattern that could be told


def evidence(Phi: FloatArray, runs: Runs, kinds: IntArray, whole: logistic.Fit) -> float:
    """Half the sum of d_t; `whole` is the fit to all runs, from which the others start."""
    tasks = runs.informative
    if len(tasks) < LEAST_TASKS or runs.y.sum() < LEAST_FAILED:
        return -math.inf
    total = 0.0
    for k in range(min(FOLDS, len(tasks))):
        out = tasks[k::FOLDS]
        kept = runs.without(out)
        _, task = np.unique(runs.task[kept], return_inverse=True)
        fit = logistic.fit(Phi[kept], runs.y[kept], task, runs.offset[kept], kinds, whole)
        for t in out:
            own = runs.task == t
            total += gain(Phi[own] @ fit.b, runs.y[own])
    return total / 2.0


def gain(f: FloatArray, y: FloatArray) -> float:
    """d_t for the runs y of a task and the slopes' part f of their log odds."""
    none = np.zeros_like(f)
    with_slopes = logistic.own_intercept(f, y) + f
    without = logistic.own_intercept(none, y) + none
    return logistic.log_likelihood(with_slopes, y) - logistic.log_likelihood(without, y)
