"""What a check found, in the words and numbers of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ringfence.checking.display.text import honest, starts_lines
from ringfence.checking.left_out.recorded import FULL_DRAWS
from ringfence.checking.left_out.tasks import DRAWS, TaskCheck
from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.settings import describe
from ringfence.learned.space import LearnedSpace
from ringfence.words import value

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison
    from ringfence.checking.result import Check

AT = DRAWS.index(JUDGED_AT)
FULL_AT = FULL_DRAWS.index(JUDGED_AT)


@dataclass(frozen=True)
class Curve:
    """Mean regret against draws, inside and in the whole space, and what the draws are worth."""

    draws: tuple[int, ...]
    inside: tuple[float, ...]
    full_draws: tuple[int, ...]
    full: tuple[float, ...]
    judged_at: int
    worth: float
    """So many draws in the whole space reach what `judged_at` inside do, and its 90 % interval."""
    low: float
    high: float


@dataclass(frozen=True)
class TaskRow:
    """One task of the check; figures after ten draws, None where it could not be judged."""

    name: str
    rows: int | None
    rows_inside: int | None
    best_is_inside: bool | None
    rank: int | None
    inside: float | None
    full: float | None
    verdict: str

    @property
    def gain(self) -> float | None:
        """Regret that the learned space saves; negative where it costs."""
        if self.inside is None or self.full is None:
            return None
        return self.full - self.inside


@dataclass(frozen=True)
class SettingRow:
    """One setting of a comparison."""

    name: str
    volume: float
    speed_up: tuple[float, float, float] | None
    """The figure, and the ends of its interval."""
    verdict: str
    hurt: int
    tasks: int
    recommended: bool


@dataclass(frozen=True)
class FirstTrials:
    """The starting points, and what such points were worth to tasks that had no part in them."""

    points: tuple[tuple[str, ...], ...]
    """A value for each parameter, a dash where it is inactive; in the order to try them."""
    says: str
    worth: tuple[tuple[int, float, float], ...]
    """After so many points: mean regret, and trials that random search needs for it."""


def first_trials(learned: LearnedSpace, check: Check | None) -> FirstTrials | None:
    """The starting points of the learned space; None where it has none."""
    if not learned.portfolio:
        return None
    starts = None if check is None else check.starts
    ups = () if starts is None else starts.speed_ups
    return FirstTrials(
        tuple(
            tuple(
                value(start.config[name]) if name in start.config else "–" for name in learned.space
            )
            for start in learned.portfolio
        ),
        " ".join(starts_lines(starts)) or "not checked",
        tuple((up.draws, up.inside, up.value * up.draws) for up in ups),
    )


def curve(check: Check) -> Curve | None:
    """The means over the tasks that were judged; None where none was."""
    judged = [task for task in check.tasks if task.inside is not None]
    if not judged:
        return None
    at = next(up for up in check.speed_ups if up.draws == JUDGED_AT)
    worth, low, high = (JUDGED_AT * factor for factor in (at.value, at.low, at.high))
    shown = [k for k in FULL_DRAWS if k <= max(2 * DRAWS[-1], 1.5 * worth)]
    full = np.mean([task.full[: len(shown)] for task in judged], axis=0)
    return Curve(
        draws=tuple(up.draws for up in check.speed_ups),
        inside=tuple(up.inside for up in check.speed_ups),
        full_draws=tuple(shown),
        full=tuple(full.tolist()),
        judged_at=JUDGED_AT,
        worth=worth,
        low=low,
        high=high,
    )


def task_rows(check: Check) -> tuple[TaskRow, ...]:
    """The tasks, those that lose most first, those that could not be judged last."""
    hurt = set(check.hurt)
    judged = sorted((t for t in check.tasks if t.inside is not None), key=loss, reverse=True)
    empty = [task for task in check.tasks if task.inside is None]
    rows = [_row(task, hurt) for task in (*judged, *empty)]
    known = {task.name for task in check.tasks}
    flat = "not judged: its best and median run are equal"
    rows += [
        TaskRow(name, None, None, None, None, None, None, flat)
        for name in check.not_judged
        if name not in known
    ]
    return tuple(rows)


def setting_rows(comparison: Comparison) -> tuple[SettingRow, ...]:
    """The settings in the order in which they were tried."""
    rows = []
    for place, check in enumerate(comparison.checks):
        at = check.speed_ups[AT] if check.speed_ups else None
        rows.append(
            SettingRow(
                name=describe(check.settings),
                volume=check.volume_kept,
                speed_up=None if at is None else (at.value, at.low, at.high),
                verdict=check.verdict,
                hurt=len(check.hurt),
                tasks=len(check.tasks),
                recommended=place == comparison.best,
            )
        )
    return tuple(rows)


def advice(comparison: Comparison) -> tuple[str, str]:
    """Which setting to take, and what that choice is worth to a task that had no part in it."""
    return comparison.recommendation, honest(comparison.nested)


def _row(task: TaskCheck, hurt: set[str]) -> TaskRow:
    inside = None if task.inside is None else task.inside[AT]
    if inside is None:
        verdict = "not judged: no recorded run inside"
    elif task.name in hurt:
        verdict = "would be hurt"
    else:
        verdict = "no worse" if loss(task) <= 0 else "a little worse"
    return TaskRow(
        name=task.name,
        rows=task.rows,
        rows_inside=task.rows_inside,
        best_is_inside=task.best_is_inside,
        rank=task.rank_of_best_inside,
        inside=inside,
        full=task.full[FULL_AT],
        verdict=verdict,
    )


def loss(task: TaskCheck) -> float:
    """Regret that the learned space costs a judged task after ten draws."""
    assert task.inside is not None
    return task.inside[AT] - task.full[FULL_AT]
