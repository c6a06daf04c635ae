"""The settings side by side, and which of them to take."""

from __future__ import annotations

from typing import Any

import msgspec

from ringfence.checking.display.text import comparison_table
from ringfence.checking.result import Check, StartsCheck
from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.records import Settings
from ringfence.learned.settings import describe, without_region
from ringfence.space import Space

SETTINGS: tuple[dict[str, Any], ...] = (
    {"shape": "box"},
    {"shape": "box", "outliers": 0.1, "refit": True},
    {"shape": "box", "outliers": 0.3, "refit": True},
    {"shape": "box", "outliers": 0.5},
    {"shape": "box", "outliers": 0.5, "top": 0.05},
    {"shape": "ellipsoid"},
    {"shape": "ellipsoid", "outliers": 0.1},
    {"shape": "ellipsoid", "outliers": 0.1, "refit": True},
    {"shape": "ellipsoid", "outliers": 0.3, "refit": True},
    {"shape": "ellipsoid", "outliers": 0.3, "refit": True, "top": 0.05},
)
"""Both shapes without outliers, as in the paper, and refitted; around the best rows or the top."""

OBSERVED: tuple[dict[str, Any], ...] = (
    {"shape": "box", "outliers": 0.5, "categories": "observed"},
    {"shape": "ellipsoid", "outliers": 0.1, "refit": True, "categories": "observed"},
)
"""The same with observed categories only, for spaces with unordered categorical parameters."""


def settings_for(space: Space) -> tuple[dict[str, Any], ...]:
    """What `compare` tries in this space, as arguments of `check`."""
    return (*SETTINGS, *OBSERVED) if space.unordered_choices() else SETTINGS


class Comparison(msgspec.Struct, frozen=True):
    """Checks of several settings, and the one to take."""

    checks: tuple[Check, ...]
    best: int | None
    """Position of the recommended setting; None if the original space should stay."""
    nested: Check | None = None
    """The check of the choice itself, made again without each task."""
    starts: StartsCheck | None = None
    """What the starting points of the recommended setting are worth, if they were judged."""

    @property
    def settings(self) -> Settings:
        """The recommended settings; shape 'whole' if the original space should stay."""
        if self.best is None:
            return without_region(self.checks[0].settings)
        return self.checks[self.best].settings

    @property
    def recommendation(self) -> str:
        """What to do, and by which rule, in one sentence."""
        if self.best is None:
            return (
                "keep the original space: no setting beats it with 90 % confidence "
                f"after {JUDGED_AT} draws"
            )
        return (
            f"take: {describe(self.settings)} (of those that help, the highest lower bound of the "
            f"speed-up after {JUDGED_AT} draws)"
        )

    def __str__(self) -> str:
        return "\n".join(comparison_table(self))
