"""An ellipsoid: the image of the unit ball, {center + factor z : ‖z‖ ≤ 1}.

symbol        meaning                                                     shape
center c      the middle                                                  (p,)
factor F      lower triangular, positive diagonal; A = F⁻¹, b = -F⁻¹c     (p, p)
norm          ‖F⁻¹(x - c)‖, at most 1 inside                              (n,)

The center and the factor are kept, not the paper's (A, b): A x + b cancels if the ellipsoid is
nearly flat, and a norm of 12 was seen where 1 was meant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.errors import FileError
from ringfence.regions.clipped import Clipped
from ringfence.regions.completion import completed
from ringfence.regions.maps.uniform import ball_from_cube
from ringfence.regions.nets import ball, circle
from ringfence.regions.region import Bounds, PartRecord

TOLERANCE = 1e-9
"""How far above 1 the norm of a point inside may lie if the ellipsoid is round."""
FLATTEST = 0.01
"""The largest tolerance of an ellipsoid that is read: fits stay orders of magnitude below."""


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
    def bounds(self) -> Bounds:
        """Smallest and largest value of each coordinate."""
        reach = np.sqrt((self.factor**2).sum(axis=1))
        return self.center - reach, self.center + reach

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume."""
        return log_ball_volume(self.dim) + float(np.log(np.diag(self.factor)).sum())

    def log_share_in_cube(self) -> tuple[float, float]:
        """The logarithm of the share that lies in the unit cube, and its standard error."""
        from ringfence.regions.cut_ellipsoid import log_share_in_cube  # brings scipy.stats

        return log_share_in_cube(self.center, self.factor)

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

    @property
    def covariance(self) -> FloatArray:
        """The covariance of the uniform law, (p, p)."""
        covariance: FloatArray = self.factor @ self.factor.T / (self.dim + 2)
        return covariance

    def scaled(self, about: FloatArray, factor: float) -> Ellipsoid:
        """The ellipsoid shrunk or grown about a point (p,)."""
        return Ellipsoid(about + factor * (self.center - about), factor * self.factor)

    def clipped(self) -> Clipped:
        """The ellipsoid cut to the unit cube."""
        return Clipped(self)

    def norm(self, points: FloatArray) -> FloatArray:
        """‖F⁻¹(x - c)‖ for each row of `points` (n, p)."""
        ball = (points - self.center) @ self.inverse.T
        norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", ball, ball))
        return norms

    def complete(self, points: FloatArray) -> FloatArray:
        """Points (n, p) with the missing coordinates in the cube that give the least norm."""
        return completed(points, self.center, self.inverse)

    def contains(self, points: FloatArray) -> BoolArray:
        """Which rows of `points` (n, p) lie inside."""
        result: BoolArray = self.norm(points) <= 1.0 + self.tolerance
        return result

    def margin(self, points: Any, xp: Any = np) -> Any:
        """1 minus the squared norm, tolerance included: smooth everywhere, as constraints are
        wanted."""
        center, inverse = xp.asarray(self.center), xp.asarray(self.inverse)
        largest = (1.0 + self.tolerance) ** 2
        return largest - xp.square((points - center) @ inverse.T).sum(-1)

    def leave(self, b: FloatArray, w: FloatArray) -> FloatArray:
        """Where rays b + t w leave the unit ball: the positive root of
        ‖w‖² t² + 2 (b·w) t = 1 - ‖b‖²."""
        r, h = np.sqrt(np.einsum("ij,ij->i", w, w)), w @ b
        t: FloatArray = (np.sqrt(h * h + r * r * max(1.0 - b @ b, 0.0)) - h) / (r * r)
        return t

    def normal(self, z: FloatArray) -> FloatArray:
        """The normal of the unit ball at z is z itself."""
        return z

    def chord(self, points: FloatArray, lines: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each row, the smallest and largest t with point + t line inside."""
        ball = (points - self.center) @ self.inverse.T
        direction = lines @ self.inverse.T
        a = np.einsum("ij,ij->i", direction, direction)
        h = np.einsum("ij,ij->i", direction, ball)
        excess = np.einsum("ij,ij->i", ball, ball) - 1.0
        root = np.sqrt(np.maximum(h * h - a * excess, 0.0))
        return (-h - root) / a, (-h + root) / a

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

    def uniform_from_cube(self, cube: FloatArray) -> FloatArray:
        """Points of the unit cube → points that are uniform over the ellipsoid if the rows are."""
        return self.from_ball(ball_from_cube(cube))

    def outline(self, i: int, j: int) -> FloatArray:
        """The ellipse that it is seen along all coordinates but i and j, (361, 2)."""
        return self._shadow([i, j], circle())

    def surface(self, places: Sequence[int]) -> tuple[FloatArray, IntArray]:
        """Its shadow on three coordinates: corners (m, 3) and triangles (n, 3)."""
        corners, triangles = ball()
        return self._shadow(places, corners), triangles

    def _shadow(self, places: Sequence[int], sphere: FloatArray) -> FloatArray:
        """Points of a unit sphere in few dimensions, moved to the boundary of the shadow: F z over
        the ball has the same image as R' z over the small one, with F' = Q R."""
        turned = np.linalg.qr(self.factor[list(places)].T)
        boundary: FloatArray = self.center[list(places)] + sphere @ turned.R
        return boundary

    def record(self) -> EllipsoidRecord:
        """The ellipsoid as a record of a file."""
        rows = [tuple(row[: i + 1]) for i, row in enumerate(self.factor.tolist())]
        return EllipsoidRecord(tuple(self.center.tolist()), tuple(rows))


class EllipsoidRecord(
    msgspec.Struct,
    PartRecord,
    frozen=True,
    tag_field="type",
    tag="ellipsoid",
    forbid_unknown_fields=True,
):
    """The ellipsoid {c + F z : |z| <= 1} in unit coordinates, by the rows of F."""

    center: tuple[float, ...]
    factor: tuple[tuple[float, ...], ...]

    def region(self, dim: int) -> Clipped:
        """The clipped ellipsoid; FileError if it is not one of `dim` coordinates."""
        center = np.array(self.center)
        if len(center) != dim or [len(row) for row in self.factor] != [*range(1, dim + 1)]:
            raise FileError(f"an ellipsoid does not have {dim} coordinates")
        factor = np.zeros((dim, dim))
        for i, row in enumerate(self.factor):
            factor[i, : i + 1] = row
        if not ((center >= 0) & (center <= 1)).all():
            raise FileError("an ellipsoid has its center outside the unit cube")
        if not (np.diag(factor) > 1e-12).all() or np.abs(factor).max() > 1e6:
            raise FileError("an ellipsoid is flat, or far larger than the unit cube")
        ellipsoid = Ellipsoid(center, factor)
        if not ellipsoid.tolerance < FLATTEST:
            raise FileError("an ellipsoid is so flat that rounding decides what lies inside")
        return ellipsoid.clipped()


def log_ball_volume(dim: int) -> float:
    """Natural logarithm of the volume of the unit ball."""
    return dim / 2 * math.log(math.pi) - math.lgamma(dim / 2 + 1)
