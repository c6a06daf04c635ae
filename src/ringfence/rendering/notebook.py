"""What a notebook shows: a headline, small tables and a few lines; no scripts, no style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ringfence.rendering.markup import Html, escape

CELL = "text-align:left;padding:2px 10px"
TRACK = "display:inline-block;width:120px;height:9px;background:rgba(128,128,128,.3)"
FILLED = "display:block;height:9px;background:#2b8cab"


def notebook_block(title: str, tables: Iterable[Html], lines: Iterable[str]) -> str:
    """The headline, the tables, and the lines below them."""
    below = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f"<div><strong>{escape(title)}</strong>{''.join(tables)}{below}</div>"


def notebook_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """A table that carries its own style. Cells are text unless they are Html."""
    top = "".join(f'<th scope="col" style="{CELL}">{escape(text)}</th>' for text in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return Html(f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>")


def _cell(text: str) -> str:
    return f'<td style="{CELL}">{escape(text)}</td>'


def bar(start: float, stop: float) -> Html:
    """An interval of [0, 1] on a line."""
    width = max(100 * (stop - start), 1.0)
    inner = f'<span style="{FILLED};margin-left:{100 * start:.1f}%;width:{width:.1f}%"></span>'
    return Html(f'<span style="{TRACK}" aria-hidden="true">{inner}</span>')
