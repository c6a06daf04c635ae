"""The frame of an ellipsoid {c + F z : ‖z‖ ≤ 1}, in which it is the unit ball."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dtrtrs

from ringfence.arrays import FloatArray
from ringfence.fit.solvers.affine import EPS


def in_frame(points: FloatArray, center: FloatArray, factor: FloatArray) -> FloatArray:
    """y = F⁻¹(x - c) for every row x."""
    y, _ = dtrtrs(factor, (points - center).T, lower=1)
    return np.ascontiguousarray(y.T)


def blur(center: FloatArray, factor: FloatArray) -> float:
    """How far rounding of the center and of the factor may move the norm of a boundary point."""
    extent = np.abs(center) + np.linalg.norm(factor, axis=1)
    return EPS * float(np.linalg.norm(np.linalg.norm(np.linalg.inv(factor), axis=0) * extent))
