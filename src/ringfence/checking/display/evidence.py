"""The evidence of a check, in the words and numbers of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ringfence.checking.belief.regret_scale import FULL_DRAWS
from ringfence.checking.display.text import ROUNDING, nested_line, starts_lines
from ringfence.checking.left_out.tasks import DRAWS, TaskCheck
from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.settings import describe
from ringfence.learned.space import LearnedSpace
from ringfence.words import estimate, value

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison
    from ringfence.checking.result import Check, Spending

INSIDE_COLUMN = DRAWS.index(JUDGED_AT)


@dataclass(frozen=True)
class Curve:
    """Mean regret against draws, inside and in the full space, and what the draws are worth."""

    draws: tuple[int, ...]
    inside: tuple[float, ...]
    inside_low: tuple[float, ...]
    """Lower end of its 90 % interval."""
    inside_high: tuple[float, ...]
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
    inside_low: float | None = None
    """Lower end of the 90 % interval of `inside`."""
    inside_high: float | None = None

    @property
    def gain(self) -> float | None:
        """Regret that the learned space saves; negative if it costs."""
        if self.inside is None or self.full is None:
            return None
        return self.full - self.inside

    @property
    def gain_interval(self) -> tuple[float, float] | None:
        """The ends of its 90 % interval."""
        if self.inside_low is None or self.inside_high is None or self.full is None:
            return None
        return self.full - self.inside_high, self.full - self.inside_low


@dataclass(frozen=True)
class SettingRow:
    """One setting of a comparison."""

    name: str
    volume: float
    volume_text: str
    """In per cent, with its error if it is an estimate."""
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
    costs: tuple[float, ...] = ()
    """What each is expected to cost, in median trials; empty if nobody knows."""
    spending: Spending | None = None
    """What such points cost, and random search for the same."""


def starting_points(learned: LearnedSpace, check: Check | None) -> StartingPoints | None:
    """The starting points of the learned space; None if it has none."""
    points = learned.starting_points()
    if not points:
        return None
    starts = None if check is None else check.starts
    ups = () if starts is None else starts.speed_ups
    return StartingPoints(
        tuple(
            tuple(
                value(point.config[name]) if name in point.config else "–" for name in learned.space
            )
            for point in points
        ),
        " ".join(starts_lines(starts)) or "not checked",
        tuple((up.draws, up.inside, up.value * up.draws) for up in ups),
        tuple(point.cost for point in points if point.cost is not None),
        None if starts is None else starts.spending,
    )


def curve(check: Check) -> Curve | None:
    """The means over the tasks that were judged, as far as the runs carry them; None if none
    was."""
    if not check.speed_ups:
        return None
    speed_up = next(up for up in check.speed_ups if up.draws == JUDGED_AT)
    figures = (speed_up.value, speed_up.low, speed_up.high)
    worth, low, high = (JUDGED_AT * factor for factor in figures)
    last = check.speed_ups[-1].draws
    full_draws = [k for k in FULL_DRAWS if k <= max(2 * last, 1.5 * worth)]
    return Curve(
        draws=tuple(up.draws for up in check.speed_ups),
        inside=tuple(up.inside for up in check.speed_ups),
        inside_low=tuple(up.inside_low for up in check.speed_ups),
        inside_high=tuple(up.inside_high for up in check.speed_ups),
        full_draws=tuple(full_draws),
        full=check.full[: len(full_draws)],
        judged_at=JUDGED_AT,
        worth=worth,
        low=low,
        high=high,
    )


def task_rows(check: Check) -> tuple[TaskRow, ...]:
    """The tasks, those that lose most first, those that could not be judged last."""
    hurt = set(check.hurt)
    judged = sorted(check.tasks, key=lambda task: loss(task, check), reverse=True)
    rows = [_row(task, check, hurt) for task in judged]
    nothing = (None,) * 6
    rows += [TaskRow(name, *nothing, "not judged") for name in check.not_judged]
    return tuple(rows)


def setting_rows(comparison: Comparison) -> tuple[SettingRow, ...]:
    """The settings in the order in which they were tried."""
    rows = []
    for number, check in enumerate(comparison.checks):
        up = next((up for up in check.speed_ups if up.draws == JUDGED_AT), None)
        rows.append(
            SettingRow(
                name=describe(check.settings),
                volume=check.volume_kept,
                volume_text=estimate(check.volume_kept, check.volume_error),
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


def _row(task: TaskCheck, check: Check, hurt: set[str]) -> TaskRow:
    if task.name in hurt:
        verdict = "would be hurt"
    else:
        verdict = "no worse" if loss(task, check) <= 0 else "a little worse"
    if task.low[INSIDE_COLUMN] < check.full_at(JUDGED_AT) < task.high[INSIDE_COLUMN]:
        verdict = f"likely {verdict}"  # as counted in the headline, but its interval spans both
    return TaskRow(
        name=task.name,
        rows=task.rows,
        rows_inside=task.rows_inside,
        best_is_inside=task.best_is_inside,
        rank=task.rank_of_best_inside,
        inside=task.inside[INSIDE_COLUMN],
        full=check.full_at(JUDGED_AT),
        verdict=verdict,
        inside_low=task.low[INSIDE_COLUMN],
        inside_high=task.high[INSIDE_COLUMN],
    )


def loss(task: TaskCheck, check: Check) -> float:
    """Regret that the learned space costs a task after ten draws."""
    difference = task.inside[INSIDE_COLUMN] - check.full_at(JUDGED_AT)
    return 0.0 if abs(difference) < ROUNDING else difference
