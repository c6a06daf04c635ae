"""The affine hull of a cloud of points, in coordinates where the cloud has unit second moments.

symbol   meaning                                                         shape
x        points                                                          (T, p)
r        affine rank: dimension of the hull, r ≤ min(p, T - 1)
s        range of each coordinate; a constant coordinate has none        (p,)
Y        centered points over s; Y = U diag(√T σ) Vᵀ                     (T, p)
z        whitened points: x = origin + B z,  Σ z = 0,  Σ z zᵀ = T I      (T, r)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
ROUNDING = 4 * EPS
"""Relative error that a few operations on a coordinate may add up to."""


@dataclass(frozen=True)
class Frame:
    """Affine coordinates z on the hull of a cloud: x = origin + basis @ z."""

    origin: FloatArray  # (p,)
    basis: FloatArray  # (p, r)
    dual: FloatArray  # (p, r), dual.T @ basis = I

    @property
    def rank(self) -> int:
        """Dimension r of the hull."""
        return int(self.basis.shape[1])

    def whiten(self, points: FloatArray) -> FloatArray:
        """Map points (…, p) to their coordinates z (…, r); what leaves the hull is dropped."""
        z: FloatArray = (points - self.origin) @ self.dual
        return z

    def restore(self, z: FloatArray) -> FloatArray:
        """Map coordinates z (…, r) back to points (…, p) of the hull."""
        x: FloatArray = self.origin + z @ self.basis.T
        return x


def affine_frame(points: FloatArray, rtol: float = 1e-10) -> Frame:
    """The frame of the affine hull of `points` (T, p), T ≥ 1.

    Each coordinate is first measured by its own range, so the rank does not depend on units.
    A direction counts if the spread of the points along it exceeds both `rtol` times the largest
    spread and what rounding the points to double precision could have caused.
    """
    extent, magnitude = _extent(points)
    varies = extent > np.maximum(ROUNDING * magnitude, TINY / EPS)
    scale = np.where(varies, extent, 1.0)

    # Differences to a point of the cloud are exact to the last bit if the cloud is far from 0.
    scaled = np.where(varies, (points - points[0]) / scale, 0.0)
    mean = scaled.mean(axis=0)
    scaled -= mean
    # QR before the SVD: the Gram matrix would square the condition number.
    _, singular, directions = np.linalg.svd(np.linalg.qr(scaled, mode="r"), full_matrices=False)
    spread = singular / np.sqrt(len(points))
    noise = ROUNDING * np.sqrt(directions**2 @ np.where(varies, magnitude / scale, 0.0) ** 2)
    counts = spread > np.maximum(rtol * spread[0], noise)

    spread, directions = spread[counts], np.where(varies, directions[counts], 0.0).T
    return Frame(
        origin=points[0] + scale * mean,
        basis=scale[:, None] * directions * spread,
        dual=directions / spread / scale[:, None],
    )


def _extent(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The range and the largest magnitude of each coordinate, both finite; (p,) each."""
    if points.ndim != 2 or 0 in points.shape:
        raise FitError(f"points must have shape (T, p) with T, p ≥ 1, not {points.shape}")
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = points.min(axis=0), points.max(axis=0)
        extent = high - low
    if not np.isfinite(extent).all():
        column = int(np.flatnonzero(~np.isfinite(extent))[0])
        raise FitError(
            f"coordinate {column} of the points runs from {low[column]} to {high[column]}: "
            "every coordinate and its range must be finite; drop or mend those points"
        )
    return extent, np.maximum(np.abs(low), np.abs(high))
