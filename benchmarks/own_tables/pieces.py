"""Who does what: pieces, their order, and their files.

A piece is a block of configurations of a learner on a task. Block 0 begins with the library's
default; each block has a part of the list that all tasks share and a part of the task's own. A
finished piece is one file, written under another name and renamed; one that was interrupted is a
file as well, and is continued. A claim is a file that only one process can create. Its time is
renewed while the piece is worked on, so one that is old belongs to nobody.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.own_tables.learners import LEARNERS
from benchmarks.own_tables.spaces import Config, own_config, shared_config

SHARED, OWN, BLOCKS = 32, 8, 8
"""Configurations of a block: eight blocks make 256 shared ones and 64 of the task's own."""
STALE = 120.0
"""Seconds after which a claim that was not renewed counts for nothing; it is renewed each 10 s."""
DONE, PART = ".json.gz", ".part.json.gz"


@dataclass(frozen=True)
class Piece:
    """One block of one learner on one task."""

    learner: str
    task: str
    classification: bool
    block: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.learner}--{self.task}--{self.block:02d}"

    def planned(self) -> list[tuple[str, int]]:
        """What is run: 'default', 'shared' or 'own', and the number in that list."""
        first: list[tuple[str, int]] = [] if self.block else [("default", 0)]
        shared = [("shared", n) for n in _range(self.block, SHARED)]
        return first + shared + [("own", n) for n in _range(self.block, OWN)]

    def config(self, origin: str, number: int) -> Config:
        """A drawn configuration."""
        if origin == "shared":
            return shared_config(self.learner, self.classification, number)
        return own_config(self.learner, self.classification, self.task, number)


def all_pieces(
    tasks: Sequence[dict[str, Any]], learners: Sequence[str], blocks: int = BLOCKS
) -> list[Piece]:
    """All pieces in the order in which they are worth having.

    Each turn takes every learner and task a block further, then cheap ones several. Within a turn
    the tasks are shuffled, the same way on all machines, so that a turn cut short is no selection.
    """
    found = []
    for task in tasks:
        classification = task["kind"] == "classification"
        for learner in learners:
            if classification or LEARNERS[learner].regression:
                pieces = (Piece(learner, task["task"], classification, b) for b in range(blocks))
                found += list(pieces)
    random.Random(0).shuffle(found)
    return sorted(found, key=lambda p: (p.block // LEARNERS[p.learner].depth, p.block))


class Folder:
    """The folder that machines share: finished pieces, interrupted ones and claims."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.claims = path / "claims"
        self.claims.mkdir(parents=True, exist_ok=True)

    def finished(self) -> set[str]:
        """The names of the finished pieces."""
        names = {p.name for p in self.path.glob(f"*{DONE}")}
        return {n.removesuffix(DONE) for n in names if not n.endswith(PART)}

    def has(self, piece: Piece) -> bool:
        """Whether the piece is finished."""
        return (self.path / f"{piece.name}{DONE}").exists()

    def read(self, piece: Piece) -> dict[str, Any]:
        """What an interrupted piece has, or nothing."""
        path = self.path / f"{piece.name}{PART}"
        return read_piece(path) if path.exists() else {"rows": []}

    def write(self, piece: Piece, content: dict[str, Any], *, complete: bool) -> None:
        """Keeps a piece; a complete one takes the place of its part."""
        text = json.dumps(content, separators=(",", ":"))
        name = f"{piece.name}{DONE if complete else PART}"
        self.put(name, gzip.compress(text.encode(), mtime=0))
        if complete:
            (self.path / f"{piece.name}{PART}").unlink(missing_ok=True)

    def put(self, name: str, content: bytes) -> None:
        """A file of this name, whole or not at all."""
        hidden = self.path / f".{name}.{os.uname().nodename}.{os.getpid()}"
        hidden.write_bytes(content)
        hidden.replace(self.path / name)

    def claim(self, piece: Piece) -> bool:
        """Whether the piece is now ours alone."""
        path = self.claims / piece.name
        try:
            renewed = path.stat().st_mtime_ns
        except FileNotFoundError:
            return _create(path)
        if time.time() - renewed / 1e9 <= STALE:
            return False
        if not _create(path.with_name(f".{piece.name}.{renewed}")):  # one of those that see it
            return False
        try:
            os.utime(path)
        except FileNotFoundError:  # given back meanwhile
            return False
        return True

    def renew(self, piece: Piece) -> None:
        """Says that the piece is still worked on."""
        with contextlib.suppress(OSError):
            os.utime(self.claims / piece.name)

    def release(self, piece: Piece) -> None:
        """Gives the piece back."""
        (self.claims / piece.name).unlink(missing_ok=True)


def read_piece(path: Path) -> dict[str, Any]:
    """The content of a piece's file."""
    content: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return content


def _create(path: Path) -> bool:
    """Whether the file is new, and by us."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True


def _range(block: int, size: int) -> range:
    return range(block * size, (block + 1) * size)
