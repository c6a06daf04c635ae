"""All commands. Each has its own file and imports what it needs when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

import ringfence
from ringfence.cli.bench import bench
from ringfence.cli.check import check
from ringfence.cli.demo import demo
from ringfence.cli.example import example
from ringfence.cli.export import export
from ringfence.cli.hub import hub
from ringfence.cli.infer import infer
from ringfence.cli.learn import learn
from ringfence.cli.match import match
from ringfence.cli.output.terminal import say
from ringfence.cli.refresh import refresh
from ringfence.cli.report import report
from ringfence.cli.sample import sample
from ringfence.cli.show import show
from ringfence.cli.starts import starts
from ringfence.cli.summaries import Summaries
from ringfence.cli.typed import Misuse, Typed

Aborted = typer.Abort
__all__ = ["Aborted", "Misuse", "app"]

app = typer.Typer(
    name="ringfence",
    cls=Summaries,
    help="Learn the search space of the next tuning job from the jobs already run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"ringfence {ringfence.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn the search space of the next tuning job from the jobs already run."""


for command in (
    learn, check, report, refresh, show, sample, starts, export, infer, match, demo, example,
):  # fmt: skip
    app.command(cls=Typed)(command)
app.add_typer(hub, name="hub")
app.add_typer(bench, name="bench")
