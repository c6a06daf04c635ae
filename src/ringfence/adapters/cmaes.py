"""CMA-ES (`cmaes`): the mean and the covariance to start from.

    start = cmaes.start(learned)
    optimizer = cmaes.CMA(**start.arguments, seed=0)
    row = optimizer.ask();  value = objective(start.decode(row))

The first population has the center and the covariance of the uniform law over the learned region,
so that the ellipsoid's directions are known from the first step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringfence.adapters.vectors import Vectors
from ringfence.adapters.view import as_learned
from ringfence.arrays import FloatArray
from ringfence.errors import SettingError
from ringfence.learned.space import LearnedSpace
from ringfence.space import Config, Space


@dataclass(frozen=True, eq=False)
class InitialDistribution:
    """The first distribution in unit coordinates: N(mean, sigma² cov), det cov = 1.

    Args:
        vectors: the learned space as rows of numbers.
        mean: of the uniform law over the region.
        sigma: its spread.
        cov: its covariance, scaled.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import cmaes
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> sorted(cmaes.start(space).arguments)
        ['bounds', 'cov', 'mean', 'sigma']
    """

    vectors: Vectors
    mean: FloatArray
    sigma: float
    cov: FloatArray

    @property
    def arguments(self) -> dict[str, Any]:
        """Arguments of `cmaes.CMA`."""
        bounds = self.vectors.bounds.T
        return {"mean": self.mean, "sigma": self.sigma, "cov": self.cov, "bounds": bounds}

    def decode(self, row: FloatArray) -> Config:
        """What `ask` gives → a configuration inside; a point outside moves to the boundary.

        Args:
            row: the point.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import cmaes
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> start = cmaes.start(space)
            >>> sorted(start.decode(start.mean))
            ['depth', 'lr']
        """
        return self.vectors.decode(row)

    def encode(self, config: Mapping[str, Any]) -> FloatArray:
        """A configuration → its unit coordinates, shape (p,).

        Args:
            config: values by name.

        Examples:
            >>> import ringfence as rf
            >>> from ringfence.adapters import cmaes
            >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
            >>> cmaes.start(space).encode({"lr": 1.0, "depth": 3}).shape
            (2,)
        """
        return self.vectors.encode(config)


def start(learned: LearnedSpace | Space) -> InitialDistribution:
    """The start of CMA-ES over the numeric parameters of a learned space.

    Args:
        learned: the learned space, or a plain one.

    Raises:
        SettingError: a space with choices or conditions, which CMA-ES cannot search.

    Examples:
        >>> import ringfence as rf
        >>> from ringfence.adapters import cmaes
        >>> space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True), "depth": rf.Int(1, 12)})
        >>> cmaes.start(space).mean.shape
        (2,)
    """
    vectors = Vectors(as_learned(learned), "CMA-ES")
    if vectors.choices:
        raise SettingError(
            f"CMA-ES cannot search choices, such as {next(iter(vectors.choices))!r}: use the "
            "adapter for Optuna, SMAC, Ray Tune or Ax, or one space for each choice"
        )
    moments = [block.cell_region.moments for block in vectors.blocks]
    mean = np.concatenate([middle for middle, _ in moments])
    covariance = np.zeros((len(mean), len(mean)))
    place = 0
    for _, spread in moments:
        here = slice(place, place := place + len(spread))
        covariance[here, here] = spread
    scale = math.exp(np.linalg.slogdet(covariance)[1] / len(mean))
    return InitialDistribution(vectors, mean, math.sqrt(scale), covariance / scale)
