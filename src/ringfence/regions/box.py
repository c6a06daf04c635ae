"""A box in unit coordinates: lower ≤ x ≤ upper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray

TOLERANCE = 1e-9
"""How far outside a point may lie, in unit coordinates, and still count as inside."""


@dataclass(frozen=True, eq=False)
class Box:
    """All points between `lower` and `upper`, both of shape (p,)."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def unit(cls, dim: int) -> Box:
        """The whole unit cube."""
        return cls(np.zeros(dim), np.ones(dim))

    @property
    def dim(self) -> int:
        """p, the number of coordinates."""
        return len(self.lower)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest value of each coordinate."""
        return self.lower, self.upper

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume; the unit cube has 0."""
        with np.errstate(divide="ignore"):
            return float(np.log(self.upper - self.lower).sum())

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie inside."""
        inside = (points >= self.lower - TOLERANCE) & (points <= self.upper + TOLERANCE)
        return np.asarray(inside.all(axis=1))

    @property
    def proposal(self) -> Box:
        """What rejection sampling draws from: the box itself."""
        return self

    def norm(self, points: FloatArray) -> FloatArray:
        """How far each row of `points` (n, p) is from the middle, 1 on the boundary."""
        middle, half = (self.lower + self.upper) / 2, (self.upper - self.lower) / 2
        norms: FloatArray = (np.abs(points - middle) / np.maximum(half, 1e-300)).max(axis=1)
        return norms

    def propose(self, n: int, rng: np.random.Generator) -> FloatArray:
        """The same as `draw`, since no proposal is lost."""
        return self.draw(n, rng)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """`n` independent uniform points, shape (n, p)."""
        return self.from_cube(rng.random((n, self.dim)))

    def from_cube(self, cube: FloatArray) -> FloatArray:
        """Stretch the unit cube over the box."""
        points: FloatArray = self.lower + cube * (self.upper - self.lower)
        return points

    def to_cube(self, points: FloatArray) -> FloatArray:
        """Undo `from_cube`."""
        cube: FloatArray = (points - self.lower) / (self.upper - self.lower)
        return cube
