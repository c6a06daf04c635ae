"""Regions around the incumbents, block by block.

    symbol   meaning                                                                shape
    clouds   the incumbents in each block's coordinates, NaN where it is inactive   (n, p) each
    rows     positions of the incumbents that count                                 (m,)
    slack    how far each of them lies outside, summed over the blocks              (m,)

With one incumbent a task, n is the number of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.blocks import Block
from ringfence.fit import Fit, fit_box
from ringfence.history import TASK
from ringfence.learned_records import Settings
from ringfence.regions import Box, Clipped, Ellipsoid
from ringfence.space import Choice, Condition, Encoding, Space

if TYPE_CHECKING:
    import polars as pl

AnyFit: TypeAlias = Fit[Box] | Fit[Ellipsoid]


@dataclass(frozen=True, eq=False)
class Cloud:
    """The incumbents as points of one block."""

    encoding: Encoding
    conditions: tuple[Condition, ...]
    points: FloatArray  # (n, p), NaN where the block is inactive
    task: IntArray  # (n,) the number of the task of each


@dataclass(frozen=True, eq=False)
class Fitted:
    """The blocks, and where each incumbent lies."""

    blocks: tuple[Block, ...]
    slack: FloatArray  # (m,)
    outside: BoolArray  # (m,)


Solve: TypeAlias = Callable[[Cloud, IntArray, str, float], AnyFit]
"""Some rows of a cloud, a shape and the share of outliers → the region around them."""


def clouds(space: Space, best: pl.DataFrame) -> tuple[Cloud, ...]:
    """The incumbents `best` in the coordinates of each block; blocks that are always active first.

    Numeric parameters that are active under the same conditions form a block.
    """
    groups: dict[object, list[str]] = {frozenset(): []}
    for name in Encoding.of(space).names:
        key = frozenset((c.parent, frozenset(c.values)) for c in space.conditions_of(name))
        groups.setdefault(key, []).append(name)
    columns = columns_of(space, best)
    _, task = np.unique(best[TASK].to_numpy(), return_inverse=True)
    found = []
    for names in filter(None, groups.values()):
        encoding = Encoding.of(space, names)
        conditions = space.conditions_of(names[0])
        found.append(Cloud(encoding, conditions, encoding.encode(columns), task))
    return tuple(found)


def columns_of(space: Space, rows: pl.DataFrame) -> dict[str, FloatArray]:
    """The parameters of usable rows as columns of numbers, NaN where inactive."""
    return {name: rows[name].to_numpy() for name in rows.columns if name in space}


def fit_alone(cloud: Cloud, rows: IntArray, shape: str, outliers: float) -> AnyFit:
    """The region around some rows of a cloud, solved from scratch."""
    return fit_points(cloud.points[rows], shape, outliers)


def fit_points(
    points: FloatArray, shape: str, outliers: float, near: AnyFit | None = None
) -> AnyFit:
    """The box or ellipsoid around `points` (n, p); `near` is a fit of nearly the same."""
    if shape == "box":
        return fit_box(points, outliers, cast("Fit[Box] | None", near))
    from ringfence.fit.ellipsoid import fit_ellipsoid  # brings scipy; boxes do without

    return fit_ellipsoid(points, outliers)


def fit_blocks(
    clouds: Sequence[Cloud], settings: Settings, rows: IntArray, solve: Solve = fit_alone
) -> Fitted:
    """The regions around the incumbents at `rows`."""
    slack = np.zeros(len(rows))
    outside = np.zeros(len(rows), dtype=bool)
    blocks: list[Block] = []
    some_always_active = any(not cloud.conditions for cloud in clouds)
    for cloud in clouds:
        points = cloud.points[rows]
        active = ~np.isnan(points).any(axis=1)
        shaping = active & ~outside  # a point left outside shapes no further block
        # ν is a share of all points: it is spent where all of them speak. Blocks that only some
        # speak of are drawn exactly around those that are still inside.
        spent = some_always_active and blocks
        outliers = 0.0 if spent else settings.outliers
        if settings.shape == "whole" or not shaping.any():
            blocks.append(_whole(cloud, rows[active], settings.shape))
            continue
        block, fit = _fit(cloud, rows[shaping], settings.shape, outliers, solve)
        inside = shaping & block.region.contains(points)
        if outliers > 0 and not inside.any():  # they can only leave together, so none does
            block, fit = _fit(cloud, rows[shaping], settings.shape, 0.0, solve)
        elif settings.refit and outliers > 0:
            exact, _ = _fit(cloud, rows[inside], settings.shape, 0.0, solve)
            block = replace(block, region=exact.region, gap=exact.gap, widened=exact.widened)
        slack[shaping] += fit.slack
        outside |= active & ~block.region.contains(points)
        blocks.append(block)
    return Fitted(tuple(blocks), slack, outside)


def kept_choices(
    space: Space, columns: Mapping[str, FloatArray], categories: str
) -> dict[str, tuple[Choice, ...]]:
    """The choices of the unordered categorical parameters that stay: all, or with 'observed' those
    of the incumbents in `columns`, positions among the choices."""
    every = space.unordered_choices()
    if categories == "all":
        return every
    kept = {}
    for name, choices in every.items():
        kept[name] = tuple(c for i, c in enumerate(choices) if i in columns[name]) or choices
    return kept


def _whole(cloud: Cloud, rows: IntArray, shape: str) -> Block:
    """The whole cube: what was asked for, or all there is to say where no task speaks."""
    dim = cloud.encoding.dim
    tasks = len(np.unique(cloud.task[rows]))
    widened = 0 if shape == "whole" else dim
    return Block(cloud.encoding, cloud.conditions, Box.unit(dim), tasks, None, 0.0, widened)


def _fit(
    cloud: Cloud, rows: IntArray, shape: str, outliers: float, solve: Solve
) -> tuple[Block, AnyFit]:
    fit = solve(cloud, rows, shape, outliers)
    region: Box | Clipped
    if isinstance(fit.region, Box):
        region = _whole_cells(fit.region, cloud.encoding)
    else:
        region = Clipped(fit.region)
    penalty = None if fit.penalty is None else float(fit.penalty)
    tasks = len(np.unique(cloud.task[rows]))
    block = Block(
        cloud.encoding, cloud.conditions, region, tasks, penalty, float(fit.gap), fit.widened
    )
    return block, fit


def _whole_cells(box: Box, encoding: Encoding) -> Box:
    """The box with every integer's whole cell, so that uniform coordinates stay uniform there."""
    lower, upper = box.lower.copy(), box.upper.copy()
    for j, axis in enumerate(encoding.axes):
        if axis.whole:
            low, high = axis.span(lower[j], upper[j])
            lower[j] = axis.cell(np.array([low]))[0][0]
            upper[j] = axis.cell(np.array([high]))[1][0]
    return Box(lower, upper)
