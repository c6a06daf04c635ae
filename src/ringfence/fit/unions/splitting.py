"""Into how many parts: a cloud is split in two, and its parts again, while that saves more volume
than chance.

The best cut of one uniform or normal cloud saves some volume, too, the more the fewer its points
are for its dimensions. What it saves in 99 of 100 such clouds is the `chance` of each shape,
measured by `python -m benchmarks.mixtures chance` (docs/mixtures.md). A cut must save more than
that, and at least a quarter of the volume.

A cut that frees one part may run through another. So in the end two parts are merged if one region
around both is no larger, by the same measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.unions.cells import Cells, Cut
from ringfence.regions import MOST_PARTS

LEAST_GAIN = math.log(4 / 3)
"""A cut that saves less than a quarter of the volume is not worth a further part."""


@dataclass(frozen=True)
class Splitting:
    """How clouds are split into parts of one shape."""

    cut: Callable[[Cells, float], Cut | None]
    """The best cut in two, given the gain that would be enough; None if there are too few
    points."""
    log_volume: Callable[[Cells], float]
    """Log volume, up to a constant, of the region around the cells."""
    chance: Callable[[int, int], float]
    """What the best cut of n points in p dimensions saves in 99 of 100 clouds at most, in nats."""
    stays_inside: Callable[[FloatArray, Any], BoolArray]
    """Which of the points (n, p) that a region was fitted to lie inside that of the others."""

    def enough(self, cells: Cells) -> float:
        """The gain that a cut of these points must exceed, in nats."""
        return max(self.chance(*cells.points.shape), LEAST_GAIN)

    def worthwhile(self, cells: Cells) -> Cut | None:
        """The best cut, if it saves enough."""
        enough = self.enough(cells)
        cut = self.cut(cells, enough)
        return cut if cut is not None and cut.gain > enough else None

    def excess(self, both: Cells, one: float, other: float) -> float:
        """By how much two parts with these log volumes are better than one around all points of
        both; negative if they are not."""
        return self.log_volume(both) - float(np.logaddexp(one, other)) - self.enough(both)

    def parts(self, cells: Cells) -> list[IntArray]:
        """The rows of each part, in the order of their first rows."""
        parts = self._merged(cells, self._split(cells))
        return sorted(parts, key=lambda rows: int(rows[0]))

    def _split(self, cells: Cells) -> list[IntArray]:
        parts = [np.arange(len(cells.points))]
        if not cells.points.shape[1]:
            return parts
        cuts = [self.worthwhile(cells)]
        while len(parts) < MOST_PARTS and any(cuts):
            best = max(range(len(parts)), key=lambda i: cut.gain if (cut := cuts[i]) else -math.inf)
            cut = cuts[best]
            assert cut is not None
            halves = [parts[best][cut.left], parts[best][~cut.left]]
            parts[best : best + 1] = halves
            cuts[best : best + 1] = [self.worthwhile(cells.rows(rows)) for rows in halves]
        return parts

    def _merged(self, cells: Cells, parts: Sequence[IntArray]) -> list[IntArray]:
        """The parts, two of them as one as long as they are not better apart."""
        parts = list(parts)
        while len(parts) > 2:
            volumes = [self.log_volume(cells.rows(rows)) for rows in parts]
            pairs = [(i, j) for j in range(len(parts)) for i in range(j)]
            excess = [
                self.excess(cells.rows(np.union1d(parts[i], parts[j])), volumes[i], volumes[j])
                for i, j in pairs
            ]
            worst = int(np.argmin(excess))
            if excess[worst] > 0:
                break
            i, j = pairs[worst]
            parts[i] = np.union1d(parts[i], parts.pop(j))
        return parts
