"""The rules by which evidence becomes a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Literal, TypeAlias

import msgspec

from ringfence.checking.belief.regret_scale import RegretScale
from ringfence.checking.left_out.speedup import (
    COMMON_ERROR,
    NO_ERROR,
    ModelError,
    SpeedUp,
    speed_ups,
)
from ringfence.checking.left_out.tasks import DRAWS, TaskEvidence

JUDGED_AT = 10  # draws: a small tuning budget, and enough for a region to matter
TRIFLE = 0.05  # a speed-up this near to 1 is none
HURT = 0.05  # regret by which a task must lose to be named
FEWEST_TASKS = 5  # fewer do not tell how much tasks differ: with 3 or 4 the check is too optimistic
FEWEST_ROWS = 8  # in the median task: fewer say nothing about the best of ten draws
CLEAR = 1.5  # if neither a gain nor a loss by this factor is possible, there is no clear difference
DEVIATIONS = 1.645  # half of a 90 % interval, in standard deviations
MOST_MORE = 20  # times as many rows or tasks: nobody will run more

Verdict: TypeAlias = Literal["helps", "hurts", "no clear difference", "cannot tell"]


class Judgement(msgspec.Struct, frozen=True):
    """What the evidence says."""

    verdict: Verdict
    reason: str = ""
    """Why it cannot tell, and what would settle it; else empty."""


def judged(
    evidence: Sequence[TaskEvidence | None], scale: RegretScale | None
) -> tuple[tuple[SpeedUp, ...], Judgement]:
    """The speed-ups as far as the rows carry them, and the verdict at ten draws."""
    tasks = [task for task in evidence if task is not None]
    if not tasks or scale is None:
        return (), Judgement("cannot tell", "no task has runs that tell good from bad")
    rows = median(task.runs for task in tasks)
    exact = all(task.exact for task in tasks)
    error = NO_ERROR if exact else ModelError.of(len(tasks), rows)
    ups = speed_ups([task.curves for task in tasks], DRAWS, scale, error)
    shown = tuple(up for up in ups if up.draws <= max(rows, JUDGED_AT))
    return shown, judgement(shown, JUDGED_AT, len(tasks), len(evidence), rows)


def judgement(
    ups: Sequence[SpeedUp], draws: int, n_judged: int, n_tasks: int, rows: float
) -> Judgement:
    """The verdict by the speed-up after this many draws: does the interval lie above 1, below 1, or
    across it, by more than a trifle? `n_judged` of the tasks have one, of `rows` rows each."""
    needed = max(FEWEST_TASKS, math.ceil(n_tasks / 2))
    if n_judged < needed:
        told = f"only {n_judged} of {n_tasks} tasks have runs that tell good from bad"
        few = told if n_judged < n_tasks else f"{n_tasks} tasks are too few"
        return Judgement("cannot tell", f"{few}; at least {needed} are needed")
    if rows < FEWEST_ROWS:
        return Judgement(
            "cannot tell",
            f"a task has {rows:g} runs in the median; at least {FEWEST_ROWS} are needed",
        )
    up = next(up for up in ups if up.draws == draws)
    if up.low > 1 + TRIFLE:
        return Judgement("helps")
    if up.high < 1 / (1 + TRIFLE):
        return Judgement("hurts")
    if up.low > 1 / CLEAR and up.high < CLEAR:
        return Judgement("no clear difference")
    return Judgement("cannot tell", _what_would_settle(up, n_judged, rows))


def _what_would_settle(up: SpeedUp, n_tasks: int, rows: float) -> str:
    """Why the interval is wide, and about how many more runs or tasks would make it narrow enough:
    the spread within tasks shrinks with their rows, the spread between tasks with their number."""
    fits = f"any speed-up from {up.low:.2f} to {up.high:.2f} fits the runs"
    size = abs(math.log(up.value))
    nearest = max(size - math.log1p(TRIFLE), math.log(CLEAR) - size)  # verdict that could be had
    wanted = (nearest / DEVIATIONS) ** 2 - COMMON_ERROR**2
    within, between = up.within_tasks**2, up.between_tasks**2
    if wanted > between:
        more = math.ceil(rows * (within / (wanted - between) - 1))
        if 0 < more <= MOST_MORE * rows:
            runs = f"{_round_up(more)} more random run{'s' * (more > 1)} a task"
            return f"{fits}; about {runs} would settle it"
    if wanted > 0:
        more = math.ceil(n_tasks * ((within + between) / wanted - 1))
        if 0 < more <= MOST_MORE * n_tasks:
            tasks = f"{_round_up(more)} more task{'s' * (more > 1)} like these"
            return f"{fits}; about {tasks} would settle it"
    return f"{fits}, and neither more runs nor more tasks would soon settle it"


def _round_up(count: int) -> int:
    """The figure is rough: from ten on a multiple of 5, from a hundred on of 50."""
    step = 1 if count < 10 else 5 if count < 100 else 50
    return math.ceil(count / step) * step


def best_of(outcomes: Sequence[tuple[tuple[SpeedUp, ...], Judgement]]) -> int | None:
    """Which of several settings helps with the highest lower bound; None if none helps."""
    bounds = {
        number: next(up.low for up in ups if up.draws == JUDGED_AT)
        for number, (ups, judgement) in enumerate(outcomes)
        if judgement.verdict == "helps"
    }
    return max(bounds, key=lambda number: bounds[number]) if bounds else None
