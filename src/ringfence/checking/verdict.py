"""The check of one setting, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from ringfence.checking.leave_one_out import DRAWS, TaskCheck
from ringfence.checking.speedup import SpeedUp, speed_ups
from ringfence.learned_records import Settings

JUDGED_AT = 10  # draws
TRIFLE = 0.05  # a speed-up so near to 1 is none
HURT = 0.05  # regret by which a task must lose to be named

Verdict: TypeAlias = Literal["helps", "hurts", "no clear difference", "cannot tell"]


class StartsCheck(msgspec.Struct, frozen=True):
    """The starting points, held against each task left out."""

    verdict: Verdict
    """Of all of them, against as many random draws from the whole space."""
    speed_ups: tuple[SpeedUp, ...]
    """After the first 1, 2, 5, … starting points; `inside` is their mean regret."""
    tasks: dict[str, tuple[float, ...]]
    """By task, the best regret after each starting point."""
    not_judged: tuple[str, ...]
    """Tasks with no recorded run inside, or whose runs do not tell good from bad."""


class Check(msgspec.Struct, frozen=True):
    """The evidence for or against a learned space, task by task."""

    settings: Settings
    verdict: Verdict
    volume_kept: float
    """Share of the original numeric space that the space learned from all tasks keeps."""
    tasks: tuple[TaskCheck, ...]
    speed_ups: tuple[SpeedUp, ...]
    not_judged: tuple[str, ...]
    """Tasks with no recorded row inside, or whose rows do not tell good from bad."""
    warnings: tuple[str, ...]
    chosen_from: int = 0
    """Number of settings among which each task's was chosen without it; 0 for a fixed setting."""
    starts: StartsCheck | None = None
    """What the starting points are worth, where they were asked for."""

    @property
    def hurt(self) -> tuple[str, ...]:
        """Tasks that the learned space would hurt after ten draws."""
        at = [s.draws for s in self.speed_ups].index(JUDGED_AT) if self.speed_ups else 0
        return tuple(
            task.name
            for task in self.tasks
            if task.inside is not None and task.inside[at] > task.whole[JUDGED_AT - 1] + HURT
        )

    @property
    def unlike(self) -> tuple[str, ...]:
        """Tasks whose best configuration lies outside what the others teach."""
        return tuple(task.name for task in self.tasks if not task.best_is_inside)

    def plot(self) -> Any:
        """A matplotlib figure: regret against draws, and what each task gains or loses."""
        from ringfence.reporting.check_picture import check_figure

        return check_figure(self)

    def _repr_html_(self) -> str:
        from ringfence.reporting.notebook import check_html

        return check_html(self)

    def __str__(self) -> str:
        from ringfence.checking.text import summary

        return summary(self)


def conclude(
    settings: Settings,
    found: Mapping[str, TaskCheck | None],
    volume: float,
    warnings: Sequence[str],
    chosen_from: int = 0,
) -> Check:
    """The check that follows from those of the tasks; None for a task that could not be judged."""
    ups, verdict = judged(list(found.values()))
    silent = tuple(name for name, task in found.items() if task is None or task.inside is None)
    tasks = tuple(task for task in found.values() if task is not None)
    return Check(settings, verdict, volume, tasks, ups, silent, tuple(warnings), chosen_from)


def judged(found: Sequence[TaskCheck | None]) -> tuple[tuple[SpeedUp, ...], Verdict]:
    """The speed-ups, and at ten draws: does the interval lie above 1, below 1, or across it, by
    more than a trifle?"""
    tasks = [task for task in found if task is not None and task.inside is not None]
    if not tasks:
        return (), "cannot tell"
    inside, whole = np.array([t.inside for t in tasks]), np.array([t.whole for t in tasks])
    ups = speed_ups(inside, whole, DRAWS)
    return ups, verdict_at(ups, JUDGED_AT, len(tasks), len(found))


def verdict_at(ups: Sequence[SpeedUp], draws: int, judged: int, tasks: int) -> Verdict:
    """What the speed-up after so many draws says, where `judged` of the `tasks` speak."""
    if judged < tasks / 2 or judged < 3:
        return "cannot tell"
    at = next(up for up in ups if up.draws == draws)
    if at.low > 1 + TRIFLE:
        return "helps"
    return "hurts" if at.high < 1 / (1 + TRIFLE) else "no clear difference"


def best_of(outcomes: Sequence[tuple[tuple[SpeedUp, ...], Verdict]]) -> int | None:
    """Which of several settings helps with the highest lower bound; None if none helps."""
    bounds = {
        place: next(up.low for up in ups if up.draws == JUDGED_AT)
        for place, (ups, verdict) in enumerate(outcomes)
        if verdict == "helps"
    }
    return max(bounds, key=lambda place: bounds[place]) if bounds else None
