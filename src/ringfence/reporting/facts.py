"""Facts: everything that the report says, as plain values; drawing comes after."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version

import msgspec

from ringfence.checking import Check, Comparison
from ringfence.checking.display import evidence
from ringfence.checking.display.evidence import Curve, SettingRow, StartingPoints, TaskRow
from ringfence.history import Dropped, History
from ringfence.history.readers.optuna.objective import LEFT_OUT
from ringfence.learned.ranges import Range, range_rows
from ringfence.learned.records import Task
from ringfence.learned.settings import describe
from ringfence.learned.space import LearnedSpace
from ringfence.learned.text import (
    caution_lines,
    few_tasks_lines,
    headline,
    outlier_lines,
    part_tables,
    unknown_lines,
    volume_line,
)
from ringfence.reporting.failures import ZoneFacts, zone_facts
from ringfence.reporting.past import PastFit, past_fit
from ringfence.reporting.recipe import Recipe, recipe
from ringfence.reporting.sentence import sentence, worth_sentence
from ringfence.reporting.tables import (
    MOST_CHECKED,
    Excerpt,
    Frequency,
    RegretRow,
    best_configurations,
    excerpt,
    frequencies,
    regret_rows,
)
from ringfence.reporting.use import Use, use_of
from ringfence.reporting.versions import Past
from ringfence.reporting.views import RegionViews, views_of
from ringfence.words import some

PACKAGES = ("ringfence", "numpy", "scipy", "polars")


@dataclass(frozen=True)
class Facts:
    """The report in plain values, in the order of the page."""

    source: str
    goal: str
    """What the tasks were tuned for, such as "minimize 'error'"."""
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
    starts: StartingPoints | None
    zone: ZoneFacts | None
    """Where runs failed."""
    views: RegionViews
    frequencies: tuple[Frequency, ...]
    parameters: tuple[str, ...]
    past: PastFit | None
    """How the tasks fit the space; None if every one has every parameter as it is."""
    tasks: Excerpt[Task]
    objective: str
    checked: Excerpt[TaskRow]
    rows: int
    rows_used: int
    dropped: tuple[Dropped, ...]
    compared: tuple[SettingRow, ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]
    use: Use
    provenance: tuple[tuple[str, str], ...]
    recipe: Recipe
    versions: Past | None = None
    """How it came to be what it is; None if nobody asked."""


def gather(
    history: History,
    learned: LearnedSpace,
    check: Check | None,
    comparison: Comparison | None,
    made: str = "",
    versions: Past | None = None,
) -> Facts:
    """The facts of one report; `made` is the command or the Python lines that it is made by."""
    provenance = learned.provenance
    chosen = check is not None and check.chosen_from > 0
    curve = None if check is None else evidence.curve(check)
    return Facts(
        source=provenance.source,
        goal=provenance.goal,
        sentence=sentence(check),
        verdict="not checked" if check is None else check.verdict,
        about=_about(learned, check),
        warnings=_warnings(learned, check),
        ranges=range_rows(learned),
        parts=tuple(part_tables(learned)),
        curve=curve,
        worth="" if curve is None else worth_sentence(curve),
        regrets=() if curve is None else regret_rows(curve),
        starts=evidence.starting_points(learned, check),
        zone=zone_facts(history, learned, check),
        views=views_of(learned),
        frequencies=frequencies(learned),
        parameters=tuple(learned.space),
        past=past_fit(history, learned.space),
        tasks=best_configurations(learned),
        objective=provenance.objective,
        checked=excerpt(() if check is None else evidence.task_rows(check), MOST_CHECKED),
        rows=provenance.rows,
        rows_used=provenance.rows_used,
        dropped=provenance.dropped,
        compared=() if comparison is None else evidence.setting_rows(comparison),
        advice=() if comparison is None else evidence.advice(comparison),
        notes=provenance.notes,
        use=use_of(history, learned),
        provenance=_provenance(learned),
        recipe=recipe(history, learned, auto=chosen, made=made),
        versions=versions,
    )


def _about(learned: LearnedSpace, check: Check | None) -> tuple[str, ...]:
    lines = [*caution_lines(learned), headline(learned), volume_line(learned)]
    lines += [*outlier_lines(learned), *unknown_lines(learned)]
    if check is not None and check.chosen_from:
        lines.append(
            f"the setting ({describe(learned.settings)}) was chosen among {check.chosen_from}; "
            "the figures are for choosing it anew without each task"
        )
    return tuple(line[:1].upper() + line[1:] for line in lines)


def _warnings(learned: LearnedSpace, check: Check | None) -> tuple[str, ...]:
    thin = [*few_tasks_lines(learned), *_studies_left_out(learned)]
    if check is None:
        return tuple(thin)
    named = (
        ("would be hurt", check.hurt),
        ("had the best run outside what the others teach", check.unlike),
        ("could not be judged (best and median run are equal)", check.not_judged),
    )
    tasks = [
        f"{len(names)} task{'s' * (len(names) != 1)} {what}: {some(names)}"
        for what, names in named
        if names
    ]
    return (*tasks, *check.warnings, *thin)


def _studies_left_out(learned: LearnedSpace) -> list[str]:
    """Notes on whole studies, whose runs are not among the rows that are not used."""
    notes = [note for note in learned.provenance.notes if note.startswith(LEFT_OUT)]
    return [note[:1].upper() + note[1:] for note in notes]


def _provenance(learned: LearnedSpace) -> tuple[tuple[str, str], ...]:
    provenance = learned.provenance
    settings = msgspec.structs.asdict(learned.settings)
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return (
        ("source", provenance.source),
        ("SHA-256 of the runs", provenance.digest),
        ("objective", provenance.goal),
        ("setting", describe(learned.settings)),
        ("all settings", ", ".join(f"{name} {chosen}" for name, chosen in settings.items())),
        ("versions", ", ".join([f"Python {platform.python_version()}", *packages])),
    )
