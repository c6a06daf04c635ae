"""learn: from a history to a learned space, in one call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ringfence import __version__
from ringfence.arrays import BoolArray, FloatArray
from ringfence.blocks import Block
from ringfence.errors import SettingError
from ringfence.fit import Fit, fit_box
from ringfence.history import (
    COUNT,
    TASK,
    VALUE,
    History,
    incumbents,
    infer_space,
    usable_rows,
)
from ringfence.learned import LearnedSpace, Provenance, Settings, Task
from ringfence.numbers import whole_number
from ringfence.regions import Box, Clipped, Ellipsoid
from ringfence.space import Choice, Config, Constant, Encoding, Space, value_of

if TYPE_CHECKING:
    import polars as pl

PAPER_OUTLIERS = {"box": 0.5, "ellipsoid": 0.1}
"""ν of the paper, chosen there on the toy problem of section 6.1."""


def learn(
    history: History,
    space: Space | None = None,
    *,
    shape: Literal["box", "ellipsoid"] = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
) -> LearnedSpace:
    """Learn the search space of the next task from the best configurations of earlier ones.

    Args:
        history: the past runs.
        space: what may be tuned; its bounds are never left. None takes the space that the history
            carries, or infers one from the observed values.
        shape: 'box' (eq. 5) or 'ellipsoid' (eq. 6).
        outliers: ν, the least share of tasks to leave outside (eqs. 7, 8): the smallest penalty
            that leaves at most (1 - ν) T tasks inside. 0 covers every task; 'paper' is the paper's
            choice, 0.5 for the box and 0.1 for the ellipsoid.
        refit: draw the exact region (eqs. 5, 6) around the tasks that are not outliers. The paper's
            rule leaves its outliers only just outside, so its regions still reach out to them.
        categories: 'all' keeps every choice of a categorical parameter, as the paper does;
            'observed' keeps those of the incumbents.
        n_evaluations: the paper's n_t: use only so many rows of each task, the first ones, or with
            a `seed` a random choice.
        average_repeats: average the rows of a task that have the same configuration (seeds).
    """
    settings = checked_settings(
        shape, outliers, refit, categories, n_evaluations, seed, average_repeats
    )
    if not isinstance(history, History):
        raise SettingError(
            f"learn takes a History, not {type(history).__name__}; "
            "make one with read_history(path) or History.from_frame(frame)"
        )
    notes = list(history.notes)
    if space is None:
        space = history.space
    if space is None:
        inferred = infer_space(history)
        space = inferred.space
        notes += inferred.notes
    if not isinstance(space, Space):
        raise SettingError(f"space must be a Space, not {type(space).__name__}")
    usable = usable_rows(history, space)
    best = incumbents(
        usable.frame,
        n_evaluations=settings.n_evaluations,
        seed=settings.seed,
        average_repeats=average_repeats,
    )
    fitted = fit_blocks(space, best, settings)
    taken = usable.frame.height if n_evaluations is None else int(best[COUNT].sum())
    provenance = Provenance(
        ringfence=__version__,
        source=history.source,
        digest=history.digest([name for name in space if name in history.frame.columns]),
        objective=history.roles.objective,
        direction=history.roles.direction,
        rows=len(history),
        rows_used=taken,
        dropped=usable.dropped,
        notes=(*notes, *usable.notes),
    )
    choices = kept_choices(space, best.filter(~fitted.outside), settings.categories)
    tasks = _tasks(space, best, fitted, -1.0 if provenance.direction == "maximize" else 1.0)
    return LearnedSpace(space, fitted.blocks, choices, tasks, settings, provenance)


def checked_settings(
    shape: Literal["box", "ellipsoid"],
    outliers: float | Literal["paper"],
    refit: bool,
    categories: Literal["all", "observed"],
    n_evaluations: int | None,
    seed: int | None,
    average_repeats: bool,
) -> Settings:
    """The settings of `learn`, or SettingError with what is wrong."""
    if shape not in ("box", "ellipsoid"):
        raise SettingError(f"shape must be 'box' or 'ellipsoid', not {shape!r}")
    if categories not in ("all", "observed"):
        raise SettingError(f"categories must be 'all' or 'observed', not {categories!r}")
    if outliers == "paper":
        outliers = PAPER_OUTLIERS[shape]
    if not isinstance(outliers, (int, float)) or not 0.0 <= outliers < 1.0:
        raise SettingError(
            f"outliers must be a share from 0 to below 1, or 'paper', not {outliers!r}"
        )
    return Settings(
        shape=shape,
        outliers=float(outliers),
        refit=bool(refit),
        categories=categories,
        n_evaluations=whole_number(n_evaluations, "n_evaluations", 1),
        seed=whole_number(seed, "seed", 0),
        average_repeats=bool(average_repeats),
    )


@dataclass(frozen=True, eq=False)
class Fitted:
    """The blocks, and where each task lies."""

    blocks: tuple[Block, ...]
    slack: FloatArray  # (T,)
    outside: BoolArray  # (T,)


def fit_blocks(space: Space, best: pl.DataFrame, settings: Settings) -> Fitted:
    """The regions around the incumbents `best`, one row a task."""
    columns = {name: best[name].to_numpy() for name in best.columns if name in space}
    slack = np.zeros(best.height)
    outside = np.zeros(best.height, dtype=bool)
    blocks: list[Block] = []
    groups = _blocks(space)
    some_always_active = any(not space.conditions_of(names[0]) for names in groups)
    for names in groups:
        encoding = Encoding.of(space, names)
        points = encoding.encode(columns)
        active = ~np.isnan(points).any(axis=1)
        shaping = active & ~outside  # a task left outside shapes no further block
        # ν is a share of all tasks: it is spent where all of them speak. Blocks that only some
        # speak of are drawn exactly around those that are still inside.
        spent = some_always_active and blocks
        outliers = 0.0 if spent else settings.outliers
        block, block_slack = _fit(space, encoding, points[shaping], settings.shape, outliers)
        inside = shaping & block.region.contains(points)
        if outliers > 0 and not inside.any():  # they can only leave together, so none does
            block, block_slack = _fit(space, encoding, points[shaping], settings.shape, 0.0)
        elif settings.refit and outliers > 0:
            exact, _ = _fit(space, encoding, points[inside], settings.shape, 0.0)
            block = replace(block, region=exact.region, gap=exact.gap, widened=exact.widened)
        slack[shaping] += block_slack
        outside |= active & ~block.region.contains(points)
        blocks.append(block)
    return Fitted(tuple(blocks), slack, outside)


def _blocks(space: Space) -> list[tuple[str, ...]]:
    """The numeric parameters, grouped by the conditions under which they are active; those that
    always are come first."""
    groups: dict[object, list[str]] = {frozenset(): []}
    for name in Encoding.of(space).names:
        key = frozenset((c.parent, frozenset(c.values)) for c in space.conditions_of(name))
        groups.setdefault(key, []).append(name)
    return [tuple(names) for names in groups.values() if names]


def _fit(
    space: Space, encoding: Encoding, points: FloatArray, shape: str, outliers: float
) -> tuple[Block, FloatArray]:
    """One block's region; the whole cube where no task speaks of it."""
    conditions = space.conditions_of(encoding.names[0])
    region: Box | Clipped
    fit: Fit[Box] | Fit[Ellipsoid]
    if not len(points):
        region = Box.unit(encoding.dim)
        return Block(encoding, conditions, region, 0, None, 0.0, encoding.dim), np.zeros(0)
    if shape == "box":
        fit = fit_box(points, outliers)
        region = _whole_cells(fit.region, encoding)
    else:
        from ringfence.fit.ellipsoid import fit_ellipsoid  # brings scipy; boxes do without

        fit = fit_ellipsoid(points, outliers)
        region = Clipped(fit.region)
    penalty = None if fit.penalty is None else float(fit.penalty)
    block = Block(encoding, conditions, region, len(points), penalty, float(fit.gap), fit.widened)
    return block, fit.slack


def _whole_cells(box: Box, encoding: Encoding) -> Box:
    """The box with every integer's whole cell, so that uniform coordinates stay uniform there."""
    lower, upper = box.lower.copy(), box.upper.copy()
    for j, axis in enumerate(encoding.axes):
        if axis.whole:
            low, high = axis.span(lower[j], upper[j])
            lower[j] = axis.cell(np.array([low]))[0][0]
            upper[j] = axis.cell(np.array([high]))[1][0]
    return Box(lower, upper)


def _tasks(space: Space, best: pl.DataFrame, fitted: Fitted, sign: float) -> tuple[Task, ...]:
    return tuple(
        Task(
            name=row[TASK],
            incumbent=_config(space, row),
            value=sign * row[VALUE],
            n_evaluations=row[COUNT],
            slack=float(fitted.slack[t]),
            outside=bool(fitted.outside[t]),
        )
        for t, row in enumerate(best.iter_rows(named=True))
    )


def _config(space: Space, row: dict[str, Any]) -> Config:
    """An incumbent in the user's units, inactive parameters left out."""
    config: Config = {}
    for name, parameter in space.parameters.items():
        if isinstance(parameter, Constant):
            config[name] = parameter.value
        elif row[name] is not None:
            config[name] = value_of(parameter, row[name])
    return {name: config[name] for name in space.active(config)} if space.conditions else config


def kept_choices(
    space: Space, best: pl.DataFrame, categories: str
) -> dict[str, tuple[Choice, ...]]:
    """The choices of the unordered categorical parameters that stay."""
    every = space.unordered_choices()
    if categories == "all":
        return every
    kept = {}
    for name, choices in every.items():
        observed = set(best[name].drop_nulls().cast(int))
        kept[name] = tuple(c for i, c in enumerate(choices) if i in observed) or choices
    return kept
