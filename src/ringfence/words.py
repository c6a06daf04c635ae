"""Values and tables in words: a few digits, aligned columns, nothing that a terminal would obey."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


def align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines with aligned columns."""
    rows = [[plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]


def plain(text: str) -> str:
    """The text on one line, with nothing that a terminal would obey."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def value(item: object) -> str:
    """A value to four digits."""
    return f"{item:.4g}" if isinstance(item, float) else str(item)


def number(item: float) -> str:
    """A large number in words that fit a line."""
    return f"{item:,.0f}" if item < 1e6 else f"{item:.2g}"


def percent(share: float) -> str:
    """A share in per cent, with digits if they matter."""
    return f"{share:.0%}" if share >= 0.1 else f"{100 * share:.2g}%"


def some(names: Sequence[str], most: int = 12) -> str:
    """The names in a line, long ones shortened, the rest counted."""
    shown = ", ".join(
        shortened(plain(name), 60) if name.strip() else "(blank)" for name in names[:most]
    )
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def shortened(text: str, most: int) -> str:
    """The text with its middle left out if it is longer than `most`."""
    if len(text) <= most:
        return text
    head = (most - 1) * 2 // 3  # what tells names apart is more often at the beginning
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that suggests the known name nearest to a misspelled one; "" if none is near."""
    nearest = difflib.get_close_matches(str(name), list(known), 1)
    return f"did you mean {nearest[0]!r}?" if nearest else ""
