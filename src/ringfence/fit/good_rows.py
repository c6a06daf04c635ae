"""Which of its good rows stands for each task, so that the region around them is smallest.

A task's best row is one of many that are nearly as good. With a tolerance the region must hold, for
every task, some row of at most that regret; which one is part of the problem. The paper's last
sentence leaves it open. It is not convex: what is found is a local optimum, the best of several.

From a start, two moves that never make the box larger: every task takes the row deepest inside; one
task takes the row with which the box of all is smallest. Ellipsoids, and regions with outliers,
continue from there: fit, then every task takes the row deepest inside, until none changes; then one
task after the other that holds the region up takes the row that the others would like best.

symbol   meaning                                                       shape
points   the good rows of all tasks, NaN if a parameter is inactive    (n, p)
task     the task of each                                              (n,)
picks    which rows stand for the tasks, one each                      (T,)
size     ½ ‖u - l‖² of the box around them (eq. 4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from ringfence.arrays import FloatArray, IntArray

STARTS = 8
"""With 8, the smallest box was found in 60 of 60 cases that could be tried out in full; with 4 in
58, with 1 in 46 (`python -m benchmarks.tolerance brute`)."""
MOST_ROUNDS = 20
"""Of fits and choices in turn; they end after three or four."""
MOST_EXCHANGES = 100
"""Regions without one task, each a fit of some milliseconds."""
RIM = 1e-6
"""A row whose norm is this near to 1 or beyond holds the region up."""
SMALLER = 1e-9
"""A size that is smaller by this share is rounding."""

RegionT = TypeVar("RegionT")


@dataclass(frozen=True, eq=False)
class AnyRegion(Generic[RegionT]):
    """What the search must know of a region, which is none of its business otherwise."""

    fit: Callable[[IntArray], RegionT]
    """Rows → the region around them."""
    norms: Callable[[RegionT], FloatArray]
    """How far each of all rows is from its middle, (n,)."""
    size: Callable[[RegionT], float]


def pick_for_box(points: FloatArray, task: IntArray) -> IntArray:
    """The picks of the smallest box found."""
    return min(_descents(points, task), key=_Rows(points, task).size)


def pick_for_region(points: FloatArray, task: IntArray, region: AnyRegion[RegionT]) -> IntArray:
    """The picks of the smallest region found."""
    search = _Search(_Rows(points, task), region)
    for picks in _descents(points, task):
        search.alternate(picks)
    search.exchange()
    return search.best


@dataclass(eq=False)
class _Search(Generic[RegionT]):
    """The regions that were tried; the best of them is the answer."""

    rows: _Rows
    region: AnyRegion[RegionT]
    sizes: dict[tuple[int, ...], float] = field(default_factory=dict)

    @property
    def best(self) -> IntArray:
        """The picks of the smallest region so far."""
        return np.array(min(self.sizes, key=lambda picks: self.sizes[picks]))

    def alternate(self, picks: IntArray) -> None:
        """Fit, then every task takes the row deepest inside, until that is nothing new."""
        for _ in range(MOST_ROUNDS):
            if tuple(picks) in self.sizes:
                return
            fitted = self.region.fit(picks)
            self.sizes[tuple(picks)] = self.region.size(fitted)
            picks = self.rows.first_smallest(self.region.norms(fitted))

    def exchange(self) -> None:
        """From the best region: one task after the other takes the row nearest to the middle of the
        region around all others, as long as that helps."""
        tried = 0
        n_tasks = len(self.rows.of_task)
        while n_tasks > 1:
            best = self.best
            on_rim = np.flatnonzero(self._norms(best)[best] > 1.0 - RIM)
            for number in on_rim:
                others = np.delete(best, number)
                norms = self._norms(others)
                rows = self.rows.of_task[number]
                picks = best.copy()
                picks[number] = rows[norms[rows].argmin()]
                self.alternate(picks)
                tried += 1
                if tried >= MOST_EXCHANGES:
                    return
            if (self.best == best).all():
                return

    def _norms(self, picks: IntArray) -> FloatArray:
        return self.region.norms(self.region.fit(picks))


@dataclass(frozen=True, eq=False)
class _Rows:
    points: FloatArray
    task: IntArray

    @cached_property
    def of_task(self) -> list[IntArray]:
        return [np.flatnonzero(self.task == number) for number in np.unique(self.task)]

    def first_smallest(self, scores: FloatArray) -> IntArray:
        """Of each task the row with the smallest score."""
        return np.array([rows[scores[rows].argmin()] for rows in self.of_task])

    def size(self, picks: IntArray) -> float:
        return float(_size(*_bounds(self.points[picks])))

    def deepened(self, picks: IntArray) -> IntArray:
        """Every task takes the row deepest inside the box, as long as that makes it smaller."""
        while True:
            lower, upper = _bounds(self.points[picks])
            half = np.maximum((upper - lower) / 2, 1e-12)
            away = np.abs(self.points - (lower + upper) / 2) / half
            deepest = self.first_smallest(np.where(np.isnan(away), 0.0, away).max(axis=1))
            if self.size(deepest) >= self.size(picks) * (1.0 - SMALLER):
                return picks
            picks = deepest

    def descended(self, picks: IntArray) -> IntArray:
        """One task after the other takes the row with which the box is smallest, until none
        changes."""
        picks = picks.copy()
        best, changed = self.size(picks), True
        while changed:
            changed = False
            for number, rows in enumerate(self.of_task):
                if len(rows) == 1:
                    continue
                lower, upper = _bounds(self.points[np.delete(picks, number)])
                own = self.points[rows]
                sizes = _size(np.fmin(lower, own), np.fmax(upper, own))
                if sizes.min() < best * (1.0 - SMALLER):
                    picks[number], best = rows[sizes.argmin()], float(sizes.min())
                    changed = True
        return picks


def _descents(points: FloatArray, task: IntArray) -> list[IntArray]:
    """Picks of small boxes, from several starts: the first row of each task, then those nearest to
    some row."""
    rows = _Rows(points, task)
    rng = np.random.default_rng(0)
    centers = points[rng.integers(len(points), size=STARTS - 1)]
    starts = [np.array([own[0] for own in rows.of_task])]
    starts += [rows.first_smallest(np.nansum((points - c) ** 2, axis=1)) for c in centers]
    return [rows.descended(rows.deepened(picks)) for picks in starts]


def _bounds(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of each coordinate; NaN if no point has it, or if there is none."""
    lower = np.fmin.reduce(points, axis=0, initial=np.nan)
    return lower, np.fmax.reduce(points, axis=0, initial=np.nan)


def _size(lower: FloatArray, upper: FloatArray) -> FloatArray:
    sizes: FloatArray = 0.5 * np.nansum((upper - lower) ** 2, axis=-1)
    return sizes
