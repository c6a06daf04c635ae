"""Damage to bytes, whatever they mean."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fuzz.hostile import MANY_DIGITS, NESTED, word

LONGEST = 300_000
"""No file grows beyond this, in bytes."""
BYTES = (0, 1, 9, 10, 13, 27, 32, 34, 39, 44, 58, 59, 91, 92, 93, 123, 125, 127, 128, 192, 237, 255)


def damaged_bytes(rng: random.Random, content: bytes, others: Sequence[bytes] = ()) -> bytes:
    """One piece of damage."""
    if not content:
        return word(rng).encode("utf-8", "replace")
    kind = rng.randrange(10)
    start, stop = sorted((rng.randrange(len(content) + 1), rng.randrange(len(content) + 1)))
    if kind == 0:  # a cut
        return content[:start]
    if kind <= 2:
        return _flipped(rng, content)
    if kind == 3:
        return content[:start] + content[min(stop, start + rng.choice((1, 4, 40, 4000))) :]
    if kind == 4:
        times = rng.choice((2, 2, 3, 50))
        return (content[:start] + content[start:stop][:4000] * times + content[stop:])[:LONGEST]
    if kind == 5:
        return content[:start] + word(rng).encode("utf-8", "replace") + content[start:]
    if kind == 6 and others:
        other = rng.choice(others)
        return (content[:start] + other[rng.randrange(len(other) + 1) :])[:LONGEST]
    if kind == 7:
        length = min(rng.choice((1, 2, 4, 8)), len(content) - start)
        patch = rng.choice((b"\xff" * 8, b"\x00" * 8, b"\x7f" + b"\xff" * 7))[:length]
        return content[:start] + patch + content[start + length :]
    if kind == 8 and rng.random() < 0.1:
        return _deep(rng, content, start)
    return bytes([rng.choice(BYTES)]).join((content[:start], content[start + 1 :]))


def _flipped(rng: random.Random, content: bytes) -> bytes:
    """A few bits the other way round."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _deep(rng: random.Random, content: bytes, at: int) -> bytes:
    """Thousands of brackets, or thousands of digits."""
    text = rng.choice((b"[", b"{", b'{"a":', b"(", b"- ", MANY_DIGITS[:1].encode()))
    return content[:at] + text * rng.choice(NESTED) + content[at:]
