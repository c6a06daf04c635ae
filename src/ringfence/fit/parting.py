"""How many parts: a cloud is cut in two, and its parts again, while that saves more than chance.

The best cut of one uniform or normal cloud saves some volume, too, the more the fewer its points
are for its dimensions. What it saves in 99 of 100 such clouds is `chance_gain`, measured by
`python -m benchmarks.mixtures chance` (docs/mixtures.md). A cut must save more than that, and at
least a quarter of the volume.

A cut that frees one part may run through another. So in the end two parts are joined again where
one region around both is no larger, by the same measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import IntArray
from ringfence.fit.box_cut import box_cut, box_log_volume
from ringfence.fit.cut import Cells, Cut
from ringfence.regions import MOST_PARTS

LEAST_GAIN = math.log(4 / 3)
"""A cut that saves less than a quarter of the volume is not worth a further part."""


@dataclass(frozen=True)
class Measure:
    """Cuts and volumes of one shape of part."""

    cut: Callable[[Cells, float], Cut | None]
    log_volume: Callable[[Cells], float]
    chance: Callable[[int, int], float]

    @classmethod
    def of(cls, shape: str) -> Measure:
        """That of 'boxes' or 'ellipsoids'."""
        if shape == "boxes":
            return cls(box_cut, box_log_volume, box_chance)
        # brings scipy; boxes do without
        from ringfence.fit.ellipsoid_cut import ellipsoid_cut, ellipsoid_log_volume

        return cls(ellipsoid_cut, ellipsoid_log_volume, ellipsoid_chance)

    def enough(self, cells: Cells) -> float:
        """The gain that a cut of these points must exceed, in nats."""
        return max(self.chance(*cells.points.shape), LEAST_GAIN)

    def worthwhile(self, cells: Cells) -> Cut | None:
        """The best cut, where it saves enough."""
        enough = self.enough(cells)
        cut = self.cut(cells, enough)
        return cut if cut is not None and cut.gain > enough else None

    def excess(self, both: Cells, one: float, other: float) -> float:
        """By how much two parts with these log volumes are better than one around all points of
        both; negative where they are not."""
        return self.log_volume(both) - float(np.logaddexp(one, other)) - self.enough(both)


def box_chance(n: int, dim: int) -> float:
    """What the best cut of one cloud saves in 99 of 100 clouds at most, in nats."""
    return 0.14 * dim + (5.0 + 3.6 * dim) / n


def ellipsoid_chance(n: int, dim: int) -> float:
    """The same for ellipsoids; n ≤ p points have none of their own."""
    return 0.15 + 0.04 * dim + 8.0 * dim / (n - dim) if n > dim else math.inf


def parted(cells: Cells, measure: Measure) -> list[IntArray]:
    """The rows of each part, in the order of their first rows."""
    parts = _joined(cells, _cut_up(cells, measure), measure)
    return sorted(parts, key=lambda rows: int(rows[0]))


def _cut_up(cells: Cells, measure: Measure) -> list[IntArray]:
    parts = [np.arange(len(cells.points))]
    if not cells.points.shape[1]:
        return parts
    cuts = [measure.worthwhile(cells)]
    while len(parts) < MOST_PARTS and any(cuts):
        at = max(range(len(parts)), key=lambda i: cut.gain if (cut := cuts[i]) else -math.inf)
        best = cuts[at]
        assert best is not None
        halves = [parts[at][best.left], parts[at][~best.left]]
        parts[at : at + 1] = halves
        cuts[at : at + 1] = [measure.worthwhile(cells.rows(rows)) for rows in halves]
    return parts


def _joined(cells: Cells, parts: Sequence[IntArray], measure: Measure) -> list[IntArray]:
    """The parts, two of them as one wherever they are not better apart."""
    parts = list(parts)
    while len(parts) > 2:
        volumes = [measure.log_volume(cells.rows(rows)) for rows in parts]
        pairs = [(i, j) for j in range(len(parts)) for i in range(j)]
        excess = [
            measure.excess(cells.rows(np.union1d(parts[i], parts[j])), volumes[i], volumes[j])
            for i, j in pairs
        ]
        worst = int(np.argmin(excess))
        if excess[worst] > 0:
            break
        i, j = pairs[worst]
        parts[i] = np.union1d(parts[i], parts.pop(j))
    return parts
