"""`ringfence check`: would the learned space have helped the tasks of the history?"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ringfence.cli.options import (
    By,
    Compare,
    EvaluatedStarts,
    LearnOptions,
    OutcomeOptions,
    RunOptions,
    SearchBy,
    grouped,
    n_starts,
    offer_formats,
)
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.streams import put_json
from ringfence.cli.output.terminal import read_off, say

if TYPE_CHECKING:
    from ringfence.checking import Check, Comparison
    from ringfence.rendering.layout import Part


TOO_SLOW, CANNOT_TELL = 2, 3  # exit codes of --require-speedup


class Output(StrEnum):
    """How the check is written."""

    text = "text"
    json = "json"


@grouped
def check(
    runs: RunOptions,
    outcome: OutcomeOptions,
    options: LearnOptions,
    input_format: Annotated[
        str | None,
        typer.Option(help="What --format is to `learn`.", autocompletion=offer_formats),
    ] = None,
    compare: Compare = False,
    starts: EvaluatedStarts = None,
    by: By = SearchBy.auto,
    require_speedup: Annotated[
        float | None,
        typer.Option(
            help="Exit with 2 unless the speed-up's lower bound reaches this, with 3 if the runs "
            "cannot tell."
        ),
    ] = None,
    format: Annotated[Output, typer.Option(help="Layout of the output.")] = Output.text,
) -> None:
    """Leave each task out, learn from the others, and see whether it would have helped.

    Example: ringfence check runs.parquet --task dataset --objective error --compare
    """
    import msgspec

    from ringfence import checking
    from ringfence.errors import SettingError

    if require_speedup is not None and not math.isfinite(require_speedup):
        raise SettingError(f"--require-speedup must be a number, not {require_speedup}")
    history = runs.read(input_format, outcome)
    space = options.read_space()
    result: Check | Comparison
    with progress_bar() as progress:
        if compare:
            result = checking.compare(
                history,
                space,
                average_repeats=options.average_repeats,
                n_evaluations=options.n_evaluations,
                seed=options.seed,
                starts=n_starts(starts),
                by=by.value,
                progress=progress,
            )
        else:
            result = checking.check(
                history,
                space,
                **options.settings(),
                starts=n_starts(starts),
                by=by.value,
                progress=progress,
            )
    if format is Output.json:
        put_json(msgspec.json.format(msgspec.json.encode(result), indent=1).decode() + "\n")
    else:
        say(*read_off(result.notes), *_parts(result))
    if require_speedup is not None:
        low, unsure = _lower_bound(result)
        if low < require_speedup and unsure:
            say(f"cannot tell; {unsure}", err=True)
            raise typer.Exit(CANNOT_TELL)
        if low < require_speedup:
            say(f"the lower bound {low:.2f} is below {require_speedup:g}", err=True)
            raise typer.Exit(TOO_SLOW)


def _parts(result: Check | Comparison) -> list[Part]:
    from ringfence.checking import Comparison
    from ringfence.checking.display.text import comparison_parts, summary_parts

    if isinstance(result, Comparison):
        return comparison_parts(result)
    return summary_parts(result)


def _lower_bound(result: Check | Comparison) -> tuple[float, str]:
    """The lower bound of the speed-up, and the reason if the runs cannot tell. A comparison has
    those of its choice, which is 1 if the full space stays, 0 if that is open."""
    from ringfence.checking import Comparison
    from ringfence.checking.verdict import JUDGED_AT

    if isinstance(result, Comparison):
        if result.best is None or result.nested is None:
            return 0.0 if result.undecided else 1.0, result.undecided  # the full space stays
        result = result.nested
    low = next((up.low for up in result.speed_ups if up.draws == JUDGED_AT), 0.0)
    return low if result.trusted else 0.0, result.reason
