"""Regions around the incumbents, block by block.

symbol   meaning                                                                shape
clouds   the incumbents in each block's coordinates, NaN if inactive or unknown (n, p) each
rows     positions of the incumbents that count                                 (m,)
slack    how far each of them lies outside, summed over the blocks              (m,)

With one incumbent a task, n is the number of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from msgspec import structs

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.any_shape import fit_shape
from ringfence.fit.box import fit_box
from ringfence.fit.good_rows import AnyRegion, pick_for_box, pick_for_region
from ringfence.fit.literal import Units, fit_literal_box, fit_literal_ellipsoid
from ringfence.fit.result import AnyFit
from ringfence.fit.unions.cells import Cells
from ringfence.history import TASK
from ringfence.history.mismatch.fixed import unfixed
from ringfence.learned.blocks import Block
from ringfence.learned.records import Settings
from ringfence.regions import Box
from ringfence.space import Axis, Choice, Condition, Encoding, Space

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Cloud:
    """The incumbents as points of one block."""

    encoding: Encoding
    conditions: tuple[Condition, ...]
    points: FloatArray  # (n, p), NaN if the block is inactive or the task does not know one
    task: IntArray  # (n,) the number of the task of each
    mixed: bool = False  # whether some parameters are active without others

    @cached_property
    def cells(self) -> Cells:
        """The points, and the cells of their integers."""
        return Cells(self.points, *self.encoding.cells(self.points))


@dataclass(frozen=True, eq=False)
class FittedBlocks:
    """The blocks, and where each incumbent lies."""

    blocks: tuple[Block, ...]
    rows: IntArray  # (m,)
    slack: FloatArray  # (m,)
    outside: BoolArray  # (m,)


Solve: TypeAlias = Callable[[Cloud, IntArray, str, float], AnyFit]
"""Some rows of a cloud, a shape and the share of outliers → the region around them."""


def clouds(space: Space, best: pl.DataFrame) -> tuple[Cloud, ...]:
    """The incumbents `best` in the coordinates of each block; blocks that are always active first.

    What a task had fixed is as what it does not know. Numeric parameters that are active under the
    same conditions form a block. Those that nobody knows anything of are apart from the others, and
    come last.
    """
    columns = found_columns(space, best)
    unseen = {name for name, column in columns.items() if np.isnan(column).all()}
    groups: dict[object, list[str]] = {(False, frozenset()): []}
    for name in sorted(Encoding.of(space).names, key=lambda name: name in unseen):
        key = frozenset((c.parent, frozenset(c.values)) for c in space.conditions_of(name))
        groups.setdefault((name in unseen, key), []).append(name)
    _, task = np.unique(best[TASK].to_numpy(), return_inverse=True)
    clouds = []
    for names in filter(None, groups.values()):
        encoding = Encoding.of(space, names)
        conditions = space.conditions_of(names[0])
        clouds.append(Cloud(encoding, conditions, encoding.encode(columns), task))
    return tuple(clouds)


def columns_of(space: Space, rows: pl.DataFrame) -> dict[str, FloatArray]:
    """The parameters of usable rows as columns of numbers, NaN if inactive or unknown."""
    return {name: rows[name].to_numpy() for name in rows.columns if name in space}


def found_columns(space: Space, rows: pl.DataFrame) -> dict[str, FloatArray]:
    """The same with what a task had fixed as unknown, since nobody looked for a better value."""
    return columns_of(space, unfixed(rows))


def fit_rows(
    cloud: Cloud, rows: IntArray, shape: str, outliers: float, near: AnyFit | None = None
) -> AnyFit:
    """The region around some rows of a cloud; `near` is a fit of nearly the same rows."""
    return fit_shape(shape, cloud.cells.rows(rows), cloud.task[rows], outliers, near)


def fit_blocks(
    clouds: Sequence[Cloud], settings: Settings, rows: IntArray, solve: Solve = fit_rows
) -> FittedBlocks:
    """The regions around the incumbents at `rows`; with a tolerance, around one of each task."""
    together = settings.literal or settings.one_cloud
    if together and settings.shape != "box":
        clouds = one_cloud(clouds, rows)
    if settings.tolerance and clouds:
        rows = rows[_picks(clouds, settings, rows, solve)]
    known = any(not np.isnan(cloud.points[rows]).all() for cloud in clouds)
    if together and known and settings.shape == "box" and settings.outliers:
        return _boxes_together(clouds, settings, rows)
    if settings.literal:
        solve = _fit_literally
    slack = np.zeros(len(rows))
    outside = np.zeros(len(rows), dtype=bool)
    blocks: list[Block] = []
    some_always_active = any(not cloud.conditions for cloud in clouds)
    for cloud in clouds:
        points = cloud.points[rows]
        active = ~np.isnan(points).all(axis=1)
        shaping = active & ~outside  # a point left outside shapes no further block
        # ν is a share of all points. So only blocks that are always active may leave points out;
        # conditional blocks enclose exactly the points still inside.
        may_leave_out = not (some_always_active and blocks)
        outliers = settings.outliers if may_leave_out else 0.0
        if settings.shape == "full" or not shaping.any():
            blocks.append(_everything(cloud, rows[active], settings.shape))
            continue
        block, fit = _fit(cloud, rows[shaping], settings.shape, outliers, solve)
        inside = shaping & _inside(block, points)
        if outliers > 0 and not inside.any():  # they can only leave together, so none does
            block, fit = _fit(cloud, rows[shaping], settings.shape, 0.0, solve)
        elif settings.refit and outliers > 0:
            exact, _ = _fit(cloud, rows[inside], settings.shape, 0.0, solve)
            block = replace(block, region=exact.region, gap=exact.gap, widened=exact.widened)
        # A point of a union may miss the part that it was counted to, and lie in another.
        in_a_part = len(block.region.parts) > 1 and block.inside(points[shaping])
        slack[shaping] += np.where(in_a_part, 0.0, fit.slack)
        outside |= active & ~_inside(block, points)
        blocks.append(block)
    return FittedBlocks(tuple(blocks), rows, slack, outside)


def one_cloud(clouds: Sequence[Cloud], rows: IntArray) -> tuple[Cloud, ...]:
    """The parameters of all blocks as one, but for those that none of the incumbents at `rows`
    has, about which there is nothing to be said."""
    known = [cloud for cloud in clouds if not np.isnan(cloud.points[rows]).all()]
    if len(known) < 2:
        return tuple(clouds)
    encoding = Encoding(
        tuple(name for cloud in known for name in cloud.encoding.names),
        tuple(parameter for cloud in known for parameter in cloud.encoding.parameters),
        tuple(axis for cloud in known for axis in cloud.encoding.axes),
    )
    points = np.hstack([cloud.points for cloud in known])
    merged = Cloud(encoding, (), points, known[0].task, mixed=True)
    return merged, *(cloud for cloud in clouds if cloud not in known)


def _inside(block: Block, points: FloatArray) -> BoolArray:
    """Which points (n, p) are inside a block; those that lack all of it are not."""
    inside = np.asarray(~np.isnan(points).all(axis=1))
    inside[inside] = block.inside(points[inside])
    return inside


def _picks(clouds: Sequence[Cloud], settings: Settings, rows: IntArray, solve: Solve) -> IntArray:
    """Which of the good rows at `rows` stand for their tasks, positions among them. Only rows in
    which the same parameters are active as in the task's best row, its first: else tasks would
    leave a conditional block for no other reason than to make it small."""
    active = np.hstack([~np.isnan(cloud.points[rows]) for cloud in clouds])
    first = np.unique(clouds[0].task[rows], return_index=True, return_inverse=True)
    alike = np.flatnonzero((active == active[first[1][first[2]]]).all(axis=1))
    return alike[_picks_among(clouds, settings, rows[alike], solve)]


def _picks_among(
    clouds: Sequence[Cloud], settings: Settings, rows: IntArray, solve: Solve
) -> IntArray:
    task = clouds[0].task[rows]
    points = np.hstack([cloud.points[rows] for cloud in clouds])
    if settings.shape == "box" and not settings.outliers:
        return pick_for_box(points, task)
    fixed = structs.replace(settings, tolerance=0.0)

    def fit(picks: IntArray) -> tuple[Block, ...]:
        return fit_blocks(clouds, fixed, rows[picks], solve).blocks

    def norms(blocks: Sequence[Block]) -> FloatArray:
        away = [_norms(block, cloud.points[rows]) for block, cloud in zip(blocks, clouds)]
        return np.asarray(np.fmax.reduce(away, axis=0, initial=0.0))

    return pick_for_region(points, task, AnyRegion(fit, norms, _log_size))


def _norms(block: Block, points: FloatArray) -> FloatArray:
    """The norms of points (n, p) at their best completions; NaN if they lack the whole block."""
    norms = np.full(len(points), np.nan)
    active = ~np.isnan(points).all(axis=1)
    norms[active] = block.region.norm(block.region.complete(points[active]))
    return norms


def _log_size(blocks: Sequence[Block]) -> float:
    """The log volume up to a constant, cuts by the cube aside; of a union, that of its parts."""
    covariances = [part.moments[1] for block in blocks for part in block.region.parts]
    return sum(0.5 * float(np.linalg.slogdet(each)[1]) for each in covariances)


def _boxes_together(clouds: Sequence[Cloud], settings: Settings, rows: IntArray) -> FittedBlocks:
    """Eq. 7, as printed or in our form: one box for the parameters of all blocks. It is the product
    of a box for each block, since a coordinate that a task lacks is free."""
    active = [~np.isnan(cloud.points[rows]).all(axis=1) for cloud in clouds]
    known = [cloud for cloud, there in zip(clouds, active) if there.any()]
    points = np.hstack([cloud.points[rows] for cloud in known])
    if settings.literal:
        units = _units([axis for cloud in known for axis in cloud.encoding.axes])
        fit = fit_literal_box(points, units, settings.outliers)
    else:
        fit = fit_box(points, settings.outliers, mixed=True)
    faces = np.stack(fit.region.bounds)
    blocks, outside = [], np.zeros(len(rows), dtype=bool)
    for cloud, there in zip(clouds, active):
        if there.any():
            box, faces = Box(*faces[:, : cloud.encoding.dim]), faces[:, cloud.encoding.dim :]
            widened = min(fit.widened, cloud.encoding.dim)
            block = _block(cloud, rows[there], replace(fit, region=box, widened=widened))
            outside[there] |= ~block.inside(cloud.points[rows[there]])
        else:
            block = _everything(cloud, rows[there], settings.shape)
        blocks.append(block)
    if settings.refit:
        inside = [there & ~outside for there in active]
        blocks = [
            _fit(cloud, rows[stay], settings.shape, 0.0, fit_rows)[0] if stay.any() else block
            for cloud, stay, block in zip(clouds, inside, blocks)
        ]
    return FittedBlocks(tuple(blocks), rows, fit.slack, outside)


def _fit_literally(cloud: Cloud, rows: IntArray, shape: str, outliers: float) -> AnyFit:
    """Eq. 6, or eq. 8 as printed."""
    if outliers == 0.0:
        return fit_rows(cloud, rows, shape, outliers)
    units = _units(cloud.encoding.axes)
    return fit_literal_ellipsoid(cloud.points[rows], units, outliers)


def _units(axes: Sequence[Axis]) -> Units:
    start, stop, low, high = np.array([axis.declared for axis in axes]).T
    return Units(start, stop, np.stack([low, high]))


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


def _everything(cloud: Cloud, rows: IntArray, shape: str) -> Block:
    """The unit cube: what was asked for, or all there is to say if no task has the block."""
    dim = cloud.encoding.dim
    tasks = len(np.unique(cloud.task[rows]))
    widened = 0 if shape == "full" else dim
    return Block(cloud.encoding, cloud.conditions, Box.unit(dim), tasks, None, 0.0, widened)


def _fit(
    cloud: Cloud, rows: IntArray, shape: str, outliers: float, solve: Solve
) -> tuple[Block, AnyFit]:
    fit = solve(cloud, rows, shape, outliers)
    return _block(cloud, rows, fit), fit


def _block(cloud: Cloud, rows: IntArray, fit: AnyFit) -> Block:
    region = fit.clipped().with_cells(cloud.encoding.cell_bounds)
    penalty = None if fit.penalty is None else float(fit.penalty)
    tasks = len(np.unique(cloud.task[rows]))
    return Block(
        cloud.encoding,
        cloud.conditions,
        region,
        tasks,
        penalty,
        float(fit.gap),
        fit.widened,
        cloud.mixed,
    )
