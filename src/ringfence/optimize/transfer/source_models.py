"""The regret of each earlier task at any configuration, predicted by a smooth model.

symbol   meaning                                                             shape
y        values of one task, lower is better                                 (n,)
z        min(1, (y - best) / unit), unit = median - best: 0 best, 1 median   (n,)
X        features in the full space, whatever region is searched             (m, d)
F        predicted z of every task at X, within [0, 1]                       (T, m)
weights  how many tasks each stands for, itself included                     (T,)

z has no unit, so that tasks with different metrics and scales count alike, and none can dominate:
how bad the worse half is does not matter. A task whose median equals its best tells nothing and is
left out. The models are Gaussian processes; a handful of hyperparameters is all that is worth
keeping of a fit, since they and the rows give the same model again.

A task may not know some of the parameters: one over their length scales is then 0, and the model is
constant along them. It may have tuned others that the space does not have: its process has length
scales for these, too, and predicts at the values of the task's best row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.history.regret import capped_regret
from ringfence.learned.full import full_space
from ringfence.learned.settings import ENOUGH_ROWS
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.surrogates.gp.fit import GPOptions, fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.prediction import condition
from ringfence.optimize.surrogates.matern import matern52_values
from ringfence.optimize.surrogates.standardize import standardize
from ringfence.optimize.transfer.sources import Source

MOST_ROWS = 256  # of a task that its model sees: a quarter of them the best, the rest at random
SEARCHED = 128  # of these that the search for hyperparameters sees
AT_ONCE = 250_000  # kernel values, 2 MB: they stay in the processor's cache
OPTIONS = GPOptions(noise_floor=1e-4, max_iterations=25, compressed=False)


@dataclass(frozen=True, eq=False)
class SourceModel:
    """The mean of a Gaussian process of one task's z."""

    name: str
    n_rows: int
    log_unit: float
    """log(median - best) of the task's values."""
    hyperparameters: Hyperparameters
    inverse: FloatArray  # (d,) one over the length scales, 0 for what the task does not know
    Z: FloatArray  # (n, d)
    away: FloatArray  # (n,) squared distance from the best row in what the space does not have
    alpha: FloatArray  # (n,)
    constant: float
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class SourceModels:
    """The models of all earlier tasks that tell good configurations from bad ones."""

    full: Layout
    """The layout of the full space, whose features all models see."""
    tasks: tuple[SourceModel, ...]

    def predict(self, rows: FloatArray) -> FloatArray:
        """F at rows of the layout (m, names), shape (T, m)."""
        X = self.full.features(rows)
        F = np.empty((len(self.tasks), len(rows)))
        size = max(1, AT_ONCE // max(self._stacked.alpha.size, 1))
        for start in range(0, len(rows), size):
            F[:, start : start + size] = self._stacked.predict(X[start : start + size])
        return F

    @property
    def weights(self) -> FloatArray:
        """How many tasks each of them stands for, (T,)."""
        return np.array([task.weight for task in self.tasks])

    @property
    def typical_rows(self) -> float:
        """The median number of rows of a task."""
        return float(np.median([task.n_rows for task in self.tasks])) if self.tasks else 0.0

    @property
    def are_thin(self) -> bool:
        """Whether the tasks have too few rows for the models to be trusted alone."""
        return self.typical_rows < ENOUGH_ROWS

    @cached_property
    def _stacked(self) -> _Stacked:
        return _Stacked.of(self.tasks, len(self.full.groups))


@dataclass(frozen=True, eq=False)
class _Stacked:
    """All models as arrays, padded with rows of weight 0, so that one product serves all."""

    inverse: FloatArray  # (T, 1, d)
    Z: FloatArray  # (T, d, n)
    norms: FloatArray  # (T, 1, n) squared, `away` included
    alpha: FloatArray  # (T, n, 1)
    constant: FloatArray  # (T, 1)

    @classmethod
    def of(cls, tasks: Sequence[SourceModel], dim: int) -> _Stacked:
        most = max((len(task.alpha) for task in tasks), default=0)
        Z, alpha = np.zeros((len(tasks), dim, most)), np.zeros((len(tasks), most, 1))
        away = np.zeros((len(tasks), 1, most))
        for t, task in enumerate(tasks):
            Z[t, :, : len(task.alpha)] = task.Z.T
            away[t, 0, : len(task.alpha)] = task.away
            alpha[t, : len(task.alpha), 0] = task.alpha
        inverse = np.array([task.inverse for task in tasks]).reshape(len(tasks), 1, dim)
        constant = np.array([task.constant for task in tasks]).reshape(len(tasks), 1)
        return cls(inverse, Z, (Z * Z).sum(axis=1, keepdims=True) + away, alpha, constant)

    def predict(self, X: FloatArray) -> FloatArray:
        """F at features X (m, d)."""
        scaled = X * self.inverse
        squares = scaled @ self.Z
        squares *= -2.0
        squares += self.norms
        squares += np.einsum("tij,tij->ti", scaled, scaled)[:, :, None]
        kernel = matern52_values(np.maximum(squares, 0.0, out=squares))
        return np.clip(self.constant + (kernel @ self.alpha)[:, :, 0], 0.0, 1.0)


def fit_source_models(
    sources: Sequence[Source],
    layout: Layout,
    known: Mapping[str, Hyperparameters] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SourceModels:
    """A model of every task that tells good from bad; `known` holds hyperparameters of an earlier
    fit. `progress` is called with the number of tasks done and of all."""
    full = Layout(full_space(layout.space))
    tasks = []
    for done, source in enumerate(sources, start=1):
        regret = capped_regret(source.values)
        if regret is not None:
            hyperparameters = (known or {}).get(source.name)
            tasks.append(_model(source, regret, full, hyperparameters))
        if progress is not None:
            progress(done, len(sources))
    return SourceModels(full, tuple(tasks))


def kernel_columns(source: Source, full: Layout) -> tuple[BoolArray, KernelColumns]:
    """Which features (d,) the task knows, and the columns of its kernel: these, then the extra
    parameters."""
    has = ~full.columns_of(source.unknown)
    n_extra = 0 if source.extra is None else source.extra.shape[1]
    groups = np.append(full.groups[has], len(full.names) + np.arange(n_extra))
    return has, KernelColumns.of(len(groups), groups)


def _model(
    source: Source,
    regret: tuple[FloatArray, float],
    full: Layout,
    known: Hyperparameters | None,
) -> SourceModel:
    z, unit = regret
    rng = np.random.default_rng([len(z), *source.name.encode()])
    chosen = _chosen(z, rng)
    has, columns = kernel_columns(source, full)
    X, z = full.features(source.rows[chosen])[:, has], z[chosen]
    if source.extra is not None:
        X = np.hstack([X, source.extra[chosen]])
    if known is None:
        subset = rng.permutation(len(z))[:SEARCHED]
        known = _searched(X[subset].tobytes(), z[subset].tobytes(), tuple(columns.groups.tolist()))
    gp = condition(known.theta, X, standardize(z, compressed=False), columns)
    shift, scale = gp.values.shift, gp.values.scale
    n_known = int(has.sum())
    inverse, Z = np.zeros(len(has)), np.zeros((len(z), len(has)))
    inverse[has] = (1.0 / np.array(known.length_scales)[columns.groups])[:n_known]
    Z[:, has] = gp.Z[:, :n_known]
    extra = gp.Z[:, n_known:]
    return SourceModel(
        source.name,
        len(source.values),
        math.log(unit),
        known,
        inverse=inverse,
        Z=Z,
        away=((extra - extra[z.argmin()]) ** 2).sum(axis=1),
        alpha=scale * gp.alpha,
        constant=shift + scale * gp.mean,
        weight=source.weight,
    )


@lru_cache(maxsize=512)
def _searched(X: bytes, z: bytes, groups: tuple[int, ...]) -> Hyperparameters:
    """The most probable hyperparameters, cached: the same tasks come again when another shape is
    learned from them, in a check and in a report."""
    values = np.frombuffer(z)
    features = np.frombuffer(X).reshape(len(values), len(groups))
    return fit_gp(features, values, np.array(groups), options=OPTIONS).hyperparameters


def _chosen(z: FloatArray, rng: np.random.Generator) -> IntArray:
    """Which rows the model sees, in their order."""
    if len(z) <= MOST_ROWS:
        return np.arange(len(z))
    order = np.argsort(z, kind="stable")
    best = order[: MOST_ROWS // 4]
    others = rng.choice(order[len(best) :], MOST_ROWS - len(best), replace=False)
    return np.sort(np.concatenate([best, others]))
