"""`ringfence match`: how past tasks fit the space that is to be tuned now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.options import InputFormat, RunOptions, grouped
from ringfence.cli.output.terminal import read_off, say


@grouped
def match(
    runs: RunOptions,
    format: InputFormat = None,
    space: Annotated[
        Path | None,
        typer.Option(
            help="What is to be tuned (.json, .yaml, .toml), or latest for what the task that ran "
            "last tuned; else the union of all."
        ),
    ] = None,
) -> None:
    """Show which tasks lack a parameter, have others or other ranges, and what would mend it.

    Example: ringfence match studies.db --space space.json --rename learning_rate=lr
    """
    from ringfence.history.display.match import match_parts
    from ringfence.history.mismatch.match import match as matched
    from ringfence.space import read_space

    history = runs.read(format, asks=False)
    if space is None or str(space) == "latest":
        result = matched(history, None if space is None else "latest")
    else:
        result = matched(history, read_space(space))
    say(*read_off([*history.notes, *result.notes]), *match_parts(result))
