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


def judged(checks: Sequence[TaskCheck | None]) -> tuple[tuple[SpeedUp, ...], Verdict]:
    """The speed-ups, and at ten draws: does the interval lie above 1, below 1, or across it, by
    more than a trifle?"""
    tasks = [task for task in checks if task is not None and task.inside is not None]
    if not tasks:
        return (), "cannot tell"
    inside, full = np.array([t.inside for t in tasks]), np.array([t.full for t in tasks])
    ups = speed_ups(inside, full, DRAWS)
    return ups, verdict_at(ups, JUDGED_AT, len(tasks), len(checks))


def verdict_at(ups: Sequence[SpeedUp], draws: int, n_judged: int, n_tasks: int) -> Verdict:
    """The verdict by the speed-up after this many draws, if `n_judged` of the tasks have one."""
    if n_judged < n_tasks / 2 or n_judged < 3:
        return "cannot tell"
    speed_up = next(up for up in ups if up.draws == draws)
    if speed_up.low > 1 + TRIFLE:
        return "helps"
    return "hurts" if speed_up.high < 1 / (1 + TRIFLE) else "no clear difference"


def best_of(outcomes: Sequence[tuple[tuple[SpeedUp, ...], Verdict]]) -> int | None:
    """Which of several settings helps with the highest lower bound; None if none helps."""
    bounds = {
        number: next(up.low for up in ups if up.draws == JUDGED_AT)
        for number, (ups, verdict) in enumerate(outcomes)
        if verdict == "helps"
    }
    return max(bounds, key=lambda number: bounds[number]) if bounds else None
