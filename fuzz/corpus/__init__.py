"""Small cases, most of them valid, from which all others are made by damage.

Nothing foreign writes them: the layouts are those that the readers' tests check against the tools.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from fuzz.case import Case
from fuzz.corpus import benchmark, commands, formats, tables, tools

SELF_TEST = (
    "fine", "hang", "crash", "memory", "noise", "panic", "leak", "several\nlines", "red\x1b[31m",
)  # fmt: skip
"""What a watched worker does wrong on purpose."""


def regressions() -> list[Path]:
    """What broke once, a file for each."""
    return sorted((Path(__file__).parents[1] / "regressions").glob("*.json"))


CORPORA: dict[str, Callable[[], list[Case]]] = {
    **tables.CORPORA,
    **tools.CORPORA,
    **formats.CORPORA,
    **benchmark.CORPORA,
    **commands.CORPORA,
    "self-test": lambda: [Case("self-test", {}, what) for what in SELF_TEST],
    "regressions": lambda: [Case.from_text(path.read_text()) for path in regressions()],
}


@cache
def corpus(target: str) -> tuple[Case, ...]:
    """The cases of a target."""
    return tuple(CORPORA[target]())
