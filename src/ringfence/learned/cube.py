"""The learned space as a cube, for tools that only know boxes.

Every numeric parameter has a coordinate u in [0, 1]; each block's region maps them to its own
points (regions/maps/), so that every point of the cube is a configuration inside. Rounding integers
can carry a point across the boundary: it is then drawn back towards the region's anchor, step by
step, until it stays inside, and in the last resort to the nearest of the incumbents inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError, SpaceError
from ringfence.learned.blocks import Block
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config, Constant

STEPS = 1.0 - np.arange(65) / 64.0  # shares of the way from the anchor, the whole way first

EDGE = 1e-9  # the outermost edge of an integer's cell would round to its neighbor


@dataclass(frozen=True, eq=False)
class UnitCube:
    """A learned space as a cube, for tools that only know boxes.

    Every numeric parameter has a coordinate from 0 to 1, and every point of the cube stands for a
    configuration inside.

    Args:
        learned: the space.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.learned.cube import UnitCube
        >>> cube = UnitCube(rf.learn(rf.example_history(), shape="ellipsoid", starts=0))
        >>> cube.names
        ('C', 'gamma', 'components', 'degree', 'coef0')
    """

    learned: LearnedSpace

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters that have a coordinate, in the order of the space."""
        numeric = {name for block in self.learned.blocks for name in block.names}
        return tuple(name for name in self.learned.space if name in numeric)

    @property
    def center(self) -> dict[str, float]:
        """Coordinates of the middle of the space; of a union, that of its largest part."""
        center: dict[str, float] = {}
        for block in self.learned.blocks:
            center |= dict(zip(block.names, block.region.cube_center.tolist()))
        return {name: center[name] for name in self.names}

    def decode(self, values: Mapping[str, Any]) -> Config:
        """A point of the cube → a configuration inside.

        Args:
            values: coordinates of the numeric parameters and the choices of the others. Those of
                inactive parameters may be missing, and are ignored; but where parameters with
                different conditions share a region (`one_cloud`), all its coordinates matter.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.learned.cube import UnitCube
            >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
            >>> point = {"kernel": "rbf", "C": 0.2, "gamma": 0.9, "components": 0.5}
            >>> learned.contains(UnitCube(learned).decode(point))
            True
        """
        config: Config = {
            name: parameter.value
            for name, parameter in self.learned.space.parameters.items()
            if isinstance(parameter, Constant)
        }
        for name, kept in self.learned.choices.items():
            config[name] = values.get(name, kept[0])
        for block in self.learned.blocks:
            cube = np.array([[float(values.get(name, 0.5)) for name in block.names]])
            point = self._admitted(block, np.clip(cube, 0.0, 1.0), config)
            config |= {name: column[0] for name, column in block.encoding.values(point).items()}
        return {name: config[name] for name in self.learned.space.active(config)}

    def encode(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration → its point of the cube; what lies outside goes to the boundary.

        Args:
            config: values by name.

        Returns:
            Coordinates of its numeric parameters (with `one_cloud` also those of the completion
            that lies deepest inside), and the choices of the others.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.learned.cube import UnitCube
            >>> learned = rf.learn(rf.example_history(), shape="ellipsoid", starts=0)
            >>> point = UnitCube(learned).encode(learned.sample(1, seed=0)[0])
            >>> 0 <= point["C"] <= 1
            True
        """
        self.learned.space.check(config)
        active = self.learned.space.active(config)
        values: dict[str, Any] = {
            name: config[name] for name in self.learned.choices if name in active
        }
        for block in self.learned.blocks:
            if block.has_some(active):
                known = {name: value for name, value in config.items() if name in active}
                cube = block.cell_region.to_cube(block.point(known))[0]
                values |= dict(zip(block.names, cube.tolist()))
        return {name: values[name] for name in self.learned.space if name in values}

    def _admitted(self, block: Block, cube: FloatArray, others: Config) -> FloatArray:
        """The point that one row of the cube stands for, rounded and inside, shape (1, p); `others`
        are the values of parameters that are in no block."""
        numbers, cube = block.cell_region.split_cube(cube)
        part = block.cell_region.parts[int(numbers[0])]
        if part.is_box:
            integer = [axis.integer for axis in block.encoding.axes]
            cube = np.where(integer, np.clip(cube, EDGE, 1.0 - EDGE), cube)
            return block.encoding.snap(part.from_cube(cube))
        point, anchor = part.from_cube(cube), part.anchor
        for points in (point, anchor + STEPS[:, None] * (point - anchor)):
            rounded = block.encoding.snap(points)
            for row in range(len(rounded)):
                if block.inside(self._known(block, rounded[[row]], others))[0]:
                    return rounded[[row]]
        known = self._rounded_inside(block, others)
        return known[[np.linalg.norm(known - point, axis=1).argmin()]]

    def _rounded_inside(self, block: Block, others: Config) -> FloatArray:
        """Points inside that rounding leaves inside: incumbents (one that a task did not have in
        full has a coordinate that nobody rounded), or one that is drawn."""
        known = self.learned.known_inside(block)
        if known is not None:
            known = block.encoding.snap(known)
            inside = block.inside(known)
            if block.mixed:
                rows = (self._known(block, row[None], others) for row in known)
                inside = np.array([block.inside(row)[0] for row in rows])
            if inside.any():
                return known[inside]
        try:
            return self.learned.draw(block, 1, np.random.default_rng(0)).points
        except FitError as error:
            names = ", ".join(block.names)
            raise SpaceError(f"no configuration of {names} survives the rounding") from error

    def _known(self, block: Block, point: FloatArray, others: Config) -> FloatArray:
        """A point (1, p) without the coordinates that are inactive in it: those are free, and need
        not be inside once they are rounded."""
        if not block.mixed:
            return point
        values = {name: column[0] for name, column in block.encoding.values(point).items()}
        active = self.learned.space.active({**others, **values})
        if not block.has_some(active):
            return point
        return np.where([name in active for name in block.names], point, np.nan)
