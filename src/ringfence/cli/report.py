"""`ringfence report`: the learned space and the evidence for it as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.options import (
    Compare,
    EvaluatedStarts,
    InputFormat,
    LearnOptions,
    OutcomeOptions,
    RunOptions,
    grouped,
    n_starts,
)
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.terminal import read_off, say
from ringfence.cli.typed import words


@grouped
def report(
    runs: RunOptions,
    outcome: OutcomeOptions,
    options: LearnOptions,
    format: InputFormat = None,
    compare: Compare = False,
    starts: EvaluatedStarts = None,
    refreshed: Annotated[
        Path | None,
        typer.Option(help="Also tell the versions of this space (ringfence refresh)."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path(
        "report.html"
    ),
) -> None:
    """Learn a space, check it, and write both to one HTML page that needs no network.

    Example: ringfence report runs.parquet --task dataset --objective error --shape ellipsoid
    --outliers 0.1 -o report.html
    """
    from ringfence.errors import SettingError
    from ringfence.reporting.recipe import typed
    from ringfence.reporting.report import report as write_report

    if str(output) == "-":
        raise SettingError("the report is a file for a browser; name it, as in -o report.html")
    history = runs.read(format, outcome)
    with progress_bar() as progress:
        path = write_report(
            history,
            options.read_space(),
            path=output,
            **options.settings(),
            compare=compare,
            starts=n_starts(starts),
            refreshed=refreshed,
            command=typed("ringfence report", words()),
            progress=progress,
        )
    say(*read_off(history.notes), f"written to {path}")
