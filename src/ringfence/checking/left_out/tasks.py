"""What a learned space would have meant for a task, had that task been the next one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ringfence.arrays import BoolArray
from ringfence.checking.left_out.order_statistics import expected_best
from ringfence.checking.left_out.recorded import RecordedTask
from ringfence.checking.left_out.sources import CheckSources
from ringfence.learned.records import Settings

DRAWS = (1, 2, 5, 10, 25, 50)  # numbers of draws inside that are judged


class TaskCheck(msgspec.Struct, frozen=True, rename={"full": "whole"}):  # keys of the JSON output
    """One task, left out. Regret is 0 for its best recorded row and 1 for its median row."""

    name: str
    rows: int
    rows_inside: int
    best_is_inside: bool
    rank_of_best_inside: int | None
    """1 if the task's best row is inside; None if no row is."""
    regret_of_best_inside: float | None
    inside: tuple[float, ...] | None
    """Expected regret of the best of k draws inside, for each k of DRAWS; None if no row is."""
    full: tuple[float, ...]
    """The same for draws from the full space, for each k of FULL_DRAWS."""


def check_tasks(
    tasks: Sequence[RecordedTask],
    sources: CheckSources,
    settings: Settings,
    among: BoolArray,
    without: Sequence[int],
) -> list[TaskCheck | None]:
    """The space learned from the tasks `among` (T,) less those in `without`, judged by the rows of
    each of `tasks`; None for a task whose rows do not tell good from bad."""
    if all(task.regret is None for task in tasks):
        return [None] * len(tasks)
    blocks, choices = sources.fit(settings, among, without)
    return [task_check(task, task.inside(blocks, choices, sources.space)) for task in tasks]


def task_check(task: RecordedTask, inside: BoolArray | None = None) -> TaskCheck | None:
    """The check of a task with these rows inside (None: all of them); None if its rows do not tell
    good from bad."""
    regret = task.regret
    if regret is None:
        return None
    regret_inside = regret if inside is None else regret[inside]
    has_rows = len(regret_inside) > 0
    best = float(regret_inside.min()) if has_rows else None
    return TaskCheck(
        name=task.name,
        rows=len(regret),
        rows_inside=len(regret_inside),
        best_is_inside=best == 0.0,
        rank_of_best_inside=None if best is None else 1 + int((regret < best).sum()),
        regret_of_best_inside=best,
        inside=tuple(expected_best(regret_inside, DRAWS).tolist()) if has_rows else None,
        full=task.full,
    )
