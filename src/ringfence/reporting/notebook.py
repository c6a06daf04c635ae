"""What a notebook shows for a learned space and for a check: small tables, no scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ringfence.checking import Check
from ringfence.checking.text import headline as check_headline
from ringfence.learned import LearnedSpace
from ringfence.learned_text import (
    headline,
    outlier_lines,
    part_tables,
    percent,
    row_lines,
    volume_line,
)
from ringfence.reporting.evidence import task_rows
from ringfence.reporting.facts import range_rows
from ringfence.reporting.markup import Html, escape, name

MOST_TASKS = 10
CELL = "text-align:left;padding:2px 10px"
TRACK = "display:inline-block;width:120px;height:9px;background:rgba(128,128,128,.3)"
FILLED = "display:block;height:9px;background:#2b8cab"


def learned_html(learned: LearnedSpace) -> str:
    """The table of ranges with bars, and the lines around it."""
    rows = []
    for row in range_rows(learned):
        span = Html("") if row.span is None else _bar(*row.span)
        kept = escape(percent(row.kept))
        rows.append((name(row.name), escape(row.original), escape(row.learned), kept, span))
    table = _table(("parameter", "original", "learned", "kept", ""), rows)
    for head, *cells in part_tables(learned):
        table = Html(table + _table(head, [[escape(text) for text in row] for row in cells]))
    after = [volume_line(learned), *outlier_lines(learned), *row_lines(learned)]
    return _block(headline(learned), table, after)


def check_html(check: Check) -> str:
    """The verdict, the table of draws, the tasks that fare worst, the warnings."""
    draws = [
        tuple(
            escape(text)
            for text in (
                str(up.draws), f"{up.inside:.3f}", f"{up.whole:.3f}", f"{up.value:.2f}",
                f"{up.low:.2f} to {up.high:.2f}",
            )
        )
        for up in check.speed_ups
    ]  # fmt: skip
    worst = [
        (name(row.name), escape(f"{row.gain:+.3f}"), escape(row.verdict))
        for row in task_rows(check)[:MOST_TASKS]
        if row.gain is not None
    ]
    head = ("trials", "regret inside", "in the full space", "speed-up", "90% interval")
    tables = _table(head, draws) if draws else Html("")
    tables = Html(tables + (_table(("task, worst first", "gain", ""), worst) if worst else ""))
    warnings = [f"warning: {warning}" for warning in check.warnings]
    return _block(check_headline(check), tables, warnings)


def _bar(start: float, stop: float) -> Html:
    width = max(100 * (stop - start), 1.0)
    inner = f'<span style="{FILLED};margin-left:{100 * start:.1f}%;width:{width:.1f}%"></span>'
    return Html(f'<span style="{TRACK}" aria-hidden="true">{inner}</span>')


def _table(head: Sequence[str], rows: Iterable[Sequence[Html]]) -> Html:
    top = "".join(f'<th scope="col" style="{CELL}">{escape(text)}</th>' for text in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{cell}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return Html(f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>")


def _block(title: str, table: Html, lines: Iterable[str]) -> str:
    after = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f"<div><strong>{escape(title)}</strong>{table}{after}</div>"
