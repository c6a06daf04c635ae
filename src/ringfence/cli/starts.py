"""`ringfence starts`: what to try first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.output.layouts import Layout, write


def starts(
    learned: Annotated[Path, typer.Argument(metavar="LEARNED", help="A learned space (.json).")],
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="How many, from the first; all by default.")
    ] = None,
    format: Annotated[Layout, typer.Option(help="Layout of the output.")] = Layout.jsonl,
) -> None:
    """Show the starting points of a space learned with --starts, in the order to try them.

    A table also has the mean regret of the earlier tasks after each, as their models predict it:
    0 is a task's best value, 1 its median. Tasks of one row have no models.

    Example: ringfence starts learned.json -n 5 --format table
    """
    from ringfence.errors import SettingError
    from ringfence.learned.file import load

    space = load(learned)
    if not space.portfolio:
        raise SettingError(
            f"{learned} has no starting points; learn it with ringfence learn --starts 10"
        )
    configs = space.starts(n)
    names = list(space.space)
    regrets = [
        {"regret left": round(start.regret, 3)}
        for start in space.portfolio
        if start.regret is not None
    ]
    if format is Layout.table and regrets:
        configs = [{**config, **regret} for regret, config in zip(regrets, configs)]
        names = ["regret left", *names]
    write(format, names, configs)
