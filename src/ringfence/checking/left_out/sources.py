"""The incumbents of the source tasks, and the regions around them if some tasks are left out.

Most tasks do not shape the region: their multiplier is zero, and the region without them is the
region with them, provided that the same number is left outside (`Fit.without`). So the cloud of all
tasks is fitted once, and only the tasks that matter cost a fit of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import polars as pl

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import AnyFit
from ringfence.history import TASK
from ringfence.learned.blocks import Block
from ringfence.learned.fitting import (
    Cloud,
    FittedBlocks,
    clouds,
    fit_blocks,
    fit_rows,
    found_columns,
    kept_choices,
)
from ringfence.learned.records import Settings
from ringfence.space import Choice, Space

MOST_REMEMBERED = 20_000_000  # numbers kept in memory

Key: TypeAlias = tuple[tuple[str, ...], str, int, bytes]
"""Which block, shape, number of points outside, and points (a digest)."""


@dataclass(frozen=True, eq=False)
class CheckSources:
    """The incumbents by task; each region around some of them is fitted once."""

    space: Space
    columns: dict[str, FloatArray]
    clouds: tuple[Cloud, ...]
    task: IntArray
    """(n,) the number of the task of each incumbent."""
    _solved: dict[Key, AnyFit] = field(default_factory=dict)
    _shared: dict[tuple[object, ...], dict[Key, AnyFit]] = field(default_factory=dict)

    @classmethod
    def of(cls, space: Space, best: pl.DataFrame, names: Sequence[str]) -> CheckSources:
        """From the frame that `incumbents` returns; tasks are numbered as in `names`."""
        numbers = {name: number for number, name in enumerate(names)}
        task = np.array([numbers[name] for name in best[TASK]])
        return cls(space, found_columns(space, best), clouds(space, best), task)

    def fit(
        self, settings: Settings, among: BoolArray, without: Sequence[int] = ()
    ) -> tuple[tuple[Block, ...], dict[str, tuple[Choice, ...]]]:
        """The blocks and choices learned from the tasks `among` (T,), less those in `without`."""
        is_left_out = np.zeros(len(among), dtype=bool)
        is_left_out[list(without)] = True
        everyone = np.flatnonzero(among[self.task])
        left_out = np.flatnonzero(is_left_out[self.task])
        fitted = self.fit_without(settings, everyone, left_out)
        inside = fitted.rows[~fitted.outside]
        observed = {name: column[inside] for name, column in self.columns.items()}
        return fitted.blocks, kept_choices(self.space, observed, settings.categories)

    def fit_without(
        self, settings: Settings, everyone: IntArray, left_out: IntArray
    ) -> FittedBlocks:
        """The regions around the incumbents at `everyone` less those at `left_out` (both
        sorted)."""
        rows = np.setdiff1d(everyone, left_out, assume_unique=True)
        if settings.tolerance:  # without a task, others may be represented by other rows
            return fit_blocks(self.clouds, settings, rows)
        shared = self._fits_of_everyone(settings, everyone, left_out)

        def solve(cloud: Cloud, rows: IntArray, shape: str, outliers: float) -> AnyFit:
            n_out = n_outliers(outliers, len(rows))
            removed = left_out[_active(cloud, left_out)]
            all_rows = np.union1d(rows, removed)
            fit_of_all = shared.get(_key(cloud, all_rows, shape, n_out))
            same = None if fit_of_all is None else fit_of_all.without(np.isin(all_rows, removed))
            return same or self._solve(cloud, rows, shape, n_out, fit_of_all)

        return fit_blocks(self.clouds, settings, rows, solve)

    def _fits_of_everyone(
        self, settings: Settings, everyone: IntArray, left_out: IntArray
    ) -> dict[Key, AnyFit]:
        """The fits with nobody left out, but with as many outside as there will be then."""
        n_removed = [int(_active(cloud, left_out).sum()) for cloud in self.clouds]
        problem = (settings, _digest(everyone), *n_removed)
        if problem not in self._shared:
            fits: dict[Key, AnyFit] = {}

            def solve(cloud: Cloud, rows: IntArray, shape: str, outliers: float) -> AnyFit:
                n_left = max(len(rows) - int(_active(cloud, left_out).sum()), 1)
                n_out = n_outliers(outliers, n_left)
                fit = self._solve(cloud, rows, shape, n_out)
                return fits.setdefault(_key(cloud, rows, shape, n_out), fit)

            fit_blocks(self.clouds, settings, everyone, solve)
            self._shared[problem] = fits
        return self._shared[problem]

    def _solve(
        self, cloud: Cloud, rows: IntArray, shape: str, n_out: int, start: AnyFit | None = None
    ) -> AnyFit:
        key = _key(cloud, rows, shape, n_out)
        fit = self._solved.get(key)
        if fit is None:
            fit = fit_rows(cloud, rows, shape, n_out / len(rows), start)
            if len(self._solved) * len(cloud.points) < MOST_REMEMBERED:
                self._solved[key] = fit
        return fit


def _active(cloud: Cloud, rows: IntArray) -> BoolArray:
    """Whether the block is active in the incumbents at `rows`."""
    return np.asarray(~np.isnan(cloud.points[rows]).all(axis=1))


def _key(cloud: Cloud, rows: IntArray, shape: str, n_out: int) -> Key:
    return cloud.encoding.names, shape, n_out, _digest(rows)


def _digest(rows: IntArray) -> bytes:
    return hashlib.blake2b(rows.tobytes(), digest_size=16).digest()
