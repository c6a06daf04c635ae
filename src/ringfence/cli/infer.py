"""`ringfence infer`: the space that a table of past runs covers, to be edited by hand."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.options import InputFormat, RunOptions, grouped
from ringfence.cli.output.streams import put_json
from ringfence.cli.output.terminal import say


class Which(StrEnum):
    """Whose space, if tasks differ."""

    union = "union"
    latest = "latest"


@grouped
def infer(
    runs: RunOptions,
    format: InputFormat = None,
    space: Annotated[
        Which, typer.Option(help="If tasks differ: the union of all, or that of the latest.")
    ] = Which.union,
    observed: Annotated[
        bool, typer.Option("--observed", help="Go by the values, whatever the source declares.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; else stdout.")
    ] = None,
) -> None:
    """Infer the full space from the observed values, or take the one that the source declares,
    as a file for `learn --space`.

    Example: ringfence infer runs.parquet --task dataset --objective error -o space.json
    """
    from ringfence.files import write_atomically
    from ringfence.history import infer_space
    from ringfence.space import write_space

    history = runs.read(format, asks=False)
    inferred = infer_space(history, space=space.value, observed=observed)
    for note in (*history.notes, *inferred.notes):
        say(f"  {note}", err=True)
    text = write_space(inferred.space, output.suffix if output else ".json")
    if output is None:
        put_json(text)
    else:
        write_atomically(output, text.encode())
        say(f"written to {output}", err=True)
