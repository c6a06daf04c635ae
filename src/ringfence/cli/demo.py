"""`ringfence demo`: learn a space from the history that ships with the package."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer


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
    from ringfence.learned.picture import draw
    from ringfence.learning import learn
    from ringfence.reporting.report import report
    from ringfence.words import percent

    history = example_history()
    typer.echo(f"{history}\n")
    typer.echo("how much of the numeric space is kept:")
    for shape in ("box", "ellipsoid"):
        for outliers, refit in ((0.0, False), (0.1, False), (0.1, True)):
            kept = learn(history, shape=shape, outliers=outliers, refit=refit, starts=0)
            how = f"outliers {outliers:g}{', refit' if refit else ''}"
            names = f"   left outside: {', '.join(kept.outliers)}" if kept.outliers else ""
            typer.echo(f"  {shape:<9}  {how:<19} {percent(kept.volume_fraction):>5}{names}")
    chosen: dict[str, Any] = {"shape": "ellipsoid", "outliers": 0.1, "refit": True}
    learned = learn(history, **chosen)
    typer.echo("\n" + "\n".join(account(learned)))
    output.mkdir(parents=True, exist_ok=True)
    learned.save(output / "learned.json")
    draw(learned, output / "learned.png")
    typer.echo(f"\nwritten to {output}/learned.json and {output}/learned.png")
    program = "ringfence" if shutil.which("ringfence") else sys.argv[0]
    typer.echo(f"draw from it:   {program} sample {output}/learned.json -n 5 --seed 0")
    typer.echo(f"try first:      {program} starts {output}/learned.json -n 5")
    typer.echo("\nwould it have helped? each task left out in turn:")
    found = check(history, **chosen)
    typer.echo("\n".join([headline(found), *starts_lines(found.starts)]))
    path = report(history, path=output / "report.html", **chosen)
    typer.echo(f"\nthe report, for a browser: {path}")
