"""Check: the evidence for or against one setting, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ringfence.checking.display.html import check_html
from ringfence.checking.display.text import summary
from ringfence.checking.left_out.speedup import SpeedUp
from ringfence.checking.left_out.tasks import TaskCheck
from ringfence.checking.verdict import HURT, JUDGED_AT, Verdict, judged
from ringfence.learned.records import Settings


class StartsCheck(msgspec.Struct, frozen=True):
    """The starting points, held against each task left out."""

    verdict: Verdict
    """Of all of them, against as many random draws from the full space."""
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
    """What the starting points are worth, if they were judged."""

    @property
    def hurt(self) -> tuple[str, ...]:
        """Tasks that the learned space would hurt after ten draws."""
        column = [up.draws for up in self.speed_ups].index(JUDGED_AT) if self.speed_ups else 0
        return tuple(
            task.name
            for task in self.tasks
            if task.inside is not None and task.inside[column] > task.full[JUDGED_AT - 1] + HURT
        )

    @property
    def unlike(self) -> tuple[str, ...]:
        """Tasks whose best configuration lies outside the space learned from the others."""
        return tuple(task.name for task in self.tasks if not task.best_is_inside)

    def plot(self) -> Any:
        """A matplotlib figure: regret against draws, and what each task gains or loses."""
        from ringfence.checking.display.picture import check_figure  # brings matplotlib

        return check_figure(self)

    def _repr_html_(self) -> str:
        return check_html(self)

    def __str__(self) -> str:
        return summary(self)


def summarize(
    settings: Settings,
    by_name: Mapping[str, TaskCheck | None],
    volume: float,
    warnings: Sequence[str],
    chosen_from: int = 0,
) -> Check:
    """The check that follows from those of the tasks; None for a task that could not be judged."""
    ups, verdict = judged(list(by_name.values()))
    unjudged = tuple(name for name, task in by_name.items() if task is None or task.inside is None)
    tasks = tuple(task for task in by_name.values() if task is not None)
    return Check(settings, verdict, volume, tasks, ups, unjudged, tuple(warnings), chosen_from)
