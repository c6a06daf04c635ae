"""The parts of a union in words: how many there are, and what each of them holds."""

from __future__ import annotations

import numpy as np

from ringfence.blocks import Block
from ringfence.learned import LearnedSpace
from ringfence.regions import Box, Clipped, Region, Union
from ringfence.space import Choice, value_of


def parts_of(region: Region) -> tuple[Box | Clipped, ...]:
    """The parts of a union; any other region is one part."""
    return region.parts if isinstance(region, Union) else (region,)


def shape_of(learned: LearnedSpace) -> str:
    """The shape with the number of its parts: '2 boxes', '1 to 3 boxes' where blocks differ."""
    if learned.shape not in ("boxes", "ellipsoids"):
        return learned.shape
    counts = [len(parts_of(block.region)) for block in learned.blocks] or [1]
    least, most = min(counts), max(counts)
    if most == 1:
        return f"one {'box' if learned.shape == 'boxes' else 'ellipsoid'}"
    return f"{most if least == most else f'{least} to {most}'} {learned.shape}"


def ranges_of(block: Block, part: Box | Clipped) -> dict[str, tuple[Choice, Choice]]:
    """Smallest and largest value of each parameter in a part, in its own units."""
    encoding = block.encoding
    ends = zip(encoding.names, encoding.parameters, encoding.axes, *part.bounds)
    found = {}
    for name, parameter, axis, start, stop in ends:
        low, high = axis.span(start, stop)
        found[name] = value_of(parameter, low), value_of(parameter, high)
    return found


def tasks_by_part(learned: LearnedSpace, block: Block) -> list[int]:
    """How many incumbents lie in each part; one in an overlap counts for each."""
    known = learned.known_inside(block)
    points = np.empty((0, len(block.names))) if known is None else known
    return [int(part.contains(points).sum()) for part in parts_of(block.region)]
