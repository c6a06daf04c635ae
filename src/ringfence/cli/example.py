"""`ringfence example`: runs as another tool stores them, to try its reader with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.cli.output.streams import put
from ringfence.cli.output.terminal import say
from ringfence.cli.summaries import completed


def _examples() -> list[str]:
    from ringfence.history.example import EXAMPLES

    return list(EXAMPLES)


def example(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Which one; without it, all are listed.",
            autocompletion=completed(_examples),
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for what is written; else NAME-example."),
    ] = None,
) -> None:
    """Write past runs as Optuna, MLflow or another tool stores them, to try things with.

    The runs are real, parts of the embedded history, in files as the tool writes them.

    Example: ringfence example optuna
    """
    from ringfence.errors import SettingError
    from ringfence.history.example import EXAMPLES, unpack_example
    from ringfence.quoting import literal, shell_word

    if name is None:
        if output is not None:
            raise SettingError(f"which example is for {output}? {', '.join(EXAMPLES)}")
        rows = [(key, entry.what) for key, entry in EXAMPLES.items()]
        say(*(f"{key:<9} {what}" for key, what in rows))
        return
    source = unpack_example(name, output or Path(f"{name}-example"))
    entry = EXAMPLES[name]
    options = [("format", entry.format), ("objective", entry.objective)]
    words = "".join(f" --{key} {value}" for key, value in options if value)
    keywords = "".join(f", {key}={literal(value)}" for key, value in options if value)
    say(f"{entry.what}: {source}")
    put(f"  ringfence learn {shell_word(str(source))}{words}\n")
    put(f"  rf.read_history({literal(source.as_posix())}{keywords})\n")
