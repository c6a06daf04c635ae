"""What the pictures of a learned space show: best configurations and the shadow of the region, on
pairs of parameters and on three at once. All coordinates are unit coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ringfence.arrays import FloatArray
from ringfence.learned.blocks import Block
from ringfence.learned.records import Task
from ringfence.learned.space import LearnedSpace
from ringfence.space.ticks import Scale, scale_of
from ringfence.words import counted, value

MOST_PAIRS = 6
MOST_TASKS = 400
"""Drawn at most, since each brings its label into the file; the tables name more."""


@dataclass(frozen=True)
class Spot:
    """One or more tasks whose best configurations coincide in a view."""

    point: tuple[float, ...]
    outside: bool
    values: tuple[str, ...]
    """The coordinates in the user's units."""
    tasks: tuple[Task, ...]


@dataclass(frozen=True, eq=False)
class RegionView:
    """Two or three parameters that are active together."""

    scales: tuple[Scale, ...]
    spots: tuple[Spot, ...]
    lower: tuple[float, ...]
    """Lower ends of the learned ranges."""
    upper: tuple[float, ...]
    boundary: FloatArray
    """The region's shadow: a closed curve (k, 2), of a union several with NaN between them, or the
    corners (m, 3) of a surface."""
    triangles: npt.NDArray[np.int64] | None = None
    """Of a surface, (n, 3): numbers of corners."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        return tuple(scale.name for scale in self.scales)

    @property
    def inside(self) -> int:
        """The number of tasks drawn inside the region."""
        return sum(len(spot.tasks) for spot in self.spots if not spot.outside)

    @property
    def outside(self) -> int:
        """The number of tasks drawn as left outside."""
        return sum(len(spot.tasks) for spot in self.spots if spot.outside)

    @property
    def says(self) -> str:
        """The picture in words, for those who do not see it."""
        return (
            f"Best configurations, {' against '.join(self.names)}: {counted(self.inside, 'task')} "
            f"inside the learned region, {self.outside} left outside. The ranges and the table of "
            "best configurations hold the numbers."
        )


@dataclass(frozen=True, eq=False)
class RegionViews:
    """What is drawn, and out of how much."""

    pairs: tuple[RegionView, ...]
    of_pairs: int
    solid: RegionView | None
    """Three parameters that are always active, those that shrank most."""
    tasks: int
    of_tasks: int


def views_of(learned: LearnedSpace) -> RegionViews:
    """The pairs that keep the smallest share of their square, and the solid."""
    tasks = drawn_tasks(learned.tasks)
    candidates = [
        (block, (i, j)) for block in learned.blocks for i, j in block.pairs(learned.space)
    ]
    tightest = sorted(candidates, key=lambda pair: _share(*pair))[:MOST_PAIRS]
    pairs = tuple(_view(learned, tasks, *pair) for pair in tightest)
    return RegionViews(
        pairs, len(candidates), _solid(learned, tasks), len(tasks), len(learned.tasks)
    )


def drawn_tasks(tasks: Sequence[Task], most: int = MOST_TASKS) -> tuple[Task, ...]:
    """All tasks, or `most`: those outside first (at most half), the others evenly thinned."""
    if len(tasks) <= most:
        return tuple(tasks)
    outside = [task for task in tasks if task.outside][: most // 2]
    inside = [task for task in tasks if not task.outside]
    indices = np.linspace(0, len(inside) - 1, min(most - len(outside), len(inside))).astype(int)
    return (*outside, *(inside[index] for index in indices))


def _share(block: Block, axes: Sequence[int]) -> float:
    lower, upper = block.spans
    return float(np.prod([upper[j] - lower[j] for j in axes]))


def _solid(learned: LearnedSpace, tasks: Sequence[Task]) -> RegionView | None:
    always = [b for b in learned.blocks if not b.conditions and not b.mixed and len(b.names) >= 3]
    if not always:
        return None
    lower, upper = always[0].spans
    tightest = np.argsort(upper - lower, kind="stable")[:3]
    return _view(learned, tasks, always[0], sorted(tightest.tolist()))


def _view(
    learned: LearnedSpace, tasks: Sequence[Task], block: Block, axes: Sequence[int]
) -> RegionView:
    names = [block.names[j] for j in axes]
    lower, upper = (tuple(bound[list(axes)].tolist()) for bound in block.spans)
    scales = tuple(scale_of(name, learned.space[name]) for name in names)
    spots = _spots(block, axes, [t for t in tasks if all(n in t.found for n in names)])
    if len(axes) == 2:
        return RegionView(scales, spots, lower, upper, block.region.outline(*axes))
    return RegionView(scales, spots, lower, upper, *block.region.surface(axes))


def _spots(block: Block, axes: Sequence[int], tasks: Sequence[Task]) -> tuple[Spot, ...]:
    groups: dict[tuple[tuple[float, ...], bool], list[Task]] = {}
    for task in tasks:
        point = tuple(block.encoding.point(task.incumbent)[0, list(axes)].round(4).tolist())
        groups.setdefault((point, task.outside), []).append(task)
    names = [block.names[j] for j in axes]
    return tuple(
        Spot(point, outside, tuple(value(group[0].incumbent[n]) for n in names), tuple(group))
        for (point, outside), group in groups.items()
    )
