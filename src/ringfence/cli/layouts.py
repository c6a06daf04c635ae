"""Configurations as text: one line of JSON each, a CSV file, or a table to look at."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringfence.space import Config


class Layout(StrEnum):
    """How the configurations are written."""

    jsonl = "jsonl"
    csv = "csv"
    table = "table"


def as_text(layout: Layout, names: Sequence[str], configs: Sequence[Config]) -> str:
    """The configurations in this layout; `names` are the columns."""
    return {Layout.jsonl: _jsonl, Layout.csv: _csv, Layout.table: _table}[layout](names, configs)


def _jsonl(names: Sequence[str], configs: Sequence[Config]) -> str:
    return "".join(json.dumps(config) + "\n" for config in configs)


def _csv(names: Sequence[str], configs: Sequence[Config]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(configs)
    return text.getvalue()


def _table(names: Sequence[str], configs: Sequence[Config]) -> str:
    from ringfence.words import align, value

    rows = [[value(c[name]) if name in c else "" for name in names] for c in configs]
    return "\n".join(align([list(names), *rows])) + "\n"
