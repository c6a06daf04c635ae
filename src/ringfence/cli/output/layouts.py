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


FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a formula begins with in one spreadsheet or another."""
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")  # -1 as text is no formula

QUOTED = re.compile(r'[,;"\t\n\v\f\r\x85\u2028\u2029]|^$')
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
    """A value as it is, but for text that a spreadsheet would calculate: an apostrophe before it
    tells that it is text."""
    if not isinstance(item, str):
        return "" if item is None else str(item)
    is_formula = item.startswith(FORMULAS) and not NUMBER.fullmatch(item)
    text = f"'{item}" if is_formula else item
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def _table(names: Sequence[str], configs: Sequence[Config]) -> Table:
    from ringfence.rendering.layout import Table
    from ringfence.words import value

    rows = [[value(c[name]) if name in c else "" for name in names] for c in configs]
    return Table([names, *rows], floors=dict.fromkeys(range(len(names)), NARROW))
