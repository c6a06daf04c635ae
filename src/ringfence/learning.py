"""learn: from a history to a learned space, in one call."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from ringfence.history import COST, COUNT, TASK, VALUE, Direction, PreparedHistory, Runs
from ringfence.history.mismatch.fixed import FIXED
from ringfence.history.outcomes.costs import cost_unit
from ringfence.learned.fitting import FittedBlocks, clouds, fit_blocks, found_columns, kept_choices
from ringfence.learned.records import CostUnit, Provenance, Settings, Task
from ringfence.learned.settings import Starts, checked_settings, wanted_starts, why_no_starts
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config, Constant, Space, value_of
from ringfence.space.partial import maybe_active
from ringfence.threads import one_thread
from ringfence.version import __version__
from ringfence.words import writable

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl


@one_thread
def learn(
    history: Runs,
    space: Space | Literal["latest"] | None = None,
    *,
    shape: str = "box",
    outliers: float | Literal["paper"] = 0.0,
    refit: bool = False,
    literal: bool = False,
    one_cloud: bool = False,
    categories: Literal["all", "observed"] = "all",
    top: float = 0.0,
    tolerance: float = 0.0,
    n_evaluations: int | None = None,
    seed: int | None = None,
    average_repeats: bool = False,
    starts: Starts = "auto",
    hub: str | LearnedSpace | None = None,
    progress: Callable[[int, int], None] | None = None,
    task: str | None = None,
    objective: str | int | None = None,
    direction: Direction | None = None,
    **reading: Any,
) -> LearnedSpace:
    """Learn the search space of the next task from the best configurations of earlier ones.

    Args:
        history: the past runs: a History, or whatever `read_history` reads, such as a path, a data
            frame, an Optuna study, or a list of such.
        space: what may be tuned; its bounds are never left. None takes the space that the history
            carries, or infers one from the observed values: the union, if tasks differ. 'latest'
            takes the parameters and ranges of the task that ran last.
        shape: 'box' (eq. 5) or 'ellipsoid' (eq. 6); 'boxes' or 'ellipsoids' for a union of as many
            as the tasks fall into, one if that is enough. 'full' keeps all of it.
            'auto' takes the setting that `compare` recommends, 'full' if none helps.
        outliers: ν, the least share of tasks to leave outside (eqs. 7, 8): the smallest penalty
            that leaves at most (1 - ν) T tasks inside. 0 covers every task; 'paper' is the paper's
            choice, 0.5 for the box and 0.1 for the ellipsoid.
        refit: draw the exact region (eqs. 5, 6) around the tasks that are not outliers. The paper's
            rule leaves its outliers only just outside, so its regions still reach out to them.
        literal: a box or an ellipsoid by eqs. 5 to 8 as the paper prints them: all numeric
            parameters in one cloud, slack in units of the declared bounds, and the first penalty
            of a coarse grid.
        one_cloud: fit one box or ellipsoid to all numeric parameters, those that are active only
            sometimes as well: a task that lacks one is inside if some value of it would be. By
            default parameters with the same conditions have a region of their own.
        categories: 'all' keeps every choice of a categorical parameter, as the paper does;
            'observed' keeps those of the incumbents.
        top: draw the region around this share of each task's best rows, 0.05 for the best 5 %, at
            least one. `outliers` is then a share of those rows; a task is an outlier when its best
            row lies outside.
        tolerance: draw the region around one good row of each task, not its best: the rows of at
            most this regret (0 is the best value of a task, 1 its median) that make the region
            smallest. Which row stands for each task is its `incumbent`.
        n_evaluations: the paper's n_t: use only this many rows of each task, the first ones, or
            with a `seed` a random choice.
        seed: of that choice.
        average_repeats: average the rows of a task that have the same configuration (seeds).
        starts: number of starting points to find as well: configurations of the learned space that
            cover the earlier tasks, `learned.starts()`. It takes a second for twenty tasks; of many
            tasks 64 have a model, chosen to stand for all. 'auto' is ten for 3 or more tasks that
            have 32 rows (their median) and for 3 or more that have one each, else none; 0 is none.
        hub: an entry of the hub that the runs join, such as 'lightgbm' or 'lightgbm/regression', or
            a space that `rf.hub(…)` gives. Parameters are matched by name. With n own tasks 10 of
            10 + n of the hub's are kept. Ranges that were only read off the runs are widened to
            the hub's.
        progress: called with the number of steps done and of all, where there are several:
            settings that 'auto' compares, tasks that starting points need a model of.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: 'minimize' or 'maximize'; None goes by the name of the objective.
        reading: the other arguments of `read_history`, such as parameters, ignore or studies.

    Raises:
        HistoryError: runs that cannot be read, or of which none is usable.
        SettingError: an argument that makes no sense.
        SpaceError: a space that does not fit the runs.

    Examples:
        >>> import ringfence as rf
        >>> history = rf.example_history()
        >>> learned = rf.learn(history, shape="ellipsoid", outliers=0.1, refit=True, starts=0)
        >>> learned.outliers
        ('digits-even-vs-odd', 'digits-loop-vs-none')
        >>> sorted(learned.sample(1, seed=0)[0])
        ['C', 'coef0', 'components', 'gamma', 'kernel']
    """
    settings = checked_settings(
        shape,
        outliers,
        refit=refit,
        literal=literal,
        one_cloud=one_cloud,
        categories=categories,
        top=top,
        tolerance=tolerance,
        n_evaluations=n_evaluations,
        seed=seed,
        average_repeats=average_repeats,
    )
    wanted_starts(starts, ())  # a wrong number is refused before the work begins
    columns = {"task": task, "objective": objective, "direction": direction}
    prepared = PreparedHistory.of(history, space, learn, {**columns, **reading})
    joined_to = ""
    if hub is not None:
        prepared, joined_to = _with_hub(prepared, hub)
    notes = []
    if shape == "auto":
        from ringfence.checking import choose  # costs an import that other shapes do without

        settings, note = choose(prepared, settings.rows, progress)
        notes.append(note)
    learned = learn_prepared(prepared, settings, starts, notes, progress)
    return replace(learned, hub=joined_to)


def _with_hub(prepared: PreparedHistory, hub: str | LearnedSpace) -> tuple[PreparedHistory, str]:
    """The runs with those of the hub, and what of it they joined."""
    from ringfence.learned.hub.joining import join  # others do without it

    joint = join(prepared.history, prepared.space, hub, read_off=prepared.read_off)
    notes = (*prepared.notes, *joint.notes)
    return PreparedHistory(joint.history, joint.space, notes, prepared.read_off), joint.hub


def learn_prepared(
    prepared: PreparedHistory,
    settings: Settings,
    starts: Starts,
    notes: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> LearnedSpace:
    """`learn` for a history that has been made ready; `notes` say how the settings were chosen."""
    history, space, usable = prepared.history, prepared.space, prepared.usable
    good, opened = prepared.incumbents(
        settings.rows, top=settings.top, tolerance=settings.tolerance
    )
    fitted = fit_blocks(clouds(space, good), settings, np.arange(good.height))
    best = good[fitted.rows]
    tasks = _tasks(space, best, fitted, -1.0 if history.roles.direction == "maximize" else 1.0)
    counts = [task.n_evaluations for task in tasks]
    # Starting points need models of the tasks, and so every row of a task.
    rows_to_model = [] if COUNT in usable.frame.columns else counts
    n_starts = wanted_starts(starts, rows_to_model)
    every_row = settings.n_evaluations is None and history.selection is None
    used = usable.frame.height if every_row else sum(counts)
    notes = [*prepared.notes, *notes, *opened, *why_no_starts(starts, rows_to_model)]
    inside = found_columns(space, best.filter(~fitted.outside))
    learned = LearnedSpace(
        space,
        fitted.blocks,
        kept_choices(space, inside, settings.categories),
        tasks,
        settings,
        _provenance(prepared, used, notes),
        costs=_costs(prepared),
    )
    if usable.failed.height:
        from ringfence.optimize.risk.found import with_failures  # brings scipy

        learned = with_failures(learned, usable.frame, usable.failed)
    if not n_starts:
        return learned
    from ringfence.optimize.transfer.starting_points import with_starts  # brings scipy

    return with_starts(learned, usable.frame, n_starts, progress)


def _provenance(prepared: PreparedHistory, used: int, notes: Sequence[str]) -> Provenance:
    history, usable = prepared.history, prepared.usable
    return Provenance(
        ringfence=__version__,
        source=writable(history.source),
        digest=history.digest([name for name in prepared.space if name in history.frame.columns]),
        objective=history.roles.objective,
        direction=history.roles.direction,
        rows=len(history) if history.selection is None else history.selection.rows,
        rows_used=used,
        dropped=tuple(
            msgspec.structs.replace(group, example=writable(group.example))
            for group in usable.dropped
        ),
        notes=tuple(map(writable, dict.fromkeys((*notes, *usable.notes)))),
        guessed=history.roles.guessed,
    )


def _costs(prepared: PreparedHistory) -> CostUnit | None:
    """What the past runs cost; None if that is unknown."""
    rows = prepared.usable.frame
    if COST not in rows.columns or not rows[COST].count():
        return None
    medians = rows.group_by(TASK).median()[COST].drop_nulls()
    return CostUnit(cost_unit(prepared.history.roles), float(np.median(medians.to_numpy())))


def _tasks(space: Space, best: pl.DataFrame, fitted: FittedBlocks, sign: float) -> tuple[Task, ...]:
    """Each task by its best row."""
    places = np.flatnonzero(best[TASK].is_first_distinct())
    return tuple(
        Task(
            name=row[TASK],
            incumbent=_config(space, row, unknown := _unknown(space, row)),
            value=sign * row[VALUE],
            n_evaluations=row[COUNT],
            slack=float(fitted.slack[place]),
            outside=bool(fitted.outside[place]),
            unknown=unknown,
            fixed=_fixed(row),
        )
        for place, row in zip(places, best[places].iter_rows(named=True))
    )


def _unknown(space: Space, row: dict[str, Any]) -> tuple[str, ...]:
    """The parameters that the task of a usable row did not tune."""
    return tuple(n for n in space if (x := row.get(n)) is not None and math.isnan(x))


def _fixed(row: dict[str, Any]) -> tuple[str, ...]:
    """The active parameters that the task of a usable row had at one value throughout."""
    marked = [
        name[len(FIXED) :] for name, is_fixed in row.items() if name.startswith(FIXED) and is_fixed
    ]
    return tuple(name for name in marked if row[name] is not None)


def _config(space: Space, row: dict[str, Any], unknown: Collection[str]) -> Config:
    """An incumbent in the user's units, inactive and unknown parameters left out."""
    config: Config = {}
    for name, parameter in space.parameters.items():
        if isinstance(parameter, Constant):
            config[name] = parameter.value
        elif row[name] is not None and name not in unknown:
            config[name] = value_of(parameter, row[name])
    active = maybe_active(space, config, unknown)
    return {name: config[name] for name in active if name in config}
