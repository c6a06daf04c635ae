"""The cut of a cloud that leaves the least volume in two boxes.

Two boxes that do not overlap are separated along one coordinate. So every cut across a coordinate,
between two of its values, is tried: the best pair of disjoint boxes is among them. In many
dimensions it may be that no coordinate separates one of three clouds from the other two; then
principal axes do.

symbol   meaning                                                          shape
lines    the points along coordinates and principal axes, a column each   (n, m)
gains    what a cut after the first 1 … n-1 points of a line saves        (n - 1, m)
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.fit.result import RESOLUTION, least_reach
from ringfence.fit.unions.cells import Cells, Cut, sorting_lines
from ringfence.fit.unions.splitting import Splitting
from ringfence.regions import Box

LEAST_PART = 3
"""Points that a part must have at least: a pair of tasks is not a part."""


def box_cut(cells: Cells, enough: float = np.inf) -> Cut | None:
    """Of the cuts that gain more than `enough` the one in the widest gap, since the cut that gains
    most may run through a third cloud; if none does, the one that gains most. None if the points
    are too few or all the same."""
    n = len(cells.points)
    if n < 2 * LEAST_PART:
        return None
    lines = sorting_lines(cells.points)
    orders = np.argsort(lines, axis=0, kind="stable")
    gaps = np.diff(np.take_along_axis(lines, orders, axis=0), axis=0)
    gains = np.column_stack([_gains(cells.rows(order)) for order in orders.T])
    gains[gaps <= RESOLUTION] = -np.inf
    gains[: LEAST_PART - 1] = gains[n - LEAST_PART :] = -np.inf
    best = np.where(gains > enough, gaps, 0.0) if (gains > enough).any() else gains
    place, line = np.unravel_index(best.argmax(), best.shape)
    if not np.isfinite(gains[place, line]):
        return None
    left = np.zeros(n, dtype=bool)
    left[orders[: place + 1, line]] = True
    return Cut(left, float(gains[place, line]))


def _gains(ordered: Cells) -> FloatArray:
    """The gains of the cuts after the first 1 … n-1 points, (n - 1,)."""
    ahead = _log_volumes(ordered.lower, ordered.upper)
    behind = _log_volumes(ordered.lower[::-1], ordered.upper[::-1])
    gains: FloatArray = ahead[-1] - np.logaddexp(ahead[:-1], behind[-2::-1])
    return gains


def box_log_volume(cells: Cells) -> float:
    """Log volume of the box around the cells."""
    return float(_log_volumes(cells.lower, cells.upper)[-1])


def _log_volumes(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Log volumes of the boxes around the first 1 … n cells, with room as in `fit_box`, (n,)."""
    n, dim = lower.shape
    low, high = np.minimum.accumulate(lower), np.maximum.accumulate(upper)
    reach = np.array([least_reach(count, dim) for count in range(1, n + 1)])[:, None]
    flat = high - low <= RESOLUTION
    low = np.where(flat, np.maximum(low - reach, 0.0), low)
    high = np.where(flat, np.minimum(high + reach, 1.0), high)
    volumes: FloatArray = np.log(high - low).sum(axis=1)
    return volumes


def box_chance(n: int, dim: int) -> float:
    """What the best cut of one cloud saves in 99 of 100 clouds at most, in nats. The constants are
    measured: docs/mixtures.md."""
    return 0.14 * dim + (5.0 + 3.6 * dim) / n


def stays_in_box(points: FloatArray, box: Box) -> BoolArray:
    """Which points (n, p) lie inside the box of the others: all but those that alone hold a
    face."""
    spread = np.ptp(points, axis=0) > RESOLUTION
    return box.contains(points) & ~_holds_a_face(points[:, spread])


def _holds_a_face(points: FloatArray) -> BoolArray:
    """Which points alone have the smallest or largest value of some coordinate."""
    alone = np.zeros(len(points), dtype=bool)
    for end in (points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)):
        on_face = np.abs(points - end) <= RESOLUTION
        alone |= (on_face & (on_face.sum(axis=0) == 1)).any(axis=1)
    return alone


BOX_SPLITTING = Splitting(box_cut, box_log_volume, box_chance, stays_in_box)
