"""Options that several commands share, and how they read a history."""

from __future__ import annotations

import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from ringfence.fit.shapes import shape_choices

if TYPE_CHECKING:
    from ringfence.history import History

Source: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="RUNS",
        help="Past runs: a .csv, .tsv, .jsonl or .parquet table, a quoted glob, - for stdin; or "
        "what another tool keeps, such as an Optuna storage's URL.",
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
Ignore: TypeAlias = Annotated[
    str | None, typer.Option("--ignore", help="Columns that are no parameters, divided by commas.")
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
    typer.Option(
        "--format",
        help="csv, tsv, jsonl, parquet or a tool's name, where the source does not tell.",
    ),
]
InputFormat: TypeAlias = Annotated[
    str | None, typer.Option("--input-format", help="What --format is to `learn`.")
]
Studies: TypeAlias = Annotated[
    str | None,
    typer.Option("--studies", help="Studies of an Optuna storage: names, globs; all by default."),
]
SpaceFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--space", help="The original space (.json, .yaml, .toml); else inferred."),
]
Outliers: TypeAlias = Annotated[
    str,
    typer.Option("--outliers", help="Least share of tasks to leave outside, or 'paper'."),
]
Refit: TypeAlias = Annotated[
    bool, typer.Option("--refit", help="Redraw the exact region around the tasks inside.")
]
Compare: TypeAlias = Annotated[
    bool, typer.Option("--compare", help="Try several shapes and settings, recommend one.")
]
JudgedStarts: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--starts",
        min=0,
        help="Judge so many starting points, too.",
        show_default="10 for 3 to 100 tasks of 32 rows",
    ),
]
AverageRepeats: TypeAlias = Annotated[
    bool, typer.Option("--average-repeats", help="Average rows of the same configuration.")
]


# mypy wants the names of an enum written out; they are those of the table of shapes.
Shape = StrEnum("Shape", {name: name for name in shape_choices()})  # type: ignore[misc]
BOX, AUTO = Shape("box"), Shape("auto")


class Categories(StrEnum):
    """Which choices of a categorical parameter stay."""

    all = "all"
    observed = "observed"


ShapeOf: TypeAlias = Annotated[
    Shape,
    typer.Option(
        "--shape",
        help="Shape of the region; boxes and ellipsoids are as many as the data call for, whole "
        "keeps the original space, auto takes what `check --compare` recommends.",
    ),
]
Top: TypeAlias = Annotated[
    float,
    typer.Option("--top", help="Share of each task's best rows to draw around; 0: its best alone."),
]
CategoriesOf: TypeAlias = Annotated[
    Categories,
    typer.Option("--categories", help="Keep all choices, or those of the best configurations."),
]


def read(
    source: str,
    task: str | None,
    objective: str | None,
    maximize: bool | None,
    parameters: str | None,
    budget: str | None = None,
    status: str | None = None,
    format: str | None = None,
    ignore: str | None = None,
    studies: str | None = None,
) -> History:
    """The history that the options describe."""
    from ringfence.history import read_history

    if sys.platform != "win32":  # polars restarts a read that Ctrl-C should end
        signal.siginterrupt(signal.SIGINT, True)
    return read_history(
        source,
        task=task,
        objective=objective,
        direction=None if maximize is None else ("maximize" if maximize else "minimize"),
        parameters=_names(parameters) if parameters else None,
        ignore=_names(ignore) if ignore else (),
        budget=budget,
        status=status,
        format=format,
        **({"studies": _names(studies)} if studies else {}),
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def share(text: str) -> float | Literal["paper"]:
    """The value of --outliers."""
    from ringfence.errors import SettingError

    if text == "paper":
        return "paper"
    try:
        return float(text)
    except ValueError:
        raise SettingError(
            f"--outliers must be a share such as 0.1, or 'paper', not {text!r}"
        ) from None
