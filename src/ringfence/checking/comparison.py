"""The settings side by side, and which of them to take."""

from __future__ import annotations

from typing import Any

import msgspec

from ringfence.checking.display.html import comparison_html
from ringfence.checking.display.text import comparison_text
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


def _figure(check: Check) -> float:
    """The speed-up after ten draws, 0 if there is none."""
    return next((up.value for up in check.speed_ups if up.draws == JUDGED_AT), 0.0)


class Comparison(msgspec.Struct, frozen=True):
    """Checks of several settings, and the one to take; `rf.compare` gives it.

    Examples:
        >>> import ringfence as rf
        >>> history = rf.example_history()
        >>> comparison = rf.compare(
        ...     history.only(history.tasks[:8]),
        ...     settings=[{"shape": "box"}, {"shape": "ellipsoid"}],
        ...     nested=False,
        ...     starts=0,
        ... )
        >>> len(comparison.checks)
        2
        >>> comparison.settings.shape in ("box", "ellipsoid", "full")
        True
    """

    checks: tuple[Check, ...]
    """One for each setting, in the order given."""
    best: int | None
    """Position of the recommended setting; None if the full space should stay."""
    nested: Check | None = None
    """The check of the choice itself, made again without each task."""
    starts: StartsCheck | None = None
    """What the starting points of the recommended setting are worth, if they were judged."""

    @property
    def settings(self) -> Settings:
        """The recommended settings; shape 'full' if the full space should stay."""
        if self.best is None:
            return without_region(self.checks[0].settings)
        return self.checks[self.best].settings

    @property
    def goal(self) -> str:
        """What is better, as `History.goal` has it."""
        return self.checks[0].goal

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed, converted and left out on the way from the runs to the check."""
        return self.checks[0].notes

    @property
    def undecided(self) -> str:
        """If no setting helps and the runs cannot tell of some: which of those has the highest
        figure, and what would settle it. Else empty."""
        unsure = [check for check in self.checks if check.verdict == "cannot tell"]
        if self.best is not None or not unsure:
            return ""
        promising = max(unsure, key=_figure)
        return f"of {describe(promising.settings)} the runs cannot tell; {promising.reason}"

    @property
    def recommendation(self) -> str:
        """What to do, and by which rule, in one sentence."""
        if self.undecided:
            return f"keep the full space until more is known: {self.undecided}"
        if self.best is None:
            return (
                "keep the full space: no setting beats it with 90 % confidence "
                f"after {JUDGED_AT} trials"
            )
        return (
            f"take: {describe(self.settings)} (of those that help, the highest lower bound of the "
            f"speed-up after {JUDGED_AT} trials)"
        )

    def __repr__(self) -> str:
        return f"Comparison({len(self.checks)} settings; {self.recommendation})"

    def _repr_html_(self) -> str:
        return comparison_html(self)

    def __str__(self) -> str:
        return comparison_text(self)
