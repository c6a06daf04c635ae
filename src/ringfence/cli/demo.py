"""`ringfence demo`: learn a space from the history that ships with the package."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ringfence.history import History
    from ringfence.learned.space import LearnedSpace


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for what is written.")
    ] = Path("demo"),
) -> None:
    """Learn a space from the embedded history, draw it, check it and write the report.

    Example: ringfence demo -o demo
    """
    from ringfence.checking import check
    from ringfence.checking.display.text import headline, starts_lines
    from ringfence.cli.learn import account
    from ringfence.history.example import example_history
    from ringfence.learning import learn
    from ringfence.words import percent

    history = example_history()
    typer.echo(f"{history}\n")
    typer.echo("how much of the numeric space is kept:")
    for shape in ("box", "ellipsoid"):
        for outliers, refit in ((0.0, False), (0.1, False), (0.1, True)):
            space = learn(history, shape=shape, outliers=outliers, refit=refit, starts=0)
            how = f"outliers {outliers:g}{', refit' if refit else ''}"
            names = f"   left outside: {', '.join(space.outliers)}" if space.outliers else ""
            typer.echo(f"  {shape:<9}  {how:<19} {percent(space.volume_fraction):>5}{names}")
    settings: dict[str, Any] = {"shape": "ellipsoid", "outliers": 0.1, "refit": True}
    learned = learn(history, **settings)
    typer.echo("\n" + "\n".join(account(learned)))
    output.mkdir(parents=True, exist_ok=True)
    learned.save(output / "learned.json")
    typer.echo("\n" + _picture(learned, output))
    program = "ringfence" if shutil.which("ringfence") else sys.argv[0]
    typer.echo(f"draw from it:   {program} sample {output}/learned.json -n 5 --seed 0")
    typer.echo(f"try first:      {program} starts {output}/learned.json -n 5")
    typer.echo("\nwould it have helped? each task left out in turn:")
    result = check(history, **settings)
    typer.echo("\n".join([headline(result), *starts_lines(result.starts)]))
    typer.echo("\n" + _report(history, output, settings))


def _picture(learned: LearnedSpace, output: Path) -> str:
    """Draw the space and say what was written; without matplotlib, say how to get it."""
    from ringfence.errors import MissingExtraError
    from ringfence.learned.picture import draw

    try:
        draw(learned, output / "learned.png")
    except MissingExtraError as error:
        return f"written to {output}/learned.json\nno picture of it: {error}"
    return f"written to {output}/learned.json and {output}/learned.png"


def _report(history: History, output: Path, settings: dict[str, Any]) -> str:
    """Write the report and say where it is; without what it needs, say how to get that."""
    from ringfence.errors import MissingExtraError

    try:
        from ringfence.reporting.report import report

        path = report(history, path=output / "report.html", **settings)
    except MissingExtraError as error:
        return f"no report for a browser: {error}"
    return f"the report, for a browser: {path}"
