"""Configurations as rows of numbers, for tools that search a real vector space.

symbol   meaning                                                            shape
rows     unit coordinates of the numeric parameters, each in [0, 1], then   (n, d)
         positions among the kept choices of the others, also from 0 to 1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.adapters.values import nearest
from ringfence.arrays import FloatArray
from ringfence.errors import SettingError
from ringfence.learned.blocks import Block
from ringfence.learned.cube import UnitCube
from ringfence.learned.space import LearnedSpace
from ringfence.space import Categorical, Choice, Config


@dataclass(frozen=True, eq=False)
class Vectors:
    """The rows of a learned space in which every parameter is always active."""

    learned: LearnedSpace
    tool: str

    def __post_init__(self) -> None:
        if self.learned.space.conditions:
            child = self.learned.space.conditions[0].child
            raise SettingError(
                f"{self.tool} cannot search parameters that are active only sometimes, such as "
                f"{child!r}: use the adapter for Optuna, SMAC, Ray Tune or Ax, or one space for "
                "each choice"
            )
        if not self.learned.blocks:
            raise SettingError(f"{self.tool} needs a numeric parameter, and this space has none")

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All numeric parameters. Without conditions they are one block, followed by one of those
        that no task tuned, which keep all of their ranges."""
        return self.learned.blocks

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The parameters of the first columns."""
        return tuple(name for block in self.blocks for name in block.names)

    @cached_property
    def choices(self) -> dict[str, tuple[Choice, ...]]:
        """The kept choices of each category that still has more than one."""
        kept = self.learned.choices.items()
        return {name: choices for name, choices in kept if len(choices) > 1}

    @property
    def names(self) -> tuple[str, ...]:
        """The parameter of each column."""
        return (*self.numeric, *self.choices)

    @property
    def bounds(self) -> FloatArray:
        """Smallest and largest value of each column, shape (2, d)."""
        lower, upper = np.hstack([block.spans for block in self.blocks])
        others = len(self.choices)
        return np.array([[*lower, *[0.0] * others], [*upper, *[1.0] * others]])

    def decode(self, row: Any) -> Config:
        """One row → the configuration it stands for. A point outside the region moves towards the
        region's anchor, or that of a union's nearest part, until it is inside."""
        numbers = np.asarray(row, float)
        coordinates = dict(zip(self.numeric, np.clip(numbers, 0.0, 1.0)))
        values: dict[str, Any] = {}
        for block in self.blocks:
            point = np.array([[coordinates[name] for name in block.names]])
            values |= zip(block.names, block.cell_region.to_cube(point)[0].tolist())
        for (name, choices), number in zip(self.choices.items(), numbers[len(self.numeric) :]):
            values[name] = choices[round(min(max(number, 0.0), 1.0) * (len(choices) - 1))]
        return UnitCube(self.learned).decode(values)

    def encode(self, config: Mapping[str, Any]) -> FloatArray:
        """A configuration of the full space → its row, shape (d,)."""
        self.learned.space.check(config)
        points = [block.encoding.point(config)[0] for block in self.blocks]
        row: list[float] = np.concatenate(points).tolist()
        for name, choices in self.choices.items():
            choice = nearest(name, Categorical(choices), config[name])
            row.append(choices.index(choice) / (len(choices) - 1))
        return np.array(row)

    def repair(self, rows: FloatArray) -> FloatArray:
        """Each row of (n, d) moved to the configuration that it stands for."""
        return np.array([self.encode(self.decode(row)) for row in rows]).reshape(rows.shape)
