"""`ringfence infer`: the space that a table of past runs covers, to be edited by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.options import InputFormat, RunOptions, grouped


@grouped
def infer(
    runs: RunOptions,
    format: InputFormat = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; else stdout.")
    ] = None,
) -> None:
    """Infer the original space from the observed values, or take the one that the source declares,
    as a file for `learn --space`.

    Example: ringfence infer runs.parquet --task dataset --objective error -o space.json
    """
    from ringfence.files import write_atomically
    from ringfence.history import infer_space
    from ringfence.space import write_space

    history = runs.read(format)
    space, notes = history.space, history.notes
    if space is None:
        inferred = infer_space(history)
        space, notes = inferred.space, (*notes, *inferred.notes)
    for note in notes:
        typer.echo(f"  {note}", err=True)
    text = write_space(space, output.suffix if output else ".json")
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_atomically(output, text.encode())
        typer.echo(f"written to {output}", err=True)
