"""A small feed-forward network from inputs to features, with its derivatives written out.

symbol   meaning                                                             shape
X        inputs, standardized                                                (n, d)
θ        all parameters in one vector: log stretches, then weights, biases   (size,)
H        the output of each layer; H[0] the stretched inputs                 (n, d or width)
Φ        features: the last of H, and a column of ones                       (n, width + 1)
G        derivative of some number by Φ, then by each of H                   the same
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ringfence.arrays import FloatArray

BIAS = 0.5  # standard deviation of the biases drawn


@dataclass(frozen=True)
class NetworkShape:
    """How large a network is: `depth` layers of `width` units on `dim` inputs."""

    dim: int
    width: int = 50
    depth: int = 3

    @property
    def units(self) -> list[int]:
        """From the inputs upwards."""
        return [self.dim, *[self.width] * self.depth]

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.dim + sum((below + 1) * above for below, above in pairwise(self.units))

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Random parameters to begin with; the inputs are not stretched."""
        return self.deviations(0.0, 1.0) * rng.standard_normal(self.size)

    def deviations(self, stretch: float, weight: float) -> FloatArray:
        """Standard deviations of a prior over θ: `stretch` for the log stretches, `weight`
        times that of a fresh draw for weights and biases."""
        parts = [np.full(self.dim, stretch)]
        for below, above in pairwise(self.units):
            parts.append(np.full(below * above, weight / np.sqrt(max(below, 1))))
            parts.append(np.full(above, weight * BIAS))
        return np.concatenate(parts)

    def network(self, theta: FloatArray) -> Network:
        """The network with these parameters."""
        first, layers = self.dim, []
        for below, above in pairwise(self.units):
            middle, last = first + below * above, first + (below + 1) * above
            layers.append((theta[first:middle].reshape(below, above), theta[middle:last]))
            first = last
        return Network(np.exp(theta[: self.dim]), tuple(layers))


@dataclass(frozen=True, eq=False)
class Network:
    """tanh layers over inputs that are stretched one by one."""

    stretch: FloatArray  # (d,)
    layers: tuple[tuple[FloatArray, FloatArray], ...]  # weights (below, above), biases (above,)

    def forward(self, X: FloatArray) -> list[FloatArray]:
        """H of every layer."""
        H = [X * self.stretch]
        for weights, biases in self.layers:
            Z = H[-1] @ weights
            Z += biases
            H.append(np.tanh(Z, out=Z))
        return H

    def features(self, X: FloatArray) -> FloatArray:
        """Φ at inputs X."""
        return with_ones(self.forward(X)[-1])

    def pullback(self, H: list[FloatArray], G: FloatArray) -> FloatArray:
        """Derivatives by the inputs, (n, d), row by row."""
        G = G[:, :-1]
        for (weights, _), above in zip(reversed(self.layers), reversed(H)):
            G = (G * (1.0 - above * above)) @ weights.T
        by_inputs: FloatArray = G * self.stretch
        return by_inputs

    def gradient(self, H: list[FloatArray], G: FloatArray) -> FloatArray:
        """Derivative by θ, summed over the rows."""
        G = G[:, :-1]
        parts: list[FloatArray] = []
        for i in range(len(self.layers) - 1, -1, -1):
            G = G * (1.0 - H[i + 1] * H[i + 1])
            parts = [(H[i].T @ G).ravel(), G.sum(axis=0), *parts]
            G = G @ self.layers[i][0].T
        return np.concatenate([np.einsum("ij,ij->j", G, H[0]), *parts])


def with_ones(H: FloatArray) -> FloatArray:
    """H with a column of ones at its end."""
    return np.hstack([H, np.ones((len(H), 1))])
