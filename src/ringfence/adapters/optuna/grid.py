"""Steps: parameters whose values are divided into a grid, such as multiples of 32."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ringfence.errors import SettingError
from ringfence.learned.cube import STEPS, UnitCube
from ringfence.space import Config, Float, Int


class Grid:
    """Cube coordinates → configurations inside whose stepped values lie on their grid."""

    def __init__(self, cube: UnitCube, steps: Mapping[str, float]) -> None:
        self._cube = cube
        self._steps = dict(steps)
        for name, step in self._steps.items():
            parameter = cube.learned.space.parameters.get(name)
            if not isinstance(parameter, (Float, Int)):
                raise SettingError(f"steps: {name!r} is not a number in the learned space")
            if not 0 < step < math.inf or (isinstance(parameter, Int) and step != int(step)):
                raise SettingError(f"steps: {name!r} cannot go in steps of {step!r}")
        if self._steps:
            self.decode({})

    def decode(self, values: Mapping[str, Any]) -> Config:
        """The configuration that the coordinates stand for, on the grid: if rounding leads out of
        the region, the nearest on the way to its middle, then the nearest incumbent."""
        config = self._cube.decode(values)
        if not self._steps:
            return config
        numbers = {n: float(values.get(n, 0.5)) for n in self._cube.names}
        for share in STEPS:
            nearer = {n: 0.5 + share * (u - 0.5) for n, u in numbers.items()}
            config = self._rounded(self._cube.decode({**values, **nearer}))
            if self._cube.learned.contains(config):
                return config
        return self._incumbent(config)

    def _incumbent(self, config: Config) -> Config:
        """An incumbent on the grid and inside, with the same choices if there is one."""
        learned = self._cube.learned
        whole = [task.incumbent for task in learned.tasks if not task.unknown]
        rounded = [self._rounded(incumbent) for incumbent in whole]
        inside = [incumbent for incumbent in rounded if learned.contains(incumbent)]
        if not inside:
            steps = ", ".join(f"{name} in steps of {step:g}" for name, step in self._steps.items())
            raise SettingError(f"no configuration with {steps} lies in the learned space")
        return max(inside, key=lambda i: sum(config.get(n) == i.get(n) for n in learned.choices))

    def _rounded(self, config: Config) -> Config:
        rounded = dict(config)
        for name, step in self._steps.items():
            if name in rounded:
                parameter = self._cube.learned.space[name]
                assert isinstance(parameter, (Float, Int))
                rounded[name] = nearest(float(rounded[name] or 0), parameter, step)
        return rounded


def nearest(value: float, parameter: Float | Int, step: float) -> float | int:
    """The value on the grid low, low + step, … of a parameter's range that is nearest."""
    last = math.floor((parameter.high - parameter.low) / step + 1e-9)
    count = min(max(round((value - parameter.low) / step), 0), last)
    rounded = parameter.low + count * step
    return int(rounded) if isinstance(parameter, Int) else float(rounded)
