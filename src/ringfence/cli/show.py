"""`ringfence show`: a learned space as a table, or what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def show(
    learned: Annotated[Path, typer.Argument(metavar="LEARNED", help="A learned space (.json).")],
    diff: Annotated[
        Path | None, typer.Option(help="Another learned space: show what changed from LEARNED.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw it to this file (.png, .svg or .pdf).")
    ] = None,
    tasks: Annotated[
        bool, typer.Option("--tasks", help="Also list the tasks and their best configurations.")
    ] = False,
) -> None:
    """Show a learned space.

    Example: ringfence show learned.json --diff learned-next-week.json
    """
    from ringfence.learned.file import load
    from ringfence.learned.text import summary, task_table

    if diff is not None:
        from ringfence.learned.diff import describe

        typer.echo("\n".join(describe(load(learned), load(diff))))
        return
    space = load(learned)
    typer.echo(summary(space))
    if plot is not None:
        from ringfence.learned.picture import draw

        draw(space, plot)
        typer.echo(f"\ndrawn to {plot}")
    if tasks:
        typer.echo("\n" + "\n".join(task_table(space)))
