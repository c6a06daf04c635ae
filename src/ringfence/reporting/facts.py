"""Facts: everything that the report says, as plain values; drawing comes after."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

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
from ringfence.rendering.markup import shortened
from ringfence.reporting.recipe import Recipe, recipe
from ringfence.reporting.sentence import sentence
from ringfence.reporting.views import Views, views_of
from ringfence.space import choice_key
from ringfence.words import value

PACKAGES = ("ringfence", "numpy", "scipy", "polars", "plotly")


@dataclass(frozen=True)
class Frequency:
    """How often the best configurations take each choice of a categorical parameter."""

    name: str
    choices: tuple[tuple[str, int, bool], ...]
    """The choice, the number of tasks, and whether it is kept; most frequent first."""
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
    starts: FirstTrials | None
    views: Views
    frequencies: tuple[Frequency, ...]
    parameters: tuple[str, ...]
    tasks: tuple[Task, ...]
    objective: str
    checked: tuple[TaskRow, ...]
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
    return Facts(
        source=provenance.source,
        sentence=sentence(check),
        verdict="not checked" if check is None else check.verdict,
        about=_about(learned, check),
        warnings=_warnings(learned, check),
        ranges=range_rows(learned),
        parts=tuple(part_tables(learned)),
        curve=None if check is None else evidence.curve(check),
        starts=evidence.first_trials(learned, check),
        views=views_of(learned),
        frequencies=_frequencies(learned),
        parameters=tuple(learned.space),
        tasks=learned.tasks,
        objective=provenance.objective,
        checked=() if check is None else evidence.task_rows(check),
        rows=provenance.rows,
        rows_used=provenance.rows_used,
        dropped=provenance.dropped,
        compared=() if comparison is None else evidence.setting_rows(comparison),
        advice=() if comparison is None else evidence.advice(comparison),
        notes=provenance.notes,
        provenance=_provenance(learned),
        recipe=recipe(history, learned, auto=chosen),
    )


def _about(learned: LearnedSpace, check: Check | None) -> tuple[str, ...]:
    lines = [headline(learned), volume_line(learned), *outlier_lines(learned)]
    if check is not None and check.chosen_from:
        lines.append(
            f"the setting ({describe(learned.settings)}) was chosen among {check.chosen_from}; "
            "the figures are for choosing it anew without each task"
        )
    return tuple(lines)


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
        f"{len(names)} task{'s' * (len(names) != 1)} {what}: {_some(names)}"
        for what, names in named
        if names
    ]
    return (*tasks, *check.warnings, *thin)


def _some(names: Sequence[str], most: int = 12) -> str:
    """The names in a line, long ones shortened, the rest counted."""
    shown = ", ".join(shortened(name, 60) if name.strip() else "(blank)" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _frequencies(learned: LearnedSpace) -> tuple[Frequency, ...]:
    found = []
    for name, choices in learned.space.unordered_choices().items():
        taken = [task.incumbent[name] for task in learned.tasks if name in task.incumbent]
        counts = Counter(choice_key(choice) for choice in taken)
        kept = {choice_key(choice) for choice in learned.choices[name]}
        rows = [(value(c), counts[choice_key(c)], choice_key(c) in kept) for c in choices]
        rows.sort(key=lambda row: -row[1])
        found.append(Frequency(name, tuple(rows), len(taken)))
    return tuple(found)


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
