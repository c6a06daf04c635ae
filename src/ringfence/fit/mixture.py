"""A union of boxes or of ellipsoids around the incumbents, as many as the data call for.

Each part is fitted on its own points by the solvers of the single shapes, so that one part alone
is the plain box or ellipsoid. Cuts are judged by the parts' own volumes. In the end the union,
overlaps and what lies beyond the cube left out, must hold tasks that were left out a third more
densely than one region does (fit/crowded.py): else the next task's best would pay for the volume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.box import fit_box
from ringfence.fit.clusters import clusters
from ringfence.fit.crowded import log_density
from ringfence.fit.cut import Cells
from ringfence.fit.fit import Fit
from ringfence.fit.parting import LEAST_GAIN
from ringfence.fit.solvers.slack_box_penalty import n_outliers
from ringfence.regions import Box, Clipped, Ellipsoid, Union


@dataclass(frozen=True, eq=False)
class Mixture:
    """The parts, and the evidence for all of them together."""

    fits: tuple[Fit[Box] | Fit[Ellipsoid], ...]
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
        """The largest λ of the parts; None where none of them has slack."""
        return max((f.penalty for f in self.fits if f.penalty is not None), default=None)

    @property
    def gap(self) -> float:
        """The largest of the parts' certified gaps."""
        return max(fit.gap for fit in self.fits)

    @property
    def widened(self) -> int:
        """The most directions that the points of a part do not determine."""
        return max(fit.widened for fit in self.fits)

    def without(self, gone: BoolArray) -> None:
        """Nothing is known of the fit without some points: another cut may be best then."""
        return


def fit_mixture(cells: Cells, task: IntArray, shape: str, outliers: float) -> Mixture:
    """The union of `shape`, 'boxes' or 'ellipsoids', around all points but a share `outliers`;
    `task` (n,) tells which of them come from the same task, its best first."""
    n = len(cells.points)
    one = np.zeros(n, dtype=np.int64)
    labels, outside = clusters(cells, task, shape, n_outliers(outliers, n))
    single = _fitted(cells, one, [outliers], shape)
    if len(outside) == 1:
        return single
    parts = _fitted(cells, labels, (outside / np.bincount(labels)).tolist(), shape)
    gain = _log_density(cells, parts) - _log_density(cells, single)
    return parts if gain > LEAST_GAIN else single


def _fitted(cells: Cells, labels: IntArray, outliers: Sequence[float], shape: str) -> Mixture:
    clouds = [cells.points[labels == number] for number in range(len(outliers))]
    if shape == "boxes":
        return Mixture(tuple(fit_box(c, share) for c, share in zip(clouds, outliers)), labels)
    from ringfence.fit.ellipsoid import fit_ellipsoid  # brings scipy; boxes do without

    return Mixture(tuple(fit_ellipsoid(c, share) for c, share in zip(clouds, outliers)), labels)


def _log_density(cells: Cells, mixture: Mixture) -> float:
    regions = [fit.region for fit in mixture.fits]
    clouds = [cells.points[mixture.labels == number] for number in range(len(regions))]
    within = tuple(r if isinstance(r, Box) else Clipped(r) for r in regions)
    volume = Union(within).log_volume if len(within) > 1 else within[0].log_volume
    return log_density(clouds, regions, volume)
