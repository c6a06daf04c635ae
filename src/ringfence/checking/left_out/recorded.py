"""The recorded rows of each task, prepared once so that many regions can be judged by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ringfence.arrays import BoolArray, FloatArray
from ringfence.checking.left_out.order_statistics import expected_best
from ringfence.history import TASK, VALUE
from ringfence.history.regret import capped_regret
from ringfence.learned.blocks import Block, points_inside
from ringfence.learned.fitting import clouds
from ringfence.space import Choice, Space

FULL_DRAWS = (*range(1, 20), *range(20, 100, 5), *range(100, 1000, 50), 1000)
"""Numbers of draws from the full space to compare with."""


@dataclass(frozen=True, eq=False)
class RecordedTask:
    """The rows of one task, best first."""

    name: str
    n_rows: int
    regret: FloatArray | None
    """(n,) 0 for the best row, 1 from the median row on; None if those two are equal."""
    points: tuple[FloatArray, ...]
    """(n, p) coordinates in each block, NaN if it is inactive."""
    choices: Mapping[str, FloatArray]
    """(n,) positions among the choices of each unordered categorical parameter."""
    full: tuple[float, ...]
    """Expected regret of the best of K draws, for each K of FULL_DRAWS."""

    def inside(
        self, blocks: Sequence[Block], choices: Mapping[str, Sequence[Choice]], space: Space
    ) -> BoolArray:
        """Which rows lie in every block and have only the `choices` that are kept."""
        return points_inside(space, blocks, choices, self.points, self.choices)


def recorded_tasks(space: Space, rows: pl.DataFrame) -> tuple[RecordedTask, ...]:
    """The tasks of the usable `rows`, in the order of their first row."""
    ranked = rows.sort(VALUE, maintain_order=True)
    values = ranked[VALUE].to_numpy()
    points = [cloud.points for cloud in clouds(space, ranked)]
    choices = {name: ranked[name].to_numpy() for name in space.unordered_choices()}
    groups = ranked.with_row_index(":number").group_by(TASK).agg(":number")
    numbers_by_task = {name: np.array(numbers) for name, numbers in groups.iter_rows()}
    tasks = []
    for name in rows[TASK].unique(maintain_order=True):
        numbers = numbers_by_task[name]
        scored = capped_regret(values[numbers])
        regret = None if scored is None else scored[0]
        task = RecordedTask(
            name,
            len(numbers),
            regret,
            points=tuple(block[numbers] for block in points),
            choices={choice: column[numbers] for choice, column in choices.items()},
            full=() if regret is None else tuple(expected_best(regret, FULL_DRAWS).tolist()),
        )
        tasks.append(task)
    return tuple(tasks)
