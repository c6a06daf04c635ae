"""`ringfence show`: a learned space as a table, or what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.output.terminal import say


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
    history: Annotated[
        bool,
        typer.Option("--history", help="Show its versions, as `ringfence refresh` wrote them."),
    ] = False,
) -> None:
    """Show a learned space.

    Example: ringfence show learned.json --diff learned-next-week.json
    """
    from ringfence.learned.file import load
    from ringfence.learned.text import summary_parts, task_table

    if history:
        from ringfence.refreshing.log import read_log
        from ringfence.refreshing.text import history_parts

        load(learned)  # which says so if it is no learned space
        say(*history_parts(read_log(learned), learned))
        return
    if diff is not None:
        from ringfence.learned.diff import changes

        say(*changes(load(learned), load(diff)))
        return
    space = load(learned)
    say(*summary_parts(space))
    if plot is not None:
        from ringfence.learned.picture import draw

        draw(space, plot)
        say("", f"drawn to {plot}")
    if tasks:
        say("", task_table(space))
