"""A check as text: the sentence that matters first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.settings import describe
from ringfence.words import align, percent, some

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison
    from ringfence.checking.result import Check, StartsCheck


def headline(check: Check) -> str:
    """One sentence: what the learned space would have been worth."""
    name = describe(check.settings)
    if check.chosen_from:
        name = f"the choice among {check.chosen_from} settings (from all tasks: {name})"
    if check.verdict == "cannot tell":
        return (
            f"{name}: cannot tell; too few tasks have recorded runs inside that tell good from bad"
        )
    return f"{name}: {check.verdict}; {worth(check)}"


def worth(check: Check) -> str:
    """The speed-up after ten draws with its interval, and on how many tasks it is no loss."""
    column = _column(check)
    up = check.speed_ups[column]
    judged = [task for task in check.tasks if task.inside is not None]
    no_worse = [
        task
        for task in judged
        if task.inside is not None and task.inside[column] <= task.full[JUDGED_AT - 1]
    ]
    return (
        f"{JUDGED_AT} draws inside are worth {up.value * JUDGED_AT:.0f} "
        f"in the whole space (90% interval {up.low * JUDGED_AT:.0f} to {up.high * JUDGED_AT:.0f}), "
        f"no worse on {len(no_worse)} of {len(judged)} tasks"
    )


def choice_line(comparison: Comparison) -> str:
    """How a setting was chosen, and what the choice is worth, in one line."""
    setting, count = describe(comparison.settings), len(comparison.checks)
    return f"{setting}: chosen among {count} settings; {nested_line(comparison.nested)}"


def nested_line(nested: Check | None) -> str:
    """What the choice is worth to a task that took no part in it."""
    if nested is None:
        return "the best of several settings looks a little better than it is"
    if nested.verdict == "cannot tell":
        return "chosen anew without each task: cannot tell what that is worth"
    return f"chosen anew without each task: {nested.verdict}; {worth(nested)}"


def comparison_table(comparison: Comparison) -> list[str]:
    """A line for each setting, the recommendation, and what the choice is worth to a new task."""
    rows = [["setting", "volume", "regret", "speed-up", "90% interval", "verdict", "hurts"]]
    for check in comparison.checks:
        cells = ["", "", ""]
        if check.speed_ups:
            up = check.speed_ups[_column(check)]
            cells = [f"{up.inside:.3f}", f"{up.value:.2f}", f"{up.low:.2f} to {up.high:.2f}"]
        hurt = f"{len(check.hurt)} of {len(check.tasks)}"
        row = [describe(check.settings), percent(check.volume_kept), *cells, check.verdict, hurt]
        rows.append(row)
    lines = [*align(rows), "", comparison.recommendation, nested_line(comparison.nested)]
    lines += starts_lines(comparison.starts)
    return [*lines, *warning_lines(comparison.checks[0])]


def summary(check: Check) -> str:
    """The headline, the table of draws, the tasks to look at, the warnings."""
    lines = [headline(check)]
    rows = [["draws", "regret inside", "whole space", "speed-up", "90% interval"]]
    for up in check.speed_ups:
        interval = f"{up.low:.2f} to {up.high:.2f}"
        rows.append(
            [str(up.draws), f"{up.inside:.3f}", f"{up.full:.3f}", f"{up.value:.2f}", interval]
        )
    lines += ["", *align(rows)] if check.speed_ups else []
    lines += ["", *starts_lines(check.starts), f"volume kept: {percent(check.volume_kept)}"]
    for label, names in (
        ("would hurt", check.hurt),
        ("unlike the rest (their best lies outside)", check.unlike),
        ("not judged", check.not_judged),
    ):
        if names:
            lines.append(f"{label}: {some(names)}")
    return "\n".join([*lines, *warning_lines(check)])


def starts_lines(starts: StartsCheck | None) -> list[str]:
    """What the starting points are worth, in one line; no line if they were not judged."""
    if starts is None:
        return []
    if not starts.speed_ups:
        return ["starts: cannot tell; no task has recorded runs inside that tell good from bad"]
    up = starts.speed_ups[-1]
    name = f"first {up.draws} starts" if up.draws > 1 else "first start"
    return [
        f"{name}: {starts.verdict}; mean regret {up.inside:.3f}, for which random search of the "
        f"whole space needs {up.value * up.draws:.0f} trials (90% interval "
        f"{up.low * up.draws:.0f} to {up.high * up.draws:.0f}, over {len(starts.tasks)} tasks)"
    ]


def warning_lines(check: Check) -> list[str]:
    """What the data cannot support, a line for each warning."""
    return [f"warning: {warning}" for warning in check.warnings]


def _column(check: Check) -> int:
    return [up.draws for up in check.speed_ups].index(JUDGED_AT)
