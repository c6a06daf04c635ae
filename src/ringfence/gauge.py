"""The learned space as a cube, for tools that only know boxes.

Every numeric parameter has a coordinate u in [0, 1]; boxes are stretched, clipped ellipsoids go
through the gauge map (regions/cube.py), and the parts of a union lie side by side
(regions/slabs.py), so that every point of the cube is a configuration inside.
Rounding whole numbers can carry a point across the boundary: it is then drawn back towards the
region's anchor, step by step, until it stays inside, and in the last resort to the nearest of the
incumbents inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.blocks import Block
from ringfence.errors import SpaceError
from ringfence.learned import LearnedSpace
from ringfence.regions import Box, Union
from ringfence.regions.slabs import from_cube, search_slabs, to_cube
from ringfence.space import Config, Constant

STEPS = 1.0 - np.arange(65) / 64.0  # shares of the way from the anchor, the whole way first

EDGE = 1e-9  # the outermost edge of a whole number's cell would round to its neighbor


@dataclass(frozen=True, eq=False)
class GaugeCube:
    """Cube coordinates of a learned space's numeric parameters, by name."""

    learned: LearnedSpace

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters that have a coordinate, in the order of the space."""
        numeric = {name for block in self.learned.blocks for name in block.names}
        return tuple(name for name in self.learned.space if name in numeric)

    @property
    def center(self) -> dict[str, float]:
        """Coordinates of the middle of the space; of a union, that of its largest part."""
        found = dict.fromkeys(self.names, 0.5)
        for block in self.learned.blocks:
            if isinstance(block.region, Union):
                largest = int(np.argmax([part.log_volume for part in block.region.parts]))
                middle = np.full((1, len(block.names)), 0.5)
                row = search_slabs(block.region).join(np.array([largest]), middle)[0]
                found |= dict(zip(block.names, row.tolist()))
        return found

    def decode(self, values: Mapping[str, Any]) -> Config:
        """Coordinates of the numeric parameters and the choices of the others → a configuration
        inside. Coordinates of inactive parameters may be missing, and are ignored."""
        config: Config = {
            name: parameter.value
            for name, parameter in self.learned.space.parameters.items()
            if isinstance(parameter, Constant)
        }
        for name, kept in self.learned.choices.items():
            config[name] = values.get(name, kept[0])
        for block in self.learned.blocks:
            cube = np.array([[float(values.get(name, 0.5)) for name in block.names]])
            point = self._admitted(block, np.clip(cube, 0.0, 1.0))
            config |= {name: column[0] for name, column in block.encoding.values(point).items()}
        return {name: config[name] for name in self.learned.space.active(config)}

    def encode(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration → coordinates of its numeric parameters, choices of the others. What lies
        outside goes to the boundary."""
        self.learned.space.check(config)
        active = self.learned.space.active(config)
        values: dict[str, Any] = {
            name: config[name] for name in self.learned.choices if name in active
        }
        for block in self.learned.blocks:
            if block.names[0] in active:
                cube = _to_cube(block, block.encoding.point(config))[0]
                values |= dict(zip(block.names, cube.tolist()))
        return {name: values[name] for name in self.learned.space if name in values}

    def _admitted(self, block: Block, cube: FloatArray) -> FloatArray:
        """The point that one row of the cube stands for, rounded and inside, shape (1, p)."""
        region = block.region
        if isinstance(region, Union):
            numbers, cube = search_slabs(region).split(cube)
            region = region.parts[int(numbers[0])]
        elif isinstance(region, Box):
            region = Box(*block.spans)
        if isinstance(region, Box):
            whole = [axis.whole for axis in block.encoding.axes]
            cube = np.where(whole, np.clip(cube, EDGE, 1.0 - EDGE), cube)
            return block.encoding.snap(region.from_cube(cube))
        point, anchor = from_cube(region, cube), region.anchor
        for points in (point, anchor + STEPS[:, None] * (point - anchor)):
            rounded = block.encoding.snap(points)
            inside = block.region.contains(rounded)
            if inside.any():
                return rounded[[inside.argmax()]]
        known = self.learned.known_inside(block)
        if known is None:
            raise SpaceError(f"no configuration of {', '.join(block.names)} survives the rounding")
        return known[[np.linalg.norm(known - point, axis=1).argmin()]]


def _to_cube(block: Block, points: FloatArray) -> FloatArray:
    if not isinstance(block.region, Box):
        return to_cube(block.region, points)
    lower, upper = block.spans
    width = np.where(upper > lower, upper - lower, 1.0)
    return np.clip((points - lower) / width, 0.0, 1.0)
