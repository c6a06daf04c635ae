"""ABLR: adaptive Bayesian linear regression over several tasks (Perrone et al. 2018).

A network that all tasks share maps configurations to features, three layers of 50 tanh units; each
task has a Bayesian linear regression on them. Network and regressions are learned together by the
marginal likelihood, with L-BFGS and exact gradients, at a cost linear in the evaluations.

A task that is to be predicted should stay out of that fit: give it no rows, and add them by
`with_task`, which leaves the network as it is. Otherwise the network would learn its few rows by
heart and be far too certain elsewhere. With a single task the prior holds the network near its
random start, and little more than the stretch of each input adapts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

from ringfence.arrays import FloatArray
from ringfence.checks import generator, integer
from ringfence.errors import SettingError
from ringfence.optimize.surrogates.ablr.linear_head import HeadPrior, condition, fit_head
from ringfence.optimize.surrogates.ablr.network import Network, NetworkShape
from ringfence.optimize.surrogates.ablr.objective import ABLROptions, Objective, objective_of
from ringfence.optimize.surrogates.ablr.task import (
    Inputs,
    TaskData,
    TaskModel,
    task_data,
    with_known_units,
)

MAX_ITERATIONS = 50  # more make the network more certain of its tasks, not better on the next
MEMORY = 20  # steps that L-BFGS remembers
TOLERANCE = 1e-7  # of the objective, relative


@dataclass(frozen=True, eq=False)
class ABLR:
    """A fitted model of several tasks."""

    tasks: tuple[TaskModel, ...]
    theta: FloatArray  # the network's parameters
    anchor: FloatArray  # where they started
    prior: HeadPrior  # of the regression of a task that the network did not learn from
    seed: int
    options: ABLROptions

    def task(self, index: int) -> TaskModel:
        """The model of one task, for predictions that do not name it."""
        return self.tasks[_number(index, len(self.tasks))]

    def predict(self, index: int, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of a task's objective without its noise, each (m,), in its units."""
        return self.task(index).predict(X)

    def predict_with_gradient(
        self, index: int, X: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Mean (m,), variance (m,) and their gradients by X, each (m, d)."""
        return self.task(index).predict_with_gradient(X)

    def with_task(
        self,
        index: int,
        X: FloatArray,
        y: FloatArray,
        *,
        refit: bool = False,
        max_iterations: int = MAX_ITERATIONS,
    ) -> ABLR:
        """The model with other evaluations of one task; `index` may be one past the last.

        Only that task's regression changes, in closed form, unless `refit` has the network learn
        from all tasks again, starting where it is.
        """
        number = _number(index, len(self.tasks) + 1)
        before, after = self.tasks[:number], self.tasks[number + 1 :]
        network, inputs = self.tasks[0].network, self.tasks[0].inputs
        data = task_data(number, X, y, compressed=self.options.compressed)
        others = [model.data for model in before + after]
        _one_width([self.tasks[0].data.X, data.X])
        if refit:
            everyone = [*others[:number], data, *others[number:]]
            return fit_ablr(
                [(task.X, task.y) for task in everyone],
                seed=self.seed,
                start=self,
                max_iterations=max_iterations,
                options=self.options,
            )
        data = with_known_units(data, others)
        head = fit_head(network.features(inputs.standardize(data.X)), data.values.y, self.prior)
        return replace(self, tasks=(*before, TaskModel(network, inputs, head, data), *after))


def fit_ablr(
    tasks: Sequence[tuple[FloatArray, FloatArray]],
    *,
    seed: int = 0,
    start: ABLR | None = None,
    max_iterations: int = MAX_ITERATIONS,
    options: ABLROptions | None = None,
) -> ABLR:
    """Fit to tasks (X, y): features (n_t, d), numbers in [0, 1] and one-hot / √2; values (n_t,).

    A task may have one row or none. An earlier fit as `start` gives parameters to begin with, and
    the anchor of their prior; it must have the same features.
    """
    options = options or ABLROptions()
    raw = [task_data(t, *task, compressed=options.compressed) for t, task in enumerate(tasks)]
    data = [with_known_units(task, raw) for task in raw]
    shape = NetworkShape(_one_width([task.X for task in data]), options.width, options.depth)
    if start is not None and start.theta.size != shape.size:
        raise SettingError("start was fitted to other features or another network: leave it out")
    rows = np.concatenate([task.X for task in data])
    inputs = Inputs.of(rows) if start is None else start.tasks[0].inputs
    anchor = shape.draw(generator(seed)) if start is None else start.anchor
    objective = objective_of(shape, anchor, inputs.standardize(rows), data, options)
    theta, scales = _search(objective, start, max_iterations)
    has_rows = np.array([len(task.y) > 1 for task in data])
    prior = objective.prior
    if has_rows.any():
        prior = replace(prior, log_signal=float(scales[has_rows, 0].mean()))
    network = shape.network(theta)
    models = [_model(network, inputs, task, scales[t], prior) for t, task in enumerate(data)]
    return ABLR(tuple(models), theta, anchor, prior, seed, options)


def _search(
    objective: Objective, start: ABLR | None, max_iterations: int
) -> tuple[FloatArray, FloatArray]:
    """The network's parameters and the tasks' scales at which L-BFGS stops."""
    z = fmin_l_bfgs_b(
        objective,
        _first(objective, start),
        bounds=objective.bounds(),
        m=MEMORY,
        maxiter=max_iterations,
        factr=TOLERANCE / np.finfo(float).eps,
    )[0]
    return objective.theta(z), objective.scales(z)


def _first(objective: Objective, start: ABLR | None) -> FloatArray:
    """The z to begin with: the prior's mean, or the end of an earlier fit."""
    scales = np.tile(objective.prior.mean, (objective.n_tasks, 1))
    if start is None:
        return objective.z(objective.anchor, scales)
    for t, model in enumerate(start.tasks[: objective.n_tasks]):
        scales[t] = model.head.scales
    lower, upper = objective.bounds().T
    return np.clip(objective.z(start.theta, scales), lower, upper)


def _model(
    network: Network, inputs: Inputs, data: TaskData, scales: FloatArray, prior: HeadPrior
) -> TaskModel:
    """A task's model at the scales fitted with the network; without rows, at those of its prior."""
    Phi = network.features(inputs.standardize(data.X))
    head = condition(Phi, data.values.y, scales if len(data.y) else prior.mean)
    return TaskModel(network, inputs, head, data)


def _one_width(features: Sequence[FloatArray]) -> int:
    """The number of features that all tasks share."""
    if not features:
        raise SettingError("there are no tasks to fit: pass at least one, which may be empty")
    widths = sorted({int(X.shape[1]) for X in features})
    if len(widths) > 1:
        raise SettingError(f"tasks have {' and '.join(map(str, widths))} features: make them equal")
    return widths[0]


def _number(index: int, count: int) -> int:
    number = integer(index, "the index of a task", 0)
    if number is None or number >= count:
        raise SettingError(f"there is no task {index}: the last is {count - 1}")
    return number
