"""LearnedSpace: the search space learned from past runs, a frozen value.

It is a product of blocks. Every numeric parameter belongs to the block of those that are active
under the same conditions; each block has its own region in unit coordinates. Categorical
parameters keep their choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.checks import generator, integer
from ringfence.errors import SettingError, SpaceError
from ringfence.files import write_atomically
from ringfence.learned.blocks import Block, expected_share, rows_inside
from ringfence.learned.file_format import encode
from ringfence.learned.html import learned_html
from ringfence.learned.narrowing import narrowed, restricted
from ringfence.learned.records import Provenance, Settings, Start, Task
from ringfence.learned.text import summary
from ringfence.regions import Draws, sample
from ringfence.space import (
    Categorical,
    Choice,
    Config,
    Constant,
    Parameter,
    Space,
    choice_key,
)


@dataclass(frozen=True, eq=False)
class LearnedSpace:
    """A search space learned from past runs."""

    space: Space
    """The original space; the learned one never leaves it."""
    blocks: tuple[Block, ...]
    choices: dict[str, tuple[Choice, ...]]
    """The kept choices of each unordered categorical parameter."""
    tasks: tuple[Task, ...]
    settings: Settings
    provenance: Provenance
    portfolio: tuple[Start, ...] = ()
    """Starting points in the order in which to try them."""

    @property
    def shape(self) -> str:
        """The name of a shape, such as 'box', or 'whole' for the original space as it is."""
        return self.settings.shape

    @property
    def outliers(self) -> tuple[str, ...]:
        """Names of the tasks whose best configuration lies outside."""
        return tuple(task.name for task in self.tasks if task.outside)

    @property
    def bounds(self) -> dict[str, tuple[Choice, Choice]]:
        """Smallest and largest value of each numeric or ordered parameter, in its own units."""
        ranges: dict[str, tuple[Choice, Choice]] = {}
        for block in self.blocks:
            ranges |= block.ranges(block.region)
        return {name: ranges[name] for name in self.space if name in ranges}

    @cached_property
    def volume_fraction(self) -> float:
        """Share of the original numeric space that is kept.

        If some blocks are active only sometimes: the mean over the uniform law of the original
        space of the product of the active blocks' shares.
        """
        return expected_share(self.space, self.blocks)

    def contains(self, config: Mapping[str, Any]) -> bool:
        """Whether the configuration lies in the learned space; values of inactive parameters do not
        matter. A name that is missing or unknown is an error."""
        if not isinstance(config, Mapping):
            raise SpaceError(f"a configuration is a dict, not a {type(config).__name__}")
        unknown = [name for name in config if name not in self.space]
        if unknown:
            raise SpaceError(f"{unknown[0]!r} is not a parameter of this space")
        active = self.space.active(config)
        for name in active:
            if name not in config and not isinstance(self.space[name], Constant):
                raise SpaceError(f"the configuration has no value of {name!r}")
        if not self.space.contains({n: v for n, v in config.items() if n in active}):
            return False
        choices_kept = all(
            choice_key(config[name]) in {choice_key(choice) for choice in choices}
            for name, choices in self.choices.items()
            if name in active
        )
        return choices_kept and all(
            bool(block.region.contains(block.encoding.point(config))[0])
            for block in self.blocks
            if block.names[0] in active
        )

    def inside(self, columns: Mapping[str, FloatArray]) -> BoolArray:
        """Which of many configurations lie inside: columns of numbers, of positions among the
        choices for categorical parameters, NaN if inactive (the layout of `usable_rows`)."""
        return rows_inside(self.space, self.blocks, self.choices, columns)

    def sample(self, n: int = 1, *, seed: int | np.random.Generator | None = None) -> list[Config]:
        """`n` configurations drawn uniformly from the learned space, as plain dicts in the user's
        units and types; inactive parameters are left out."""
        rng = generator(seed)
        n = integer(n, "n", 0) or 0
        if n == 0:
            return []
        columns: dict[str, list[Choice]] = {}
        for name, choices in self.choices.items():
            columns[name] = [choices[i] for i in rng.integers(len(choices), size=n)]
        for name, parameter in self.space.parameters.items():
            if isinstance(parameter, Constant):
                columns[name] = [parameter.value] * n
        for block in self.blocks:
            columns |= block.encoding.values(self.draw(block, n, rng).points)
        ordered = {name: columns[name] for name in self.space}
        rows = [dict(zip(ordered, row)) for row in zip(*ordered.values())]
        return [self._without_inactive(row) for row in rows] if self.space.conditions else rows

    def starts(self, n: int | None = None) -> list[Config]:
        """The first `n` starting points, None for all, in the order in which to try them."""
        n = integer(n, "n", 0)
        if n is not None and n > len(self.portfolio):
            raise SettingError(
                f"{n} starting points are wanted and this space has {len(self.portfolio)}; learn "
                f"it with starts={n} (--starts {n})"
            )
        return [dict(start.config) for start in self.portfolio[:n]]

    def draw(self, block: Block, n: int, rng: np.random.Generator) -> Draws:
        """`n` points of one block's region in unit coordinates, on the grid of its integers, with
        the share of proposals that were accepted and the method that gave them."""
        known = self.known_inside(block)
        return sample(block.region, n, rng, snap=block.encoding.snap, known=known)

    def as_space(self) -> Space:
        """The ranges and choices as a space of their own: the box, or the box around any other
        region. A range that shrank to one value is a constant."""
        bounds = self.bounds
        parameters: dict[str, Parameter] = {}
        for name, parameter in self.space.parameters.items():
            kept = self.choices.get(name)
            if name in bounds:
                parameters[name] = narrowed(parameter, *bounds[name])
            elif kept is not None and len(kept) > 1:
                parameters[name] = Categorical(kept)
            else:
                parameters[name] = Constant(kept[0]) if kept else parameter
        return restricted(self.space, parameters)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the learned space to a JSON file; the file is complete or not there at all."""
        write_atomically(Path(path), encode(self))

    def plot(self) -> Any:
        """A matplotlib figure: ranges before and after, and pairs of parameters."""
        from ringfence.learned.picture import figure  # brings matplotlib

        return figure(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LearnedSpace):
            return NotImplemented
        return encode(self) == encode(other)

    def __hash__(self) -> int:
        return hash((self.provenance.digest, self.settings))

    def __str__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return learned_html(self)

    def __repr__(self) -> str:
        return (
            f"LearnedSpace({self.shape} around {len(self.tasks) - len(self.outliers)} of "
            f"{len(self.tasks)} tasks, {len(self.space)} parameters, "
            f"volume_fraction={self.volume_fraction:.3g})"
        )

    def _without_inactive(self, row: Config) -> Config:
        key = tuple(choice_key(row[parent]) for parent in self.space.parents)
        if key not in self._active_by_parents:
            self._active_by_parents[key] = self.space.active(row)
        return {name: row[name] for name in self._active_by_parents[key]}

    @cached_property
    def _active_by_parents(self) -> dict[tuple[object, ...], tuple[str, ...]]:
        """The active parameters for values of the parents met so far."""
        return {}

    def known_inside(self, block: Block) -> FloatArray | None:
        """Coordinates of the incumbents inside a block's region; None if there are none."""
        return self._incumbents_inside[block.names]

    @cached_property
    def _incumbents_inside(self) -> dict[tuple[str, ...], FloatArray | None]:
        by_block: dict[tuple[str, ...], FloatArray | None] = {}
        for block in self.blocks:
            points = [
                block.encoding.point(task.incumbent)
                for task in self.tasks
                if not task.outside and block.names[0] in task.incumbent
            ]
            by_block[block.names] = np.concatenate(points) if points else None
        return by_block
