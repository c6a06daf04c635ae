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
from ringfence.fit.cut import Cells
from ringfence.fit.mixture import Mixture, fit_mixture
from ringfence.history import TASK
from ringfence.learned_records import Settings
from ringfence.regions import Box, Clipped, Ellipsoid, Region, Union
from ringfence.space import Choice, Condition, Encoding, Space

if TYPE_CHECKING:
    import polars as pl

AnyFit: TypeAlias = Fit[Box] | Fit[Ellipsoid] | Mixture


@dataclass(frozen=True, eq=False)
class Cloud:
    """The incumbents as points of one block."""

    encoding: Encoding
    conditions: tuple[Condition, ...]
    points: FloatArray  # (n, p), NaN where the block is inactive
    task: IntArray  # (n,) the number of the task of each

    def cells(self, rows: IntArray) -> Cells:
        """Some of the points, and the cells of their whole numbers."""
        points = self.points[rows]
        lower, upper = points.copy(), points.copy()
        for j, axis in enumerate(self.encoding.axes):
            if axis.whole:
                lower[:, j], upper[:, j] = axis.cell(axis.decode(points[:, j]))
        return Cells(points, lower, upper)


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


def fit_rows(
    cloud: Cloud, rows: IntArray, shape: str, outliers: float, near: AnyFit | None = None
) -> AnyFit:
    """The region around some rows of a cloud; `near` is a fit of nearly the same rows."""
    if shape in ("boxes", "ellipsoids"):
        return fit_mixture(cloud.cells(rows), cloud.task[rows], shape, outliers)
    points = cloud.points[rows]
    if shape == "box":
        return fit_box(points, outliers, cast("Fit[Box] | None", near))
    from ringfence.fit.ellipsoid import fit_ellipsoid  # brings scipy; boxes do without

    return fit_ellipsoid(points, outliers)


def fit_blocks(
    clouds: Sequence[Cloud], settings: Settings, rows: IntArray, solve: Solve = fit_rows
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
        slack[shaping] += np.where(_in_another_part(block, points[shaping]), 0.0, fit.slack)
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
    regions = [one.region for one in (fit.fits if isinstance(fit, Mixture) else (fit,))]
    region = _region([_part(one, cloud.encoding) for one in regions])
    penalty = None if fit.penalty is None else float(fit.penalty)
    tasks = len(np.unique(cloud.task[rows]))
    block = Block(
        cloud.encoding, cloud.conditions, region, tasks, penalty, float(fit.gap), fit.widened
    )
    return block, fit


def _part(fitted: Box | Ellipsoid, encoding: Encoding) -> Box | Clipped:
    """What a fitted region means for a search space with bounds and whole numbers."""
    return _whole_cells(fitted, encoding) if isinstance(fitted, Box) else Clipped(fitted)


def _region(parts: Sequence[Box | Clipped]) -> Region:
    """The union of the parts; of one, the part itself."""
    return parts[0] if len(parts) == 1 else Union(tuple(parts))


def _in_another_part(block: Block, points: FloatArray) -> BoolArray:
    """Which points lie in a union, whatever they miss of the part that they were counted to."""
    if isinstance(block.region, Union):
        return block.region.contains(points)
    return np.zeros(len(points), dtype=bool)


def _whole_cells(box: Box, encoding: Encoding) -> Box:
    """The box with every integer's whole cell, so that uniform coordinates stay uniform there."""
    lower, upper = box.lower.copy(), box.upper.copy()
    for j, axis in enumerate(encoding.axes):
        if axis.whole:
            low, high = axis.span(lower[j], upper[j])
            lower[j] = axis.cell(np.array([low]))[0][0]
            upper[j] = axis.cell(np.array([high]))[1][0]
    return Box(lower, upper)
