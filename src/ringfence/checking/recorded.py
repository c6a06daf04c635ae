"""What was recorded of each task, made ready once so that many regions can be held against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ringfence.arrays import BoolArray, FloatArray
from ringfence.block_fit import clouds
from ringfence.blocks import Block
from ringfence.checking.order_statistics import expected_best, normalized_regret
from ringfence.history import TASK, VALUE
from ringfence.space import Choice, Space

WHOLE_DRAWS = (*range(1, 20), *range(20, 100, 5), *range(100, 1000, 50), 1000)
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
    whole: tuple[float, ...]
    """Expected regret of the best of K draws, for each K of WHOLE_DRAWS."""

    def inside(
        self, blocks: Sequence[Block], kept: Mapping[str, Sequence[Choice]], space: Space
    ) -> BoolArray:
        """Which rows lie in every block and have only choices that are `kept`."""
        result = np.ones(self.n_rows, dtype=bool)
        for block, points in zip(blocks, self.points):
            active = ~np.isnan(points).any(axis=1)
            result[active] &= block.region.contains(points[active])
        for name, choices in space.unordered_choices().items():
            if len(kept[name]) < len(choices):
                gone = [i for i, choice in enumerate(choices) if choice not in kept[name]]
                result &= ~np.isin(self.choices[name], gone)
        return result


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
        regret = normalized_regret(values[at])
        whole = () if regret is None else tuple(expected_best(regret, WHOLE_DRAWS).tolist())
        own_points = tuple(block[at] for block in points)
        own_choices = {choice: column[at] for choice, column in choices.items()}
        found.append(RecordedTask(name, len(at), regret, own_points, own_choices, whole))
    return tuple(found)
