"""Rows of the report's tables, and how many of them a page holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ringfence.checking.display.evidence import Curve
from ringfence.learned.records import Task
from ringfence.learned.space import LearnedSpace
from ringfence.space import choice_key
from ringfence.words import value

# Tables that a browser opens and sorts at once.
MOST_CELLS = 6000  # of the best configurations: a row for each task, a column for each parameter
LEAST_TASKS = 20  # of the best configurations, however many parameters there are
MOST_CHECKED = 1000  # tasks of the check
MOST_CHOICES = 30  # of a parameter

Row = TypeVar("Row")


@dataclass(frozen=True)
class Excerpt(Generic[Row]):
    """The first rows of a table, and how many more there are."""

    rows: tuple[Row, ...]
    more: int


def excerpt(rows: Sequence[Row], most: int) -> Excerpt[Row]:
    """The first `most` rows."""
    return Excerpt(tuple(rows[:most]), max(len(rows) - most, 0))


def best_configurations(learned: LearnedSpace) -> Excerpt[Task]:
    """As many tasks as fit MOST_CELLS."""
    return excerpt(learned.tasks, max(LEAST_TASKS, MOST_CELLS // len(learned.space)))


@dataclass(frozen=True)
class RegretRow:
    """Mean regret after a number of trials."""

    trials: int
    learned: float
    full: float


def regret_rows(curve: Curve) -> tuple[RegretRow, ...]:
    """The curve at the numbers of trials for which both spaces are known."""
    full = dict(zip(curve.full_draws, curve.full))
    return tuple(RegretRow(k, regret, full[k]) for k, regret in zip(curve.draws, curve.inside))


@dataclass(frozen=True)
class ChoiceRow:
    """How many tasks take a choice in their best configuration."""

    choice: str
    tasks: int
    share: float
    """Of the tasks for which the parameter is active."""
    kept: bool


@dataclass(frozen=True)
class Frequency:
    """How often the best configurations take each choice of a categorical parameter."""

    name: str
    choices: Excerpt[ChoiceRow]
    """Most frequent first."""
    tasks: int
    """For which the parameter is active."""


def frequencies(learned: LearnedSpace) -> tuple[Frequency, ...]:
    """The unordered categorical parameters, in the order of the space."""
    return tuple(
        _frequency(learned, name, choices)
        for name, choices in learned.space.unordered_choices().items()
    )


def _frequency(learned: LearnedSpace, name: str, choices: Sequence[object]) -> Frequency:
    best = [task.incumbent[name] for task in learned.tasks if name in task.incumbent]
    counts = Counter(choice_key(choice) for choice in best)
    kept = {choice_key(choice) for choice in learned.choices[name]}
    rows = []
    for choice in choices:
        key = choice_key(choice)
        share = counts[key] / max(len(best), 1)
        rows.append(ChoiceRow(value(choice), counts[key], share, key in kept))
    rows.sort(key=lambda row: -row.tasks)
    return Frequency(name, excerpt(rows, MOST_CHOICES), len(best))
