"""`ringfence export`: a learned space for another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ringfence.adapters import TOOLS
from ringfence.cli.output.streams import put
from ringfence.cli.output.terminal import say
from ringfence.cli.summaries import completed


def export(
    learned: Annotated[Path, typer.Argument(metavar="LEARNED", help="A learned space (.json).")],
    to: Annotated[
        str,
        typer.Option(
            help=f"{', '.join(TOOLS[:-1])} or {TOOLS[-1]}.", autocompletion=completed(lambda: TOOLS)
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write; else stdout. For configspace, a .json or .yaml file is its own "
            "format.",
        ),
    ] = None,
) -> None:
    """Write a Python program that searches a learned space with another tool.

    Example: ringfence export learned.json --to optuna -o tune.py
    """
    from ringfence.adapters.export import configspace_file, snippet
    from ringfence.files import write_atomically
    from ringfence.learned.file import load

    if output is not None:
        require_other_name(output)
    space = load(learned)
    if to == "configspace" and output is not None and output.suffix in (".json", ".yaml", ".yml"):
        text = configspace_file(space, output.suffix)
    else:
        text = snippet(space, learned.as_posix(), to)
    if output is None:
        put(text)
    else:
        write_atomically(output, text.encode())
        say(f"written to {output}", err=True)


def require_other_name(output: Path) -> None:
    """SettingError if a program would hide the package of its tool."""
    from ringfence.errors import SettingError

    if output.suffix == ".py" and output.stem in TOOLS:
        raise SettingError(f"a file {output.name} would hide the package: take another name")
