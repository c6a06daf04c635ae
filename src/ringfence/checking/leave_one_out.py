"""What a learned space would have meant for each task, had that task been the next one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ringfence.arrays import BoolArray, FloatArray
from ringfence.blocks import rows_inside
from ringfence.checking.order_statistics import expected_best, normalized_regret
from ringfence.history import TASK, VALUE
from ringfence.learned import Settings
from ringfence.learning import fit_blocks, kept_choices
from ringfence.space import Space

if TYPE_CHECKING:
    import polars as pl

DRAWS = (1, 2, 5, 10, 25, 50)
WHOLE_DRAWS = (*range(1, 20), *range(20, 100, 5), *range(100, 1000, 50), 1000)
"""Numbers of draws from the whole space to compare with."""


class TaskCheck(msgspec.Struct, frozen=True):
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
    whole: tuple[float, ...]
    """The same for draws from the whole space, for each k of WHOLE_DRAWS."""


def leave_one_out(
    space: Space, rows: pl.DataFrame, best: pl.DataFrame, settings: Settings
) -> Iterator[TaskCheck | None]:
    """The check of each task; None for a task whose rows do not tell good from bad."""
    groups = {str(key[0]): group for key, group in rows.group_by(TASK, maintain_order=True)}
    for name in best[TASK]:
        group = groups[name]
        regret = normalized_regret(group[VALUE].to_numpy())
        if regret is None:
            yield None
            continue
        others = best.filter(best[TASK] != name)
        fitted = fit_blocks(space, others, settings)
        shaping = others.filter(~fitted.outside)
        choices = kept_choices(space, shaping, settings.categories)
        columns = {n: group[n].to_numpy() for n in group.columns if n in space}
        inside = rows_inside(space, fitted.blocks, choices, columns)
        yield _task_check(name, regret, inside)


def _task_check(name: str, regret: FloatArray, inside: BoolArray) -> TaskCheck:
    kept = regret[inside]
    best = float(kept.min()) if len(kept) else None
    return TaskCheck(
        name=name,
        rows=len(regret),
        rows_inside=len(kept),
        best_is_inside=bool(inside[regret == 0.0].any()),
        rank_of_best_inside=None if best is None else 1 + int((regret < best).sum()),
        regret_of_best_inside=best,
        inside=tuple(expected_best(kept, DRAWS).tolist()) if len(kept) else None,
        whole=tuple(expected_best(regret, WHOLE_DRAWS).tolist()),
    )
