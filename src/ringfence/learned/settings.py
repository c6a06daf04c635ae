"""The arguments of `learn` and `check`, judged once for both."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Literal, TypeAlias

import msgspec

from ringfence.checks import integer
from ringfence.errors import SettingError
from ringfence.fit.shapes import SHAPES, shape_choices, shape_names, shape_of
from ringfence.learned.records import Settings
from ringfence.words import percent

Starts: TypeAlias = int | Literal["auto"] | None
Unit: TypeAlias = Literal["cost", "trials"]
"""What a search is to be short in."""
By: TypeAlias = Unit | Literal["auto"]
"""The same as users say it; 'auto' is 'cost' if the past runs have costs."""

LEARNED_STARTS = 10
"""Number of starting points that `learn` finds unless told otherwise."""
MOST_STARTS = 10_000
"""Far more than anybody tries before a search; each takes a column of a table in a check."""
ENOUGH_ROWS = 32
"""Rows that a task should have, in the median, for models of the tasks to be trusted."""
FEWEST_TASKS = 3
"""Tasks from which starting points are found unasked: fewer say little."""


def checked_settings(
    shape: str,
    outliers: float | Literal["paper"] = 0.0,
    *,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    tolerance: float = 0.0,
    literal: bool = False,
    one_cloud: bool = False,
) -> Settings:
    """The settings, or SettingError with what is wrong. 'auto' comes out as 'full': the choice is
    still to be made."""
    if shape not in shape_choices():
        names = ", ".join(repr(name) for name in shape_choices()[:-1])
        raise SettingError(f"shape must be {names} or 'auto', not {shape!r}")
    if categories not in ("all", "observed"):
        raise SettingError(f"categories must be 'all' or 'observed', not {categories!r}")
    if outliers == "paper" and shape in shape_names():
        outliers = shape_of(shape).paper_outliers
    given = outliers, refit, categories, top, tolerance
    if shape in ("full", "auto") and given != (0, False, "all", 0, 0):
        why = "keeps the full space" if shape == "full" else "chooses these itself"
        raise SettingError(
            f"shape={shape!r} {why}: leave outliers, refit, categories, top and tolerance as they "
            "are"
        )
    if top and tolerance:
        raise SettingError("top draws around many rows of a task, tolerance around one: take one")
    for name, value in {"literal": literal, "one_cloud": one_cloud}.items():
        if value and shape not in [each.name for each in SHAPES if each.takes_gaps]:
            raise SettingError(f"{name}=True is about one box or one ellipsoid, not {shape!r}")
    return Settings(
        shape="full" if shape == "auto" else shape,
        outliers=_share(outliers, "outliers", "a share from 0 to below 1, or 'paper'"),
        refit=bool(refit),
        categories=categories,
        n_evaluations=integer(n_evaluations, "n_evaluations", 1),
        seed=integer(seed, "seed", 0),
        average_repeats=bool(average_repeats),
        top=_share(top, "top"),
        tolerance=_share(tolerance, "tolerance", "a regret from 0 to below 1"),
        literal=bool(literal),
        one_cloud=bool(one_cloud),
    )


def unit_of(by: By, *, costs: bool) -> Unit:
    """What is meant if the past runs have `costs` or not, or SettingError."""
    if by not in ("auto", "cost", "trials"):
        raise SettingError(f"by must be 'cost', 'trials' or 'auto', not {by!r}")
    if by == "auto":
        return "cost" if costs else "trials"
    return by


def wanted_starts(starts: Starts, rows: Sequence[int]) -> int:
    """How many starting points to look for if the tasks have these numbers of rows."""
    if starts != "auto":
        number = integer(starts, "starts", 0) or 0
        if number > MOST_STARTS:
            raise SettingError(f"starts must be at most {MOST_STARTS:,}, not {number}")
        return number
    worth = len(rows) >= FEWEST_TASKS and (max(rows) == 1 or median(_modelled(rows)) >= ENOUGH_ROWS)
    return LEARNED_STARTS if worth else 0


def _modelled(rows: Sequence[int]) -> list[int]:
    """The numbers of rows of the tasks that have a model: not of published bests, one row each, if
    there are enough others."""
    several = [count for count in rows if count > 1]
    return several if len(several) >= FEWEST_TASKS else list(rows)


NO_STARTS = "no starting points were looked for"
ASK_FOR = f"starts={LEARNED_STARTS} (--starts {LEARNED_STARTS})"


def why_no_starts(starts: Starts, rows: Sequence[int]) -> list[str]:
    """A note on why starting points were not looked for unasked, and what to ask."""
    n_tasks = len(rows)
    if starts != "auto" or not rows or wanted_starts(starts, rows):
        return []
    if n_tasks < FEWEST_TASKS:
        why = f"which want {FEWEST_TASKS} tasks; {ASK_FOR} does it all the same"
    else:
        usual = median(_modelled(rows))
        why = (
            f"which want {ENOUGH_ROWS} rows a task and have {usual:g} (the median); "
            f"{ASK_FOR} does it all the same"
        )
    return [f"{NO_STARTS}, {why}"]


def without_region(settings: Settings) -> Settings:
    """The settings that keep the full space, learned from the same rows."""
    return msgspec.structs.replace(
        settings,
        shape="full",
        outliers=0.0,
        refit=False,
        categories="all",
        top=0.0,
        tolerance=0.0,
        literal=False,
        one_cloud=False,
    )


def _share(value: Any, name: str, what: str = "a share from 0 to below 1") -> float:
    if not isinstance(value, (int, float)) or not 0.0 <= value < 1.0:
        raise SettingError(f"{name} must be {what}, not {value!r}")
    return float(value)


def describe(settings: Settings) -> str:
    """The settings in a few words."""
    if settings.shape == "full":
        return "full space"
    outliers = f", outliers {settings.outliers:g}" if settings.outliers else ""
    refit = ", refit" if settings.outliers and settings.refit else ""
    top = f", top {percent(settings.top)}" if settings.top else ""
    tolerance = f", tolerance {settings.tolerance:g}" if settings.tolerance else ""
    observed = ", observed categories" if settings.categories == "observed" else ""
    literal = ", as printed" if settings.literal else ""
    together = ", one cloud" if settings.one_cloud else ""
    form = f"{settings.shape}{outliers}{literal}{together}{refit}"
    return f"{form}{top}{tolerance}{observed}"
