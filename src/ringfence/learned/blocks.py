"""Blocks: numeric parameters that are active together, and the share of the space they keep."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.regions import FEW_DRAWS, VOLUME_DRAWS, Box, Region
from ringfence.space import (
    Categorical,
    Choice,
    Condition,
    Encoding,
    Int,
    Space,
    axis_of,
    value_of,
)

MOST_PATTERNS = 4096  # combinations of values that switch parameters on and off, tried one by one


@dataclass(frozen=True, eq=False)
class Block:
    """Numeric parameters that are active together, and the region learned for them."""

    encoding: Encoding
    conditions: tuple[Condition, ...]
    region: Region
    tasks: int
    """Number of tasks with an incumbent in which the block is active."""
    penalty: float | None
    gap: float
    widened: int

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order of the region's coordinates."""
        return self.encoding.names

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
        the volume before integers are rounded."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[float, float]:
        """The share of the unit cube, and its relative error."""
        region = self.cell_region
        boxes = all(part.is_box for part in region.parts)  # they hold whole cells
        if boxes or not any(axis.integer for axis in self.encoding.axes):
            return math.exp(min(region.log_volume, 0.0)), region.log_volume_error
        cells = Box(*self.spans)
        draws = self.encoding.snap(cells.draw(VOLUME_DRAWS, np.random.default_rng(0)))
        share = float(self.region.contains(draws).mean())
        if share * VOLUME_DRAWS < FEW_DRAWS:  # too rare to count
            return math.exp(min(region.log_volume, 0.0)), math.inf
        return math.exp(cells.log_volume) * share, math.sqrt((1 - share) / (share * VOLUME_DRAWS))


def rows_inside(
    space: Space,
    blocks: Sequence[Block],
    kept: Mapping[str, Sequence[Choice]],
    columns: Mapping[str, FloatArray],
) -> BoolArray:
    """Which of many configurations are inside every block and among the `kept` choices: columns of
    numbers, of positions among the choices for categorical parameters, NaN if inactive."""
    points = [block.encoding.encode(columns) for block in blocks]
    return points_inside(space, blocks, kept, points, columns)


def points_inside(
    space: Space,
    blocks: Sequence[Block],
    kept: Mapping[str, Sequence[Choice]],
    points: Sequence[FloatArray],
    positions: Mapping[str, FloatArray],
) -> BoolArray:
    """`rows_inside` for rows whose coordinates are known: (n, p) `points` in each block, NaN if it
    is inactive, and (n,) `positions` among the choices of each unordered parameter."""
    n_rows = len(points[0]) if points else len(next(iter(positions.values())))
    inside = np.ones(n_rows, dtype=bool)
    for block, coordinates in zip(blocks, points):
        active = ~np.isnan(coordinates).any(axis=1)
        inside[active] &= block.region.contains(coordinates[active])
    for name, choices in space.unordered_choices().items():
        if len(kept[name]) < len(choices):
            gone = [i for i, choice in enumerate(choices) if choice not in kept[name]]
            inside &= ~np.isin(positions[name], gone)
    return inside


def expected_share(space: Space, blocks: Sequence[Block]) -> float:
    """The mean, over the uniform law of the full space, of the product of the shares that the
    active blocks keep. Groups of parameters that no condition connects are independent."""
    total = 1.0
    for names in _independent_groups(space):
        together = [block for block in blocks if block.names[0] in names]
        if together:
            total *= _group_share(space, together, names)
    return min(total, 1.0)  # weights that add to 1 but for rounding


def share_error(blocks: Sequence[Block]) -> float:
    """The relative standard error of `expected_share`, at most: each block enters each product once
    or not at all."""
    return math.hypot(*(block.volume_error for block in blocks)) if blocks else 0.0


def _independent_groups(space: Space) -> list[set[str]]:
    """The parameters in groups such that no condition leads from one group to another."""
    groups: list[set[str]] = []
    for name in space:
        joined = {name} | {c.parent for c in space.conditions_of(name)}
        apart = [group for group in groups if not group & joined]
        groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return groups


def _group_share(space: Space, blocks: Sequence[Block], names: set[str]) -> float:
    """The mean, over the values that switch the blocks on and off, of the product of the shares of
    those that are on; by fixed draws if there are too many combinations."""
    options = {parent: _switch_values(space, parent) for parent in space.parents if parent in names}
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
        active = set(space.active(dict(zip(options, (value for _, value in pattern)))))
        shares = [block.volume_fraction for block in blocks if block.names[0] in active]
        total += weight * math.prod(shares)
    return total


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
