"""Tasks drawn by lot: a random choice that follows from their names alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np

from ringfence.arrays import IntArray


def tasks_by_lot(names: Iterable[str], most: int) -> set[str]:
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
