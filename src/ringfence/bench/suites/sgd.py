"""SGD for ridge regression (section 6.1, appendix A; the data follows Valkov et al. 2018).

symbol    meaning                                                             shape
θ         inputs, standard normal; as many again for validation               (81, p)
u*, ε     weights and noise, standard normal; τ = θ u* + ε                    (p,), (81,)
η, γ, r   learning rate, momentum and regularization, which are to be tuned   scalars

SGD from u = v = 0 runs three epochs, each in an order of its own, on ½(θ_iᵀu − τ_i)² + r‖u‖². The
loss is the root mean squared error on the validation data. Most configurations diverge; an error
counts at most twice that of u = 0, at which every run begins. (A cap of once would leave one task
in thirty, at 256 draws, with nothing but ties.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray, IntArray
from ringfence.bench.cell import Scale
from ringfence.bench.suites.suite import Reference, Suite, on_scale
from ringfence.history import History
from ringfence.learned.full import full_space
from ringfence.space import Config, Float, Space

NAMES = ("learning_rate", "momentum", "regularization")
N_TASKS, N_ROWS, EPOCHS = 30, 81, 3
UPDATES_PER_UNIT = 3  # so that a full run is 81 units, which Hyperband divides by three
MOST = 2.0  # times the error of u = 0
DIGITS = 9  # after the point; processors and libraries differ from the thirteenth on
N_REFERENCE = 1024  # configurations that give a task's best and median loss
SEED = 20191208  # of the data
SCALES: tuple[Scale, Scale] = ("log", "raw")

Tuned: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""η, γ and r of each configuration, each (m,)."""


@dataclass(frozen=True, eq=False)
class RidgeProblem:
    """One ridge regression."""

    inputs: FloatArray
    targets: FloatArray
    order: IntArray
    """Observation of each update."""
    validation: tuple[FloatArray, FloatArray]

    def losses(self, tuned: Tuned, updates: int) -> FloatArray:
        """Validation error (m,) of each configuration after this many updates, all in one run."""
        inputs, targets = self.validation
        most = MOST * float(np.sqrt(np.mean(targets**2)))
        with np.errstate(over="ignore", invalid="ignore"):
            errors = weights_after(self, tuned, updates) @ inputs.T - targets
            rmse = np.sqrt(np.mean(errors**2, axis=1))
        capped: FloatArray = np.fmin(rmse, most)  # NaN counts as diverged
        return np.round(capped, DIGITS)


def weights_after(problem: RidgeProblem, tuned: Tuned, updates: int) -> FloatArray:
    """u (m, p) after this many updates; not finite if SGD diverged."""
    eta, gamma, ridge = (column[:, None] for column in tuned)
    decay = 2 * eta * ridge
    u = np.zeros((len(eta), problem.inputs.shape[1]))
    v = np.zeros_like(u)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in problem.order[:updates]:
            errors = u @ problem.inputs[i, :, None] - problem.targets[i]
            v *= gamma
            v += decay * u
            v += (eta * errors) * problem.inputs[i]
            u -= v
    return u


class SGD(Suite):
    """Thirty ridge regressions; `dims` gives the number of weights of each, in turn."""

    origin = "SGD on 30 ridge regressions, run by this benchmark"
    computed = True
    max_budget = float(EPOCHS * N_ROWS // UPDATES_PER_UNIT)
    space = Space(
        {
            "learning_rate": Float(0.001, 1.0, log=True),
            "momentum": Float(0.3, 0.999),
            "regularization": Float(0.001, 10.0, log=True),
        }
    )

    def __init__(self, name: str, dims: Sequence[int] = (81,)) -> None:
        self.name = name
        self.dims = tuple(dims)
        self.digest = f"sgd {SEED} {self.dims} {N_ROWS} {EPOCHS} {MOST} {DIGITS}"
        self.tasks = tuple(f"ridge-{t:02d}" for t in range(N_TASKS))

    def history(self, tasks: Sequence[str], n: int, seed: int, scale: Scale) -> History:
        """`n` uniform configurations of each task, run in one go."""
        table = pl.concat(self._evaluations(task, n, seed, scale) for task in tasks)
        return History.from_frame(table, task="task", objective="loss", parameters=list(NAMES))

    def evaluate(self, task: str, config: Config, budget: float | None = None) -> float:
        """Validation error after `budget` units of three updates."""
        units = self.max_budget if budget is None else min(budget, self.max_budget)
        eta, gamma, ridge = (np.array([config[name]], dtype=float) for name in NAMES)
        updates = max(1, round(units * UPDATES_PER_UNIT))
        return float(self.problem(task).losses((eta, gamma, ridge), updates)[0])

    @cache  # noqa: B019  # suites live as long as the process
    def reference(self, task: str) -> Reference:
        """The best of many configurations on log scales, the median of as many on raw scales."""
        fine, coarse = (
            self._evaluations(task, N_REFERENCE, SEED, scale)["loss"].to_numpy() for scale in SCALES
        )
        return Reference(float(min(fine.min(), coarse.min())), float(np.median(coarse)))

    @cache  # noqa: B019
    def _evaluations(self, task: str, n: int, seed: int, scale: Scale) -> pl.DataFrame:
        rng = np.random.default_rng([seed, self.tasks.index(task)])
        columns = _uniform(on_scale(self.space, scale), n, rng)
        losses = self.problem(task).losses(columns, EPOCHS * N_ROWS)
        return pl.DataFrame({"task": [task] * n, **dict(zip(NAMES, columns)), "loss": losses})

    @cache  # noqa: B019
    def problem(self, task: str) -> RidgeProblem:
        """The data of a task, always the same."""
        number = self.tasks.index(task)
        rng = np.random.default_rng([SEED, number, self.dims[number % len(self.dims)]])
        weights = rng.standard_normal(self.dims[number % len(self.dims)])
        order = np.concatenate([rng.permutation(N_ROWS) for _ in range(EPOCHS)])
        train, validation = (_observations(weights, rng) for _ in range(2))
        return RidgeProblem(*train, order, validation)


def _observations(weights: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    inputs = rng.standard_normal((N_ROWS, len(weights)))
    return inputs, inputs @ weights + rng.standard_normal(N_ROWS)


def _uniform(space: Space, n: int, rng: np.random.Generator) -> Tuned:
    """`n` uniform configurations of the space as columns."""
    configs = full_space(space).sample(n, seed=rng)
    eta, gamma, ridge = (np.array([c[name] for c in configs], dtype=float) for name in NAMES)
    return eta, gamma, ridge
