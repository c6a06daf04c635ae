"""How a learned space came to be what it is: its versions, for the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ringfence.errors import FileError
from ringfence.refreshing.log import Entry, read_log
from ringfence.refreshing.matters import drift_line
from ringfence.refreshing.text import history_table

MOST = 20
"""Versions that the page tells of, the newest."""


@dataclass(frozen=True)
class Past:
    """The versions, the newest first."""

    file: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    """Why some of them matter, and what was found of new tasks."""
    older: int
    """Number of versions that are left out."""


def past_of(path: Path) -> Past:
    """The versions of a learned space that `ringfence refresh` keeps."""
    log = read_log(path)
    if not log.entries:
        raise FileError(f"{path} has no history; ringfence refresh RUNS -o {path} begins one")
    head, *rows = (tuple(row) for row in history_table(log))
    lines = [line for entry in log.entries[-MOST:] for line in _lines(entry)]
    older = max(len(rows) - MOST, 0)
    return Past(path.name, head, tuple(rows[:MOST]), tuple(reversed(lines)), older)


def _lines(entry: Entry) -> list[str]:
    told = [f"version {entry.number} matters: {reason}" for reason in entry.matters]
    if entry.drift is not None and not entry.drift.found:
        told.append(f"version {entry.number}: {drift_line(entry.drift)}")
    return told
