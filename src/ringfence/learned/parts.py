"""The parts of a union in words: how many there are, and what each of them holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ringfence.fit.shapes import is_union, shape_of
from ringfence.learned.blocks import Block

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace


def shape_in_words(learned: LearnedSpace) -> str:
    """The shape with the number of its parts: '2 boxes', '1 to 3 boxes' if blocks differ."""
    if not is_union(learned.shape):
        return learned.shape
    counts = [len(block.region.parts) for block in learned.blocks] or [1]
    least, most = min(counts), max(counts)
    if most == 1:
        return f"one {shape_of(learned.shape).name}"
    return f"{most if least == most else f'{least} to {most}'} {learned.shape}"


def tasks_by_part(learned: LearnedSpace, block: Block) -> list[int]:
    """How many incumbents lie in each part; one in an overlap counts for each."""
    known = learned.known_inside(block)
    points = np.empty((0, len(block.names))) if known is None else known
    return [int(part.contains(points).sum()) for part in block.region.parts]
