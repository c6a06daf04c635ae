"""Check: the evidence for or against one setting, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ringfence.checking.belief.regret_scale import FULL_DRAWS, RegretScale
from ringfence.checking.display.html import check_html
from ringfence.checking.display.text import summary
from ringfence.checking.left_out.speedup import SpeedUp
from ringfence.checking.left_out.tasks import DRAWS, TaskCheck, TaskEvidence
from ringfence.checking.verdict import HURT, JUDGED_AT, Judgement, Verdict, judged
from ringfence.learned.records import Settings
from ringfence.learned.settings import describe
from ringfence.learned.zone.rule import Zone
from ringfence.words import counted


class Spending(msgspec.Struct, frozen=True):
    """Regret against cost: the starting points and random search of the full space."""

    unit: str
    """'seconds', or the name of the column of costs."""
    typical: float
    """What the median random configuration is expected to cost, in that unit: the median over the
    tasks."""
    spent: tuple[float, ...]
    """In median trials."""
    starts: tuple[float, ...]
    """Mean regret of the starting points that have ended when so much is spent."""
    random: tuple[float, ...]
    """The same for random search of the full space."""
    n_starts: int
    total: float
    """What all starting points cost, in median trials: the mean over the tasks."""
    random_needs: float
    """What random search spends for the same mean regret: its trials, each at the mean cost."""
    n_tasks: int
    """The tasks with costs."""
    without: tuple[str, ...] = ()
    """Judged tasks that are not counted here, since too few of their costs are known."""


class StartsCheck(msgspec.Struct, frozen=True):
    """The starting points, held against each task left out."""

    verdict: Verdict
    """Of all of them, against as many random draws from the full space."""
    reason: str
    """Why it cannot tell, and what would settle it; else empty."""
    speed_ups: tuple[SpeedUp, ...]
    """After the first 1, 2, 5, … starting points; `inside` is their mean regret."""
    tasks: dict[str, tuple[float, ...]]
    """By task, the expected best regret after each starting point."""
    not_judged: tuple[str, ...]
    """Tasks whose runs do not tell good from bad."""
    spending: Spending | None = None
    """What they cost, and random search for the same, if the runs have costs."""

    def __repr__(self) -> str:
        up = f", {self.speed_ups[-1]!r}" if self.speed_ups else ""
        return f"StartsCheck({self.verdict}{up}, {counted(len(self.tasks), 'task')})"


class ZoneCheck(msgspec.Struct, frozen=True):
    """What no-go zones that were found without a task say about it."""

    zone: Zone
    """The zone of all tasks."""
    tasks: int
    """Tasks that were left out, each once."""
    claimed: int
    """Those for which the others had a zone."""
    best_inside: tuple[str, ...]
    """Those whose best run lies in it."""
    failed: int
    """Failed runs of theirs in it."""
    runs: int
    """All runs of theirs in it."""


class Check(msgspec.Struct, frozen=True):
    """The evidence for or against a learned space, task by task; `rf.check` gives it.

    `print` shows it as text, a notebook as tables.

    Examples:
        >>> import ringfence as rf
        >>> check = rf.check(rf.example_history(), starts=0)
        >>> check.verdict
        'helps'
        >>> check.hurt
        ()
    """

    settings: Settings
    """What was checked."""
    verdict: Verdict
    """'helps', 'hurts', 'no clear difference' or 'cannot tell'."""
    reason: str
    """Why it cannot tell, and what would settle it; else empty."""
    volume_kept: float
    """Share of the full numeric space that the space learned from all tasks keeps."""
    tasks: tuple[TaskCheck, ...]
    """The evidence, one record a task."""
    speed_ups: tuple[SpeedUp, ...]
    """What the trials inside are worth, after 1, 2, 5, … of them, with intervals."""
    full: tuple[float, ...]
    """Expected regret of the best of K draws from the full space, for each K of FULL_DRAWS: the
    same for every task, since regret goes by the share of draws that are better."""
    not_judged: tuple[str, ...]
    """Tasks whose rows do not tell good from bad: their best and median are equal."""
    warnings: tuple[str, ...]
    """What the data cannot support, in words."""
    trusted: bool = True
    """Whether the intervals hold: not with too few tasks or runs, nor if part of the full space was
    not searched."""
    chosen_from: int = 0
    """Number of settings among which each task's was chosen without it; 0 for a fixed setting."""
    starts: StartsCheck | None = None
    """What the starting points are worth, if they were judged."""
    zone: ZoneCheck | None = None
    """The no-go zone held against each task, if there is one."""
    goal: str = ""
    """What is better, as `History.goal` has it."""
    notes: tuple[str, ...] = ()
    """What was guessed, converted and left out on the way from the runs to the check."""
    volume_error: float = 0.0
    """The standard error of `volume_kept`; 0 if that is exact."""

    @property
    def judgement(self) -> Judgement:
        """The verdict with its reason."""
        return Judgement(self.verdict, self.reason, self.trusted)

    @property
    def hurt(self) -> tuple[str, ...]:
        """Tasks that the learned space would hurt after ten draws, with 95 % confidence."""
        if not self.tasks:
            return ()
        column, full = DRAWS.index(JUDGED_AT), self.full_at(JUDGED_AT)
        return tuple(task.name for task in self.tasks if task.low[column] > full + HURT)

    def full_at(self, draws: int) -> float:
        """Expected regret after this many trials in the full space.

        Args:
            draws: 1, 2, 3, 5, 10, … trials.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history()
            >>> check = rf.check(history.only(history.tasks[:8]), starts=0)
            >>> check.full_at(1) > check.full_at(10)
            True
        """
        return self.full[FULL_DRAWS.index(draws)]

    @property
    def unlike(self) -> tuple[str, ...]:
        """Tasks whose best configuration lies outside the space learned from the others."""
        return tuple(task.name for task in self.tasks if not task.best_is_inside)

    def plot(self) -> Any:
        """A matplotlib figure: regret against trials, and what each task gains or loses.

        Raises:
            MissingExtraError: matplotlib is not installed; it comes with `ringfence[plot]`.

        Examples:
            >>> import ringfence as rf
            >>> history = rf.example_history()
            >>> rf.check(history.only(history.tasks[:8]), starts=0).plot().savefig("check.png")
        """
        from ringfence.checking.display.picture import check_figure  # brings matplotlib

        return check_figure(self)

    def __repr__(self) -> str:
        up = next((f", {up!r}" for up in self.speed_ups if up.draws == JUDGED_AT), "")
        of = counted(len(self.tasks), "task")
        return f"Check({describe(self.settings)}: {self.verdict}{up}, {of})"

    def _repr_html_(self) -> str:
        return check_html(self)

    def __str__(self) -> str:
        return summary(self)


def summarize(
    settings: Settings,
    by_name: Mapping[str, TaskEvidence | None],
    scale: RegretScale | None,
    volume: float,
    *,
    warnings: Sequence[str],
    chosen_from: int = 0,
    goal: str = "",
    notes: Sequence[str] = (),
    unsearched: str = "",
    scarce: float = 0.0,
) -> Check:
    """The check that follows from the evidence on the tasks; None for a task that could not be
    judged."""
    ups, judgement = judged(list(by_name.values()), scale, unsearched, scarce)
    return Check(
        settings,
        judgement.verdict,
        judgement.reason,
        volume,
        trusted=judgement.trusted,
        tasks=tuple(task.check for task in by_name.values() if task is not None),
        speed_ups=ups,
        full=() if scale is None else tuple(scale.full_curve.tolist()),
        not_judged=tuple(name for name, task in by_name.items() if task is None),
        warnings=tuple(warnings),
        chosen_from=chosen_from,
        goal=goal,
        notes=tuple(notes),
    )
