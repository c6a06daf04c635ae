"""`ringfence starts`: what to try first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ringfence.cli.options import By, SearchBy
from ringfence.cli.output.layouts import Layout, write

if TYPE_CHECKING:
    from ringfence.learned.records import Start


def starts(
    learned: Annotated[Path, typer.Argument(metavar="LEARNED", help="A learned space (.json).")],
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="How many, from the first; all by default.")
    ] = None,
    by: By = SearchBy.auto,
    format: Annotated[Layout, typer.Option(help="Layout of the output.")] = Layout.jsonl,
) -> None:
    """Show the starting points of a space learned with --starts, in the order to try them.

    A table also has the mean regret of the earlier tasks after each, as their models predict it:
    0 is a task's best value, 1 its median. Tasks of one row have no models. If the past runs have
    costs, it has the expected cost of each, in units of a median trial.

    Example: ringfence starts learned.json -n 5 --format table
    """
    from ringfence.errors import SettingError
    from ringfence.learned.file import load

    space = load(learned)
    if not space.portfolio:
        raise SettingError(
            f"{learned} has no starting points; learn it with ringfence learn --starts 10"
        )
    configs = space.starts(n, by.value)
    names = list(space.space)
    if format is Layout.table:
        figures = [_figures(start) for start in space.starting_points(by.value)]
        configs = [{**config, **figure} for figure, config in zip(figures, configs)]
        names = [*figures[0], *names]
    write(format, names, configs)


def _figures(start: Start) -> dict[str, float]:
    """What a table shows of a starting point beside its configuration."""
    figures = {"regret left": start.regret, "cost": start.cost}
    return {name: float(f"{x:.3g}") for name, x in figures.items() if x is not None}
