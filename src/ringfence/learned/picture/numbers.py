"""What the picture of a learned space shows, as numbers: a row for each parameter, and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.learned.blocks import Block
from ringfence.learned.ranges import spans_of
from ringfence.rendering.fitting import apart
from ringfence.space import Categorical, Parameter, axis_of
from ringfence.space.display import between
from ringfence.space.pairs import has_off
from ringfence.space.ticks import Scale, labels_of, scale_of
from ringfence.words import percent

if TYPE_CHECKING:
    from ringfence.learned.space import LearnedSpace

MOST_PAIRS = 6
LONGEST_CHOICE = 11  # characters of a choice beside a tick; the middle of longer ones is left out


@dataclass(frozen=True, eq=False)
class Row:
    """A parameter from 0 to 1: what was kept of it, and where the incumbents are."""

    name: str
    says: str
    kept: tuple[tuple[float, float], ...]  # intervals; one for each choice kept if unordered
    points: FloatArray  # (m,)
    outside: BoolArray  # (m,)
    scale: Scale


@dataclass(frozen=True, eq=False)
class Pair:
    """Two parameters of a block: incumbents and the outline of the region's projection."""

    names: tuple[str, str]
    points: FloatArray  # (m, 2) in unit coordinates
    outside: BoolArray  # (m,)
    outline: FloatArray  # (k, 2) in unit coordinates, NaN between the parts of a union


def rows(learned: LearnedSpace) -> list[Row]:
    """Every parameter that has more than one value, in the order of the space."""
    spans = spans_of(learned)
    found = []
    for name, parameter in learned.space.parameters.items():
        tasks = [task for task in learned.tasks if name in task.found]
        outside = np.array([task.outside for task in tasks], dtype=bool)
        values = [task.incumbent[name] for task in tasks]
        if name in spans:
            axis = axis_of(parameter)
            assert axis is not None
            numbers = [_number(parameter, item) for item in values]
            points = axis.encode(np.array(numbers, dtype=float))
            low, high = learned.bounds[name]
            kept = percent(spans[name][1] - spans[name][0])
            first, last = apart(labels_of([low, high]), LONGEST_CHOICE)
            ends = f"{first} … {last}" if not has_off(parameter) else between(parameter, low, high)
            says = f"{ends}  ({kept})"
            scale = scale_of(name, parameter)
            found.append(Row(name, says, (spans[name],), points, outside, scale))
        elif isinstance(parameter, Categorical) and len(parameter.choices) > 1:
            found.append(_row_of_choices(learned, name, parameter, values, outside))
    return found


def _row_of_choices(
    learned: LearnedSpace, name: str, parameter: Categorical, values: list[Any], outside: BoolArray
) -> Row:
    count = len(parameter.choices)
    kept = sorted(_number(parameter, choice) for choice in learned.choices.get(name, ()))
    centers = [(index + 0.5) / count for index in range(count)]
    ticks = tuple(zip(centers, (str(choice) for choice in parameter.choices)))
    return Row(
        name,
        f"{len(kept)} of {count} choices",
        tuple((index / count, (index + 1) / count) for index in kept),
        np.array([centers[_number(parameter, item)] for item in values]),
        outside,
        Scale(name, False, ticks),
    )


def _number(parameter: Parameter, item: Any) -> Any:
    return parameter.index(item) if isinstance(parameter, Categorical) else item


def pairs(learned: LearnedSpace, most: int = MOST_PAIRS) -> list[Pair]:
    """Pairs of parameters that are active together, at most `most` of them."""
    every_pair = ((block, i, j) for block in learned.blocks for i, j in block.pairs(learned.space))
    return [_pair(learned, *pair) for pair in islice(every_pair, most)]


def _pair(learned: LearnedSpace, block: Block, i: int, j: int) -> Pair:
    tasks = [
        task
        for task in learned.tasks
        if block.names[i] in task.found and block.names[j] in task.found
    ]
    points = [block.encoding.point(task.incumbent)[0, [i, j]] for task in tasks]
    outside = np.array([task.outside for task in tasks], dtype=bool)
    names = block.names[i], block.names[j]
    return Pair(names, np.array(points).reshape(-1, 2), outside, block.region.outline(i, j))
