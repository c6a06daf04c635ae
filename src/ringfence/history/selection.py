"""What a reader that takes only the best rows of each task remembers of the others; tasks drawn at
random."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from ringfence.arrays import IntArray
from ringfence.space import Space


class Dropped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows that do not count: how many, why, and where the first of them is."""

    rows: int
    reason: str
    example: str


@dataclass(frozen=True)
class Selection:
    """The usable rows were counted, and the best of them chosen, inside the database."""

    space: Space
    """What they were judged against; they say nothing about another space."""
    best: int
    """At most this many rows of a task were taken."""
    rows: int
    """Rows of the source, including those that do not count."""
    counts: Mapping[str, int]
    """Usable rows of each task."""
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...] = ()
    """How the space was read off."""

    def every_row_needed(self, what: str) -> str:
        """The message for a call that cannot work with the best rows alone."""
        return (
            f"{what} needs every row, and the history holds only the best {self.best} of each "
            "task: read it with best=None"
        )


def drawn_tasks(names: Iterable[str], most: int) -> set[str]:
    """At most so many of the tasks, drawn at random whatever their order."""
    by_name = sorted(set(names))
    return {by_name[number] for number in by_lot(by_name)[:most]}


def by_lot(names: Sequence[str], salt: str = "") -> IntArray:
    """The numbers of the names in a random order. Each name has a lot of its own, so that one that
    joins moves no other: of a choice of tasks at most one is another one. Another `salt` gives
    other lots."""
    key = hashlib.sha256(salt.encode()).digest()
    lots = [hashlib.blake2b(name.encode(), key=key, digest_size=16).digest() for name in names]
    return np.array(sorted(range(len(lots)), key=lots.__getitem__), dtype=np.int64)
