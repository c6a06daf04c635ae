"""`ringfence hub`: learned spaces that ship with the package."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import Annotated, TypeAlias

import typer

from ringfence.adapters import TOOLS
from ringfence.cli.output.streams import put
from ringfence.cli.output.terminal import say
from ringfence.cli.summaries import Summaries, completed

hub = typer.Typer(
    cls=Summaries,
    help="Learned spaces that ship with ringfence, for those who have no past runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _names() -> tuple[str, ...]:
    from ringfence.learned.hub.entries import names

    return names()


Name: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="NAME", help="An entry of the hub.", autocompletion=completed(_names)),
]
Kind: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--task", metavar="<kind>", help="classification or regression; what both share by default."
    ),
]
Rows: TypeAlias = Annotated[
    int | None, typer.Option("--rows", min=1, help="Number of rows that you train on.")
]
JSON = "json"
"""The learned space itself, in its own file."""


@hub.command("list")
def list_entries() -> None:
    """Show what there is: learner, tasks, sizes, evidence, licence."""
    from ringfence.learned.hub.asking import hub as ask
    from ringfence.learned.hub.display import hub_parts

    say(*hub_parts([entry.record for entry in ask()]))


@hub.command()
def show(name: Name, task: Kind = None, rows: Rows = None) -> None:
    """Show an entry: what it was learned from, how it was judged, and the space for a task.

    Example: ringfence hub show lightgbm --task regression --rows 20000
    """
    from ringfence.learned.hub.display import entry_parts
    from ringfence.learned.hub.entries import entry
    from ringfence.learned.text import summary_parts

    found = entry(name)
    say(*entry_parts(found.record), "", *summary_parts(found.space(task, rows)))


@hub.command()
def export(
    name: Name,
    to: Annotated[
        str,
        typer.Option(
            help=f"{', '.join(TOOLS)}, or {JSON} for the file of the learned space.",
            autocompletion=completed(lambda: (*TOOLS, JSON)),
        ),
    ],
    task: Kind = None,
    rows: Rows = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; else stdout.")
    ] = None,
) -> None:
    """Write a Python program that searches a space of the hub with another tool, or its file.

    Example: ringfence hub export lightgbm --to optuna -o tune.py
    """
    from ringfence.adapters.export import snippet
    from ringfence.cli.export import require_other_name
    from ringfence.files import write_atomically
    from ringfence.learned.file_format import encode
    from ringfence.learned.hub.entries import entry
    from ringfence.quoting import literal

    if output is not None:
        require_other_name(output)
    learned = entry(name).space(task, rows)
    asked = {"task": task, "rows": rows}
    said = "".join(f", {key}={literal(x)}" for key, x in asked.items() if x is not None)
    call = f"rf.hub({literal(name)}{said})"
    text = encode(learned).decode() if to == JSON else snippet(learned, "", to, call)
    needs = entry(name).record.needs
    if needs and to not in (JSON, "sklearn"):  # scikit-learn's adapter sets them
        text = "".join(f"# {line}\n" for line in wrap(f"To be set, too: {needs}.", 98)) + text
    if output is None:
        put(text)
    else:
        write_atomically(output, text.encode())
        say(f"written to {output}", err=True)
