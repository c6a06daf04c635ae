"""What is printed: as wide as the terminal and in color if it is one, else in full and plain."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import IO

from ringfence.cli.output.streams import raw
from ringfence.rendering.layout import Part, Tone, lay_out

USUAL_WIDTH = 80  # of a terminal that does not tell
CODES: dict[Tone, int] = {"good": 32, "unsure": 33, "bad": 31, "mark": 36, "title": 1}
"""Green, yellow, red, cyan, bold: how terminals are told since the VT100."""


def say(*parts: Part, err: bool = False) -> None:
    """Print sentences and tables."""
    stream = sys.stderr if err else sys.stdout
    paint = _paint if is_colored(stream) else None
    lines = lay_out(parts, width_of(stream), paint)  # makes the parts safe, then paints them
    raw(stream).write("".join(f"{line}\n" for line in lines))
    stream.flush()


def read_off(notes: Sequence[str]) -> list[Part]:
    """What was guessed, converted and left out; nothing if there is nothing to say."""
    return ["read off the table:", *(f"  {note}" for note in notes), ""] if notes else []


def width_of(stream: IO[str]) -> int | None:
    """The columns of the terminal; None if it is none."""
    if not stream.isatty():
        return None
    try:
        columns = int(os.environ.get("COLUMNS", "")) or 0
    except ValueError:
        columns = 0
    try:
        columns = columns or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # a stream of a program's own, which only says it is one
        columns = 0
    return columns or USUAL_WIDTH


def is_colored(stream: IO[str]) -> bool:
    """Whether to color: NO_COLOR forbids it, FORCE_COLOR or CLICOLOR_FORCE asks for it, and without
    either it takes a terminal that is not dumb."""
    settings = os.environ
    if settings.get("NO_COLOR"):
        return False
    if settings.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    if settings.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return stream.isatty() and settings.get("TERM") != "dumb" and settings.get("CLICOLOR") != "0"


def _paint(text: str, tone: Tone) -> str:
    return f"\x1b[{CODES[tone]}m{text}\x1b[0m"
