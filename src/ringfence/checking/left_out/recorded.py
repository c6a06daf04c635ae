"""What was recorded of each task, made ready once so that many regions can be held against it."""

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
"""Numbers of draws from the whole space to compare with."""


@dataclass(frozen=True, eq=False)
class RecordedTask:
    """The rows of one task, best first."""

    name: str
    n_rows: int
    regret: FloatArray | None
    """(n,) 0 for the best row, 1 from the median row on; None where those two are equal."""
    points: tuple[FloatArray, ...]
    """(n, p) coordinates in each block, NaN where it is inactive."""
    choices: Mapping[str, FloatArray]
    """(n,) positions among the choices of each unordered categorical parameter."""
    full: tuple[float, ...]
    """Expected regret of the best of K draws, for each K of FULL_DRAWS."""

    def inside(
        self, blocks: Sequence[Block], kept: Mapping[str, Sequence[Choice]], space: Space
    ) -> BoolArray:
        """Which rows lie in every block and have only choices that are `kept`."""
        return points_inside(space, blocks, kept, self.points, self.choices)


def recorded_tasks(space: Space, rows: pl.DataFrame) -> tuple[RecordedTask, ...]:
    """The tasks of the usable `rows`, in the order of their first row."""
    ranked = rows.sort(VALUE, maintain_order=True)
    values = ranked[VALUE].to_numpy()
    points = [cloud.points for cloud in clouds(space, ranked)]
    choices = {name: ranked[name].to_numpy() for name in space.unordered_choices()}
    groups = ranked.with_row_index(":at").group_by(TASK).agg(":at")
    places = {name: np.array(at) for name, at in groups.iter_rows()}
    found = []
    for name in rows[TASK].unique(maintain_order=True):
        at = places[name]
        scored = capped_regret(values[at])
        regret = None if scored is None else scored[0]
        full = () if regret is None else tuple(expected_best(regret, FULL_DRAWS).tolist())
        own_points = tuple(block[at] for block in points)
        own_choices = {choice: column[at] for choice, column in choices.items()}
        found.append(RecordedTask(name, len(at), regret, own_points, own_choices, full))
    return tuple(found)
