"""Test functions over the unit cube with known minima, plain and badly scaled.

A function maps points (n, d) to values (n,). Ackley is taken over [-15, 30]^d: over a symmetric
cube its minimum would be at the center, where some optimizers look first whatever the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray


@dataclass(frozen=True)
class Function:
    """A function over [0, 1]^dim, with its smallest value."""

    name: str
    dim: int
    minimum: float
    call: Callable[[FloatArray], FloatArray]

    @property
    def initial(self) -> int:
        """The number of points that every method is given before it chooses its own."""
        return max(5, self.dim)

    def __call__(self, x: FloatArray) -> FloatArray:
        return self.call(x)


def branin(x: FloatArray) -> FloatArray:
    a, b = 15.0 * x[:, 0] - 5.0, 15.0 * x[:, 1]
    bowl = (b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6) ** 2
    return bowl + 10 * (1 - 1 / (8 * math.pi)) * np.cos(a) + 10


HARTMANN_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN_SHAPES = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
HARTMANN_CENTERS = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def hartmann6(x: FloatArray) -> FloatArray:
    squares = (x[:, None, :] - HARTMANN_CENTERS) ** 2
    wells = np.exp(-(squares * HARTMANN_SHAPES).sum(axis=2))
    return np.asarray(-wells @ HARTMANN_WEIGHTS)


def ackley(x: FloatArray) -> FloatArray:
    z = 45.0 * x - 15.0
    bowl = -20 * np.exp(-0.2 * np.sqrt((z * z).mean(axis=1)))
    ripples = np.exp(np.cos(2 * math.pi * z).mean(axis=1))
    return np.asarray(bowl - ripples + 20 + math.e)


def levy(x: FloatArray) -> FloatArray:
    w = 1 + (20.0 * x - 11.0) / 4
    first = np.sin(math.pi * w[:, 0]) ** 2
    middle = (w[:, :-1] - 1) ** 2 * (1 + 10 * np.sin(math.pi * w[:, :-1] + 1) ** 2)
    last = (w[:, -1] - 1) ** 2 * (1 + np.sin(2 * math.pi * w[:, -1]) ** 2)
    return np.asarray(first + middle.sum(axis=1) + last)


def forgotten_logs(
    f: Callable[[FloatArray], FloatArray], stretch: float
) -> Callable[[FloatArray], FloatArray]:
    """f for a search that treats log scales over a factor of 1 + stretch as linear ones."""
    return lambda x: f(np.log1p(stretch * x) / math.log1p(stretch))


FUNCTIONS = {
    f.name: f
    for f in (
        Function("branin", 2, 0.39788735772973816, branin),
        Function("hartmann6", 6, -3.3223680114155147, hartmann6),
        Function("ackley10", 10, 0.0, ackley),
        Function("levy10", 10, 0.0, levy),
        Function("branin-linear", 2, 0.39788735772973816, forgotten_logs(branin, 500.0)),
        Function("hartmann6-linear", 6, -3.3223680114155147, forgotten_logs(hartmann6, 30.0)),
    )
}
