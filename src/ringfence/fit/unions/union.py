"""A union of regions of one shape around the incumbents, as many as the data call for.

Each part is fitted on its own points by the solver of the single shape, so that one part alone is
the plain box or ellipsoid. Cuts are judged by the parts' own volumes. In the end the union,
overlaps and what lies beyond the cube left out, must hold tasks that were left out a third more
densely than one region does (left_out_density.py): else the next task's best would pay for the
volume.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.result import Fit
from ringfence.fit.unions.cells import Cells
from ringfence.fit.unions.clusters import clusters
from ringfence.fit.unions.left_out_density import left_out_log_density
from ringfence.fit.unions.splitting import LEAST_GAIN, Splitting
from ringfence.regions import Region, Union


@dataclass(frozen=True, eq=False)
class UnionFit:
    """The parts, and the evidence for all of them together."""

    fits: tuple[Fit[Any], ...]
    labels: IntArray
    """(n,) the part of each point."""

    @property
    def slack(self) -> FloatArray:
        """(n,) ξ ≥ 0 of each point in its own part."""
        slack = np.empty(len(self.labels))
        for number, fit in enumerate(self.fits):
            slack[self.labels == number] = fit.slack
        return slack

    @property
    def penalty(self) -> float | None:
        """The largest λ of the parts; None if none of them has slack."""
        return max((f.penalty for f in self.fits if f.penalty is not None), default=None)

    @property
    def gap(self) -> float:
        """The largest of the parts' certified gaps."""
        return max(fit.gap for fit in self.fits)

    @property
    def widened(self) -> int:
        """The most directions that the points of a part do not determine."""
        return max(fit.widened for fit in self.fits)

    def clipped(self) -> Region:
        """The union of the parts, each cut to the unit cube; of one part, the part itself."""
        parts = tuple(fit.clipped() for fit in self.fits)
        return Union(parts) if len(parts) > 1 else parts[0]

    def without(self, gone: BoolArray) -> None:
        """Always None: without some of the points another cut may be best."""
        return


def fit_union(
    cells: Cells,
    task: IntArray,
    fit_part: Callable[[FloatArray, float], Fit[Any]],
    splitting: Splitting,
    outliers: float,
) -> UnionFit:
    """The union around all points but a share `outliers`; `task` (n,) is the task that each of them
    comes from, its best first."""
    n = len(cells.points)

    def fit(labels: IntArray, shares: Sequence[float]) -> UnionFit:
        clouds = [cells.points[labels == number] for number in range(len(shares))]
        return UnionFit(tuple(map(fit_part, clouds, shares)), labels)

    labels, outside = clusters(cells, task, splitting, n_outliers(outliers, n))
    single = fit(np.zeros(n, dtype=np.int64), [outliers])
    sizes = np.bincount(labels, minlength=len(outside))
    if len(outside) == 1 or (outside >= sizes).any():  # a part of outliers alone is none
        return single
    parts = fit(labels, (outside / sizes).tolist())
    gain = _log_density(cells, parts, splitting) - _log_density(cells, single, splitting)
    return parts if gain > LEAST_GAIN else single


def _log_density(cells: Cells, fit: UnionFit, splitting: Splitting) -> float:
    regions = [part.region for part in fit.fits]
    clouds = [cells.points[fit.labels == number] for number in range(len(regions))]
    return left_out_log_density(clouds, regions, splitting, fit.clipped().log_volume)
