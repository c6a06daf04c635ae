"""Tables whose rows are uniform draws from a known space, so that the truth can be computed.

    k random configurations of the full space    k rows, each with its weight
    k random configurations inside a region      k of the rows inside; rows in which the same
                                                 parameters are active have together the weight
                                                 that they have in the full space

Regret is 0 at the best row of a task and 1 at its median row and beyond. Expectations are exact,
for draws with replacement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.tables import TABLES
from ringfence.arrays import FloatArray, IntArray
from ringfence.bench.suites.sgd import SGD
from ringfence.checking.belief.regret_scale import FULL_DRAWS
from ringfence.checking.left_out.tasks import DRAWS
from ringfence.history import usable_rows
from ringfence.learned.blocks import Block, rows_inside
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import tasks_of
from ringfence.space import Categorical, Choice, Float, Space

FEWEST_ROWS, MOST_ROWS = 400, 3000  # of a task
TOY = "sgd_toy"
LOG_SCALES = {"xgboost_memento_openml": ("eta", "min_child_weight"),
              "xgboost_rbv2_surrogate": ("min_child_weight",)}  # fmt: skip
GRIDS = {
    "fcnet_tabular": ("batch_size", "dropout_1", "dropout_2", "init_lr", "n_units_1", "n_units_2"),
    "mlp_hpobench": ("alpha", "batch_size", "depth", "learning_rate_init", "width"),
    "gbc_pmlb16": ("learning_rate", "n_estimators"),
    "rf_pmlb16": ("n_estimators", "min_weight_fraction_leaf"),
    "svc_pmlb164": ("C", "gamma", "degree", "coef0"),
}
"""Parameters of which a table has a few values each: as ordered choices its rows are uniform."""
EVEN = {"svc_pmlb164": "kernel"}
"""A parameter of which the table has more rows for one choice than for another."""
OTHER_OBJECTIVES = {
    "svc_pmlb164:macro_f1": "maximize",
    "svm_rbv2_surrogate:logloss": "minimize",
    "xgboost_rbv2_surrogate:logloss": "minimize",
}
"""The same rows judged otherwise."""
CHOSEN_ON = ("gbc_pmlb16", "mlp_hpobench", "rf_sklearn_openml100", "svm_rbv2_surrogate",
             "xgboost_memento_openml", TOY)  # fmt: skip
"""The tables on which the constants of the check were chosen."""
NAMES = (*TABLES, TOY, *OTHER_OBJECTIVES)


def expected_best(values: FloatArray, weights: FloatArray, draws: Sequence[int]) -> FloatArray:
    """The expected smallest of k draws with replacement, for each k."""
    order = np.argsort(values, kind="stable")
    beyond = np.clip(1.0 - np.cumsum(weights[order]) / weights.sum(), 0.0, 1.0)
    beyond = np.concatenate([[1.0], beyond[:-1], [0.0]])
    chances = beyond ** np.array(draws, dtype=float)[:, None]
    return np.asarray((chances[:, :-1] - chances[:, 1:]) @ values[order])


@dataclass(frozen=True, eq=False)
class TableTask:
    """All rows of one task."""

    name: str
    rows: FloatArray
    values: FloatArray
    weights: FloatArray

    @cached_property
    def regret(self) -> FloatArray:
        order = np.argsort(self.values, kind="stable")
        middle = np.searchsorted(np.cumsum(self.weights[order]), 0.5 * self.weights.sum())
        best, median = self.values.min(), self.values[order][middle]
        if not median > best:  # half of the draws are as good as the best
            median = self.values[self.values > best].min()
        return np.clip((self.values - best) / (median - best), 0.0, 1.0)

    @cached_property
    def full(self) -> FloatArray:
        """Regret after each number of draws of FULL_DRAWS."""
        return expected_best(self.regret, self.weights, FULL_DRAWS)


class CalibrationTable:
    """One table in a space in which its rows are uniform."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        base, _, objective = name.partition(":")
        if name == TOY:
            suite = SGD("sgd")
            history = suite.history(suite.tasks, 2000, 5, "log")
            self.space = suite.space
        else:
            table = TABLES[base]
            history = rf.read_history(
                folder / f"{base}.parquet",
                task="task",
                objective=objective or table.objective,
                direction=OTHER_OBJECTIVES[name] if objective else table.direction,
                parameters=list(table.parameters),
            )
            self.space = _uniform_space(base, history)
        self.layout = Layout(full_space(self.space))
        self.choices = np.array([_n_choices(self.space, name) for name in self.layout.names])
        self.tasks = [
            self._task(task.name, task.rows, task.values)
            for task in tasks_of(usable_rows(history, self.space).frame, self.layout)
            if len(task.values) >= FEWEST_ROWS and task.values.min() < np.median(task.values)
        ]
        self.columns = [self.layout.columns(task.rows) for task in self.tasks]

    def _task(self, name: str, rows: FloatArray, values: FloatArray) -> TableTask:
        rng = np.random.default_rng([7, *name.encode()])
        some = np.sort(rng.permutation(len(values))[:MOST_ROWS])
        weights = np.ones(len(some))
        even = EVEN.get(self.name.partition(":")[0])
        if even is not None:
            column = rows[some, self.layout.position(even)]
            _, number, counts = np.unique(column, return_inverse=True, return_counts=True)
            weights /= counts[number]
        return TableTask(name, rows[some], values[some], weights / weights.sum())

    def history(self, tasks: Sequence[int], chosen: Mapping[int, IntArray]) -> rf.History:
        """The history of some tasks with the chosen rows of each."""
        frames = []
        for number in tasks:
            configs = self.layout.decode(self.tasks[number].rows[chosen[number]])
            rows = [{name: config.get(name) for name in self.space} for config in configs]
            frames.append(
                pl.DataFrame(rows, infer_schema_length=None).with_columns(
                    pl.lit(self.tasks[number].name).alias("task"),
                    pl.Series("value", self.tasks[number].values[chosen[number]]),
                )
            )
        return rf.History.from_frame(
            pl.concat(frames, how="diagonal_relaxed"),
            task="task",
            objective="value",
            direction="minimize",
            parameters=list(self.space),
        )

    def inside(
        self, number: int, blocks: Sequence[Block], choices: Mapping[str, tuple[Choice, ...]]
    ) -> tuple[FloatArray, float]:
        """The truth inside a region for a task: regret after each number of draws of DRAWS, and the
        number of equally weighted rows that it rests on."""
        task, columns = self.tasks[number], self.columns[number]
        inside = rows_inside(self.space, blocks, choices, columns)
        kept = rows_inside(self.space, (), choices, columns) if choices else np.ones_like(inside)
        weights, n_rows = np.zeros(len(inside)), np.inf
        patterns = np.unique(np.isnan(task.rows), axis=0, return_inverse=True)[1].ravel()
        for pattern in np.unique(patterns[kept]):
            mass = task.weights[kept & (patterns == pattern)].sum() / task.weights[kept].sum()
            part = task.weights * (inside & (patterns == pattern))
            if not part.any():
                return np.ones(len(DRAWS)), 0.0
            weights += mass * part / part.sum()
            n_rows = min(n_rows, part.sum() ** 2 / (part**2).sum() / mass)
        return expected_best(task.regret, weights, DRAWS), float(n_rows)


def _uniform_space(name: str, history: rf.History) -> Space:
    space = history.space or rf.infer_space(history).space
    parameters = dict(space.parameters)
    for parameter in LOG_SCALES.get(name, ()):
        old = parameters[parameter]
        assert isinstance(old, Float)
        parameters[parameter] = Float(old.low, old.high, log=True)
    for parameter in GRIDS.get(name, ()):
        choices = sorted(history.frame[parameter].drop_nulls().unique().to_list())
        parameters[parameter] = Categorical(choices, ordered=True)
    return Space(parameters, conditions=space.conditions)


def _n_choices(space: Space, name: str) -> int:
    parameter = space[name]
    is_unordered = isinstance(parameter, Categorical) and not parameter.ordered
    return len(parameter.choices) if is_unordered else 0
