"""The rules by which evidence becomes a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, median
from typing import Literal, TypeAlias

import msgspec

from ringfence.checking.belief.regret_scale import RegretScale
from ringfence.checking.left_out.speedup import (
    COMMON_ERROR,
    NO_ERROR,
    THIN_POWER,
    ModelError,
    SpeedUp,
    speed_ups,
)
from ringfence.checking.left_out.tasks import DRAWS, TaskEvidence
from ringfence.words import counted

JUDGED_AT = 10  # draws: a small tuning budget, and enough for a region to matter
TRIFLE = 0.05  # a speed-up this near to 1 is none
HURT = 0.05  # regret by which a task must lose to be named
SAMPLED = "tasks, drawn at random, were left out in turn"  # in the note on it
FEWEST_TASKS = 5  # fewer do not tell how much tasks differ: with 3 or 4 the check is too optimistic
FEWEST_ROWS = 8  # in the median task: fewer say nothing about the best of ten draws
CLEAR = 1.5  # if neither a gain nor a loss by this factor is possible, there is no clear difference
DEVIATIONS = 1.645  # half of a 90 % interval, in standard deviations
FACTORS = (1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0)
"""Times as many runs or tasks; nobody will run more."""
PROBABLY = 0.75  # chance of a verdict with that many

Verdict: TypeAlias = Literal["helps", "hurts", "no clear difference", "cannot tell"]


class Judgement(msgspec.Struct, frozen=True):
    """What the evidence says."""

    verdict: Verdict
    reason: str = ""
    """Why it cannot tell, and what would settle it; else empty."""
    trusted: bool = True
    """Whether the intervals hold: not with too few tasks or runs, nor if part of the full space was
    not searched."""


def judged(
    evidence: Sequence[TaskEvidence | None],
    scale: RegretScale | None,
    unsearched: str = "",
    scarce: float = 0.0,
) -> tuple[tuple[SpeedUp, ...], Judgement]:
    """The speed-ups as far as the rows carry them, and the verdict at ten draws; none if part of
    the full space is `unsearched`. `scarce` is how much of it few tasks know (`scarcity`)."""
    tasks = [task for task in evidence if task is not None]
    if not tasks or scale is None:
        return (), Judgement("cannot tell", "no task has runs that tell good from bad", False)
    rows = median(task.runs for task in tasks)
    exact = all(task.exact for task in tasks)
    lacks = fmean(task.lacks for task in tasks)
    error = NO_ERROR if exact else ModelError.of(len(tasks), rows, lacks=lacks, scarce=scarce)
    ups = speed_ups([task.curves for task in tasks], DRAWS, scale, error)
    shown = tuple(up for up in ups if up.draws <= max(rows, JUDGED_AT))
    if unsearched and not exact:
        return shown, Judgement("cannot tell", unsearched, False)
    return shown, judgement(shown, JUDGED_AT, len(tasks), len(evidence), rows)


def judgement(
    ups: Sequence[SpeedUp], draws: int, n_judged: int, n_tasks: int, rows: float
) -> Judgement:
    """The verdict by the speed-up after this many draws: does the interval lie above 1, below 1, or
    across it, by more than a trifle? `n_judged` of the tasks have one, of `rows` rows each."""
    needed = max(FEWEST_TASKS, math.ceil(n_tasks / 2))
    if n_judged < needed:
        have = "has" if n_judged == 1 else "have"
        told = f"only {n_judged} of {n_tasks} tasks {have} runs that tell good from bad"
        are = "is" if n_tasks == 1 else "are"
        few = told if n_judged < n_tasks else f"{counted(n_tasks, 'task')} {are} too few"
        return Judgement("cannot tell", f"{few}; at least {needed} are needed", False)
    if rows < FEWEST_ROWS:
        return Judgement(
            "cannot tell",
            f"a task has {rows:g} runs in the median; at least {FEWEST_ROWS} are needed",
            False,
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
    """Why the interval is wide, and about how many more runs or tasks would probably make it narrow
    enough for a verdict, wherever the figure then lies."""
    fits = f"any speed-up from {up.low:.2f} to {up.high:.2f} fits the runs"
    spread = _Spread.of(up, n_tasks, rows)
    for with_rows, with_tasks in ((True, False), (False, True), (True, True)):
        for factor in FACTORS:
            later = spread.times(factor if with_rows else 1.0, factor if with_tasks else 1.0)
            if later.chance_of_verdict(math.log(up.value), spread) >= PROBABLY:
                more = [_more(rows, factor, "more random run{s} a task")] * with_rows
                more += [_more(n_tasks, factor, "more task{s} like these")] * with_tasks
                return f"{fits}; about {' and '.join(more)} would probably settle it"
    return f"{fits}, and neither more runs nor more tasks would soon settle it"


@dataclass(frozen=True)
class _Spread:
    """The variance of the logarithm of a speed-up, by what would reduce it."""

    between: float
    """Shrinks with tasks."""
    within: float
    """Shrinks with rows, and with tasks."""
    thin: float
    """What the model gets wrong with few rows: shrinks with rows alone, faster."""

    @classmethod
    def of(cls, up: SpeedUp, n_tasks: int, rows: float) -> _Spread:
        thin = min(ModelError.of(n_tasks, rows).within, up.within_tasks**2)
        return cls(up.between_tasks**2, up.within_tasks**2 - thin, thin)

    def times(self, rows: float, tasks: float) -> _Spread:
        """With this many times as many."""
        return _Spread(
            self.between / tasks, self.within / (rows * tasks), self.thin / rows**THIN_POWER
        )

    @property
    def total(self) -> float:
        return self.between + self.within + self.thin + COMMON_ERROR**2

    def chance_of_verdict(self, log_value: float, now: _Spread) -> float:
        """The chance of a verdict with this spread. The figure will have moved by then, by as much
        as the spread has become smaller."""
        reach = DEVIATIONS * math.sqrt(self.total)
        moves = math.sqrt(max(now.total - self.total, 1e-12))
        clear, trifle = math.log(CLEAR) - reach, math.log1p(TRIFLE) + reach
        law = NormalDist(log_value, moves)
        chance = 1.0 - (law.cdf(trifle) - law.cdf(-trifle))  # helps or hurts
        if clear > 0.0:  # no clear difference
            edge = min(clear, trifle)
            chance += law.cdf(edge) - law.cdf(-edge)
        return chance


def _more(size: float, factor: float, what: str) -> str:
    count = _round_up(math.ceil(size * (factor - 1)))
    return f"{count} {what.format(s='s' * (count > 1))}"


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
