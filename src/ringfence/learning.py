"""learn: from a history to a learned space, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ringfence import __version__
from ringfence.block_fit import Fitted, clouds, columns_of, fit_blocks, kept_choices
from ringfence.errors import SettingError
from ringfence.history import (
    COUNT,
    TASK,
    VALUE,
    History,
    UsableRows,
    incumbents,
    infer_space,
    usable_rows,
)
from ringfence.learned import LearnedSpace
from ringfence.learned_records import Provenance, Settings, Task
from ringfence.settings import (
    LEARNED_STARTS,
    MOST_TASKS,
    Shape,
    Starts,
    checked_settings,
    wanted_starts,
)
from ringfence.space import Config, Constant, Space, value_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl


def learn(
    history: History,
    space: Space | None = None,
    *,
    shape: Shape = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    starts: Starts = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> LearnedSpace:
    """Learn the search space of the next task from the best configurations of earlier ones.

    Args:
        history: the past runs.
        space: what may be tuned; its bounds are never left. None takes the space that the history
            carries, or infers one from the observed values.
        shape: 'box' (eq. 5) or 'ellipsoid' (eq. 6); 'boxes' or 'ellipsoids' for a union of as many
            as the tasks fall into, one where that is enough. 'whole' keeps the original space.
            'auto' takes the setting that `compare` recommends, 'whole' if none helps.
        outliers: ν, the least share of tasks to leave outside (eqs. 7, 8): the smallest penalty
            that leaves at most (1 - ν) T tasks inside. 0 covers every task; 'paper' is the paper's
            choice, 0.5 for the box and 0.1 for the ellipsoid.
        refit: draw the exact region (eqs. 5, 6) around the tasks that are not outliers. The paper's
            rule leaves its outliers only just outside, so its regions still reach out to them.
        categories: 'all' keeps every choice of a categorical parameter, as the paper does;
            'observed' keeps those of the incumbents.
        top: draw the region around this share of each task's best rows, 0.05 for the best 5 %, at
            least one. `outliers` is then a share of those rows; a task is an outlier when its best
            row lies outside.
        n_evaluations: the paper's n_t: use only so many rows of each task, the first ones, or with
            a `seed` a random choice.
        average_repeats: average the rows of a task that have the same configuration (seeds).
        starts: so many starting points are found, too: configurations of the learned space that
            cover the earlier tasks, `learned.starts()`. It takes a second for twenty tasks. 'auto'
            is ten for 3 to 100 tasks that have 32 rows (their median), else none; 0 is none.
        progress: for 'auto', called with the number of steps done and of all.
    """
    settings = checked_settings(
        shape,
        outliers,
        refit=refit,
        categories=categories,
        top=top,
        n_evaluations=n_evaluations,
        seed=seed,
        average_repeats=average_repeats,
    )
    wanted_starts(starts, ())  # refused before the work begins
    if not isinstance(history, History):
        raise SettingError(
            f"learn takes a History, not {type(history).__name__}; "
            "make one with read_history(path) or History.from_frame(frame)"
        )
    space, notes = _space(history, space)
    if shape == "auto":
        settings, note = _recommended(history, space, settings, progress)
        notes.append(note)
    usable = usable_rows(history, space)
    best = incumbents(
        usable.frame,
        n_evaluations=settings.n_evaluations,
        seed=settings.seed,
        average_repeats=settings.average_repeats,
        top=settings.top,
    )
    fitted = fit_blocks(clouds(space, best), settings, np.arange(best.height))
    tasks = _tasks(space, best, fitted, -1.0 if history.roles.direction == "maximize" else 1.0)
    counts = [task.n_evaluations for task in tasks]
    rows = [] if COUNT in usable.frame.columns else counts  # of which a model can be made
    n_starts = wanted_starts(starts, rows)
    if starts == "auto" and len(rows) > MOST_TASKS:
        notes.append(
            f"no starting points were looked for, which takes long with {len(rows):,} tasks; "
            f"starts={LEARNED_STARTS} does it"
        )
    every_row = settings.n_evaluations is None and history.selection is None
    used = usable.frame.height if every_row else sum(counts)
    provenance = _provenance(history, space, usable, used, notes)
    inside = columns_of(space, best.filter(~fitted.outside))
    choices = kept_choices(space, inside, settings.categories)
    learned = LearnedSpace(space, fitted.blocks, choices, tasks, settings, provenance)
    if not n_starts:
        return learned
    from ringfence.starting import with_starts  # brings scipy; the rest may do without

    return with_starts(learned, history, n_starts)


def _space(history: History, space: Space | None) -> tuple[Space, list[str]]:
    """The original space, and what was guessed on the way to it."""
    if space is None and history.space is None:
        inferred = infer_space(history)
        return inferred.space, [*history.notes, *inferred.notes]
    space = history.space if space is None else space
    if not isinstance(space, Space):
        raise SettingError(f"space must be a Space, not {type(space).__name__}")
    return space, list(history.notes)


def _provenance(
    history: History, space: Space, usable: UsableRows, used: int, notes: list[str]
) -> Provenance:
    return Provenance(
        ringfence=__version__,
        source=history.source,
        digest=history.digest([name for name in space if name in history.frame.columns]),
        objective=history.roles.objective,
        direction=history.roles.direction,
        rows=len(history) if history.selection is None else history.selection.rows,
        rows_used=used,
        dropped=usable.dropped,
        notes=(*notes, *usable.notes),
    )


def _recommended(
    history: History, space: Space, rows: Settings, progress: Callable[[int, int], None] | None
) -> tuple[Settings, str]:
    """The settings to take for the rows that `rows` names, and how they were chosen in a line."""
    from ringfence.checking import compare  # costs an import that other shapes do without
    from ringfence.checking.text import choice

    comparison = compare(
        history,
        space,
        n_evaluations=rows.n_evaluations,
        seed=rows.seed,
        average_repeats=rows.average_repeats,
        starts=0,
        progress=progress,
    )
    return comparison.settings, choice(comparison)


def _tasks(space: Space, best: pl.DataFrame, fitted: Fitted, sign: float) -> tuple[Task, ...]:
    """Each task by its best row."""
    places = np.flatnonzero(best[TASK].is_first_distinct())
    return tuple(
        Task(
            name=row[TASK],
            incumbent=_config(space, row),
            value=sign * row[VALUE],
            n_evaluations=row[COUNT],
            slack=float(fitted.slack[place]),
            outside=bool(fitted.outside[place]),
        )
        for place, row in zip(places, best[places].iter_rows(named=True))
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
