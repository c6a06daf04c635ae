"""`ringfence learn`: from a table of past runs to a learned space."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ringfence.cli.options import (
    AUTO,
    InputFormat,
    LearnOptions,
    OutcomeOptions,
    RunOptions,
    grouped,
    n_starts,
)
from ringfence.cli.progress import progress_bar

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace


@grouped
def learn(
    runs: RunOptions,
    outcome: OutcomeOptions,
    options: LearnOptions,
    format: InputFormat = None,
    n_evaluations: Annotated[
        int | None, typer.Option(help="Use only this many rows of each task.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Take those rows at random, not the first.")
    ] = None,
    starts: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Also find this many starting points (ringfence starts).",
            show_default="10 for 3 to 100 tasks of 32 rows",
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
    with progress_bar() if options.shape is AUTO else nullcontext() as progress:
        learned = learn_space(
            history,
            options.read_space(),
            **options.settings(),
            n_evaluations=n_evaluations,
            seed=seed,
            starts=n_starts(starts),
            progress=progress,
        )
    to_stdout = output == "-"
    typer.echo("\n".join(account(learned)), err=to_stdout)
    if to_stdout:
        typer.echo(encode(learned).decode(), nl=False)
    elif output is not None:
        learned.save(output)
        typer.echo(f"\nwritten to {output}")
    else:
        typer.echo("\nnot written; add -o learned.json to keep it")


def account(learned: LearnedSpace) -> list[str]:
    """What was guessed, learned, used and dropped, as lines."""
    from ringfence.words import plain

    notes = [f"  {plain(note)}" for note in learned.provenance.notes]
    return [*(["read off the table:", *notes, ""] if notes else []), str(learned)]
