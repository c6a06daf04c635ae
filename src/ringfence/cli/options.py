"""Options that several commands share, and how they read a history."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from ringfence.history import History

Source: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="RUNS",
        help="Table of past runs: .csv, .tsv, .jsonl or .parquet; a quoted glob; - for stdin.",
    ),
]
TaskColumn: TypeAlias = Annotated[str | None, typer.Option("--task", help="Column of the task.")]
Objective: TypeAlias = Annotated[
    str | None, typer.Option("--objective", help="Column of the objective.")
]
Maximize: TypeAlias = Annotated[
    bool | None,
    typer.Option("--maximize/--minimize", help="Whether higher is better.  [default: minimize]"),
]
Parameters: TypeAlias = Annotated[
    str | None, typer.Option("--parameters", help="Columns of the parameters, divided by commas.")
]
Budget: TypeAlias = Annotated[
    str | None,
    typer.Option("--budget", help="Column of the budget; only a task's highest counts."),
]
Status: TypeAlias = Annotated[
    str | None, typer.Option("--status", help="Column that tells which runs finished.")
]
TableFormat: TypeAlias = Annotated[
    str | None,
    typer.Option("--format", help="csv, tsv, jsonl or parquet, where the name does not tell."),
]


class Shape(StrEnum):
    """The shapes on offer."""

    box = "box"
    ellipsoid = "ellipsoid"


class Categories(StrEnum):
    """Which choices of a categorical parameter stay."""

    all = "all"
    observed = "observed"


def read(
    source: str,
    task: str | None,
    objective: str | None,
    maximize: bool | None,
    parameters: str | None,
    budget: str | None = None,
    status: str | None = None,
    format: str | None = None,
) -> History:
    """The history that the options describe."""
    from ringfence.history import read_history

    return read_history(
        source,
        task=task,
        objective=objective,
        direction=None if maximize is None else ("maximize" if maximize else "minimize"),
        parameters=[name.strip() for name in parameters.split(",")] if parameters else None,
        budget=budget,
        status=status,
        format=format,  # type: ignore[arg-type]
    )
