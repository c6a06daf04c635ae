"""Which tasks' rows gather around the task's best, as an optimizer's do and random draws do not.

symbol   meaning
q        share of the space in a box around the task's best row; AROUND unless it is cut off
n        number of the task's other rows, of which Binomial(n, q) lie in the box by chance
s        the share of them that does

A task is crowded if s is TIMES as large as q and chance makes it that large less than once in
1 / UNLIKELY, by Chernoff's bound exp(-n KL(s, q)). Only numeric parameters that are always active
count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.checking.left_out.recorded import RecordedTask
from ringfence.space import Encoding

AROUND = 0.05
TIMES = 3.0
UNLIKELY = 1e-4


def crowded_tasks(encoding: Encoding, tasks: Sequence[RecordedTask]) -> list[str]:
    """The names of the crowded tasks; `encoding` is that of a block."""
    names = []
    for task in tasks:
        points = np.column_stack([task.coordinates[name] for name in encoding.names])
        unknown = np.asarray(np.isnan(points).all(axis=0))
        if unknown.all():
            continue
        points = np.where(unknown, 0.5, points)
        lower, upper = _box_around(encoding, points[0], unknown)
        in_box = ((points >= lower) & (points <= upper)).all(axis=1)
        if _is_crowded(len(points) - 1, int(in_box.sum()) - 1, float(np.prod(upper - lower))):
            names.append(task.name)
    return names


def _box_around(
    encoding: Encoding, center: FloatArray, unknown: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """A cube of the volume AROUND, cut to the space and widened to the cells of integers; it has
    all of a parameter that the task did not tune."""
    half = np.where(unknown, 1.0, 0.5 * AROUND ** (1 / (~unknown).sum()))
    lower, upper = np.clip(center - half, 0.0, 1.0), np.clip(center + half, 0.0, 1.0)
    return encoding.cell_bounds((lower, upper))


def _is_crowded(n: int, n_in_box: int, chance: float) -> bool:
    """Whether this many of `n` rows are too many for a box with this share of the space."""
    if n < 1 or n_in_box <= TIMES * chance * n:
        return False
    share = n_in_box / n
    divergence = share * math.log(share / chance)
    if share < 1:
        divergence += (1 - share) * math.log((1 - share) / (1 - chance))
    return n * divergence > -math.log(UNLIKELY)
