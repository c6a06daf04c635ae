"""What a notebook shows for a learned space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.learned.ranges import range_rows
from ringfence.learned.text import headline, outlier_lines, part_tables, row_lines, volume_line
from ringfence.rendering.markup import name
from ringfence.rendering.notebook import bar, notebook_block, notebook_table
from ringfence.words import percent

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace


def learned_html(learned: LearnedSpace) -> str:
    """The table of ranges with bars, the parts of unions, and the lines below them."""
    ranges = [
        (name(row.name), row.original, row.learned, percent(row.kept),
         bar(*row.span) if row.span else "")
        for row in range_rows(learned)
    ]  # fmt: skip
    tables = [notebook_table(("parameter", "original", "learned", "kept", ""), ranges)]
    tables += [notebook_table(head, rows) for head, *rows in part_tables(learned)]
    lines = [volume_line(learned), *outlier_lines(learned), *row_lines(learned)]
    return notebook_block(headline(learned), tables, lines)
