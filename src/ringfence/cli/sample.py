"""`ringfence sample`: configurations drawn from a learned space."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ringfence.space import Config


class Layout(StrEnum):
    """How the configurations are written."""

    jsonl = "jsonl"
    csv = "csv"
    table = "table"


def sample(
    learned: Annotated[Path, typer.Argument(metavar="LEARNED", help="A learned space (.json).")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many configurations.")] = 10,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same draws.")] = None,
    format: Annotated[Layout, typer.Option(help="Layout of the output.")] = Layout.jsonl,
) -> None:
    """Draw configurations uniformly from a learned space.

    Example: ringfence sample learned.json -n 100 --seed 0 --format csv
    """
    from ringfence.learned_file import load

    space = load(learned)
    configs = space.sample(n, seed=seed)
    write = {Layout.jsonl: _jsonl, Layout.csv: _csv, Layout.table: _table}[format]
    typer.echo(write(list(space.space), configs), nl=False)


def _jsonl(names: Sequence[str], configs: Sequence[Config]) -> str:
    return "".join(json.dumps(config) + "\n" for config in configs)


def _csv(names: Sequence[str], configs: Sequence[Config]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(configs)
    return text.getvalue()


def _table(names: Sequence[str], configs: Sequence[Config]) -> str:
    from ringfence.learned_text import align, value

    rows = [[value(c[name]) if name in c else "" for name in names] for c in configs]
    return "\n".join(align([list(names), *rows])) + "\n"
