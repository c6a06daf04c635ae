"""The fit of a history to a space for people: parameters by groups of tasks, and what mends it."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase
from typing import TYPE_CHECKING

from ringfence.rendering.layout import Part, Table, Toned, lay_out
from ringfence.rendering.markup import name as marked
from ringfence.rendering.notebook import notebook_block, notebook_table
from ringfence.space.display import range_of
from ringfence.words import counted, some

if TYPE_CHECKING:
    from ringfence.history.mismatch.match import Match, TaskGroup

MOST_GROUPS = 8
"""Columns that fit a screen; further groups are counted."""
NAME = 12  # columns that a name keeps


def match_text(match: Match) -> str:
    """The table, who is in which group, warnings, and the calls that mend it."""
    return "\n".join(lay_out(match_parts(match)))


def match_parts(match: Match) -> list[Part]:
    """The same, to be laid out in a given width."""
    head, *rows = match_rows(match)
    below: list[Part] = [*group_lines(match), *_warnings(match)]
    if match.suggestions:
        below += ["", Toned("what would mend it, if it is so:", "title")]
        below += [f"  {line}" for line in mend_lines(match)]
    table = Table([head, *rows], floors={0: NAME})
    return [Toned(title(match), "title"), "", table, "", *below]


def match_html(match: Match) -> str:
    """What a notebook shows."""
    head, *rows = match_rows(match)
    table = notebook_table(head, [(marked(row[0]), *row[1:]) for row in rows])
    lines = [*group_lines(match), *map(str, _warnings(match)), *mend_lines(match)]
    return notebook_block(title(match), [table], lines)


def title(match: Match) -> str:
    """What it is about, in a line."""
    tasks = sum(len(group.tasks) for group in match.groups)
    of, verb = counted(tasks, "task"), "fits" if tasks == 1 else "fit"
    if match.fits:
        return f"{of} {verb} the space as it is"
    return f"how {of} {verb} the space of {counted(len(match.space), 'parameter')}"


def _letter(number: int) -> str:
    return ascii_uppercase[number] if number < len(ascii_uppercase) else f"#{number + 1}"


def match_rows(match: Match) -> list[list[str]]:
    """The table: a head, the parameters of the space, then those that it does not have."""
    shown = match.groups[:MOST_GROUPS]
    extras = dict.fromkeys(
        fit.parameter for group in match.groups for fit in group.fits if "extra" in fit.kinds
    )
    head = ["parameter", "today", *(f"{_letter(i)}: {_size(g)}" for i, g in enumerate(shown))]
    rows = [head]
    for name, parameter in match.space.parameters.items():
        rows.append([name, range_of(parameter), *(_cell(group, name) for group in shown)])
    rows += [[name, "not tuned", *(_cell(group, name) for group in shown)] for name in extras]
    return rows


def _size(group: TaskGroup) -> str:
    return counted(len(group.tasks), "task")


def _cell(group: TaskGroup, name: str) -> str:
    fit = group.fit(name)
    if fit is None:
        return ""
    if name in group.renamed:
        return Toned(f"probably {group.renamed[name]}", "unsure")
    return Toned(fit.words, "good" if fit.kinds in (("same",), ("inactive",)) else "unsure")


def group_lines(match: Match) -> list[str]:
    """Which tasks are in which group."""
    lines = [
        f"{_letter(i)}: {some(group.tasks, 6)} ({counted(group.runs, 'run')})"
        for i, group in enumerate(match.groups[:MOST_GROUPS])
    ]
    left = match.groups[MOST_GROUPS:]
    count = sum(len(group.tasks) for group in left)
    more = f"and {counted(len(left), 'more group')} of {counted(count, 'task')}"
    return [*lines, more] if left else lines


def _warnings(match: Match) -> Iterable[str]:
    return [Toned(f"warning: {warning}", "bad") for warning in match.warnings]


def mend_lines(match: Match) -> list[str]:
    """What would mend the differences, a line each."""
    return [
        f"{one.parameter} {one.why}: {one.call}" + (f" ({one.option})" if one.option else "")
        for one in match.suggestions
    ]
