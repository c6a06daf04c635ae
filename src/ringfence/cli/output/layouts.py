"""Configurations as text: one line of JSON each, a CSV file, or a table to look at."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from ringfence.cli.output.streams import put
from ringfence.cli.output.terminal import say

if TYPE_CHECKING:
    from ringfence.rendering.layout import Table
    from ringfence.space import Choice, Config


NARROW = 10  # columns that a value keeps in a narrow table: a number of four digits


PIECES = re.compile(r"([;|\t\n\v\f\r\x85\u2028\u2029])")
"""What ends a cell where another mark than the comma separates them, as semicolons do in half of
the world; there a quote counts for nothing unless a cell begins with it."""
UNSEEN = (
    r"\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
"""Blanks, control characters, marks of byte order, whatever else leaves no trace on paper."""
FORMULA = re.compile(rf"[{UNSEEN}\"']*[=+\-@＝＋－＠]")
"""How a formula begins in one spreadsheet or another; some take no notice of blanks and quotes, nor
of what cannot be seen."""
BLANKS = ("\t", "\r", "\n")
"""Of a cell that begins with one, some look at what follows."""
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")  # -1 as text is no formula

QUOTED = re.compile(r'[,"]|^$|' + PIECES.pattern)
"""What would end a cell for one reader or another; and no text at all, which is not nothing. (The
standard library's writer leaves a lone return unquoted, and what follows would begin a cell.)"""


class Layout(StrEnum):
    """How the configurations are written."""

    jsonl = "jsonl"
    csv = "csv"
    table = "table"


def write(layout: Layout, names: Sequence[str], configs: Sequence[Config]) -> None:
    """Print the configurations in this layout; `names` are the columns."""
    if layout is Layout.table:
        say(_table(names, configs))
    else:
        put(_jsonl(configs) if layout is Layout.jsonl else _csv(names, configs))


def _jsonl(configs: Sequence[Config]) -> str:
    return "".join(json.dumps(config) + "\n" for config in configs)


def _csv(names: Sequence[str], configs: Sequence[Config]) -> str:
    rows = [[_cell(c[name]) if name in c else "" for name in names] for c in configs]
    return "".join(",".join(row) + "\n" for row in [[*map(_cell, names)], *rows])


def _cell(item: Choice) -> str:
    """A value as it is, but for text that a spreadsheet would calculate, as a cell or as a part of
    one that it takes for a cell: an apostrophe before it tells that it is text."""
    if not isinstance(item, str):
        return "" if item is None else str(item)
    text = "".join(f"'{part}" if _is_formula(part) else part for part in PIECES.split(item))
    text = f"'{text}" if item.startswith(BLANKS) else text
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and not NUMBER.fullmatch(text)


def _table(names: Sequence[str], configs: Sequence[Config]) -> Table:
    from ringfence.rendering.layout import Table
    from ringfence.words import value

    rows = [[value(c[name]) if name in c else "" for name in names] for c in configs]
    return Table([names, *rows], floors=dict.fromkeys(range(len(names)), NARROW))
