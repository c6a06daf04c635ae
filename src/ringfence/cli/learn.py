"""`ringfence learn`: from a table of past runs to a learned space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ringfence.cli.options import (
    FoundStarts,
    InputFormat,
    LearnOptions,
    OutcomeOptions,
    RunOptions,
    grouped,
    n_starts,
)
from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.streams import put_json
from ringfence.cli.output.terminal import read_off, say

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace
    from ringfence.rendering.layout import Part


@grouped
def learn(
    runs: RunOptions,
    outcome: OutcomeOptions,
    options: LearnOptions,
    format: InputFormat = None,
    starts: FoundStarts = None,
    hub: Annotated[
        str | None,
        typer.Option(
            metavar="<name>", help="Join this entry of the hub, such as lightgbm/regression."
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write; - for stdout.")
    ] = None,
) -> None:
    """Learn a search space from past runs.

    Example: ringfence learn runs.parquet --task dataset --objective error --shape ellipsoid
    --outliers 0.1 -o learned.json
    """
    from ringfence.errors import FileError, SettingError
    from ringfence.learned.file_format import encode
    from ringfence.learning import learn as learn_space

    if output not in (None, "-") and not Path(output).parent.is_dir():
        raise FileError(f"cannot write {output}: there is no such folder")
    if options.space is not None and runs.parameters is not None:
        raise SettingError("--space names the parameters already; leave --parameters out")
    history = runs.read(format, outcome)
    with progress_bar("learning") as progress:
        learned = learn_space(
            history,
            options.read_space(),
            **options.settings(),
            starts=n_starts(starts),
            hub=hub,
            progress=progress,
        )
    to_stdout = output == "-"
    say(*account(learned), err=to_stdout)
    if to_stdout:
        put_json(encode(learned).decode())
    elif output is not None:
        learned.save(output)
        say("", f"written to {output}")
    else:
        say("", "not written; add -o learned.json to keep it")


def account(learned: LearnedSpace) -> list[Part]:
    """What was guessed, learned, used and dropped."""
    from ringfence.learned.settings import NO_STARTS
    from ringfence.learned.text import summary_parts

    # The summary itself says why there are no starting points.
    notes = [note for note in learned.provenance.notes if not note.startswith(NO_STARTS)]
    return [*read_off(notes), *summary_parts(learned)]
