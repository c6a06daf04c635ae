"""The check of one setting, and its verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from ringfence.blocks import expected_share
from ringfence.checking.flags import flags
from ringfence.checking.leave_one_out import TaskCheck, leave_one_out
from ringfence.checking.speedup import SpeedUp, speed_ups
from ringfence.errors import HistoryError, SettingError
from ringfence.history import TASK, History, incumbents, infer_space, usable_rows
from ringfence.learned import Settings
from ringfence.learning import checked_settings, fit_blocks
from ringfence.space import Space

JUDGED_AT = 10  # draws
TRIFLE = 0.05  # a speed-up so near to 1 is none
HURT = 0.05  # regret by which a task must lose to be named


class Check(msgspec.Struct, frozen=True):
    """The evidence for or against a learned space, task by task."""

    settings: Settings
    verdict: Literal["helps", "hurts", "no clear difference", "cannot tell"]
    volume_kept: float
    """Share of the original numeric space that the space learned from all tasks keeps."""
    tasks: tuple[TaskCheck, ...]
    speed_ups: tuple[SpeedUp, ...]
    not_judged: tuple[str, ...]
    """Tasks with no recorded row inside, or whose rows do not tell good from bad."""
    warnings: tuple[str, ...]

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

    def __str__(self) -> str:
        from ringfence.checking.text import summary

        return summary(self)


def check(
    history: History,
    space: Space | None = None,
    *,
    shape: Literal["box", "ellipsoid"] = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    average_repeats: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """Leave each task out, learn from the others, and ask what that would have been worth to it.

    The arguments are those of `learn`. All expectations are exact for the recorded rows: the best
    of k rows drawn without replacement, inside the learned space and in the whole. `progress` is
    called with the number of tasks done and of all.
    """
    settings = checked_settings(shape, outliers, refit, categories, None, None, average_repeats)
    if not isinstance(history, History):
        raise SettingError(f"check takes a History, not {type(history).__name__}")
    space = space or history.space or infer_space(history).space
    rows = usable_rows(history, space).frame
    best = incumbents(rows, average_repeats=average_repeats)
    if best.height < 2:
        raise HistoryError("a check needs at least two tasks: one to leave out, one to learn from")
    tasks: list[TaskCheck] = []
    silent: list[str] = []
    for done, (name, found) in enumerate(
        zip(best[TASK], leave_one_out(space, rows, best, settings)), start=1
    ):
        if found is None or found.inside is None:
            silent.append(name)
        if found is not None:
            tasks.append(found)
        if progress is not None:
            progress(done, best.height)
    judged = [task for task in tasks if task.inside is not None]
    ups = speed_ups(judged) if judged else ()
    verdict = _verdict(ups, len(judged), best.height)
    warnings = tuple(flags(space, rows, best))
    volume = expected_share(space, fit_blocks(space, best, settings).blocks)
    return Check(settings, verdict, volume, tuple(tasks), ups, tuple(silent), warnings)


def _verdict(
    ups: tuple[SpeedUp, ...], judged: int, tasks: int
) -> Literal["helps", "hurts", "no clear difference", "cannot tell"]:
    """At ten draws: does the interval of the speed-up lie above 1, below 1, or across it, by more
    than a trifle?"""
    if judged < tasks / 2 or judged < 3:
        return "cannot tell"
    at = next(up for up in ups if up.draws == JUDGED_AT)
    if at.low > 1 + TRIFLE:
        return "helps"
    return "hurts" if at.high < 1 / (1 + TRIFLE) else "no clear difference"
