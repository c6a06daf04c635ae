"""The settings side by side, and which of them to take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ringfence.checking.verdict import JUDGED_AT, Check, check
from ringfence.history import History
from ringfence.space import Space

SETTINGS: tuple[dict[str, Any], ...] = (
    {"shape": "box"},
    {"shape": "box", "outliers": 0.1, "refit": True},
    {"shape": "box", "outliers": 0.3, "refit": True},
    {"shape": "box", "outliers": 0.5},
    {"shape": "ellipsoid"},
    {"shape": "ellipsoid", "outliers": 0.1},
    {"shape": "ellipsoid", "outliers": 0.1, "refit": True},
    {"shape": "ellipsoid", "outliers": 0.3, "refit": True},
)
"""What `compare` tries: both shapes without outliers, as in the paper, and refitted."""


class Comparison(msgspec.Struct, frozen=True):
    """Checks of several settings, and the one to take."""

    checks: tuple[Check, ...]
    best: int | None
    """Position of the recommended setting; None where the original space should stay."""

    @property
    def recommendation(self) -> str:
        """What to do, and by which rule, in one sentence."""
        from ringfence.checking.text import describe

        if self.best is None:
            return (
                "keep the original space: no setting beats it with 90 % confidence "
                f"after {JUDGED_AT} draws"
            )
        chosen = describe(self.checks[self.best].settings)
        return (
            f"take: {chosen} (the highest lower bound of the speed-up after {JUDGED_AT} draws; the "
            f"best of {len(self.checks)} settings looks a little better than it is)"
        )

    def __str__(self) -> str:
        from ringfence.checking.text import comparison_table

        return "\n".join(comparison_table(self))


def compare(
    history: History,
    space: Space | None = None,
    settings: Sequence[dict[str, Any]] = SETTINGS,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Check each of the settings (arguments of `check`) and recommend one."""
    checks: list[Check] = []
    for place, setting in enumerate(settings):

        def report(done: int, tasks: int, place: int = place) -> None:
            if progress is not None:
                progress(place * tasks + done, len(settings) * tasks)

        checks.append(check(history, space, progress=report, **setting))
    return Comparison(tuple(checks), _best(checks))


def _best(checks: Sequence[Check]) -> int | None:
    """The setting that helps and whose interval begins highest."""
    bounds = {
        place: next(up.low for up in found.speed_ups if up.draws == JUDGED_AT)
        for place, found in enumerate(checks)
        if found.verdict == "helps"
    }
    return max(bounds, key=lambda place: bounds[place]) if bounds else None
