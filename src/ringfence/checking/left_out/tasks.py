"""What a learned space would have meant for a task, had that task been the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.checking.belief.beliefs import FUNCTIONS, POINTS, Beliefs
from ringfence.checking.belief.regret_scale import COUNTS, EXPONENTS, RegretScale
from ringfence.checking.left_out.recorded import RecordedTask
from ringfence.checking.left_out.sources import CheckSources
from ringfence.checking.left_out.speedup import NORMAL_QUANTILE, ModelError, worth
from ringfence.learned.blocks import Block
from ringfence.learned.records import Settings
from ringfence.space import Choice, Space
from ringfence.words import Brief

DRAWS = (1, 2, 5, 10, 25, 50)  # numbers of draws inside that are judged


class TaskCheck(Brief, msgspec.Struct, frozen=True):
    """One task, left out. Regret is 0 for the best of thousands of random configurations, 1 for a
    median one."""

    name: str
    rows: int
    rows_inside: int
    best_is_inside: bool
    """Whether its best recorded row is."""
    rank_of_best_inside: int | None
    """1 if the task's best row is inside; None if no row is."""
    inside: tuple[float, ...]
    """Expected regret of the best of k random configurations inside, for each k of DRAWS."""
    low: tuple[float, ...]
    """Lower end of its 90 % interval, on the regret scale of the check."""
    high: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class TaskEvidence:
    """A task's check, and the curves behind it."""

    check: TaskCheck
    curves: FloatArray
    """Regret for each function that may be the task's, each exponent of the regret scale and each
    k of DRAWS."""
    runs: int
    """Each of the task's runs counted once."""
    exact: bool = False
    """Whether no model stands behind the curves: those of the full space."""
    lacks: float = 0.0
    """The share of the parameters that the task does not know."""


def check_tasks(
    tasks: Sequence[RecordedTask],
    beliefs: Beliefs | None,
    sources: CheckSources,
    settings: Settings,
    among: BoolArray,
    without: Sequence[int],
    n_points: int = POINTS,
) -> list[TaskEvidence | None]:
    """The space learned from the tasks `among` (T,) less those in `without`, judged by what is
    believed of each of `tasks` at `n_points` random configurations; None for a task whose rows do
    not tell good from bad."""
    if beliefs is None or not any(beliefs.knows(task.name) for task in tasks):
        return [None] * len(tasks)
    if settings.shape == "full":
        return full_evidence(tasks, beliefs)
    blocks, choices = sources.fit(settings, among, without)
    if _keeps_everything(blocks, choices, sources.space):
        return full_evidence(tasks, beliefs)
    evidence: list[TaskEvidence | None] = []
    for task in tasks:
        if not beliefs.knows(task.name):
            evidence.append(None)
            continue
        inside = task.inside(blocks, choices, sources.space)
        curves = beliefs.best_regrets(task.name, blocks, choices, DRAWS, n_points)
        seen = beliefs.rows[task.name]
        check = task_check(task, inside, curves, beliefs)
        evidence.append(TaskEvidence(check, curves, seen.n_runs, lacks=seen.lacks))
    return evidence


def _keeps_everything(
    blocks: Sequence[Block], choices: Mapping[str, tuple[Choice, ...]], space: Space
) -> bool:
    """Whether the region is the full space."""
    boxes = all(part.is_box for block in blocks for part in block.region.parts)
    return (
        boxes
        and choices == space.unordered_choices()
        and all(block.volume_fraction > 1.0 - 1e-12 for block in blocks)
    )


def full_evidence(
    tasks: Sequence[RecordedTask], beliefs: Beliefs | None
) -> list[TaskEvidence | None]:
    """The same for the full space, in which no draw is worth more or less than itself."""
    if beliefs is None:
        return [None] * len(tasks)
    at_draws = [COUNTS.index(k) for k in DRAWS]
    curves = np.broadcast_to(
        beliefs.scale.full[:, at_draws], (FUNCTIONS, len(EXPONENTS), len(DRAWS))
    )
    evidence: list[TaskEvidence | None] = []
    for task in tasks:
        everything = np.ones(task.n_rows, dtype=bool)
        known = beliefs.knows(task.name)
        check = task_check(task, everything, curves, beliefs) if known else None
        runs = beliefs.rows[task.name].n_runs if known else 0
        evidence.append(None if check is None else TaskEvidence(check, curves, runs, exact=True))
    return evidence


def task_check(
    task: RecordedTask, inside: BoolArray, curves: FloatArray, beliefs: Beliefs
) -> TaskCheck:
    """The figures of a task with these rows inside."""
    first = int(inside.argmax()) if inside.any() else None  # rows are in order, the best first
    seen = beliefs.rows[task.name]
    mean, low, high = _interval(curves, beliefs.scale, seen.n_runs, seen.lacks)
    return TaskCheck(
        name=task.name,
        rows=task.n_rows,
        rows_inside=int(inside.sum()),
        best_is_inside=first is not None and int(task.rank[first]) == 1,
        rank_of_best_inside=None if first is None else int(task.rank[first]),
        inside=tuple(mean.tolist()),
        low=tuple(low.tolist()),
        high=tuple(high.tolist()),
    )


def _interval(
    curves: FloatArray, scale: RegretScale, runs: int, lacks: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean regret after each number of DRAWS, and the ends of its interval: the spread of the
    functions and the error of the model, as numbers of draws from the full space."""
    by_function = scale.weights @ curves
    mean_curve = scale.weights @ scale.full
    rows = np.broadcast_to(mean_curve, (len(by_function), len(COUNTS)))
    log_worth = np.log(worth(by_function, rows, DRAWS, COUNTS))
    error = ModelError.of(1, runs, lacks=lacks)
    spread = np.sqrt(log_worth.var(axis=0) + error.common + error.between + error.within)
    mean = by_function.mean(axis=0)
    middle = np.log(worth(mean[None], rows[:1], DRAWS, COUNTS)[0]) + np.log(DRAWS)
    reach = NORMAL_QUANTILE * spread
    low, high = (np.interp(middle + sign * reach, np.log(COUNTS), mean_curve) for sign in (1, -1))
    return mean, np.minimum(low, mean), np.maximum(high, mean)
