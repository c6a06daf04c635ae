"""The rules by which evidence becomes a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from ringfence.checking.left_out.speedup import SpeedUp, speed_ups
from ringfence.checking.left_out.tasks import DRAWS, TaskCheck

JUDGED_AT = 10  # draws: a small tuning budget, and enough for a region to matter
TRIFLE = 0.05  # a speed-up this near to 1 is none
HURT = 0.05  # regret by which a task must lose to be named

Verdict: TypeAlias = Literal["helps", "hurts", "no clear difference", "cannot tell"]


def judged(found: Sequence[TaskCheck | None]) -> tuple[tuple[SpeedUp, ...], Verdict]:
    """The speed-ups, and at ten draws: does the interval lie above 1, below 1, or across it, by
    more than a trifle?"""
    tasks = [task for task in found if task is not None and task.inside is not None]
    if not tasks:
        return (), "cannot tell"
    inside, full = np.array([t.inside for t in tasks]), np.array([t.full for t in tasks])
    ups = speed_ups(inside, full, DRAWS)
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
