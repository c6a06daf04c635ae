"""Which incumbents belong together, outliers and further rows of a task included.

Outliers are set aside while the parts are sought, else each of them would stretch a part: the
points whose neighborhood, a quarter of the cloud, is widest. They join the nearest part in the
end, which leaves as many more of its points outside. At most a fifth is set aside: what is left of
one cloud without its outer half may well look like two.

symbol      meaning                                                        shape
scaled      points in units of the cloud's range in each coordinate        (n, p)
aside       the isolated points, set aside                                 (n,)
deciding    rows that the parts are made of: best of a task, not aside     (m,)
part        the part of each point                                         (n,)
n_out       number of points to leave outside
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.unions.cells import Cells
from ringfence.fit.unions.splitting import Splitting

NEIGHBORHOOD = 0.25
"""Share of the cloud that is a neighborhood: half of the smaller of two equal parts."""
MOST_ASIDE = 0.2
"""Share of the cloud that may be set aside."""
TINY = 1e-300
"""In place of a range of zero: coordinates in which all points agree stay equal."""


def clusters(
    cells: Cells, task: IntArray, splitting: Splitting, n_out: int
) -> tuple[IntArray, IntArray]:
    """The part of each point (n,), and how many points each part is to leave outside (k,), of
    `n_out` in all. The best row of each task (n,) decides; its further rows follow the nearest."""
    order = np.lexsort(cells.points.T[::-1])  # so that the order of the tasks does not matter
    part, outside = _sorted_clusters(cells.rows(order), _is_best(task)[order], splitting, n_out)
    part_of_each = np.empty_like(part)
    part_of_each[order] = part
    return part_of_each, outside


def _is_best(task: IntArray) -> BoolArray:
    """Which rows (n,) are the first of their task, its best."""
    best = np.zeros(len(task), dtype=bool)
    best[np.unique(task, return_index=True)[1]] = True
    return best


def _sorted_clusters(
    cells: Cells, is_best: BoolArray, splitting: Splitting, n_out: int
) -> tuple[IntArray, IntArray]:
    """`clusters` of points in a canonical order."""
    n = len(cells.points)
    scaled = cells.points / np.maximum(np.ptp(cells.points, axis=0), TINY)
    aside = _isolated(scaled, min(n_out, int(MOST_ASIDE * n)))
    deciding = np.flatnonzero(is_best & ~aside)
    parts = splitting.parts(cells.rows(deciding).varying())
    part_of_deciding = _numbered(parts, len(deciding))
    part = part_of_deciding[_nearest(scaled, scaled[deciding])]

    # A part leaves out the isolated points that joined it, and its share of the rest of n_out.
    n_isolated = np.bincount(part[aside], minlength=len(parts))
    n_others = np.bincount(part[~aside], minlength=len(parts))
    return part, n_isolated + _shared_out(n_out - int(aside.sum()), n_others)


def _isolated(scaled: FloatArray, count: int) -> BoolArray:
    """The `count` points that have to go farthest to meet a quarter of the others, (n,)."""
    n = len(scaled)
    isolated = np.zeros(n, dtype=bool)
    if count:
        neighbor = min(math.ceil(NEIGHBORHOOD * n), n - 1)
        reach = np.array([np.sort(_squared_distances(scaled, x))[neighbor] for x in scaled])
        isolated[np.argsort(-reach, kind="stable")[:count]] = True
    return isolated


def _nearest(scaled: FloatArray, candidates: FloatArray) -> IntArray:
    """The row of `candidates` (m, p) nearest to each point, (n,)."""
    return np.array([_squared_distances(candidates, x).argmin() for x in scaled], dtype=np.int64)


def _squared_distances(points: FloatArray, x: FloatArray) -> FloatArray:
    """Of each of the points (n, p) from x (p,)."""
    squares: FloatArray = ((points - x) ** 2).sum(axis=1)
    return squares


def _numbered(parts: Sequence[IntArray], n: int) -> IntArray:
    """The number of the part that each of n rows belongs to, from the rows of each part."""
    numbers = np.empty(n, dtype=np.int64)
    for number, rows in enumerate(parts):
        numbers[rows] = number
    return numbers


def _shared_out(count: int, sizes: IntArray) -> IntArray:
    """`count` shared out in proportion to `sizes`, the largest remainders rounded up."""
    exact = count * sizes / sizes.sum()
    shares: IntArray = np.floor(exact).astype(np.int64)
    largest_remainders = np.argsort(shares - exact, kind="stable")[: count - shares.sum()]
    shares[largest_remainders] += 1
    return shares
