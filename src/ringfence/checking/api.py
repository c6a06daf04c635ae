"""What users call: `check` for one setting, `compare` for several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from ringfence.checking.comparison import Comparison, settings_for
from ringfence.checking.display.text import choice_line
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.nested import n_steps, nested_check
from ringfence.checking.result import Check, StartsCheck
from ringfence.checking.verdict import best_of
from ringfence.errors import SettingError
from ringfence.history import TASK, History, PreparedHistory, RowChoice, considered_rows
from ringfence.learned.records import Settings
from ringfence.learned.settings import Starts, checked_settings, wanted_starts
from ringfence.space import Space

Progress: TypeAlias = Callable[[int, int], None] | None

VARIED = ("shape", "outliers", "refit", "categories", "top")
"""The arguments of `check` in which settings to compare may differ."""


def check(
    history: History,
    space: Space | None = None,
    *,
    shape: str = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    starts: Starts = "auto",
    progress: Progress = None,
) -> Check:
    """Leave each task out, learn from the others, and ask what that would have been worth to it.

    The arguments are those of `learn`; `starts` of its starting points are judged as well, which
    takes a model of every task. All expectations are exact for the recorded rows: the best of k
    rows drawn without replacement, inside the learned space and in the full one. With shape='auto'
    the choice of the setting is checked: it is made again without each task. `progress` is called
    with the number of steps done and of all steps.
    """
    settings = checked_settings(
        shape,
        outliers,
        refit=refit,
        categories=categories,
        top=top,
        n_evaluations=n_evaluations,
        seed=seed,
        average_repeats=average_repeats,
    )
    prepared = PreparedHistory.of(history, space, "check")
    if shape == "auto":
        return check_choice(prepared, settings.rows, starts, progress)[1]
    return check_prepared(prepared, settings, starts, progress)


def compare(
    history: History,
    space: Space | None = None,
    settings: Sequence[dict[str, Any]] | None = None,
    *,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    nested: bool = True,
    starts: Starts = "auto",
    progress: Progress = None,
) -> Comparison:
    """Check each of the settings (arguments of `check`; None: `settings_for` the space) and
    recommend one. `nested` also checks the choice: the setting is chosen again without each task.
    `starts` is the number of starting points of the recommended one to judge, as in `check`.
    """
    rows = checked_settings(
        "whole", n_evaluations=n_evaluations, seed=seed, average_repeats=average_repeats
    ).rows
    left_out = LeaveOneOut.of(PreparedHistory.of(history, space, "compare"), rows)
    n_starts = _n_starts(starts, left_out)
    comparison = compare_settings(left_out, settings, nested=nested, progress=progress)
    starts_check = _check_starts(left_out, comparison.settings, n_starts)
    return msgspec.structs.replace(comparison, starts=starts_check)


def check_prepared(
    prepared: PreparedHistory, settings: Settings, starts: Starts, progress: Progress
) -> Check:
    """`check` of one setting for a history that has been made ready."""
    left_out = LeaveOneOut.of(prepared, settings.rows)
    n_starts = _n_starts(starts, left_out)
    regions = left_out.check(settings, _steps(progress, len(left_out.tasks)))
    starts_check = _check_starts(left_out, settings, n_starts)
    return msgspec.structs.replace(regions, starts=starts_check)


def check_choice(
    prepared: PreparedHistory, rows: RowChoice, starts: Starts, progress: Progress
) -> tuple[Comparison, Check]:
    """`compare` with the usual settings, and the check of the choice among them."""
    left_out = LeaveOneOut.of(prepared, rows)
    n_starts = _n_starts(starts, left_out)
    comparison = compare_settings(left_out, progress=progress)
    assert comparison.nested is not None
    starts_check = _check_starts(left_out, comparison.settings, n_starts)
    return comparison, msgspec.structs.replace(comparison.nested, starts=starts_check)


def choose(prepared: PreparedHistory, rows: RowChoice, progress: Progress) -> tuple[Settings, str]:
    """The settings to take for these rows, and how they were chosen in a line."""
    comparison = compare_settings(LeaveOneOut.of(prepared, rows), progress=progress)
    return comparison.settings, choice_line(comparison)


def compare_settings(
    left_out: LeaveOneOut,
    settings: Sequence[dict[str, Any]] | None = None,
    *,
    nested: bool = True,
    progress: Progress = None,
) -> Comparison:
    """`compare` for tasks that have been made ready, without starting points."""
    arguments = settings_for(left_out.space) if settings is None else settings
    compared = [_settings(left_out, one) for one in arguments]
    if not compared:
        raise SettingError("compare needs at least one setting")
    n_tasks = len(left_out.tasks)
    total = len(compared) * n_tasks + (n_steps(n_tasks, len(compared)) if nested else 0)
    step = _steps(progress, total)
    checks = [left_out.check(one, step) for one in compared]
    best = best_of([(check.speed_ups, check.verdict) for check in checks])
    choice = nested_check(left_out, checks, step) if nested else None
    return Comparison(tuple(checks), best, choice)


def _n_starts(starts: Starts, left_out: LeaveOneOut) -> int:
    rows = considered_rows(left_out.prepared.rows, left_out.choice)
    return wanted_starts(starts, rows.group_by(TASK).len()["len"].to_list())


def _check_starts(left_out: LeaveOneOut, settings: Settings, n: int) -> StartsCheck | None:
    if n == 0:
        return None
    from ringfence.checking.starting_points import check_starts  # brings scipy

    return check_starts(left_out, settings, n)


def _settings(left_out: LeaveOneOut, setting: dict[str, Any]) -> Settings:
    """One of the settings to compare, for the rows of these tasks."""
    unknown = [name for name in setting if name not in VARIED]
    if unknown or setting.get("shape") == "auto":
        raise SettingError(
            f"settings to compare name a shape other than 'auto' and {', '.join(VARIED[1:])}, "
            f"not {setting}"
        )
    return left_out.completed(checked_settings(**{"shape": "box", **setting}))


def _steps(progress: Progress, total: int) -> Callable[[], None]:
    """A function that counts its calls and reports them."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return step
