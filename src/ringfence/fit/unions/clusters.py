"""Which incumbents belong together, outliers and further rows of a task included.

Outliers are set aside while the parts are sought, else each of them would stretch a part: the
points whose neighborhood, a quarter of the cloud, is widest. They join the nearest part in the
end, which leaves as many more of its points outside. At most a fifth is set aside: what is left of
one cloud without its outer half may well look like two.
"""

from __future__ import annotations

import math

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.unions.cells import Cells
from ringfence.fit.unions.splitting import Splitting

NEIGHBORHOOD = 0.25  # share of the cloud; half of the smaller of two equal parts
MOST_ASIDE = 0.2  # share of the cloud that may be set aside


def clusters(
    cells: Cells, task: IntArray, splitting: Splitting, n_out: int
) -> tuple[IntArray, IntArray]:
    """The part of each point (n,), and how many points each part is to leave outside (k,), of
    `n_out` in all. The best row of each task (n,) decides; its further rows follow the nearest."""
    order = np.lexsort(cells.points.T[::-1])  # so that the order of the tasks does not matter
    cells = cells.rows(order)
    best = np.isin(order, np.unique(task, return_index=True)[1])
    scaled = cells.points / np.maximum(np.ptp(cells.points, axis=0), 1e-300)
    aside = _isolated(scaled, min(n_out, int(MOST_ASIDE * len(order))))
    deciding = np.flatnonzero(best & ~aside)
    parts = splitting.parts(cells.rows(deciding).varying())
    part = np.empty(len(deciding), dtype=np.int64)
    for number, rows in enumerate(parts):
        part[rows] = number
    followed = part[_nearest(scaled, scaled[deciding])]
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = followed
    # A part leaves the isolated points outside that joined it, and its share of the rest of n_out.
    isolated = np.bincount(followed[aside], minlength=len(parts))
    sizes = np.bincount(followed[~aside], minlength=len(parts))
    return labels, isolated + _shared_out(n_out - int(aside.sum()), sizes)


def _isolated(scaled: FloatArray, count: int) -> BoolArray:
    """The `count` points that have to go farthest to meet a quarter of the others, (n,)."""
    n = len(scaled)
    aside = np.zeros(n, dtype=bool)
    if count:
        neighbor = min(math.ceil(NEIGHBORHOOD * n), n - 1)
        reach = [np.sort(((scaled - at) ** 2).sum(axis=1))[neighbor] for at in scaled]
        aside[np.argsort(-np.array(reach), kind="stable")[:count]] = True
    return aside


def _nearest(scaled: FloatArray, among: FloatArray) -> IntArray:
    """The row of `among` nearest to each point, (n,)."""
    return np.array([((among - at) ** 2).sum(axis=1).argmin() for at in scaled], dtype=np.int64)


def _shared_out(count: int, sizes: IntArray) -> IntArray:
    """`count` shared out in proportion to `sizes`, the largest remainders rounded up."""
    exact = count * sizes / sizes.sum()
    shares: IntArray = np.floor(exact).astype(np.int64)
    rest = np.argsort(shares - exact, kind="stable")[: count - shares.sum()]
    shares[rest] += 1
    return shares
