"""What is believed of every task of a history: what random configurations would give there.

A recorded best of ten draws is known only for rows that were recorded, and those may be few, or
chosen by an optimizer. So each task has functions drawn from its posterior (functions.py), and
configurations drawn at random, in the full space or inside a region, are judged by these functions:
not by their values, but by the share of random configurations of the full space that are better.

The model is the same whichever row was tried first or why: given the rows, the way in which they
were chosen does not matter to it.

A task that does not know some parameters is judged by those that it has: its functions are constant
along the others, so that what a region keeps of these makes no difference to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.checking.belief.functions import (
    Points,
    TaskFunctions,
    Variances,
    likeliest_variances,
)
from ringfence.checking.belief.kernel import SharedKernel, fit_shared_kernel
from ringfence.checking.belief.regret_scale import RegretScale, best_of_draws, fit_scale, regrets
from ringfence.checking.belief.scores import normal_scores
from ringfence.checking.belief.task_means import TaskMeans
from ringfence.history.lots import by_lot
from ringfence.history.regret import capped_regret
from ringfence.learned.blocks import Block
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.design import Design
from ringfence.optimize.domain.domain import Domain
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.transfer.sources import Source
from ringfence.space import Choice

FULL_POINTS = 1024  # random configurations of the full space: shares are multiples of 1/1024
POINTS = 512  # random configurations inside a region
FEWER_POINTS = 128  # the same if thousands of regions are judged, to choose among settings
FUNCTIONS = 32  # drawn for each task
WAVE_FUNCTIONS = 256  # functions of the process, shared by all tasks: each picks FUNCTIONS of them
MOST_SOURCES = 32  # tasks whose models are the prior of the others; more add nothing measurable
MOST_ROWS = 256  # rows of the task that is judged
SOURCE_ROWS = 128  # rows of a task that is part of the prior
SEARCH_TASKS, SEARCH_ROWS = 24, 64  # what the search for the kernel and the variances sees
SCALE_TASKS = 64  # tasks that the regret scale is fitted to
MOST_REMEMBERED = 64  # regions whose configurations are kept, half a megabyte each
SEED = 0

Kept = dict[str, tuple[Choice, ...]]


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of one task that count here."""

    name: str
    X: FloatArray
    scores: FloatArray
    values: FloatArray
    order: IntArray
    """A random order of them, after the best and the worst, so that any two differ."""
    n_runs: int
    """The number of all runs of the task, each once."""
    unknown: BoolArray
    """The features (d,) that the task does not know; they are the same in all its rows."""

    @property
    def lacks(self) -> float:
        """The share of the features that it does not know."""
        return float(self.unknown.mean())

    def as_known(self, X: FloatArray) -> FloatArray:
        """Features (m, d) as the task sees them: what it does not know, as in its rows."""
        return np.where(self.unknown, self.X[0], X) if self.unknown.any() else X

    def some(self, n: int) -> tuple[FloatArray, FloatArray]:
        """At most n of them."""
        return self.X[self.order[:n]], self.scores[self.order[:n]]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Functions for each task that tells good from bad."""

    layout: Layout
    """Of the full space."""
    means: TaskMeans
    kernel: SharedKernel
    variances: Variances
    rows: dict[str, _Rows]
    _seen: dict[object, _Seen] = field(default_factory=dict)
    _seen_in_full: dict[bytes, _Seen] = field(default_factory=dict)
    _tasks: dict[str, _Task] = field(default_factory=dict)

    @classmethod
    def of(cls, tasks: Sequence[Source], full: LearnedSpace) -> Beliefs | None:
        """From the rows of each task; None if no task tells good from bad."""
        layout = Layout(full)
        rows = {task.name: _rows(task, layout) for task in tasks if capped_regret(task.values)}
        if not rows or not layout.names:
            return None
        shuffled = [list(rows.values())[number] for number in by_lot(list(rows))]
        columns = KernelColumns.of(len(layout.groups), layout.groups)
        searched = [task.some(SEARCH_ROWS) for task in shuffled[:SEARCH_TASKS]]
        kernel = fit_shared_kernel(searched, columns)
        sources = shuffled[:MOST_SOURCES]
        parts = [task.some(SOURCE_ROWS) for task in sources]
        unknown = [task.unknown for task in sources]
        means = TaskMeans.of([task.name for task in sources], parts, kernel, unknown)
        beliefs = cls(layout, means, kernel, Variances(0.0, 1.0), rows)
        samples = [
            (beliefs._points(X).of_task(task.name, means), y - y.mean())
            for task, (X, y) in zip(shuffled, searched)
        ]
        return replace(beliefs, variances=likeliest_variances(samples, kernel))

    @cached_property
    def scale(self) -> RegretScale:
        """How shares become regrets, from the rows of all tasks."""
        every = list(self.rows)
        names = [every[number] for number in np.sort(by_lot(every)[:SCALE_TASKS])]
        return fit_scale(
            (self._task(name).shares_of_rows(), self.rows[name].values) for name in names
        )

    def knows(self, name: str) -> bool:
        """Whether the task tells good from bad."""
        return name in self.rows

    def best_regrets(
        self,
        name: str,
        blocks: Sequence[Block],
        choices: Kept,
        draws: Sequence[int],
        n_points: int = POINTS,
    ) -> FloatArray:
        """Expected regret of the best of k random configurations inside, for each function, each
        exponent of the regret scale and each k of `draws`; by `n_points` of them."""
        seen = self._inside(blocks, choices, n_points, self.rows[name])
        shares = np.sort(self._task(name).shares(seen), axis=1)
        best = best_of_draws(shares.shape[1], draws)
        return np.asarray(np.moveaxis(regrets(shares) @ best.T, 0, 1))

    def shares_at(self, name: str, rows: FloatArray) -> FloatArray:
        """The share of random configurations that are better than each of some, for each function,
        (S, m)."""
        X = self.rows[name].as_known(self.layout.features(rows))
        return self._task(name).shares(self._points(X))

    def regrets_in_order(self, name: str, rows: FloatArray) -> FloatArray:
        """Regret of the best of the first k of some configurations, for each function, each
        exponent and each k."""
        best = np.minimum.accumulate(self.shares_at(name, rows), axis=1)
        return np.asarray(np.moveaxis(regrets(best), 0, 1))

    def _inside(self, blocks: Sequence[Block], choices: Kept, n_points: int, rows: _Rows) -> _Seen:
        """Random configurations inside as a task sees them, the same ones whenever the region is
        the same."""
        regions = tuple(id(block.region) for block in blocks)
        key = (n_points, regions, tuple(choices.items()), rows.unknown.tobytes())
        if key not in self._seen:
            region = replace(self.layout.learned, blocks=tuple(blocks), choices=choices)
            if len(self._seen) == MOST_REMEMBERED:
                del self._seen[next(iter(self._seen))]
            X = rows.as_known(self._draw(region, n_points))
            self._seen[key] = self._points(X, blocks)
        return self._seen[key]

    def _draw(self, region: LearnedSpace, n: int) -> FloatArray:
        """Features of n random configurations of the region."""
        rng = np.random.default_rng([SEED, n])
        return self.layout.features(Design(Domain(Layout(region), None), SEED + n).first(n, rng))

    def _full(self, rows: _Rows) -> _Seen:
        """Random configurations of the full space as a task sees them."""
        key = rows.unknown.tobytes()
        if key not in self._seen_in_full:
            X = rows.as_known(self._draw(self.layout.learned, FULL_POINTS))
            self._seen_in_full[key] = self._points(X)
        return self._seen_in_full[key]

    def _points(self, X: FloatArray, keep: object = None) -> _Seen:
        Z = self.kernel.scaled(X)
        waves = self.kernel.waves(Z) @ self._wave_weights
        return _Seen(Z, self.means.predict(Z), waves, keep)

    @cached_property
    def _wave_weights(self) -> FloatArray:
        rng = np.random.default_rng([SEED, WAVE_FUNCTIONS])
        n_waves = self.kernel.waves(np.zeros((1, self.kernel.inverse.size))).shape[1]
        return rng.standard_normal((n_waves, WAVE_FUNCTIONS))

    def _task(self, name: str) -> _Task:
        if name not in self._tasks:
            self._tasks[name] = _Task.of(self, self.rows[name])
        return self._tasks[name]


@dataclass(frozen=True, eq=False)
class _Seen:
    """Configurations as all tasks see them."""

    Z: FloatArray
    F: FloatArray
    waves: FloatArray
    keep: object
    """What must live as long as these, since its identity is their key."""

    def of_task(self, name: str, means: TaskMeans) -> Points:
        mean, spread = means.prior(self.F, name)
        return Points(mean, spread, self.Z, self.waves)


@dataclass(frozen=True, eq=False)
class _Task:
    """The functions of one task, and what they give in the full space."""

    name: str
    means: TaskMeans
    functions: TaskFunctions
    ordered: NDArray[np.float32]
    """(S, FULL_POINTS) the values at random configurations of the full space, in order."""

    @classmethod
    def of(cls, beliefs: Beliefs, rows: _Rows) -> _Task:
        seen = beliefs._points(rows.X)
        points = seen.of_task(rows.name, beliefs.means)
        rng = np.random.default_rng([SEED, *rows.name.encode()])
        scores = rows.scores - rows.scores.mean()
        functions = TaskFunctions.drawn(
            points, scores, beliefs.kernel, beliefs.variances, FUNCTIONS, rng
        )
        full = functions.at(beliefs._full(rows).of_task(rows.name, beliefs.means), rng)
        return cls(rows.name, beliefs.means, functions, np.sort(full, axis=1).astype(np.float32))

    def shares(self, seen: _Seen) -> FloatArray:
        """The share of random configurations that each function holds better than each of these,
        (S, m)."""
        rng = np.random.default_rng([SEED + 1, *self.name.encode()])
        return self._below(self.functions.at(seen.of_task(self.name, self.means), rng))

    def shares_of_rows(self) -> FloatArray:
        """The mean over the functions of the same for the task's own rows, (n,)."""
        return np.asarray(self._below(self.functions.values.T).mean(axis=0))

    def _below(self, values: FloatArray) -> FloatArray:
        counts = np.array([np.searchsorted(f, v) for f, v in zip(self.ordered, values)])
        return np.asarray((counts + 0.5) / (self.ordered.shape[1] + 1.0))


def _rows(task: Source, layout: Layout) -> _Rows:
    """All rows of a task, or a random choice if they are many; ranks are those among all."""
    order = np.random.default_rng([SEED, *task.name.encode()]).permutation(len(task.values))
    chosen = np.sort(order[:MOST_ROWS])
    scores = normal_scores(task.values)[chosen]
    if not np.ptp(scores) > 0.0:  # the choice missed the few rows that differ
        chosen = np.argsort(task.values, kind="stable")[:MOST_ROWS]
        scores = normal_scores(task.values)[chosen]
    shuffled = np.random.default_rng([SEED + 2, *task.name.encode()]).permutation(len(chosen))
    ends = [int(scores.argmin()), int(scores.argmax())]
    return _Rows(
        task.name,
        layout.features(task.rows[chosen]),
        scores,
        task.values[chosen],
        np.concatenate([ends, shuffled[~np.isin(shuffled, ends)]]),
        len(task.values),
        layout.columns_of(task.unknown),
    )
