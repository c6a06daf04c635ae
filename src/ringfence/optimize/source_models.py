"""What each earlier task says of a configuration: its regret there, predicted by a smooth model.

| symbol | meaning                                                              | shape  |
|--------|----------------------------------------------------------------------|--------|
| y      | values of one task, lower is better                                  | (n,)   |
| z      | min(1, (y - best) / unit), unit = median - best: 0 best, 1 median     | (n,)   |
| X      | features in the whole space, whatever region is searched             | (m, d) |
| F      | predicted z of every task at X, within [0, 1]                        | (T, m) |

z has no unit, so tasks with different metrics and scales count alike, and none can dominate: it
says nothing about how bad the worse half is. A task whose median is its best says nothing at all
and is left out. The models are Gaussian processes; what is worth keeping of a fit is a handful of
hyperparameters, from which the rows give the model back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.optimize.layout import Layout
from ringfence.optimize.sources import Source
from ringfence.optimize.surrogates.gp import GPOptions, Hyperparameters, fit_gp
from ringfence.optimize.surrogates.gp_prediction import condition
from ringfence.optimize.surrogates.hyperparameters import Columns
from ringfence.optimize.surrogates.matern import matern52, squared_distances
from ringfence.optimize.surrogates.standardize import standardize
from ringfence.whole import whole_space

MOST_ROWS = 256  # of a task that its model sees: the best quarter of them, the rest at random
SEARCHED = 128  # of these that the search for hyperparameters sees
OPTIONS = GPOptions(noise_floor=1e-4, max_iterations=25, compressed=False)


@dataclass(frozen=True, eq=False)
class SourceModel:
    """The mean of a Gaussian process of one task's z."""

    name: str
    n_rows: int
    log_unit: float
    """log(median - best) of the task's values."""
    hyperparameters: Hyperparameters
    inverse: FloatArray  # (d,) one over the length scales
    Z: FloatArray  # (n, d)
    alpha: FloatArray  # (n,)
    constant: float

    def predict(self, X: FloatArray) -> FloatArray:
        """z at features X (m, d), shape (m,)."""
        kernel, _ = matern52(squared_distances(X * self.inverse, self.Z))
        return np.clip(self.constant + kernel @ self.alpha, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class SourceModels:
    """The models of all earlier tasks that say something."""

    whole: Layout
    """The whole space: all models see its features."""
    tasks: tuple[SourceModel, ...]

    def predict(self, rows: FloatArray) -> FloatArray:
        """F at rows of the layout (m, names), shape (T, m)."""
        X = self.whole.features(rows)
        found = [task.predict(X) for task in self.tasks]
        return np.array(found).reshape(len(found), len(rows))


def fit_source_models(
    sources: Sequence[Source],
    layout: Layout,
    known: Mapping[str, Hyperparameters] | None = None,
) -> SourceModels:
    """A model of every task that says something; `known` holds hyperparameters found earlier."""
    whole = Layout(whole_space(layout.space))
    columns = Columns.of(len(whole.groups), whole.groups)
    tasks = []
    for source in sources:
        regret = capped_regret(source.values)
        if regret is not None:
            found = (known or {}).get(source.name)
            tasks.append(_model(source, regret, whole, columns, found))
    return SourceModels(whole, tuple(tasks))


def capped_regret(values: FloatArray) -> tuple[FloatArray, float] | None:
    """z and its unit; None where the median is the best value."""
    best, median = float(values.min()), float(np.median(values))
    unit = median - best
    if not unit > 4.0 * np.finfo(float).eps * max(abs(best), abs(median)):
        return None
    return np.minimum((values - best) / unit, 1.0), unit


def _model(
    source: Source,
    regret: tuple[FloatArray, float],
    whole: Layout,
    columns: Columns,
    known: Hyperparameters | None,
) -> SourceModel:
    z, unit = regret
    rng = np.random.default_rng([len(z), *source.name.encode()])
    chosen = _chosen(z, rng)
    X, z = whole.features(source.rows[chosen]), z[chosen]
    if known is None:
        some = rng.permutation(len(z))[:SEARCHED]
        known = fit_gp(X[some], z[some], columns.groups, options=OPTIONS).hyperparameters
    gp = condition(known.theta, X, standardize(z, compressed=False), columns)
    shift, scale = gp.values.shift, gp.values.scale
    return SourceModel(
        source.name,
        len(source.values),
        math.log(unit),
        known,
        inverse=1.0 / np.array(known.length_scales)[columns.groups],
        Z=gp.Z,
        alpha=scale * gp.alpha,
        constant=shift + scale * gp.mean,
    )


def _chosen(z: FloatArray, rng: np.random.Generator) -> IntArray:
    """Which rows the model sees, in their order."""
    if len(z) <= MOST_ROWS:
        return np.arange(len(z))
    order = np.argsort(z, kind="stable")
    best = order[: MOST_ROWS // 4]
    others = rng.choice(order[len(best) :], MOST_ROWS - len(best), replace=False)
    return np.sort(np.concatenate([best, others]))
