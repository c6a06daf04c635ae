"""What a notebook shows for a learned space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfence.learned.ranges import range_rows
from ringfence.learned.text import headline, outlier_lines, part_tables, row_lines, volume_line
from ringfence.rendering.markup import Html, escape, name
from ringfence.rendering.notebook import bar, notebook_block, notebook_table
from ringfence.words import percent

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace


def learned_html(learned: LearnedSpace) -> str:
    """The table of ranges with bars, and the lines around it."""
    rows = []
    for row in range_rows(learned):
        span = Html("") if row.span is None else bar(*row.span)
        kept = escape(percent(row.kept))
        rows.append((name(row.name), escape(row.original), escape(row.learned), kept, span))
    tables = notebook_table(("parameter", "original", "learned", "kept", ""), rows)
    for head, *cells in part_tables(learned):
        texts = [[escape(text) for text in row] for row in cells]
        tables = Html(tables + notebook_table(head, texts))
    after = [volume_line(learned), *outlier_lines(learned), *row_lines(learned)]
    return notebook_block(headline(learned), tables, after)
