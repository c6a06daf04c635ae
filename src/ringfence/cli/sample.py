"""`ringfence sample`: configurations drawn from a learned space."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.output.layouts import Layout, write


def sample(
    learned: Annotated[Path, typer.Argument(metavar="LEARNED", help="A learned space (.json).")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many configurations.")] = 10,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same draws.")] = None,
    format: Annotated[Layout, typer.Option(help="Layout of the output.")] = Layout.jsonl,
) -> None:
    """Draw configurations uniformly from a learned space.

    Example: ringfence sample learned.json -n 100 --seed 0 --format csv
    """
    from ringfence.learned.file import load

    space = load(learned)
    write(format, list(space.space), space.sample(n, seed=seed))
