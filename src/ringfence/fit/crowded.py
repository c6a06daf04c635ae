"""How densely tasks would lie inside a region that was drawn without them.

A point that alone holds a face of a box, or that touches an ellipsoid, lies outside the region of
the others: the region without it is smaller. All other points lie inside it. So the share of the
tasks that a next one's chances are like is known without any further fit, and over the volume it
is a density: parts that hug their points win volume and lose that share.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.fit.fit import RESOLUTION
from ringfence.regions import Box, Ellipsoid

TOUCHES = 1e-4  # below 1, for the norm of a point that may have a multiplier


def log_density(
    clouds: Sequence[FloatArray], regions: Sequence[Box | Ellipsoid], log_volume: float
) -> float:
    """log of the share of all points that lie inside when left out, over the volume; `clouds` has
    the points (n, p) of each region. One more inside and one more outside keep it finite."""
    total = sum(map(len, clouds))
    held = sum(int(stays_inside(c, region).sum()) for c, region in zip(clouds, regions))
    return math.log((held + 1) / (total + 2)) - log_volume


def stays_inside(points: FloatArray, region: Box | Ellipsoid) -> BoolArray:
    """Which of the points (n, p) that a region was fitted to lie inside that of the others."""
    if isinstance(region, Box):
        return region.contains(points) & ~_holds_a_face(points[:, _spread(points)])
    _, place, count = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    touches = region.norm(points) > 1.0 - TOUCHES
    twin = (count > 1)[place.ravel()] & region.contains(points)
    return np.asarray(~touches | twin)


def _holds_a_face(points: FloatArray) -> BoolArray:
    """Which points alone have the smallest or largest value of some coordinate."""
    alone = np.zeros(len(points), dtype=bool)
    for end in (points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)):
        there = np.abs(points - end) <= RESOLUTION
        alone |= (there & (there.sum(axis=0) == 1)).any(axis=1)
    return alone


def _spread(points: FloatArray) -> BoolArray:
    return np.asarray(np.ptp(points, axis=0) > RESOLUTION)
