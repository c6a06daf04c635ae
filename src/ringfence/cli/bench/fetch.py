"""`ringfence bench fetch`: the paper's own tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.terminal import say
from ringfence.cli.summaries import Summaries

fetch = typer.Typer(
    cls=Summaries,
    help="Get tables of the paper's learners, for the plans openml and hpob.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder: TypeAlias = Annotated[
    Path, typer.Option("--data", metavar="<path>", help="Folder that tables are written to.")
]
TABLES = Path("tables")
Source: TypeAlias = Annotated[
    Path, typer.Argument(metavar="SOURCE", help="HPO-B's hpob-data.zip, or the folder in it.")
]
Download: TypeAlias = Annotated[
    bool, typer.Option("--download", help="Download the zip first, unless it is there: 261 MB.")
]
Unchecked: TypeAlias = Annotated[
    bool,
    typer.Option("--unchecked", help="Take a zip of another size or checksum than published."),
]


@fetch.command()
def openml(
    suites: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE", help="Suites; the paper's three if none is named."),
    ] = None,
    data: Folder = TABLES,
    size: Annotated[int, typer.Option(min=1, help="Largest number of runs of a task.")] = 5000,
    delay: Annotated[float, typer.Option(min=0.0, help="Seconds to wait before each task.")] = 1.0,
) -> None:
    """Fetch OpenML's runs; interrupt it and run it again as you like.

    Example: ringfence bench fetch openml openml_5891_svm --data tables
    """
    from ringfence.bench.fetch.openml import PAPER_SUITES, fetch_suite

    failed = False
    for name in suites or PAPER_SUITES:
        with progress_bar(f"tasks of {name}") as progress:
            fetched = fetch_suite(name, data, size=size, delay=delay, progress=progress)
        say(f"{fetched.table}: {fetched.rows} runs of {fetched.tasks} tasks", err=True)
        if fetched.incomplete:
            say(f"left out: {fetched.incomplete} runs with a missing value", err=True)
        for failure in fetched.failures:
            say(f"failed: task {failure.task}: {failure.reason}", err=True)
        for failure in fetched.without_runs:
            say(f"passed over: task {failure.task}: {failure.reason}", err=True)
        for failure in fetched.undescribed:
            say(f"left out by the suite: task {failure.task}: {failure.reason}", err=True)
        failed = failed or bool(fetched.failures)
    if failed:
        raise typer.Exit(1)


@fetch.command()
def hpob(
    source: Source,
    spaces: Annotated[
        list[str] | None,
        typer.Argument(metavar="SPACE", help="Search spaces; the paper's three if none is named."),
    ] = None,
    data: Folder = TABLES,
    download: Download = False,
    unchecked: Unchecked = False,
) -> None:
    """Make tables of search spaces of HPO-B.

    Example: ringfence bench fetch hpob hpob-data.zip 5891 --download --data tables
    """
    from ringfence.bench.fetch.hpob import PAPER_SPACES, make_tables

    home = hpob_source(source, download, unchecked)
    for table in make_tables(home, spaces or PAPER_SPACES, data):
        say(f"{table.table}: {table.rows} evaluations of {table.tasks} data sets", err=True)
        if table.outside:
            say(f"left out by the suite: {table.outside} rows beyond [0, 1]", err=True)
        say(f"described by {table.description}", err=True)


def hpob_source(source: Path, download: bool, unchecked: bool) -> Path:
    """HPO-B's folder or zip, downloaded and checked as the options say."""
    from ringfence.bench.fetch.download import HPOB, source_of

    with progress_bar(f"bytes of {source.name}") as progress:
        return source_of(source, HPOB, get=download, checked=not unchecked, progress=progress)
