"""Few tasks know a parameter: how much room do their bests need?

The draws are those of mismatch_cases.py. A third of the numeric parameters is known to k of a
target's sources only. Along these the box is the range of the k bests (`plain`), at least the room
of k tasks around their middle (`room`, as `fit_box` has it), or all of the range (`whole`). Random
search inside a box is exact.
"""

from __future__ import annotations

import numpy as np

from benchmarks.mismatch_cases import Draw, Target, cell
from benchmarks.mismatch_ranges import searched
from benchmarks.transfer_cases import Table
from ringfence.arrays import BoolArray
from ringfence.fit.result import least_reach

KNOWERS = (1, 2, 3, 4, 5)
WAYS = ("plain", "room", "whole")


def knower_cells(table: Table, number: int) -> list[dict[str, object]]:
    """One draw of a table: every target, number of knowers and way."""
    draw = Draw(table, number)
    cells = []
    for name in draw.targets:
        target = Target.of(draw.tasks[name], draw.layout, number)
        sources = [draw.source(task, "intact") for task in draw.shuffled if task != name]
        bests = np.concatenate([source.best(1)[0] for source in sources])
        for k in KNOWERS:
            for way in WAYS:
                inside = _inside(draw, target, bests, k, way)
                cells.append(cell(target, str(k), way, searched(target, inside)))
    return cells


def _inside(draw: Draw, target: Target, bests: np.ndarray, k: int, way: str) -> BoolArray:
    """Which candidates lie in the box; the first k sources know everything."""
    inside = np.ones(len(target.task.rows), dtype=bool)
    for j, (name, axis) in enumerate(zip(draw.layout.names, draw.layout.axes)):
        rare = name in draw.cut
        known = bests[:k, j] if rare else bests[:, j]
        known = known[~np.isnan(known)]
        if axis is None or not len(known) or (rare and way == "whole"):
            continue
        low, high = known.min(), known.max()
        if rare and way == "room":
            middle, reach = (low + high) / 2, least_reach(k, 1)
            low, high = min(low, middle - reach), max(high, middle + reach)
        column = target.task.rows[:, j]
        inside &= np.isnan(column) | ((column >= low - 1e-9) & (column <= high + 1e-9))
    return inside
