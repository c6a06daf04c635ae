"""What users call: `check` for one setting, `compare` for several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from ringfence.checking.comparison import Comparison, settings_for
from ringfence.checking.display.text import choice_line
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.nested import n_steps, nested_check
from ringfence.checking.result import Check, StartsCheck, ZoneCheck
from ringfence.checking.verdict import best_of
from ringfence.errors import SettingError
from ringfence.history import (
    COST,
    TASK,
    Direction,
    PreparedHistory,
    RowChoice,
    Runs,
    considered_rows,
)
from ringfence.learned.records import Settings
from ringfence.learned.settings import By, Starts, checked_settings, unit_of, wanted_starts
from ringfence.space import Space
from ringfence.threads import one_thread

Progress: TypeAlias = Callable[[int, int], None] | None

VARIED = ("shape", "outliers", "refit", "literal", "one_cloud", "categories", "top", "tolerance")
"""The arguments of `check` in which settings to compare may differ."""


@one_thread
def check(
    history: Runs,
    space: Space | Literal["latest"] | None = None,
    *,
    shape: str = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    literal: bool = False,
    one_cloud: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    tolerance: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    starts: Starts = "auto",
    by: By = "auto",
    progress: Progress = None,
    task: str | None = None,
    objective: str | int | None = None,
    direction: Direction | None = None,
    **reading: Any,
) -> Check:
    """Leave each task out, learn from the others, and ask what that would have been worth to it.

    A model of each task, with the others as its prior, says what the best of k random
    configurations would give, inside the learned space and in the full one. How the rows were
    chosen, and how many there are, matters to the width of the intervals, not to what they mean.

    Args:
        history: the past runs: a History, or whatever `read_history` reads, such as a path, a data
            frame, an Optuna study, or a list of such.
        space: the full space; None takes that of the history, or infers one, and 'latest' that of
            the task that ran last.
        shape: as in `learn`.
        outliers: as in `learn`.
        refit: as in `learn`.
        literal: as in `learn`.
        one_cloud: as in `learn`.
        categories: as in `learn`.
        top: as in `learn`.
        tolerance: as in `learn`.
        n_evaluations: use only this many rows of each task, as in `learn`.
        seed: of the random choice of these rows.
        average_repeats: average the rows of a task that have the same configuration.
        starts: number of starting points to judge as well; 'auto' is ten if `learn` finds some by
            default, 0 is none.
        by: which starting points: 'cost' for those that bring most for what they cost, held against
            random search in what is spent, too; 'trials' for those that bring most in so many
            trials. 'auto' is 'cost' if the runs have costs.
        progress: called with the number of steps done and of all steps.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: 'minimize' or 'maximize'; None goes by the name of the objective.
        reading: the other arguments of `read_history`, such as parameters, ignore or studies.

    Returns:
        The verdict and the evidence. With shape='auto' the choice of the setting is checked: it is
        made again without each task.

    Examples:
        >>> import ringfence as rf
        >>> check = rf.check(rf.example_history(), shape="ellipsoid", starts=0)
        >>> check.verdict, len(check.tasks)
        ('helps', 20)
    """
    settings = checked_settings(
        shape,
        outliers,
        refit=refit,
        literal=literal,
        one_cloud=one_cloud,
        categories=categories,
        top=top,
        tolerance=tolerance,
        n_evaluations=n_evaluations,
        seed=seed,
        average_repeats=average_repeats,
    )
    columns = {"task": task, "objective": objective, "direction": direction}
    prepared = PreparedHistory.of(history, space, check, {**columns, **reading})
    if shape == "auto":
        return check_choice(prepared, settings.rows, starts, progress, by)[1]
    return check_prepared(prepared, settings, starts, progress, by)


@one_thread
def compare(
    history: Runs,
    space: Space | Literal["latest"] | None = None,
    settings: Sequence[dict[str, Any]] | None = None,
    *,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    nested: bool = True,
    starts: Starts = "auto",
    by: By = "auto",
    progress: Progress = None,
    task: str | None = None,
    objective: str | int | None = None,
    direction: Direction | None = None,
    **reading: Any,
) -> Comparison:
    """Check several settings and recommend one.

    Args:
        history: the past runs: a History, or whatever `read_history` reads, such as a path, a data
            frame, an Optuna study, or a list of such.
        space: the full space; None takes that of the history, or infers one, and 'latest' that of
            the task that ran last.
        settings: for each the arguments of `check` in which they differ: shape, outliers, refit,
            literal, one_cloud, categories, top, tolerance. None tries ten, or twelve if there are
            categories.
        n_evaluations: use only this many rows of each task, as in `learn`.
        seed: of the random choice of these rows.
        average_repeats: average the rows of a task that have the same configuration.
        nested: also check the choice: the setting is chosen again without each task.
        starts: number of starting points of the recommended setting to judge, as in `check`.
        by: which starting points, as in `check`.
        progress: called with the number of steps done and of all steps.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: 'minimize' or 'maximize'; None goes by the name of the objective.
        reading: the other arguments of `read_history`, such as parameters, ignore or studies.

    Examples:
        >>> import ringfence as rf
        >>> history = rf.example_history()
        >>> comparison = rf.compare(
        ...     history.only(history.tasks[:8]),
        ...     settings=[{"shape": "box"}, {"shape": "ellipsoid"}],
        ...     nested=False,
        ...     starts=0,
        ... )
        >>> [check.settings.shape for check in comparison.checks]
        ['box', 'ellipsoid']
    """
    rows = checked_settings(
        "full", n_evaluations=n_evaluations, seed=seed, average_repeats=average_repeats
    ).rows
    columns = {"task": task, "objective": objective, "direction": direction}
    prepared = PreparedHistory.of(history, space, compare, {**columns, **reading})
    left_out = LeaveOneOut.of(prepared, rows)
    n_starts = _n_starts(starts, left_out)
    comparison = compare_settings(left_out, settings, nested=nested, progress=progress)
    starts_check = _check_starts(left_out, comparison.settings, n_starts, by)
    return msgspec.structs.replace(comparison, starts=starts_check)


def check_prepared(
    prepared: PreparedHistory,
    settings: Settings,
    starts: Starts,
    progress: Progress,
    by: By = "auto",
) -> Check:
    """`check` of one setting for a history that has been made ready."""
    left_out = LeaveOneOut.of(prepared, settings.rows)
    n_starts = _n_starts(starts, left_out)
    regions = left_out.check(settings, _steps(progress, len(left_out.tasks)))
    starts_check = _check_starts(left_out, settings, n_starts, by)
    return msgspec.structs.replace(regions, starts=starts_check, zone=_check_zone(left_out))


def check_choice(
    prepared: PreparedHistory,
    rows: RowChoice,
    starts: Starts,
    progress: Progress,
    by: By = "auto",
) -> tuple[Comparison, Check]:
    """`compare` with the usual settings, and the check of the choice among them."""
    left_out = LeaveOneOut.of(prepared, rows)
    n_starts = _n_starts(starts, left_out)
    comparison = compare_settings(left_out, progress=progress)
    assert comparison.nested is not None
    starts_check = _check_starts(left_out, comparison.settings, n_starts, by)
    choice = msgspec.structs.replace(
        comparison.nested, starts=starts_check, zone=_check_zone(left_out)
    )
    if comparison.undecided:
        choice = msgspec.structs.replace(choice, verdict="cannot tell", reason=comparison.undecided)
    return comparison, choice


@one_thread
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
    best = best_of([(check.speed_ups, check.judgement) for check in checks])
    choice = nested_check(left_out, checks, step) if nested else None
    return Comparison(tuple(checks), best, choice)


def _n_starts(starts: Starts, left_out: LeaveOneOut) -> int:
    rows = considered_rows(left_out.prepared.rows, left_out.choice)
    return wanted_starts(starts, rows.group_by(TASK).len()["len"].to_list())


def _check_starts(left_out: LeaveOneOut, settings: Settings, n: int, by: By) -> StartsCheck | None:
    rows = left_out.prepared.rows
    known = COST in rows.columns and rows[COST].count() > 0
    unit = unit_of(by, costs=known)
    if unit == "cost" and not known:
        column = left_out.prepared.history.roles.cost
        why = "name the column as cost=… (--cost …)"
        if column is not None:
            why = f"of no finished run the cost in {column!r} is known; name another column"
        raise SettingError(f"by='cost' needs to know what the runs cost: {why}, or say by='trials'")
    if n == 0:
        return None
    from ringfence.checking.starting_points import check_starts  # brings scipy

    return check_starts(left_out, settings, n, unit)


def _check_zone(left_out: LeaveOneOut) -> ZoneCheck | None:
    if not left_out.prepared.usable.failed.height:
        return None
    from ringfence.checking.failures import check_zone  # brings scipy

    return check_zone(left_out)


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
