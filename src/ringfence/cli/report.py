"""`ringfence report`: the learned space and the evidence for it as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli import options
from ringfence.cli.options import BOX, Categories
from ringfence.cli.progress import progress_bar


def report(
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
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path(
        "report.html"
    ),
    parameters: options.Parameters = None,
    ignore: options.Ignore = None,
    budget: options.Budget = None,
    status: options.Status = None,
    average_repeats: options.AverageRepeats = False,
    format: options.TableFormat = None,
    studies: options.Studies = None,
) -> None:
    """Learn a space, check it, and write both to one HTML page that needs no network.

    Example: ringfence report runs.parquet --task dataset --objective error --shape ellipsoid
    --outliers 0.1 -o report.html
    """
    from ringfence.errors import SettingError
    from ringfence.reporting.report import report as write_report
    from ringfence.space import read_space

    if str(output) == "-":
        raise SettingError("the report is a file for a browser; name it, as in -o report.html")
    history = options.read(
        source, task, objective, maximize, parameters, budget, status, format, ignore, studies
    )
    with progress_bar() as progress:
        path = write_report(
            history,
            read_space(space) if space else None,
            path=output,
            shape=shape.value,
            outliers=options.share(outliers),
            refit=refit,
            categories=categories.value,
            top=top,
            average_repeats=average_repeats,
            compare=compare,
            starts="auto" if starts is None else starts,
            progress=progress,
        )
    typer.echo(f"written to {path}")
