"""`ringfence bench`: the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ringfence.cli.bench.fetch import fetch
from ringfence.cli.bench.hpob import hpob
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.terminal import say
from ringfence.cli.summaries import Summaries

if TYPE_CHECKING:
    import polars as pl

    from ringfence.bench.plan import Plan

bench = typer.Typer(
    cls=Summaries,
    help="The paper's experiments: fetch tables, run a plan, see how far it is, draw its figures.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

bench.add_typer(fetch, name="fetch")
bench.command()(hpob)

PlanFile: TypeAlias = Annotated[Path, typer.Argument(metavar="PLAN", help="A plan (.toml).")]
PlanOrTable: TypeAlias = Annotated[
    Path, typer.Argument(metavar="PLAN", help="A plan (.toml), or results (.parquet).")
]
StoreFolder: TypeAlias = Annotated[
    Path, typer.Option("--store", help="Folder of finished cells; machines may share it.")
]
Data: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--data", metavar="<path>", help="Folder of tables; can be given again."),
]
Suite: TypeAlias = Annotated[
    str | None, typer.Option("--suite", help="Only this suite of the plan.")
]
Figures: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="<str>", help="Only this figure; can be given again."),
]
STORE = Path("bench-store")
NAME = 16  # columns that names keep in a narrow table


@bench.command()
def run(
    plan: PlanFile,
    store: StoreFolder = STORE,
    data: Data = None,
    suite: Suite = None,
    figure: Figures = None,
    replications: Annotated[
        int | None, typer.Option("--replications", min=1, help="Only the first so many.")
    ] = None,
    known: Annotated[
        list[Path] | None,
        typer.Option(
            "--known",
            metavar="<path>",
            help="Results (.parquet) whose cells need not be run; can be given again.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Cells run at once.")] = 1,
    ray: Annotated[
        bool, typer.Option("--ray", help="Run on Ray: the cluster of RAY_ADDRESS, or here.")
    ] = False,
) -> None:
    """Run what is missing of a plan; interrupt it and run it again as you like.

    Example: ringfence bench run plans/quick.toml --jobs 2
    """
    from ringfence.bench.plan import part
    from ringfence.bench.results import put_known, read_results
    from ringfence.bench.runner import run as run_plan
    from ringfence.bench.store import Store

    experiments = part(_plan(plan, data, suite), figure or (), replications)
    for path in known or ():
        say(f"{put_known(read_results(path), Store(store))} cells taken from {path}", err=True)
    with progress_bar("cells") as progress:
        outcome = run_plan(experiments, Store(store), jobs=jobs, ray=ray, progress=progress)
    say(f"{outcome.finished} cells finished, {len(outcome.failures)} failed", err=True)
    for failure in outcome.failures:
        cell = failure.cell
        where = f"{cell.suite}, {cell.task}, replication {cell.replication}"
        say(f"failed: {cell.method} on {where}: {failure.reason}", err=True)
    if outcome.failures:
        raise typer.Exit(1)


@bench.command()
def status(
    plan: PlanFile, store: StoreFolder = STORE, data: Data = None, suite: Suite = None
) -> None:
    """Show how many cells of each figure are finished.

    Example: ringfence bench status plans/quick.toml
    """
    from ringfence.bench.results import progress_of
    from ringfence.bench.store import Store
    from ringfence.rendering.layout import Table

    rows = [["figure", "suite", "finished", "of"]]
    for row in progress_of(_plan(plan, data, suite), Store(store)):
        rows.append([row.figure, row.suite, f"{row.done}", f"{row.planned}"])
    say(Table(rows, floors={0: NAME, 1: NAME}, right=(2, 3)))


@bench.command()
def table(
    plan: PlanOrTable,
    store: StoreFolder = STORE,
    data: Data = None,
    suite: Suite = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write every trial to this Parquet file.")
    ] = None,
) -> None:
    """Print where each method ends, with standard errors.

    Example: ringfence bench table plans/quick.toml -o results.parquet
    """
    from ringfence.bench.results import packed
    from ringfence.bench.text import summary_parts
    from ringfence.files import write_atomically

    results = _results(plan, store, data, suite)
    say(*summary_parts(results))
    if output is not None:
        write_atomically(output, packed(results))
        say(f"written to {output}", err=True)


@bench.command()
def plot(
    plan: PlanOrTable,
    store: StoreFolder = STORE,
    data: Data = None,
    suite: Suite = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the figures.")] = Path(
        "figures"
    ),
    metric: Annotated[
        str, typer.Option(help="normalized, regret, distance or rank.")
    ] = "normalized",
) -> None:
    """Draw each figure of a plan as PNG and SVG.

    Example: ringfence bench plot plans/quick.toml -o figures
    """
    from ringfence.bench.figures import write_figures
    from ringfence.bench.region_figures import write_region_figures

    for path in write_figures(_results(plan, store, data, suite), metric, output):
        say(str(path))
    if not _is_table(plan):
        for path in write_region_figures(_plan(plan, data, suite), output):
            say(str(path))


def _is_table(path: Path) -> bool:
    return path.suffix == ".parquet"


def _plan(path: Path, data: list[Path] | None, suite: str | None) -> Plan:
    """The plan, or the part of it that is for one suite."""
    from ringfence.bench.plan import only, read_plan

    plan = read_plan(path, data or ())
    return plan if suite is None else only(plan, suite)


def _results(path: Path, store: Path, data: list[Path] | None, suite: str | None) -> pl.DataFrame:
    """The results of a plan, from its store, or those written before."""
    from ringfence.bench.results import of_suite, read_results, results
    from ringfence.bench.store import Store
    from ringfence.errors import SettingError
    from ringfence.quoting import shell_word

    if _is_table(path):
        table = read_results(path)
        return table if suite is None else of_suite(table, suite)
    table = results(_plan(path, data, suite), Store(store))
    if table.is_empty():
        again = f"ringfence bench run {shell_word(str(path))}"
        raise SettingError(f"no cell of {path} is in {store}: {again}")
    return table
