"""Standard output and standard errors that show text and obey none of it.

Names come from files, and files from anywhere. `guard` stands in front of both streams, so that
whoever prints, a command, a package that warns or Python with a traceback, prints through it.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from pathlib import Path
from typing import TextIO

from ringfence.words import shown


class Guarded(io.TextIOBase):
    """A stream that spells out what a terminal would obey. It has no `buffer`, by which others
    would pass it."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write the text, safe."""
        self.raw.write(shown(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream behind."""
        self.raw.flush()

    def writable(self) -> bool:
        """It is for writing alone."""
        return True

    def isatty(self) -> bool:
        """Whether a terminal is behind."""
        return self.raw.isatty()

    def fileno(self) -> int:
        """That of the stream behind."""
        return self.raw.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream behind."""
        return self.raw.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """That of the stream behind."""
        return self.raw.errors


def guard() -> None:
    """Put a guard in front of both streams, once."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who called us, as by `>&-`: nobody reads it
            stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
        if not isinstance(stream, Guarded):
            setattr(sys, name, Guarded(_writes_all(stream)))


def raw(stream: TextIO) -> TextIO:
    """The stream behind a guard, for text that is safe already and colored."""
    return stream.raw if isinstance(stream, Guarded) else stream


def put(text: str) -> None:
    """Print data: to a terminal as it is shown, into a file or a pipe as it is."""
    stream = sys.stdout if sys.stdout.isatty() else raw(sys.stdout)
    stream.write(text)
    stream.flush()


def put_json(text: str) -> None:
    """Print JSON, the same for a program and harmless for a terminal."""
    put("\n".join(map(_escaped, text.split("\n"))))


def _escaped(line: str) -> str:
    """A line of JSON; in its strings, JSON's own spelling for what is not printable."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def _writes_all(stream: TextIO) -> TextIO:
    """The stream, which spells out what its encoding lacks; ASCII alone is a misunderstanding."""
    if isinstance(stream, io.TextIOWrapper):
        is_ascii = codecs.lookup(stream.encoding).name == "ascii"
        stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")
    return stream
