"""The evidence of a check, in the words and numbers of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ringfence.checking.display.text import nested_line, starts_lines
from ringfence.checking.left_out.recorded import FULL_DRAWS
from ringfence.checking.left_out.tasks import DRAWS, TaskCheck
from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.settings import describe
from ringfence.learned.space import LearnedSpace
from ringfence.words import value

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison
    from ringfence.checking.result import Check

INSIDE_COLUMN = DRAWS.index(JUDGED_AT)
FULL_COLUMN = FULL_DRAWS.index(JUDGED_AT)


@dataclass(frozen=True)
class Curve:
    """Mean regret against draws, inside and in the full space, and what the draws are worth."""

    draws: tuple[int, ...]
    inside: tuple[float, ...]
    full_draws: tuple[int, ...]
    full: tuple[float, ...]
    judged_at: int
    worth: float
    """Number of draws in the full space that reach what `judged_at` draws inside do."""
    low: float
    """Lower end of its 90 % interval."""
    high: float


@dataclass(frozen=True)
class TaskRow:
    """One task of the check; figures after ten draws, None if it could not be judged."""

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
        """Regret that the learned space saves; negative if it costs."""
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
class StartingPoints:
    """The starting points, and what such points were worth to tasks that had no part in them."""

    points: tuple[tuple[str, ...], ...]
    """A value for each parameter, a dash if it is inactive; in the order to try them."""
    says: str
    worth: tuple[tuple[int, float, float], ...]
    """Number of points, mean regret after them, and trials that random search needs for it."""


def starting_points(learned: LearnedSpace, check: Check | None) -> StartingPoints | None:
    """The starting points of the learned space; None if it has none."""
    if not learned.portfolio:
        return None
    starts = None if check is None else check.starts
    ups = () if starts is None else starts.speed_ups
    return StartingPoints(
        tuple(
            tuple(
                value(point.config[name]) if name in point.config else "–" for name in learned.space
            )
            for point in learned.portfolio
        ),
        " ".join(starts_lines(starts)) or "not checked",
        tuple((up.draws, up.inside, up.value * up.draws) for up in ups),
    )


def curve(check: Check) -> Curve | None:
    """The means over the tasks that were judged; None if none was."""
    judged = [task for task in check.tasks if task.inside is not None]
    if not judged:
        return None
    speed_up = next(up for up in check.speed_ups if up.draws == JUDGED_AT)
    figures = (speed_up.value, speed_up.low, speed_up.high)
    worth, low, high = (JUDGED_AT * factor for factor in figures)
    full_draws = [k for k in FULL_DRAWS if k <= max(2 * DRAWS[-1], 1.5 * worth)]
    full = np.mean([task.full[: len(full_draws)] for task in judged], axis=0)
    return Curve(
        draws=tuple(up.draws for up in check.speed_ups),
        inside=tuple(up.inside for up in check.speed_ups),
        full_draws=tuple(full_draws),
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
    for number, check in enumerate(comparison.checks):
        up = check.speed_ups[INSIDE_COLUMN] if check.speed_ups else None
        rows.append(
            SettingRow(
                name=describe(check.settings),
                volume=check.volume_kept,
                speed_up=None if up is None else (up.value, up.low, up.high),
                verdict=check.verdict,
                hurt=len(check.hurt),
                tasks=len(check.tasks),
                recommended=number == comparison.best,
            )
        )
    return tuple(rows)


def advice(comparison: Comparison) -> tuple[str, str]:
    """Which setting to take, and what that choice is worth to a task that had no part in it."""
    return comparison.recommendation, nested_line(comparison.nested)


def _row(task: TaskCheck, hurt: set[str]) -> TaskRow:
    inside = None if task.inside is None else task.inside[INSIDE_COLUMN]
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
        full=task.full[FULL_COLUMN],
        verdict=verdict,
    )


def loss(task: TaskCheck) -> float:
    """Regret that the learned space costs a judged task after ten draws."""
    assert task.inside is not None
    return task.inside[INSIDE_COLUMN] - task.full[FULL_COLUMN]
