"""An ellipsoid: the image of the unit ball, {center + factor z : ‖z‖ ≤ 1}.

    symbol        meaning                                                     shape
    center c      the middle                                                  (p,)
    factor F      lower triangular, positive diagonal; A = F⁻¹, b = -F⁻¹c     (p, p)
    norm          ‖F⁻¹(x - c)‖, at most 1 inside                              (n,)

The centre and the factor are kept, not the paper's (A, b): A x + b cancels where the ellipsoid is
nearly flat, and a norm of 12 was seen where 1 was meant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringfence.arrays import BoolArray, FloatArray

TOLERANCE = 1e-9
"""How far above 1 the norm of a point may lie that still counts as inside, where all is round."""


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """The ellipsoid with this center (p,) and lower triangular factor (p, p)."""

    center: FloatArray
    factor: FloatArray

    def __post_init__(self) -> None:
        # One layout in memory, so that sums come out the same to the last bit.
        object.__setattr__(self, "factor", np.ascontiguousarray(self.factor))

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return len(self.center)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest value of each coordinate."""
        reach = np.sqrt((self.factor**2).sum(axis=1))
        return self.center - reach, self.center + reach

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume."""
        return log_ball_volume(self.dim) + float(np.log(np.diag(self.factor)).sum())

    @property
    def half_axes(self) -> FloatArray:
        """Lengths of the half-axes, longest first, shape (p,)."""
        lengths: FloatArray = np.linalg.svd(self.factor, compute_uv=False).astype(float)
        return lengths

    @property
    def paper_form(self) -> tuple[FloatArray, FloatArray]:
        """Symmetric A (p, p) and b (p,) of the paper's ‖A x + b‖ ≤ 1."""
        left, lengths, _ = np.linalg.svd(self.factor)
        matrix: FloatArray = (left / lengths) @ left.T
        return matrix, -matrix @ self.center

    @cached_property
    def inverse(self) -> FloatArray:
        """F⁻¹, shape (p, p)."""
        inverse: FloatArray = np.linalg.inv(self.factor).astype(float)
        return inverse

    @cached_property
    def tolerance(self) -> float:
        """How far above 1 the norm of a point inside may come out: `TOLERANCE`, and what rounding
        the point's coordinates does to a nearly flat ellipsoid."""
        return TOLERANCE + 8 * float(np.finfo(float).eps * np.linalg.norm(self.inverse))

    def norm(self, points: FloatArray) -> FloatArray:
        """‖F⁻¹(x - c)‖ for each row of `points` (n, p)."""
        ball = (points - self.center) @ self.inverse.T
        norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", ball, ball))
        return norms

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie inside."""
        result: BoolArray = self.norm(points) <= 1.0 + self.tolerance
        return result

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` independent uniform points, shape (n, p): lines 4 to 6 of Algorithm 1."""
        ball = rng.standard_normal((n, self.dim))
        radius = rng.random(n) ** (1 / self.dim)
        ball *= (radius / np.sqrt(np.einsum("ij,ij->i", ball, ball)))[:, None]
        return self.from_ball(ball)

    def from_ball(self, ball: FloatArray) -> FloatArray:
        """The points center + factor z of the rows z of `ball`."""
        points: FloatArray = ball @ self.factor.T
        points += self.center
        return points


def log_ball_volume(dim: int) -> float:
    """Natural logarithm of the volume of the unit ball."""
    return dim / 2 * math.log(math.pi) - math.lgamma(dim / 2 + 1)
