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
    """The first distribution in unit coordinates: N(mean, sigma² cov), det cov = 1."""

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
        """What `ask` gives → a configuration inside; a point outside moves to the boundary."""
        return self.vectors.decode(row)

    def encode(self, config: Mapping[str, Any]) -> FloatArray:
        """A configuration → its unit coordinates, shape (p,)."""
        return self.vectors.encode(config)


def start(learned: LearnedSpace | Space) -> InitialDistribution:
    """The start of CMA-ES over the numeric parameters of a learned space."""
    vectors = Vectors(as_learned(learned), "CMA-ES")
    if vectors.choices:
        raise SettingError(
            f"CMA-ES cannot search choices, such as {next(iter(vectors.choices))!r}: use the "
            "adapter for Optuna, SMAC, Ray Tune or Ax, or one space for each choice"
        )
    mean, covariance = vectors.block.cell_region.moments
    scale = math.exp(np.linalg.slogdet(covariance)[1] / len(mean))
    return InitialDistribution(vectors, mean, math.sqrt(scale), covariance / scale)
