"""A shape that exists in the tests alone: an ℓ1 ball, {c + h z : |z_1| + … + |z_p| ≤ 1}.

Written by the recipe in CONTRIBUTING.md: the body, its record, its fit, and one entry of the table.

symbol   meaning                                          shape
c        center                                           (p,)
h        reach along each coordinate                      (p,)
z        points in the frame of the body, (x - c) / h     (n, p)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np

from ringfence.errors import FileError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import RESOLUTION, Fit, least_reach
from ringfence.fit.shapes import Shape
from ringfence.regions import Clipped, PartRecord

OCTAHEDRON = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
FACES = np.array([[i, j, k] for i in (0, 1) for j in (2, 3) for k in (4, 5)])


@dataclass(frozen=True, eq=False)
class Diamond:
    """The ℓ1 ball with this center and reach, both (p,)."""

    center: np.ndarray
    reach: np.ndarray

    @property
    def dim(self):
        return len(self.center)

    @property
    def factor(self):
        return np.diag(self.reach)

    @property
    def inverse(self):
        return np.diag(1.0 / self.reach)

    @property
    def bounds(self):
        return self.center - self.reach, self.center + self.reach

    @property
    def log_volume(self):
        return self.dim * math.log(2) - math.lgamma(self.dim + 1) + float(np.log(self.reach).sum())

    def log_share_in_cube(self) -> None:
        """Random draws will do."""

    @property
    def covariance(self):
        return np.diag(2 * self.reach**2 / ((self.dim + 1) * (self.dim + 2)))

    def scaled(self, about, factor):
        return Diamond(about + factor * (self.center - about), factor * self.reach)

    def clipped(self):
        return Clipped(self)

    def norm(self, points):
        return (np.abs(points - self.center) / self.reach).sum(axis=1)

    def complete(self, points):
        return np.where(np.isnan(points), np.clip(self.center, 0.0, 1.0), points)

    def contains(self, points):
        return self.norm(points) <= 1.0 + 1e-9

    def margin(self, points, xp=np):
        center, reach = xp.asarray(self.center), xp.asarray(self.reach)
        return 1.0 - xp.abs((points - center) / reach).sum(-1)

    def leave(self, b, w):
        """Σ |b + t w| is convex and piecewise linear in t: doubling, then halving."""
        stop = np.ones(len(w))
        for _ in range(200):
            stop = np.where(np.abs(b + stop[:, None] * w).sum(axis=1) < 1.0, 2 * stop, stop)
        start = np.zeros(len(w))
        for _ in range(80):
            middle = (start + stop) / 2
            inside = np.abs(b + middle[:, None] * w).sum(axis=1) < 1.0
            start, stop = np.where(inside, middle, start), np.where(inside, stop, middle)
        return stop

    def normal(self, z):
        return np.sign(z)

    def chord(self, points, lines):
        z, w = (points - self.center) / self.reach, lines / self.reach
        return -self.leave(z, -w), self.leave(z, w)

    def draw(self, n, rng):
        """Spacings of a Poisson process are uniform over the simplex; signs are fair coins."""
        waits = rng.exponential(size=(n, self.dim + 1))
        simplex = waits[:, :-1] / waits.sum(axis=1, keepdims=True)
        return self.center + self.reach * simplex * rng.choice([-1.0, 1.0], simplex.shape)

    def uniform_from_cube(self, cube):
        signs, rest = np.sign(cube - 0.5), np.abs(2 * cube - 1)
        z, left = np.empty_like(cube), np.ones(len(cube))
        for j in range(self.dim):
            z[:, j] = left * (1 - (1 - rest[:, j]) ** (1 / (self.dim - j)))
            left = left - z[:, j]
        return self.center + self.reach * signs * z

    def outline(self, i, j):
        corners = np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]])
        return self.center[[i, j]] + corners * self.reach[[i, j]]

    def surface(self, places):
        places = list(places)
        return self.center[places] + OCTAHEDRON * self.reach[places], FACES

    def record(self):
        return DiamondRecord(tuple(self.center.tolist()), tuple(self.reach.tolist()))


class DiamondRecord(
    msgspec.Struct,
    PartRecord,
    frozen=True,
    tag_field="type",
    tag="diamond",
    forbid_unknown_fields=True,
):
    """The ℓ1 ball in unit coordinates."""

    center: tuple[float, ...]
    reach: tuple[float, ...]

    def region(self, dim):
        if len(self.center) != dim or len(self.reach) != dim:
            raise FileError(f"a diamond does not have {dim} coordinates")
        center, reach = np.array(self.center), np.array(self.reach)
        if not ((center >= 0) & (center <= 1) & (reach > 0)).all():
            raise FileError("a diamond has its center outside the unit cube, or no reach")
        return Diamond(center, reach).clipped()


def fit_diamond(points, outliers=0.0, near=None):
    """Around the middle of the points' bounding box, in its proportions, as large as it must be for
    all points but the farthest ⌈νT⌉."""
    n, dim = points.shape
    lower, upper = points.min(axis=0), points.max(axis=0)
    flat = upper - lower <= RESOLUTION
    half = np.where(flat, least_reach(n, dim), (upper - lower) / 2)
    center = (lower + upper) / 2
    norms = (np.abs(points - center) / half).sum(axis=1)
    inside = np.sort(norms)[: n - n_outliers(outliers, n)]
    size = max(float(inside.max(initial=0.0)), 1e-6)
    slack = np.maximum(norms / size - 1.0, 0.0)
    nothing = np.zeros(n, dtype=bool)
    return Fit(Diamond(center, size * half), slack, None, 0.0, int(flat.sum()), nothing)


DIAMOND = Shape(
    "diamond", "tests.diamond:fit_diamond", "tests.diamond:DiamondRecord", paper_outliers=0.2
)
