"""What a learned space would have meant for a task, had that task been the next one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ringfence.arrays import BoolArray
from ringfence.checking.left_out.order_statistics import expected_best
from ringfence.checking.left_out.recorded import RecordedTask
from ringfence.checking.left_out.sources import CheckSources
from ringfence.learned.records import Settings

DRAWS = (1, 2, 5, 10, 25, 50)


class TaskCheck(msgspec.Struct, frozen=True, rename={"full": "whole"}):  # keys of the JSON output
    """One task, left out. Regret is 0 for its best recorded row and 1 for its median row."""

    name: str
    rows: int
    rows_inside: int
    best_is_inside: bool
    rank_of_best_inside: int | None
    """1 where the task's best row is inside; None where no row is."""
    regret_of_best_inside: float | None
    inside: tuple[float, ...] | None
    """Expected regret of the best of k draws inside, for each k of DRAWS; None where no row is."""
    full: tuple[float, ...]
    """The same for draws from the whole space, for each k of FULL_DRAWS."""


def check_tasks(
    tasks: Sequence[RecordedTask],
    sources: CheckSources,
    settings: Settings,
    among: BoolArray,
    without: Sequence[int],
) -> list[TaskCheck | None]:
    """What the tasks `among` (T,) less those in `without` teach, held against each of `tasks`; None
    for a task whose rows do not tell good from bad."""
    if all(task.regret is None for task in tasks):
        return [None] * len(tasks)
    blocks, choices = sources.fit(settings, among, without)
    return [task_check(task, task.inside(blocks, choices, sources.space)) for task in tasks]


def task_check(task: RecordedTask, inside: BoolArray | None = None) -> TaskCheck | None:
    """The check of a task with these rows inside (None: all of them); None where its rows do not
    tell good from bad."""
    regret = task.regret
    if regret is None:
        return None
    kept = regret if inside is None else regret[inside]
    best = float(kept.min()) if len(kept) else None
    return TaskCheck(
        name=task.name,
        rows=len(regret),
        rows_inside=len(kept),
        best_is_inside=best == 0.0,
        rank_of_best_inside=None if best is None else 1 + int((regret < best).sum()),
        regret_of_best_inside=best,
        inside=tuple(expected_best(kept, DRAWS).tolist()) if len(kept) else None,
        full=task.full,
    )
