"""What a notebook shows for a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.checking.display.evidence import task_rows
from ringfence.checking.display.text import (
    REGRET,
    caution_lines,
    headline,
    nested_line,
    settings_table,
    space_lines,
    spending_rows,
    starts_lines,
    warning_lines,
    zone_lines,
)
from ringfence.checking.verdict import JUDGED_AT
from ringfence.learned.text import titled
from ringfence.rendering.layout import Table
from ringfence.rendering.markup import Html, name
from ringfence.rendering.notebook import notebook_block, notebook_table

if TYPE_CHECKING:
    from ringfence.checking.comparison import Comparison
    from ringfence.checking.result import Check, StartsCheck

MOST_TASKS = 10


def check_html(check: Check) -> str:
    """The verdict, the table of draws, the tasks that fare worst, the warnings."""
    draws = [
        (f"{up.draws}", f"{up.inside:.3f}", f"{up.full:.3f}", f"{up.value:.2f}",
         f"{up.low:.2f} to {up.high:.2f}")
        for up in check.speed_ups
    ]  # fmt: skip
    worst = [
        (name(row.name), f"{row.gain:+.3f}", row.verdict)
        for row in task_rows(check)[:MOST_TASKS]
        if row.gain is not None
    ]
    head = ("trials", "regret inside", "in the full space", "speed-up", "90% interval")
    tables = [notebook_table(head, draws)] if draws else []
    tables += [starts_table(check.starts)] if check.starts and check.starts.speed_ups else []
    if check.starts and check.starts.spending:
        spent, *rows = spending_rows(check.starts.spending)
        tables.append(notebook_table(spent, rows))
    tables += [notebook_table(("task, worst first", "gain", ""), worst)] if worst else []
    lines = [
        *caution_lines(check),
        *starts_lines(check.starts),
        *zone_lines(check.zone),
        *([REGRET] if draws else []),
        *space_lines(check),
    ]
    lines += warning_lines(check)
    return notebook_block(titled(headline(check), check.goal), tables, lines)


def starts_table(starts: StartsCheck) -> Html:
    """What the first starting points are worth, a line for each number of them."""
    rows = [
        (f"{up.draws}", f"{up.inside:.3f}", f"{up.value * up.draws:.0f}",
         f"{up.low * up.draws:.0f} to {up.high * up.draws:.0f}")
        for up in starts.speed_ups
    ]  # fmt: skip
    head = ("starting points", "mean regret", "random trials for that", "90% interval")
    return notebook_table(head, rows)


def comparison_html(comparison: Comparison) -> str:
    """The settings, what to take, and what that choice is worth to a new task."""
    wide = settings_table(comparison).ways[0][0]
    assert isinstance(wide, Table)
    head, *rows = wide.rows
    lines = [*caution_lines(comparison), comparison.recommendation]
    lines += [nested_line(comparison.nested), *starts_lines(comparison.starts), REGRET]
    lines += warning_lines(comparison.checks[0])
    title = titled(f"settings after {JUDGED_AT} trials", comparison.goal)
    return notebook_block(title, [notebook_table(head, rows)], lines)
