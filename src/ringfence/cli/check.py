"""`ringfence check`: would the learned space have helped the tasks of the history?"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ringfence.cli.options import (
    Compare,
    EvaluatedStarts,
    LearnOptions,
    OutcomeOptions,
    RunOptions,
    grouped,
    n_starts,
)
from ringfence.cli.progress import progress_bar

if TYPE_CHECKING:
    from ringfence.checking import Check, Comparison


class Output(StrEnum):
    """How the check is written."""

    text = "text"
    json = "json"


@grouped
def check(
    runs: RunOptions,
    outcome: OutcomeOptions,
    options: LearnOptions,
    input_format: Annotated[str | None, typer.Option(help="What --format is to `learn`.")] = None,
    compare: Compare = False,
    starts: EvaluatedStarts = None,
    require_speedup: Annotated[
        float | None,
        typer.Option(help="Exit with 2 unless the speed-up's lower bound reaches this."),
    ] = None,
    format: Annotated[Output, typer.Option(help="Layout of the output.")] = Output.text,
) -> None:
    """Leave each task out, learn from the others, and see whether it would have helped.

    Example: ringfence check runs.parquet --task dataset --objective error --compare
    """
    import msgspec

    from ringfence import checking

    history = runs.read(input_format, outcome)
    space = options.read_space()
    result: Check | Comparison
    with progress_bar() as progress:
        if compare:
            result = checking.compare(
                history,
                space,
                average_repeats=options.average_repeats,
                starts=n_starts(starts),
                progress=progress,
            )
        else:
            result = checking.check(
                history, space, **options.settings(), starts=n_starts(starts), progress=progress
            )
    if format is Output.json:
        typer.echo(msgspec.json.format(msgspec.json.encode(result), indent=1).decode())
    else:
        typer.echo(str(result))
    if require_speedup is not None:
        low = _lower_bound(result)
        if low < require_speedup:
            typer.echo(f"the lower bound {low:.2f} is below {require_speedup:g}", err=True)
            raise typer.Exit(2)


def _lower_bound(result: Check | Comparison) -> float:
    """The lower bound of the speed-up; of a comparison that of the recommended setting, 0 if none
    is recommended."""
    from ringfence.checking import Comparison
    from ringfence.checking.verdict import JUDGED_AT

    if isinstance(result, Comparison):
        if result.best is None or result.nested is None:
            return 0.0
        result = result.nested
    return next((up.low for up in result.speed_ups if up.draws == JUDGED_AT), 0.0)
