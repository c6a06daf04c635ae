"""CMA-ES (`cmaes`): where to start, and in what shape.

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
from ringfence.learned import LearnedSpace
from ringfence.regions import Box, Clipped, Region
from ringfence.space import Config, Space


@dataclass(frozen=True, eq=False)
class Start:
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
        """What `ask` gives → a configuration inside; what lies outside is drawn to the boundary."""
        return self.vectors.decode(row)

    def encode(self, config: Mapping[str, Any]) -> FloatArray:
        """A configuration → its unit coordinates, shape (p,)."""
        return self.vectors.encode(config)


def start(learned: LearnedSpace | Space) -> Start:
    """The start of CMA-ES over the numeric parameters of a learned space."""
    vectors = Vectors(as_learned(learned), "CMA-ES")
    if vectors.choices:
        raise SettingError(
            f"CMA-ES has no place for choices, such as {next(iter(vectors.choices))!r}: use the "
            "adapter for Optuna, SMAC, Ray Tune or Ax, or one space for each choice"
        )
    block = vectors.block
    mean, covariance = _moments(
        Box(*block.spans) if isinstance(block.region, Box) else block.region
    )
    scale = math.exp(np.linalg.slogdet(covariance)[1] / len(mean))
    return Start(vectors, mean, math.sqrt(scale), covariance / scale)


def _moments(region: Region) -> tuple[FloatArray, FloatArray]:
    """Mean (p,) and covariance (p, p) of the uniform law, cuts by the cube and overlaps aside."""
    if isinstance(region, Box):
        lower, upper = region.bounds
        return (lower + upper) / 2, np.diag((upper - lower) ** 2 / 12)
    if isinstance(region, Clipped):
        factor = region.ellipsoid.factor
        return region.anchor, factor @ factor.T / (region.dim + 2)
    sizes = np.array([part.log_volume for part in region.parts])
    weights = np.exp(sizes - np.logaddexp.reduce(sizes))
    means, covariances = (np.array(found) for found in zip(*map(_moments, region.parts)))
    mean = weights @ means
    apart = np.einsum("k,ki,kj->ij", weights, means - mean, means - mean)
    return mean, np.einsum("k,kij->ij", weights, covariances) + apart
