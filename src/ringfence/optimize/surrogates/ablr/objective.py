"""What ABLR minimizes: the tasks' -log marginal likelihoods, and how far its parameters have moved.

All parameters have normal priors. They are counted from their prior means in units of the prior
standard deviations, z: then the penalty is |z|²/2 and L-BFGS starts at 0, on a sound scale. The
prior mean of the network's weights is the random draw that the fit starts from, not 0, so that few
evaluations leave the random features as they are; with 0 they would leave no features at all.

symbol   meaning                                                              shape
z        network parameters, then the log s, then the log v of the tasks      (size + 2 T,)
X, y     inputs of all tasks, one below the other, and values, standardized   (N, d), (N,)
ends     the first row of each task, and the number of all rows               (T + 1,)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.optimize.surrogates.ablr.linear_head import HeadPrior, evidence
from ringfence.optimize.surrogates.ablr.network import NetworkShape, with_ones
from ringfence.optimize.surrogates.ablr.task import TaskData

FARTHEST = 30.0  # prior standard deviations from the prior mean; nothing overflows within


@dataclass(frozen=True)
class ABLROptions:
    """Size of the network, as in the paper, and its prior, chosen by held-out rows of tables."""

    width: int = 50
    depth: int = 3
    alone: float = 1000.0
    """Prior precision of the weights around their random start, with one task."""
    together: float = 1.0
    """The same with two or more tasks; 1 is the precision that the start itself is drawn with."""
    stretch: float = 0.25
    """Prior standard deviation of the log stretch of each input."""
    compressed: bool = True
    """Whether a task's values above its median are compressed, as for the Gaussian process."""


@dataclass(frozen=True, eq=False)
class Objective:
    """A function of z with its gradient."""

    shape: NetworkShape
    anchor: FloatArray  # (size,) prior mean of the network's parameters
    deviations: FloatArray  # (size,)
    prior: HeadPrior
    X: FloatArray
    y: FloatArray
    ends: IntArray

    @property
    def n_tasks(self) -> int:
        """T."""
        return len(self.ends) - 1

    def theta(self, z: FloatArray) -> FloatArray:
        """The network's parameters."""
        return self.anchor + self.deviations * z[: self.shape.size]

    def scales(self, z: FloatArray) -> FloatArray:
        """(log s, log v) of every task, (T, 2)."""
        deviations = z[self.shape.size :].reshape(2, -1).T
        return self.prior.mean + self.prior.deviation * deviations

    def z(self, theta: FloatArray, scales: FloatArray) -> FloatArray:
        """The inverse of `theta` and `scales`."""
        by_task = (scales - self.prior.mean) / self.prior.deviation
        return np.append((theta - self.anchor) / self.deviations, by_task.T.ravel())

    def bounds(self) -> FloatArray:
        """Lowest and highest z, (size + 2 T, 2)."""
        reach = np.full(self.shape.size, FARTHEST)
        limits = [np.tile(limit, (self.n_tasks, 1)) for limit in self.prior.limits]
        lower, upper = self.z(self.anchor, limits[0]), self.z(self.anchor, limits[1])
        lower[: reach.size], upper[: reach.size] = -reach, reach
        return np.stack([lower, upper], axis=1)

    def __call__(self, z: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient."""
        network, scales = self.shape.network(self.theta(z)), self.scales(z)
        H = network.forward(self.X)
        Phi = with_ones(H[-1])
        by_features, by_scales = np.empty_like(Phi), np.empty_like(scales)
        value = 0.5 * float(z @ z)
        for t in range(self.n_tasks):
            rows = slice(self.ends[t], self.ends[t + 1])
            task = evidence(Phi[rows], self.y[rows], scales[t])
            value += task.value
            by_features[rows], by_scales[t] = task.by_features, task.by_scales
        by_theta = network.gradient(H, by_features) * self.deviations
        gradient = z + np.append(by_theta, (by_scales * self.prior.deviation).T.ravel())
        return value, gradient


def objective_of(
    shape: NetworkShape,
    anchor: FloatArray,
    X: FloatArray,
    data: Sequence[TaskData],
    options: ABLROptions,
) -> Objective:
    """The objective, with a prior under which values have variance one at the start."""
    squares = (shape.network(anchor).features(X) ** 2).sum(axis=1)
    size = float(squares.mean()) if len(squares) else shape.width + 1.0
    several = sum(len(task.y) > 0 for task in data) > 1
    precision = options.together if several else options.alone
    return Objective(
        shape,
        anchor,
        shape.deviations(options.stretch, 1 / math.sqrt(precision)),
        HeadPrior(-math.log(size)),
        X,
        np.concatenate([task.values.y for task in data]),
        np.cumsum([0, *(len(task.y) for task in data)]),
    )
