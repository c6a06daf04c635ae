"""Configurations as text: one line of JSON each, a CSV file, or a table to look at."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from ringfence.cli.output.terminal import say

if TYPE_CHECKING:
    from ringfence.rendering.layout import Table
    from ringfence.space import Config


NARROW = 10  # columns that a value keeps in a narrow table: a number of four digits


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
        typer.echo(_jsonl(configs) if layout is Layout.jsonl else _csv(names, configs), nl=False)


def _jsonl(configs: Sequence[Config]) -> str:
    return "".join(json.dumps(config) + "\n" for config in configs)


def _csv(names: Sequence[str], configs: Sequence[Config]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(configs)
    return text.getvalue()


def _table(names: Sequence[str], configs: Sequence[Config]) -> Table:
    from ringfence.rendering.layout import Table
    from ringfence.words import value

    rows = [[value(c[name]) if name in c else "" for name in names] for c in configs]
    return Table([names, *rows], floors=dict.fromkeys(range(len(names)), NARROW))
