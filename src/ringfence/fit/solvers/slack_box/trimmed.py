"""A nested family of boxes to start from: drop the k points nearest to the rim, by rank.

The depth of a point is the smallest number of points beyond it, over all sides and coordinates.
With ranks neither scales nor heavy tails matter.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray


def trimmed_boxes(points: FloatArray) -> FloatArray:
    """Lower and negated upper bounds without the k = 0…T-1 shallowest points; shape (T, 2, p)."""
    T = len(points)
    order = points.argsort(axis=0, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(T)[:, None], axis=0)
    depth = np.minimum(rank, T - 1 - rank).min(axis=1)
    inward = points[depth.argsort(kind="stable")[::-1]]
    lower = np.minimum.accumulate(inward, axis=0)[::-1]
    upper = np.maximum.accumulate(inward, axis=0)[::-1]
    return np.stack([lower, -upper], axis=1)
