"""The arguments of `learn` and `check`, judged once for both."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from ringfence.errors import SettingError
from ringfence.learned_records import Settings
from ringfence.numbers import whole_number

PAPER_OUTLIERS = {"box": 0.5, "ellipsoid": 0.1, "boxes": 0.5, "ellipsoids": 0.1}
"""ν of the paper, chosen there on the toy problem of section 6.1; unions take their parts'."""

Shape: TypeAlias = Literal["box", "ellipsoid", "boxes", "ellipsoids", "whole", "auto"]
Starts: TypeAlias = int | Literal["auto"] | None

LEARNED_STARTS = 10
"""Starting points where nothing else is said ..."""
ENOUGH_ROWS = 32
"""Of a task, the median of them, for a model of it to be trusted."""
FEWEST_TASKS, MOST_TASKS = 3, 100
"""... and there are so many tasks: fewer say little, and more take a minute."""


def checked_settings(
    shape: Shape,
    outliers: float | Literal["paper"] = 0.0,
    *,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
) -> Settings:
    """The settings, or SettingError with what is wrong. 'auto' comes out as 'whole': the choice is
    still to be made."""
    if shape not in get_args(Shape):
        names = ", ".join(repr(name) for name in get_args(Shape)[:-1])
        raise SettingError(f"shape must be {names} or 'auto', not {shape!r}")
    if categories not in ("all", "observed"):
        raise SettingError(f"categories must be 'all' or 'observed', not {categories!r}")
    if outliers == "paper" and shape in PAPER_OUTLIERS:
        outliers = PAPER_OUTLIERS[shape]
    if shape in ("whole", "auto") and (outliers, refit, categories, top) != (0, False, "all", 0):
        why = "keeps the original space" if shape == "whole" else "chooses these itself"
        raise SettingError(
            f"shape={shape!r} {why}: leave outliers, refit, categories and top as they are"
        )
    return Settings(
        shape="whole" if shape == "auto" else shape,
        outliers=_share(outliers, "outliers", "a share from 0 to below 1, or 'paper'"),
        refit=bool(refit),
        categories=categories,
        n_evaluations=whole_number(n_evaluations, "n_evaluations", 1),
        seed=whole_number(seed, "seed", 0),
        average_repeats=bool(average_repeats),
        top=_share(top, "top"),
    )


def wanted_starts(starts: Starts, rows: Sequence[int]) -> int:
    """How many starting points to look for, where the tasks have so many rows."""
    if starts != "auto":
        return whole_number(starts, "starts", 0) or 0
    worth = FEWEST_TASKS <= len(rows) <= MOST_TASKS and median(rows) >= ENOUGH_ROWS
    return LEARNED_STARTS if worth else 0


def as_whole(settings: Settings) -> Settings:
    """The settings that keep the original space, learned from the same rows."""
    return msgspec.structs.replace(
        settings, shape="whole", outliers=0.0, refit=False, categories="all", top=0.0
    )


def _share(value: Any, name: str, what: str = "a share from 0 to below 1") -> float:
    if not isinstance(value, (int, float)) or not 0.0 <= value < 1.0:
        raise SettingError(f"{name} must be {what}, not {value!r}")
    return float(value)
