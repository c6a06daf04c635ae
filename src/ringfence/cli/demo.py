"""`ringfence demo`: learn a space from the history that ships with the package."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ringfence.cli.output.progress import progress_bar
from ringfence.cli.output.streams import put
from ringfence.cli.output.terminal import say

if TYPE_CHECKING:
    from ringfence.history import History
    from ringfence.learned.space import LearnedSpace
    from ringfence.rendering.layout import Either


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for what is written.")
    ] = Path("demo"),
) -> None:
    """Learn a space from the embedded history, draw it, check it and write the report.

    Example: ringfence demo -o demo
    """
    from ringfence.checking import check
    from ringfence.checking.display.text import headline, starts_lines, toned
    from ringfence.cli.learn import account
    from ringfence.history.example import example_history
    from ringfence.learning import learn
    from ringfence.quoting import shell_word
    from ringfence.reporting.report import report

    history = example_history()
    say(repr(history), "", "how much of the numeric space is kept:", _kept(history), "")
    settings: dict[str, Any] = {"shape": "ellipsoid", "outliers": 0.1, "refit": True}
    with progress_bar("learning") as progress:
        learned = learn(history, **settings, progress=progress)
    say(*account(learned), "")
    output.mkdir(parents=True, exist_ok=True)
    learned.save(output / "learned.json")
    say(*_picture(learned, output))
    is_module = sys.argv[0].endswith("__main__.py")
    started = "python -m ringfence" if is_module else shell_word(sys.argv[0])
    program = "ringfence" if shutil.which("ringfence") else started
    made = shell_word(str(output / "learned.json"))
    put(f"draw from it:   {program} sample {made} -n 5 --seed 0\n")
    put(f"try first:      {program} starts {made} -n 5\n\n")
    say("would it have helped? each task left out in turn:")
    with progress_bar() as progress:
        result = check(history, **settings, progress=progress)
    say(toned(headline(result), result))
    say(*(toned(line, result.starts) for line in starts_lines(result.starts)), "")
    with progress_bar("report") as progress:
        page = report(history, path=output / "report.html", **settings, progress=progress)
    say(f"the report, for a browser: {page}")


def _kept(history: History) -> Either:
    """What boxes and ellipsoids keep, and whom they leave outside."""
    from ringfence.learned.text import volume_text
    from ringfence.learning import learn
    from ringfence.rendering.layout import Either, Table
    from ringfence.words import some

    wide, narrow = (
        [["shape", "outliers", "kept", "left outside"]],
        [["shape", "outliers", "kept", ""]],
    )
    for shape in ("box", "ellipsoid"):
        for outliers, refit in ((0.0, False), (0.1, False), (0.1, True)):
            space = learn(history, shape=shape, outliers=outliers, refit=refit, starts=0)
            left = space.outliers
            how = f"{outliers:g}{', refit' if refit else ''}"
            row = [shape, how, volume_text(space)]
            wide.append([*row, some(left)])
            narrow.append([*row, f"{len(left)} left outside" if left else ""])
    return Either([[Table(rows, right=(2,))] for rows in (wide, narrow)])


def _picture(learned: LearnedSpace, output: Path) -> list[str]:
    """Draw the space and say what was written; without matplotlib, say how to get it."""
    from ringfence.errors import MissingExtraError
    from ringfence.learned.picture import draw

    try:
        draw(learned, output / "learned.png")
    except MissingExtraError as error:
        return [f"written to {output}/learned.json", f"no picture of it: {error}"]
    return [f"written to {output}/learned.json and {output}/learned.png"]
