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
    def block(self) -> Block:
        """All numeric parameters; without conditions they are one block."""
        (block,) = self.learned.blocks
        return block

    @cached_property
    def choices(self) -> dict[str, tuple[Choice, ...]]:
        """The kept choices of each category that still has more than one."""
        kept = self.learned.choices.items()
        return {name: choices for name, choices in kept if len(choices) > 1}

    @property
    def names(self) -> tuple[str, ...]:
        """The parameter of each column."""
        return (*self.block.names, *self.choices)

    @property
    def bounds(self) -> FloatArray:
        """Smallest and largest value of each column, shape (2, d)."""
        lower, upper = self.block.spans
        others = len(self.choices)
        return np.array([[*lower, *[0.0] * others], [*upper, *[1.0] * others]])

    def decode(self, row: Any) -> Config:
        """One row → the configuration it stands for. A point outside the region moves towards the
        region's anchor, or that of a union's nearest part, until it is inside."""
        numbers = np.asarray(row, float)
        block = self.block
        point = np.clip(numbers[None, : len(block.names)], 0.0, 1.0)
        cube = block.cell_region.to_cube(point)
        values: dict[str, Any] = dict(zip(block.names, cube[0].tolist()))
        for (name, choices), number in zip(self.choices.items(), numbers[len(block.names) :]):
            values[name] = choices[round(min(max(number, 0.0), 1.0) * (len(choices) - 1))]
        return UnitCube(self.learned).decode(values)

    def encode(self, config: Mapping[str, Any]) -> FloatArray:
        """A configuration of the full space → its row, shape (d,)."""
        self.learned.space.check(config)
        row: list[float] = self.block.encoding.point(config)[0].tolist()
        for name, choices in self.choices.items():
            choice = nearest(name, Categorical(choices), config[name])
            row.append(choices.index(choice) / (len(choices) - 1))
        return np.array(row)

    def repair(self, rows: FloatArray) -> FloatArray:
        """Each row of (n, d) moved to the configuration that it stands for."""
        return np.array([self.encode(self.decode(row)) for row in rows]).reshape(rows.shape)
