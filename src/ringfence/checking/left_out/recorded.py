"""The recorded rows of each task, prepared once so that many regions can be judged by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.history import TASK, VALUE
from ringfence.learned.blocks import Block, points_inside
from ringfence.learned.fitting import found_columns
from ringfence.space import Choice, Encoding, Space


@dataclass(frozen=True, eq=False)
class RecordedTask:
    """The rows of one task, best first."""

    name: str
    n_rows: int
    rank: IntArray
    """(n,) 1 for the best row; equal values share a rank."""
    coordinates: Mapping[str, FloatArray]
    """(n,) the coordinate of each numeric parameter, NaN if it is inactive, unknown or fixed."""
    choices: Mapping[str, FloatArray]
    """(n,) positions among the choices of each unordered categorical parameter."""

    def inside(
        self, blocks: Sequence[Block], choices: Mapping[str, Sequence[Choice]], space: Space
    ) -> BoolArray:
        """Which rows lie in every block and have only the `choices` that are kept."""
        return points_inside(space, blocks, choices, self.coordinates, self.choices)


def recorded_tasks(space: Space, rows: pl.DataFrame) -> tuple[RecordedTask, ...]:
    """The tasks of the usable `rows`, in the order of their first row."""
    ranked = rows.sort(VALUE, maintain_order=True)
    values = ranked[VALUE].to_numpy()
    encoding = Encoding.of(space)
    columns = found_columns(space, ranked)
    points = encoding.encode(columns)
    choices = {name: columns[name] for name in space.unordered_choices()}
    groups = ranked.with_row_index(":number").group_by(TASK).agg(":number")
    numbers_by_task = {name: np.array(numbers) for name, numbers in groups.iter_rows()}
    tasks = []
    for name in rows[TASK].unique(maintain_order=True):
        numbers = numbers_by_task[name]
        task = RecordedTask(
            name,
            len(numbers),
            rank=1 + np.searchsorted(values[numbers], values[numbers]),
            coordinates=dict(zip(encoding.names, points[numbers].T)) if encoding.names else {},
            choices={choice: column[numbers] for choice, column in choices.items()},
        )
        tasks.append(task)
    return tuple(tasks)
