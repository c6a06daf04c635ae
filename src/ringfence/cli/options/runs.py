"""Which runs: where they are, which columns are which, and how a history is read from them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ringfence.cli.options.pairs import as_value, once, pairs
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


@dataclass(frozen=True)
class RunOptions:
    """Past runs: where they are, and which columns are which."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="RUNS",
            help="Past runs: a .csv, .xlsx, .jsonl or .parquet table, a quoted glob, - for stdin; "
            "or what another tool keeps, such as an Optuna storage's URL.",
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

    rename: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OLD=NEW", help="A parameter under its name of today; can be given again."
        ),
    ] = None
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="What a parameter was fixed at in tasks that did not tune it; can be given again.",
        ),
    ] = None

    def read(self, format: str | None, outcome: OutcomeOptions | None = None) -> History:
        """The history that the options describe."""
        from ringfence.history import read_history

        return self.mended(read_history(self.source, **self.reading(format, outcome)))

    def mended(self, history: History) -> History:
        """The history with the names and values of --rename and --value."""
        names, filled = self.mends()
        history = history.rename(names) if names else history
        return history.with_values(filled) if filled else history

    def mends(self) -> tuple[dict[str, str], dict[str, Any]]:
        """The names of --rename and the values of --value."""
        from ringfence.errors import SettingError

        names = once(pairs(self.rename or (), "--rename", "learning_rate=lr"), "--rename")
        values = once(pairs(self.value or (), "--value", "dropout=0.0"), "--value")
        if empty := [name for name, text in values.items() if not text]:
            raise SettingError(f"--value {empty[0]}= has no value; say which, as in {empty[0]}=0.1")
        return names, {name: as_value(text) for name, text in values.items()}

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
