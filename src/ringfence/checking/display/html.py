"""What a notebook shows for a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.checking.display.evidence import task_rows
from ringfence.checking.display.text import headline, warning_lines
from ringfence.rendering.markup import name
from ringfence.rendering.notebook import notebook_block, notebook_table

if TYPE_CHECKING:
    from ringfence.checking.result import Check

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
    tables += [notebook_table(("task, worst first", "gain", ""), worst)] if worst else []
    return notebook_block(headline(check), tables, warning_lines(check))
