"""`ringfence bench hpob`: HPO-B's official table, from its download, with one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ringfence.cli.bench.fetch import Download, Source, Unchecked, hpob_source
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.terminal import say

if TYPE_CHECKING:
    from ringfence.bench.runner import FailedCell


def hpob(
    source: Source,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of tables, cells and results.")
    ] = Path("hpob-official"),
    published: Annotated[
        Path | None,
        typer.Option(help="Folder 'results' of HPO-B's repository: published curves, for ranks."),
    ] = None,
    space: Annotated[
        list[str] | None,
        typer.Option(metavar="<str>", help="Only this search space; can be given again."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="<str>", help="Only this method; can be given again."),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="Trials after the given ones.")] = 100,
    seeds: Annotated[int, typer.Option(min=1, max=5, help="How many of the five seeds.")] = 5,
    n_evaluations: Annotated[
        int, typer.Option(min=1, help="Known rows of each training task.")
    ] = 256,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Cells run at once.")] = 1,
    ray: Annotated[
        bool, typer.Option("--ray", help="Run on Ray: the cluster of RAY_ADDRESS, or here.")
    ] = False,
    download: Download = False,
    unchecked: Unchecked = False,
) -> None:
    """Run HPO-B's official protocol and print its table; interrupt it and run it again as you like.

    Example: ringfence bench hpob hpob-data.zip --download --published HPO-B/results --jobs 8
    """
    import polars as pl

    from ringfence.bench.fetch.writing import write_table
    from ringfence.bench.hpob.official import (
        OURS,
        checkpoints_of,
        official_plan,
        ran_out,
        table_parts,
    )
    from ringfence.bench.hpob.published import published_curves
    from ringfence.bench.hpob.scores import curves_of, scores
    from ringfence.bench.hpob.tables import official_suites
    from ringfence.bench.plan import only
    from ringfence.bench.results import results
    from ringfence.bench.runner import run
    from ringfence.bench.store import Store

    home = hpob_source(source, download, unchecked)
    suites = official_suites(home, output / "tables", space or ())
    plan = official_plan(
        suites,
        output / "tables",
        methods=method or OURS,
        trials=trials,
        seeds=seeds,
        n_evaluations=n_evaluations,
    )
    store = Store(output / "cells")
    failures: list[FailedCell] = []
    for suite in suites:  # one by one: workers would read all tables in turn otherwise
        part = only(plan, Path(suite.description).stem)
        with progress_bar(f"cells of search space {suite.space}") as progress:
            failures += run(part, store, jobs=jobs, ray=ray, progress=progress).failures
    for failure in failures:
        cell = failure.cell
        where = f"{cell.suite}, {cell.task}, seed {cell.replication}"
        say(f"failed: {cell.method} on {where}: {failure.reason}", err=True)
    names = {Path(suite.description).stem: suite.space for suite in suites}
    finished = results(plan, store)
    if finished.is_empty():
        raise typer.Exit(1)
    curves = curves_of(finished, names)
    if published is not None:
        curves = pl.concat([curves, published_curves(published, curves)])
    say(*table_parts(curves), *ran_out(finished))
    repeated = sum(suite.repeated for suite in suites)
    if repeated:
        say(
            f"{repeated} of {sum(suite.rows for suite in suites)} rows repeat a configuration of "
            "their task; ours sees such a configuration once, with the mean of its rows",
            err=True,
        )
    write_table(output / "curves.parquet", curves)
    write_table(output / "table.csv", scores(curves, checkpoints_of(curves)))
    say(f"written to {output / 'table.csv'} and {output / 'curves.parquet'}", err=True)
    if failures:
        raise typer.Exit(1)
