"""What a notebook shows for a learned space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.learned.ranges import range_rows
from ringfence.learned.text import (
    caution_lines,
    few_tasks_lines,
    headline,
    outlier_lines,
    part_tables,
    row_lines,
    start_lines,
    titled,
    unknown_lines,
    volume_line,
)
from ringfence.rendering.markup import Html, name
from ringfence.rendering.notebook import bar, notebook_block, notebook_table
from ringfence.words import percent, value

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace


def learned_html(learned: LearnedSpace) -> str:
    """The table of ranges with bars, the parts of unions, and the lines below them."""
    conditions = 1 if learned.space.conditions else 0  # columns for them
    ranges = [
        (name(row.name), row.original, row.learned, percent(row.kept),
         bar(*row.span) if row.span else "", *[row.condition] * conditions)
        for row in range_rows(learned)
    ]  # fmt: skip
    head = ("parameter", "full space", "learned", "kept", "", *["active"] * conditions)
    tables = [notebook_table(head, ranges)]
    tables += [notebook_table(head, rows) for head, *rows in part_tables(learned)]
    tables += [_starts_table(learned)] if learned.portfolio else []
    lines = [
        *caution_lines(learned),
        volume_line(learned),
        *outlier_lines(learned),
        *unknown_lines(learned),
        *few_tasks_lines(learned),
    ]
    lines += [*start_lines(learned), *row_lines(learned)]
    title = titled(headline(learned), learned.provenance.goal if learned.tasks else "")
    return notebook_block(title, tables, lines)


def _starts_table(learned: LearnedSpace) -> Html:
    """The starting points in the order to try them."""
    rows = [
        (
            str(number),
            *(value(start.config[key]) if key in start.config else "–" for key in learned.space),
            "–" if start.regret is None else f"{start.regret:.2f}",
        )
        for number, start in enumerate(learned.portfolio, 1)
    ]
    head = ("try", *map(name, learned.space), "regret left")
    return notebook_table(head, rows)
