"""`ringfence check`: would the learned space have helped the tasks of the history?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ringfence.cli import options
from ringfence.cli.options import BOX, Categories
from ringfence.cli.progress import progress_bar


class Output(StrEnum):
    """How the check is written."""

    text = "text"
    json = "json"


def check(
    source: options.Source,
    task: options.TaskColumn = None,
    objective: options.Objective = None,
    maximize: options.Maximize = None,
    space: options.SpaceFile = None,
    shape: options.ShapeOf = BOX,
    outliers: options.Outliers = "0",
    refit: options.Refit = False,
    top: options.Top = 0.0,
    categories: options.CategoriesOf = Categories.all,
    compare: options.Compare = False,
    starts: options.JudgedStarts = None,
    require_speedup: Annotated[
        float | None,
        typer.Option(help="Exit with 2 unless the speed-up's lower bound reaches this."),
    ] = None,
    format: Annotated[Output, typer.Option(help="Layout of the output.")] = Output.text,
    parameters: options.Parameters = None,
    ignore: options.Ignore = None,
    budget: options.Budget = None,
    status: options.Status = None,
    average_repeats: options.AverageRepeats = False,
    input_format: options.InputFormat = None,
    studies: options.Studies = None,
) -> None:
    """Leave each task out, learn from the others, and see whether it would have helped.

    Example: ringfence check runs.parquet --task dataset --objective error --compare
    """
    import msgspec

    from ringfence import checking
    from ringfence.checking.verdict import JUDGED_AT
    from ringfence.space import read_space

    history = options.read(
        source, task, objective, maximize, parameters, budget, status, input_format, ignore, studies
    )
    declared = read_space(space) if space else None
    found: checking.Check | checking.Comparison
    with progress_bar() as progress:
        if compare:
            found = checking.compare(
                history,
                declared,
                average_repeats=average_repeats,
                starts="auto" if starts is None else starts,
                progress=progress,
            )
            judged = None if found.best is None else found.nested
        else:
            found = judged = checking.check(
                history,
                declared,
                shape=shape.value,
                outliers=options.share(outliers),
                refit=refit,
                categories=categories.value,
                top=top,
                average_repeats=average_repeats,
                starts="auto" if starts is None else starts,
                progress=progress,
            )
    if format is Output.json:
        typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
    else:
        typer.echo(str(found))
    if require_speedup is not None:
        ups = judged.speed_ups if judged is not None else ()
        low = next((up.low for up in ups if up.draws == JUDGED_AT), 0.0)
        if low < require_speedup:
            typer.echo(f"the lower bound {low:.2f} is below {require_speedup:g}", err=True)
            raise typer.Exit(2)
