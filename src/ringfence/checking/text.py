"""A check as text: the sentence that matters first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.checking.verdict import JUDGED_AT, Check
from ringfence.learned import Settings
from ringfence.learned_text import align, percent, some

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison


def headline(check: Check) -> str:
    """One sentence: what the learned space would have been worth."""
    name = describe(check.settings)
    if check.verdict == "cannot tell":
        return (
            f"{name}: cannot tell; too few tasks have recorded runs inside that tell good from bad"
        )
    at = next(up for up in check.speed_ups if up.draws == JUDGED_AT)
    better = sum(
        1
        for task in check.tasks
        if task.inside is not None and task.inside[_place(check)] <= task.whole[JUDGED_AT - 1]
    )
    judged = sum(1 for task in check.tasks if task.inside is not None)
    return (
        f"{name}: {check.verdict}; {JUDGED_AT} draws inside are worth {at.value * JUDGED_AT:.0f} "
        f"in the whole space (90% interval {at.low * JUDGED_AT:.0f} to {at.high * JUDGED_AT:.0f}), "
        f"no worse on {better} of {judged} tasks"
    )


def describe(settings: Settings) -> str:
    """The settings in a few words."""
    outliers = f", outliers {settings.outliers:g}" if settings.outliers else ""
    refit = ", refit" if settings.outliers and settings.refit else ""
    observed = ", observed categories" if settings.categories == "observed" else ""
    return f"{settings.shape}{outliers}{refit}{observed}"


def comparison_table(comparison: Comparison) -> list[str]:
    """One line a setting, and the recommendation."""
    rows = [["setting", "volume", "regret", "speed-up", "90% interval", "verdict", "hurts"]]
    for check in comparison.checks:
        cells = ["", "", ""]
        if check.speed_ups:
            at = check.speed_ups[_place(check)]
            cells = [f"{at.inside:.3f}", f"{at.value:.2f}", f"{at.low:.2f} to {at.high:.2f}"]
        hurt = f"{len(check.hurt)} of {len(check.tasks)}"
        row = [describe(check.settings), percent(check.volume_kept), *cells, check.verdict, hurt]
        rows.append(row)
    return [*align(rows), "", comparison.recommendation]


def summary(check: Check) -> str:
    """The headline, the table of draws, the tasks to look at, the warnings."""
    lines = [headline(check)]
    rows = [["draws", "regret inside", "whole space", "speed-up", "90% interval"]]
    for up in check.speed_ups:
        interval = f"{up.low:.2f} to {up.high:.2f}"
        rows.append(
            [str(up.draws), f"{up.inside:.3f}", f"{up.whole:.3f}", f"{up.value:.2f}", interval]
        )
    lines += ["", *align(rows)] if check.speed_ups else []
    lines += ["", f"volume kept: {percent(check.volume_kept)}"]
    for label, names in (
        ("would hurt", check.hurt),
        ("unlike the rest (their best lies outside)", check.unlike),
        ("not judged", check.not_judged),
    ):
        if names:
            lines.append(f"{label}: {some(names)}")
    lines += [f"warning: {warning}" for warning in check.warnings]
    return "\n".join(lines)


def _place(check: Check) -> int:
    return [up.draws for up in check.speed_ups].index(JUDGED_AT)
