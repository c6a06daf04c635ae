"""HTML from data: what a name says is shown, never obeyed."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NewType

Html = NewType("Html", str)
"""Text that is markup already; everything else goes through `escape`."""

# They would turn the direction of the text around them, or hide what follows.
DIRECTION_MARKS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def escape(text: str) -> Html:
    """The text as it is, with nothing that a browser would obey; control characters but for line
    ends are spelled out."""
    shown = "".join(repr(c)[1:-1] if _obeyed(c) else c for c in text)
    return Html(html.escape(shown))


def _obeyed(character: str) -> bool:
    """Whether the character does something other than show itself or end a line."""
    control = unicodedata.category(character) == "Cc" and character != "\n"
    return control or character in DIRECTION_MARKS


def name(text: str) -> Html:
    """A name from the data, kept apart from the direction of the text around it; one that shows
    nothing is called blank."""
    return Html(f"<bdi>{escape(text)}</bdi>" if text.strip() else "(blank)")


def shortened(text: str, most: int) -> str:
    """The text with its middle left out where it is longer than `most`."""
    if len(text) <= most:
        return text
    head = (most - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it is sorted by."""

    shown: Html
    key: float | None = None
    numeric: bool = False


def number(shown: str, key: float | None) -> Cell:
    """A cell with a number; None is an empty cell, which sorts last."""
    return Cell(Html("") if key is None else escape(shown), key, numeric=True)


def words(shown: str) -> Cell:
    """A cell with a few words."""
    return Cell(escape(shown))


def named(shown: str) -> Cell:
    """A cell with a name from the data."""
    return Cell(name(shown))


def table(
    label: str,
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    sortable: bool = False,
    sorted_by: str | None = None,
) -> Html:
    """A table in a frame of its own that scrolls sideways, also by keyboard. The first column
    names the row; the rows come in ascending order of the column `sorted_by`."""
    cells = "".join(_head(text, sortable, text == sorted_by) for text in head)
    body = "\n".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows)
    kind = ' class="sortable"' if sortable else ""
    return Html(
        f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">'
        f'<table{kind}><caption class="hidden">{escape(label)}</caption>'
        f"<thead><tr>{cells}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _head(text: str, sortable: bool, ascending: bool) -> str:
    inner = f'<button type="button">{name(text)}</button>' if sortable else escape(text)
    order = ' aria-sort="ascending"' if ascending else ""
    return f'<th scope="col"{order}>{inner}</th>'


def _cells(row: Sequence[Cell]) -> Iterable[str]:
    for place, cell in enumerate(row):
        tag = 'th scope="row"' if place == 0 else "td"
        look = ' class="number"' if cell.numeric else ""
        key = "" if cell.key is None else f' data-key="{cell.key!r}"'
        yield f"<{tag}{look}{key}>{cell.shown}</{tag[:2]}>"
