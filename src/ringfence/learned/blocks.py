"""Blocks: numeric parameters with one region, and the share of the space they keep.

The parameters of a block are active together, or it is *mixed* (`one_cloud`): a configuration lies
in a mixed block if some completion of it does, with any values in the unit cube for the parameters
that it lacks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.regions import FEW_DRAWS, VOLUME_DRAWS, Box, Region
from ringfence.space import (
    Categorical,
    Choice,
    Condition,
    Encoding,
    Int,
    Space,
    axis_of,
    choice_key,
    value_of,
)

MOST_PATTERNS = 4096  # combinations of values that switch parameters on and off, tried one by one


@dataclass(frozen=True, eq=False)
class Block:
    """Numeric parameters, and the region learned for them."""

    encoding: Encoding
    conditions: tuple[Condition, ...]
    """Under which all of them are active; none if they always are, or if the block is mixed."""
    region: Region
    tasks: int
    """Number of tasks whose incumbent has a value of the block."""
    penalty: float | None
    gap: float
    widened: int
    mixed: bool = False
    """Whether some of them are active without others."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order of the region's coordinates."""
        return self.encoding.names

    def inside(self, points: FloatArray) -> BoolArray:
        """Which points (n, p) lie in the region; a coordinate that is NaN is free."""
        return self.region.contains(self.region.complete(points))

    def point(self, config: Mapping[str, Any]) -> FloatArray:
        """The coordinates of a configuration, (1, p), completed if it lacks some of them."""
        return self.region.complete(self.encoding.point(config))

    def has_some(self, names: Container[str]) -> bool:
        """Whether some of its parameters are among `names`; of a block that is not mixed, all
        are or none."""
        return any(name in names for name in self.names)

    def pairs(self, space: Space) -> list[tuple[int, int]]:
        """The pairs of its parameters that can be active together."""
        every = itertools.combinations(range(len(self.names)), 2)
        if not self.mixed:
            return list(every)
        return [(i, j) for i, j in every if _meet(space, self.names[i], self.names[j])]

    @property
    def spans(self) -> tuple[FloatArray, FloatArray]:
        """The region's bounds in unit coordinates; of an integer, the edges of the outermost cells
        whose middle is inside."""
        return self.encoding.cell_bounds(self.region.bounds)

    @property
    def cell_region(self) -> Region:
        """The region with the whole cells of its integers if it is a box; else as it is."""
        return self.region.with_cells(self.encoding.cell_bounds)

    def ranges(self, region: Region) -> dict[str, tuple[Choice, Choice]]:
        """Smallest and largest value of each parameter in the block's region or in a part of it, in
        the parameter's own units."""
        encoding = self.encoding
        ends = zip(encoding.names, encoding.parameters, encoding.axes, *region.bounds)
        ranges = {}
        for name, parameter, axis, start, stop in ends:
            low, high = axis.span(start, stop)
            ranges[name] = value_of(parameter, low), value_of(parameter, high)
        return ranges

    @property
    def volume_fraction(self) -> float:
        """Share of the block's unit cube whose configurations are inside."""
        return self._measured[0]

    @property
    def volume_error(self) -> float:
        """The standard error of `volume_fraction`, relative; 0 if it is exact, infinite if it is
        the volume before integers are rounded. Shares of a mixed block are always by draws."""
        share, error = self._measured
        if not self.mixed:
            return error
        hits = share / math.exp(Box(*self.spans).log_volume)
        return math.hypot(error, math.sqrt(max(1 - hits, 0.0) / (hits * VOLUME_DRAWS)))

    @cached_property
    def _measured(self) -> tuple[float, float]:
        """The share of the unit cube, and its relative error."""
        region = self.cell_region
        boxes = all(part.is_box for part in region.parts)  # they hold whole cells
        if boxes or not any(axis.has_cells for axis in self.encoding.axes):
            return math.exp(min(region.log_volume, 0.0)), region.log_volume_error
        cells = Box(*self.spans)
        draws = self.encoding.snap(cells.draw(VOLUME_DRAWS, np.random.default_rng(0)))
        share = float(self.region.contains(draws).mean())
        if share * VOLUME_DRAWS < FEW_DRAWS:  # too rare to count
            return math.exp(min(region.log_volume, 0.0)), math.inf
        return math.exp(cells.log_volume) * share, math.sqrt((1 - share) / (share * VOLUME_DRAWS))


def _meet(space: Space, first: str, second: str) -> bool:
    """Whether two parameters can be active together: no parent of both wants different values."""
    wanted: dict[str, set[object]] = {}
    todo = [first, second]
    while todo:
        for condition in space.conditions_of(todo.pop()):
            keys: set[object] = {choice_key(value) for value in condition.values}
            wanted[condition.parent] = wanted.get(condition.parent, keys) & keys
            todo.append(condition.parent)
    return all(wanted.values())


def rows_inside(
    space: Space,
    blocks: Sequence[Block],
    kept: Mapping[str, Sequence[Choice]],
    columns: Mapping[str, FloatArray],
) -> BoolArray:
    """Which of many configurations are inside every block and among the `kept` choices: columns of
    numbers, of positions among the choices for categorical parameters, NaN if inactive or
    unknown."""
    names = [name for block in blocks for name in block.names]
    points = Encoding.of(space, names).encode(columns)
    return points_inside(space, blocks, kept, dict(zip(names, points.T)), columns)


def points_inside(
    space: Space,
    blocks: Sequence[Block],
    kept: Mapping[str, Sequence[Choice]],
    coordinates: Mapping[str, FloatArray],
    positions: Mapping[str, FloatArray],
) -> BoolArray:
    """`rows_inside` for rows whose `coordinates` are known, (n,) for each numeric parameter, NaN if
    it is inactive, and (n,) `positions` among the choices of each unordered parameter."""
    n_rows = len(next(iter((coordinates or positions).values())))
    inside = np.ones(n_rows, dtype=bool)
    for block in blocks:
        points = np.column_stack([coordinates[name] for name in block.names])
        active = ~np.isnan(points).all(axis=1)
        inside[active] &= block.inside(points[active])
    for name, choices in space.unordered_choices().items():
        if len(kept[name]) < len(choices):
            gone = [i for i, choice in enumerate(choices) if choice not in kept[name]]
            inside &= ~np.isin(positions[name], gone)
    return inside


def expected_share(space: Space, blocks: Sequence[Block]) -> float:
    """The mean, over the uniform law of the full space, of the product of the shares that the
    active blocks keep. Groups of parameters that no condition connects are independent."""
    total = 1.0
    for names in _independent_groups(space, blocks):
        together = [block for block in blocks if block.names[0] in names]
        if together:
            total *= _group_share(space, together, names)
    return min(total, 1.0)  # weights that add to 1 but for rounding


def share_error(blocks: Sequence[Block]) -> float:
    """The relative standard error of `expected_share`, at most: each block enters each product once
    or not at all."""
    return math.hypot(*(block.volume_error for block in blocks)) if blocks else 0.0


def _independent_groups(space: Space, blocks: Sequence[Block]) -> list[set[str]]:
    """The parameters in groups such that neither a condition nor a mixed block leads from one group
    to another."""
    groups: list[set[str]] = [set(block.names) for block in blocks if block.mixed]
    for name in space:
        joined = {name} | {c.parent for c in space.conditions_of(name)}
        apart = [group for group in groups if not group & joined]
        groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return groups


def _group_share(space: Space, blocks: Sequence[Block], names: set[str]) -> float:
    """The mean, over the values that switch the blocks on and off, of the product of the shares of
    those that are on; by fixed draws if there are too many combinations."""
    mixed = {name for block in blocks if block.mixed for name in block.names}
    parents = [parent for parent in space.parents if parent in names and parent not in mixed]
    options = {parent: _switch_values(space, parent) for parent in parents}
    if math.prod(len(values) for values in options.values()) <= MOST_PATTERNS:
        patterns = list(itertools.product(*options.values()))
        weights = [math.prod(chance for chance, _ in pattern) for pattern in patterns]
    else:
        rng = np.random.default_rng(0)
        patterns = [
            tuple(v[rng.choice(len(v), p=[chance for chance, _ in v])] for v in options.values())
            for _ in range(MOST_PATTERNS)
        ]
        weights = [1 / MOST_PATTERNS] * MOST_PATTERNS
    total = 0.0
    for weight, pattern in zip(weights, patterns):
        values = dict(zip(options, (value for _, value in pattern)))
        active = set(space.active(values))
        shares = [
            _mixed_share(space, block, values) if block.mixed else block.volume_fraction
            for block in blocks
            if block.mixed or block.names[0] in active
        ]
        total += weight * math.prod(shares)
    return total


def _mixed_share(space: Space, block: Block, values: Mapping[str, Choice]) -> float:
    """The share of the configurations with these values of the other parents that lie in a mixed
    block, by fixed draws: within the block's bounds in the coordinates that are active whatever
    the block's own parents are."""
    own = [parent for parent in space.parents if parent in block.names]
    kinds = [dict(zip(own, kind)) for kind in _kinds(space, own)]
    sets = [frozenset(space.active({**values, **kind})) for kind in kinds]
    always = frozenset.intersection(*sets)
    lower, upper = block.spans
    free = [name not in always for name in block.names]
    box = Box(np.where(free, 0.0, lower), np.where(free, 1.0, upper))
    points = block.encoding.snap(box.draw(VOLUME_DRAWS, np.random.default_rng(0)))
    number = _kind_numbers(space, block, own, points)
    for kind, active in enumerate(sets):
        off = [j for j, name in enumerate(block.names) if name not in active]
        points[np.ix_(number == kind, off)] = np.nan
    some = np.asarray(~np.isnan(points).all(axis=1))
    inside = np.asarray(~some)
    inside[some] = block.inside(points[some])
    return math.exp(box.log_volume) * float(inside.mean())


def _switch_values(space: Space, parent: str) -> list[tuple[float, Choice]]:
    """The values of a parent that conditions tell apart, one of each kind, with probabilities."""
    parameter = space[parent]
    if isinstance(parameter, Categorical):
        return [(1 / len(parameter.choices), choice) for choice in parameter.choices]
    assert isinstance(parameter, Int)
    axis = axis_of(parameter)
    assert axis is not None
    named = {value for c in space.conditions if c.parent == parent for value in c.values}
    options: list[tuple[float, Choice]] = []
    for value in sorted(named, key=float):  # type: ignore[arg-type]
        low, high = axis.cell(np.array([float(value)]))  # type: ignore[arg-type]
        options.append((float(high[0] - low[0]), value))
    rest = 1.0 - sum(p for p, _ in options)
    return [*options, (rest, None)] if rest > 1e-12 else options


def _kinds(space: Space, parents: Sequence[str]) -> list[tuple[Choice, ...]]:
    """The combinations of values of some parents that conditions tell apart."""
    return list(itertools.product(*([v for _, v in _switch_values(space, p)] for p in parents)))


def _kind_numbers(
    space: Space, block: Block, parents: Sequence[str], points: FloatArray
) -> IntArray:
    """Which of these combinations each point (n, p) has."""
    number = np.zeros(len(points), dtype=np.int64)
    columns = block.encoding.values(points) if parents else {}
    for parent in parents:
        known = [value for _, value in _switch_values(space, parent)]
        places = {choice_key(value): place for place, value in enumerate(known)}
        rest = len(known) - 1
        at = [places.get(choice_key(value), rest) for value in columns[parent]]
        number = number * len(known) + np.array(at)
    return number
