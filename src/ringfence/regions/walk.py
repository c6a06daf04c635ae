"""A random walk inside a convex set, for when rejection sampling collapses.

Hit-and-run: from a point inside, take a random line through it, a uniform point of its chord, and
go there. The uniform law over the set is the one law that this leaves unchanged; and that over any
part of the set, if the walk stays where it is rather than leave the part. Draws are only as
independent as the number of steps makes them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ringfence.arrays import BoolArray, FloatArray


def walk(
    chord: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
    factor: FloatArray,
    starts: FloatArray,
    steps: int,
    rng: np.random.Generator,
    admit: Callable[[FloatArray], BoolArray],
) -> FloatArray:
    """One walk from each row of `starts` (n, p) inside a convex set; where each ends.

    `chord` gives the ends of lines through points inside. Every second line runs along a
    coordinate; the directions of the others are round in the frame of `factor` (p, p), so that a
    long thin set is crossed as fast as a ball. `admit` tells which points belong to the part of the
    set that counts (still inside once their integers are rounded).
    """
    here = starts.copy()
    n, dim = here.shape
    for step in range(steps):
        if step % 2:
            lines = rng.standard_normal((n, dim)) @ factor.T
        else:
            lines = np.zeros((n, dim))
            lines[np.arange(n), rng.integers(dim, size=n)] = 1.0
        low, high = chord(here, lines)
        there = here + (low + rng.random(n) * (high - low))[:, None] * lines
        admitted = admit(there)
        here[admitted] = there[admitted]
    return here
