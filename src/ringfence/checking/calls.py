"""What users call: `check` for one setting, `compare` for several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from ringfence.checking.case import Case
from ringfence.checking.comparison import Comparison, settings_for
from ringfence.checking.nested import n_steps, nested_check
from ringfence.checking.verdict import Check, StartsCheck, best_of
from ringfence.errors import SettingError
from ringfence.history import TASK, History, considered_rows
from ringfence.learned_records import Settings
from ringfence.settings import Shape, Starts, checked_settings, wanted_starts
from ringfence.space import Space

Progress: TypeAlias = Callable[[int, int], None] | None

VARIED = ("shape", "outliers", "refit", "categories", "top")


def check(
    history: History,
    space: Space | None = None,
    *,
    shape: Shape = "box",
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

    The arguments are those of `learn`; so many of its starting points are judged as well, which
    takes a model of every task. All expectations are exact for the recorded rows: the best of k
    rows drawn without replacement, inside the learned space and in the whole. With shape='auto' the
    choice of the setting is checked: it is made anew without each task. `progress` is called with
    the number of steps done and of all.
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
    case = Case.of(history, space, settings)
    n_starts = _wanted(starts, case)
    if shape == "auto":
        found = compare_case(case, settings_for(case.space), progress=progress).nested
        assert found is not None
    else:
        found = case.check(settings, _steps(progress, len(case.tasks)))
    return msgspec.structs.replace(found, starts=_starts(case, found.settings, n_starts))


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
    recommend one. `nested` also checks the choice: the setting is chosen anew without each task.
    `starts` judges so many starting points of the recommended one, as in `check`.
    """
    given = checked_settings(
        "whole", n_evaluations=n_evaluations, seed=seed, average_repeats=average_repeats
    )
    case = Case.of(history, space, given)
    tried = settings_for(case.space) if settings is None else settings
    n_starts = _wanted(starts, case)
    found = compare_case(case, tried, nested=nested, progress=progress)
    return msgspec.structs.replace(found, starts=_starts(case, found.settings, n_starts))


def compare_case(
    case: Case,
    settings: Sequence[dict[str, Any]],
    *,
    nested: bool = True,
    progress: Progress = None,
) -> Comparison:
    """`compare` for a history that has been made ready."""
    asked = [_asked(case, one) for one in settings]
    if not asked:
        raise SettingError("compare needs at least one setting")
    n_tasks = len(case.tasks)
    total = len(asked) * n_tasks + (n_steps(n_tasks, len(asked)) if nested else 0)
    step = _steps(progress, total)
    checks = [case.check(one, step) for one in asked]
    best = best_of([(check.speed_ups, check.verdict) for check in checks])
    honest = nested_check(case, checks, step) if nested else None
    return Comparison(tuple(checks), best, honest)


def _wanted(starts: Starts, case: Case) -> int:
    given = case.given
    rows = considered_rows(
        case.rows,
        n_evaluations=given.n_evaluations,
        seed=given.seed,
        average_repeats=given.average_repeats,
    )
    return wanted_starts(starts, rows.group_by(TASK).len()["len"].to_list())


def _starts(case: Case, settings: Settings, n: int) -> StartsCheck | None:
    if n == 0:
        return None
    from ringfence.checking.starts import check_starts  # brings scipy; the rest may do without

    return check_starts(case, settings, n)


def _asked(case: Case, setting: dict[str, Any]) -> Settings:
    """One of the settings to compare, for the rows of this case."""
    unknown = [name for name in setting if name not in VARIED]
    if unknown or setting.get("shape") == "auto":
        raise SettingError(
            f"settings to compare name a shape other than 'auto' and {', '.join(VARIED[1:])}, "
            f"not {setting}"
        )
    return case.complete(checked_settings(**{"shape": "box", **setting}))


def _steps(progress: Progress, total: int) -> Callable[[], None]:
    """A function that counts its calls and reports them."""
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return step
