"""What a learner sees of a fold: codes for trees, scaled indicators for the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchmarks.own_tables.prepare import Task

MOST_LEVELS = 30
"""Rarer levels of a category have no indicator of their own."""


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold of a task: its rows are predicted, the others are learned from."""

    task: Task
    number: int

    @cached_property
    def held(self) -> Any:
        """Which rows are predicted."""
        return self.task.fold == self.number

    @cached_property
    def targets(self) -> tuple[Any, Any]:
        """Of the rows that are learned from, and of those that are predicted."""
        return self.task.target[~self.held], self.task.target[self.held]

    @cached_property
    def codes(self) -> tuple[Any, Any]:
        """Categories as numbers in the order of their names; NaN where missing."""
        return self.task.features[~self.held], self.task.features[self.held]

    @cached_property
    def ordered_codes(self) -> tuple[Any, Any]:
        """Categories in the order of the response, as ranger does: by its mean, or by the first
        principal component of the classes' shares."""
        train, test = (part.copy() for part in self.codes)
        response = self.targets[0].reshape(-1, 1).astype(float)
        if self.task.classes:
            response = np.eye(self.task.classes)[self.targets[0]]
        for j in np.flatnonzero(self.task.categorical):
            levels, place = np.unique(train[:, j], return_inverse=True, equal_nan=True)
            counts = np.bincount(place)[:, None]
            means = np.zeros((len(levels), response.shape[1]))
            np.add.at(means, place, response)
            means = means / counts - response.mean(0)
            axis = np.linalg.svd(np.sqrt(counts) * means, full_matrices=False)[2][0]
            ranks = np.argsort(np.argsort(means @ axis, kind="stable")).astype(np.float32)
            known = {level: rank for level, rank in zip(levels, ranks) if level == level}
            for part in (train, test):
                part[:, j] = [known.get(v, np.nan) for v in part[:, j]]
        return train, test

    @cached_property
    def scaled(self) -> tuple[Any, Any]:
        """An indicator for each level, medians where missing, all columns of deviation 1."""
        train, test = self.codes
        lefts, rights = [], []
        for j, categorical in enumerate(self.task.categorical):
            left, right = train[:, [j]], test[:, [j]]
            if categorical:
                levels, counts = np.unique(left[~np.isnan(left)], return_counts=True)
                levels = levels[np.argsort(-counts, kind="stable")[:MOST_LEVELS]]
                left, right = left == levels, right == levels
            else:
                median = np.nanmedian(left)
                left, right = (np.where(np.isnan(part), median, part) for part in (left, right))
            lefts.append(left.astype(float))
            rights.append(right.astype(float))
        train, test = np.hstack(lefts), np.hstack(rights)
        mean, deviation = train.mean(0), train.std(0)
        deviation[deviation == 0] = 1.0
        return (train - mean) / deviation, (test - mean) / deviation
