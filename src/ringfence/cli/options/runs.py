"""Which runs: where they are, which columns are which, and how a history is read from them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ringfence.cli.options.mends import Mends
from ringfence.cli.options.pairs import pairs
from ringfence.cli.summaries import completed

if TYPE_CHECKING:
    from ringfence.history import History


def _formats() -> list[str]:
    from ringfence.history.readers.dispatch import format_names

    return format_names()


offer_formats = completed(_formats)


InputFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, tsv, xlsx, jsonl, parquet or a tool's name, if the source does not tell.",
        autocompletion=offer_formats,
    ),
]


class Way(StrEnum):
    """Which way is better."""

    minimize = "minimize"
    maximize = "maximize"


class Failures(StrEnum):
    """What is done with failed runs."""

    keep = "keep"
    ignore = "ignore"


@dataclass(frozen=True)
class OutcomeOptions:
    """What the outcome of a run is: which way is better, at which budget, did it finish, and what
    did it cost."""

    way: Annotated[
        Way | None,
        typer.Option(
            "--direction",
            help="Which way is better, unless the objective's name tells it: auc up, loss down.",
        ),
    ] = None
    maximize: Annotated[
        bool | None,
        typer.Option("--maximize/--minimize", hidden=True, help="Short for --direction."),
    ] = None
    budget: Annotated[
        str | None, typer.Option(help="Column of the budget; only a task's highest counts.")
    ] = None
    status: Annotated[str | None, typer.Option(help="Column that tells which runs finished.")] = (
        None
    )
    cost: Annotated[
        str | None,
        typer.Option(help="Column of what a run cost: seconds, dollars, anything that adds up."),
    ] = None
    failures: Annotated[
        Failures | None,
        typer.Option(help="Failed runs: keep them as such, or ignore them.", show_default="keep"),
    ] = None

    @property
    def direction(self) -> str | None:
        """The direction as `read_history` has it; None if nothing was said."""
        if self.maximize is None:
            return None if self.way is None else self.way.value
        short = "maximize" if self.maximize else "minimize"
        if self.way is not None and self.way.value != short:
            from ringfence.errors import SettingError

            raise SettingError(f"--direction {self.way.value} and --{short} contradict each other")
        return short


def _mend(what: str, metavar: str = "NAME=VALUE", of: str = "source") -> Any:
    """An option that mends parameters of all sources, or of the one that is named in front."""
    said = f"{what}; of one {of}: RUNS:{metavar}; can be given again."
    return typer.Option(metavar=metavar, help=said)


@dataclass(frozen=True)
class RunOptions:
    """Past runs: where they are, and which columns are which."""

    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="RUNS",
            help="Past runs: a .csv, .xlsx, .jsonl or .parquet table, a quoted glob, - for stdin; "
            "or what another tool keeps, such as an Optuna storage's URL. Several are joined.",
        ),
    ]
    task: Annotated[str | None, typer.Option(help="Column of the task.")] = None
    objective: Annotated[str | None, typer.Option(help="Column of the objective.")] = None
    parameters: Annotated[
        str | None, typer.Option(help="Columns of the parameters, separated by commas.")
    ] = None
    ignore: Annotated[
        str | None, typer.Option(help="Columns that are not parameters, separated by commas.")
    ] = None
    missing: Annotated[
        str | None,
        typer.Option(
            help="Rows without a value of a parameter: drop, choice (None is a value), error.",
            show_default="drop a few, ask about many",
        ),
    ] = None
    studies: Annotated[
        str | None, typer.Option(help="Studies of an Optuna storage: names, globs; all by default.")
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An option of the reader, such as at=best; can be given again.",
        ),
    ] = None

    rename: Annotated[list[str] | None, _mend("A parameter under its name of today", "OLD=NEW")] = (
        None
    )
    value: Annotated[
        list[str] | None, _mend("What a parameter was fixed at in tasks that did not tune it")
    ] = None
    scale: Annotated[
        list[str] | None,
        _mend("Multiply a parameter that is in other units", "NAME=FACTOR", "source or task"),
    ] = None
    off: Annotated[
        list[str] | None,
        _mend(
            "At which value, often 0, a number is off that a flag switches, in place of the flag"
        ),
    ] = None

    def read(
        self, format: str | None, outcome: OutcomeOptions | None = None, *, asks: bool = True
    ) -> History:
        """The history that the options describe; `asks` is whether a doubtful direction is asked
        about."""
        from ringfence.history.readers.dispatch import read_each

        histories = read_each(self.sources, asks=asks, **self.reading(format, outcome))
        return self.mended(histories)

    def mended(self, histories: Sequence[History]) -> History:
        """The histories of the sources as one, with the names, values and units that were said."""
        sources = self.sources
        mends = Mends(self.rename or (), self.value or (), self.scale or (), self.off or ())
        each = [mends.of(s, sources).applied(one) for s, one in zip(sources, histories)]
        whole = each[0] if len(each) == 1 else type(each[0]).concat(each)
        return mends.of("", sources).applied(whole)

    def reading(self, format: str | None, outcome: OutcomeOptions | None = None) -> dict[str, Any]:
        """The arguments of `read_history`."""
        if sys.platform != "win32":  # polars restarts a read that Ctrl-C should end
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.siginterrupt(number, True)
        outcome = outcome or OutcomeOptions()
        arguments: dict[str, Any] = {
            "task": self.task,
            "objective": self.objective,
            "direction": outcome.direction,
            "parameters": _names(self.parameters) if self.parameters else None,
            "ignore": _names(self.ignore) if self.ignore else (),
            "missing": self.missing,
            "budget": outcome.budget,
            "status": outcome.status,
            "cost": outcome.cost,
            "failures": "keep" if outcome.failures is None else outcome.failures.value,
            "format": format,
        }
        if self.studies:
            arguments["studies"] = _names(self.studies)
        return arguments | _reader_options(self.option or ())


def _reader_options(texts: Sequence[str]) -> dict[str, str | list[str]]:
    """The values of --option by name; one with commas is a list."""
    options: dict[str, str | list[str]] = {}
    for name, value in pairs(texts, "--option", "at=best"):
        options[name] = _names(value) if "," in value else value
    return options


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]
