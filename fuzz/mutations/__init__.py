"""Damage to a file, by what kind of file it is."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from fuzz.mutations.archives import damaged_zip
from fuzz.mutations.databases import damaged_database
from fuzz.mutations.raw import damaged_bytes
from fuzz.mutations.tables import damaged_parquet, damaged_table
from fuzz.mutations.tokens import damaged_tokens
from fuzz.mutations.trees import damaged_json, damaged_lines

Mutation: TypeAlias = Callable[[random.Random, bytes], bytes]

RAW = 0.25
"""Share of damage that knows nothing of the format."""


def damaged_gzip(rng: random.Random, content: bytes) -> bytes:
    """The text within, damaged; or a text that is a thousand times as long as its file."""
    if rng.random() < 0.002:
        return gzip.compress(b"1,2,3\n" * 1_000_000, 1)
    text = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    return gzip.compress(damaged_table(rng, text), 1, mtime=0)


BY_ENDING: dict[str, Mutation] = {
    ".csv": damaged_table,
    ".tsv": damaged_table,
    ".gz": damaged_gzip,
    ".jsonl": damaged_lines,
    ".log": damaged_lines,
    ".json": damaged_json,
    ".yaml": damaged_tokens,
    ".toml": damaged_tokens,
    ".db": damaged_database,
    ".zip": damaged_zip,
    ".xlsx": damaged_zip,
    ".parquet": damaged_parquet,
}


def damaged(rng: random.Random, name: str, content: bytes, others: Sequence[bytes]) -> bytes:
    """The content of a file, damaged once or a few times; `others` are files to splice with."""
    mutation = next((m for ending, m in BY_ENDING.items() if name.endswith(ending)), damaged_tokens)
    for _ in range(_times(rng)):
        if rng.random() < RAW:
            content = damaged_bytes(rng, content, others)
        else:
            try:
                content = mutation(rng, content)
            except (
                Exception
            ):  # already too damaged for its format, of which each library says otherwise
                content = damaged_bytes(rng, content, others)
    return content


def _times(rng: random.Random) -> int:
    """Mostly one thing is wrong, so that what comes after it is reached."""
    return rng.choice((1, 1, 1, 1, 2, 2, 3, 6))
