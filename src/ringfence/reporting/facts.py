"""Facts: everything that the report says, as plain values; drawing comes after."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Generic, TypeVar

import msgspec

from ringfence.checking import Check, Comparison
from ringfence.checking.display import evidence
from ringfence.checking.display.evidence import Curve, FirstTrials, SettingRow, TaskRow
from ringfence.history import Dropped, History
from ringfence.learned.ranges import Range, range_rows
from ringfence.learned.records import Task
from ringfence.learned.settings import describe
from ringfence.learned.space import LearnedSpace
from ringfence.learned.text import headline, outlier_lines, part_tables, volume_line, widened_line
from ringfence.reporting.recipe import Recipe, recipe
from ringfence.reporting.sentence import sentence, worth_sentence
from ringfence.reporting.views import Views, views_of
from ringfence.space import choice_key
from ringfence.words import some, value

PACKAGES = ("ringfence", "numpy", "scipy", "polars", "plotly")


# How much the tables of the page hold: a browser still scrolls and sorts them at once.
MOST_CELLS = 6000  # of the best configurations, a row for each task and a column for each parameter
LEAST_TASKS = 20  # of the best configurations, however many parameters there are
MOST_CHECKED = 1000  # tasks of the check
MOST_CHOICES = 30  # of a parameter

Row = TypeVar("Row")


@dataclass(frozen=True)
class Excerpt(Generic[Row]):
    """The first rows of a table, and how many more there are."""

    rows: tuple[Row, ...]
    more: int


@dataclass(frozen=True)
class RegretRow:
    """Mean regret after a number of trials."""

    trials: int
    learned: float
    full: float


@dataclass(frozen=True)
class ChoiceRow:
    """How often the best configurations take a choice."""

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


@dataclass(frozen=True)
class Facts:
    """The report in plain values, in the order of the page."""

    source: str
    sentence: str
    verdict: str
    about: tuple[str, ...]
    warnings: tuple[str, ...]
    ranges: tuple[Range, ...]
    parts: tuple[list[list[str]], ...]
    """For each union, the ranges of its parts as rows of text."""
    curve: Curve | None
    worth: str
    """What the curve says; empty if there is none."""
    regrets: tuple[RegretRow, ...]
    """The curve as a table."""
    starts: FirstTrials | None
    views: Views
    frequencies: tuple[Frequency, ...]
    parameters: tuple[str, ...]
    tasks: Excerpt[Task]
    objective: str
    checked: Excerpt[TaskRow]
    rows: int
    rows_used: int
    dropped: tuple[Dropped, ...]
    compared: tuple[SettingRow, ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    recipe: Recipe


def gather(
    history: History, learned: LearnedSpace, check: Check | None, comparison: Comparison | None
) -> Facts:
    """The facts of one report."""
    provenance = learned.provenance
    chosen = check is not None and check.chosen_from > 0
    curve = None if check is None else evidence.curve(check)
    parameters = tuple(learned.space)
    most_tasks = max(LEAST_TASKS, MOST_CELLS // len(parameters))
    return Facts(
        source=provenance.source,
        sentence=sentence(check),
        verdict="not checked" if check is None else check.verdict,
        about=_about(learned, check),
        warnings=_warnings(learned, check),
        ranges=range_rows(learned),
        parts=tuple(part_tables(learned)),
        curve=curve,
        worth="" if curve is None else worth_sentence(curve),
        regrets=() if curve is None else _regrets(curve),
        starts=evidence.first_trials(learned, check),
        views=views_of(learned),
        frequencies=_frequencies(learned),
        parameters=parameters,
        tasks=excerpt(learned.tasks, most_tasks),
        objective=provenance.objective,
        checked=excerpt(() if check is None else evidence.task_rows(check), MOST_CHECKED),
        rows=provenance.rows,
        rows_used=provenance.rows_used,
        dropped=provenance.dropped,
        compared=() if comparison is None else evidence.setting_rows(comparison),
        advice=() if comparison is None else evidence.advice(comparison),
        notes=provenance.notes,
        provenance=_provenance(learned),
        recipe=recipe(history, learned, auto=chosen),
    )


def excerpt(rows: Sequence[Row], most: int) -> Excerpt[Row]:
    """The first `most` rows."""
    return Excerpt(tuple(rows[:most]), max(len(rows) - most, 0))


def _about(learned: LearnedSpace, check: Check | None) -> tuple[str, ...]:
    lines = [headline(learned), volume_line(learned), *outlier_lines(learned)]
    if check is not None and check.chosen_from:
        lines.append(
            f"the setting ({describe(learned.settings)}) was chosen among {check.chosen_from}; "
            "the figures are for choosing it anew without each task"
        )
    return tuple(line[:1].upper() + line[1:] for line in lines)


def _warnings(learned: LearnedSpace, check: Check | None) -> tuple[str, ...]:
    thin = [widened_line(block) for block in learned.blocks if block.widened]
    if check is None:
        return tuple(thin)
    named = (
        ("would be hurt", check.hurt),
        ("had the best run outside what the others teach", check.unlike),
        ("could not be judged", check.not_judged),
    )
    tasks = [
        f"{len(names)} task{'s' * (len(names) != 1)} {what}: {some(names)}"
        for what, names in named
        if names
    ]
    return (*tasks, *check.warnings, *thin)


def _regrets(curve: Curve) -> tuple[RegretRow, ...]:
    full = dict(zip(curve.full_draws, curve.full))
    return tuple(RegretRow(k, regret, full[k]) for k, regret in zip(curve.draws, curve.inside))


def _frequencies(learned: LearnedSpace) -> tuple[Frequency, ...]:
    frequencies = []
    for name, choices in learned.space.unordered_choices().items():
        best = [task.incumbent[name] for task in learned.tasks if name in task.incumbent]
        counts = Counter(choice_key(choice) for choice in best)
        kept = {choice_key(choice) for choice in learned.choices[name]}
        rows = [
            ChoiceRow(value(choice), count := counts[key], count / max(len(best), 1), key in kept)
            for choice in choices
            for key in [choice_key(choice)]
        ]
        rows.sort(key=lambda row: -row.tasks)
        frequencies.append(Frequency(name, excerpt(rows, MOST_CHOICES), len(best)))
    return tuple(frequencies)


def _provenance(learned: LearnedSpace) -> tuple[tuple[str, str], ...]:
    provenance = learned.provenance
    settings = msgspec.structs.asdict(learned.settings)
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return (
        ("source", provenance.source),
        ("SHA-256 of the runs", provenance.digest),
        ("objective", f"{provenance.objective} ({provenance.direction})"),
        ("setting", describe(learned.settings)),
        ("all settings", ", ".join(f"{name} {chosen}" for name, chosen in settings.items())),
        ("versions", ", ".join([f"Python {platform.python_version()}", *packages])),
    )
