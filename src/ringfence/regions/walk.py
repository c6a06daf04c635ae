"""A random walk inside a convex set, for when rejection sampling collapses.

Hit-and-run: from a point inside, take a random line through it, a uniform point of its chord, and
go there. The uniform law over the set is the one law that this leaves unchanged. Draws are only
as independent as the number of steps makes them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.regions.ellipsoid import Ellipsoid


def walk(
    ellipsoid: Ellipsoid,
    starts: FloatArray,
    steps: int,
    rng: np.random.Generator,
    admit: Callable[[FloatArray], tuple[FloatArray, BoolArray]],
) -> FloatArray:
    """One walk from each row of `starts` (n, p) inside ellipsoid ∩ unit cube; where each ends.

    `admit` maps proposals to the points they stand for (whole numbers rounded) and tells which of
    them are inside; the walk stays where it is when one is not.
    """
    here = starts.copy()
    n, dim = here.shape
    for step in range(steps):
        if step % 2:
            lines = rng.standard_normal((n, dim)) @ ellipsoid.factor.T
        else:
            lines = np.zeros((n, dim))
            lines[np.arange(n), rng.integers(dim, size=n)] = 1.0
        low, high = chord(ellipsoid, here, lines)
        there, inside = admit(here + (low + rng.random(n) * (high - low))[:, None] * lines)
        here[inside] = there[inside]
    return here


def chord(ellipsoid: Ellipsoid, points: FloatArray, lines: FloatArray) -> tuple[FloatArray, ...]:
    """For each row, the smallest and largest t with point + t line in ellipsoid ∩ unit cube."""
    ball = (points - ellipsoid.center) @ ellipsoid.inverse.T
    direction = lines @ ellipsoid.inverse.T
    a = np.einsum("ij,ij->i", direction, direction)
    h = np.einsum("ij,ij->i", direction, ball)
    excess = np.einsum("ij,ij->i", ball, ball) - 1.0
    root = np.sqrt(np.maximum(h * h - a * excess, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low, to_high = -points / lines, (1.0 - points) / lines
    flat = lines == 0.0
    back = np.where(flat, -np.inf, np.minimum(to_low, to_high)).max(axis=1)
    ahead = np.where(flat, np.inf, np.maximum(to_low, to_high)).min(axis=1)
    low = np.minimum(np.maximum((-h - root) / a, back), 0.0)
    high = np.maximum(np.minimum((-h + root) / a, ahead), 0.0)
    return low, high
