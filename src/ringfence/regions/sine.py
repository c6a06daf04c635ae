"""A smooth map from the whole of R^p onto a clipped ellipsoid, for searches that follow gradients.

    symbol   meaning                                                             shape
    w        coordinates, unbounded; r = ‖w‖                                     (n, p)
    v        F w: the way from the anchor a, with the ellipsoid's factor F        (n, p)
    t(v)     the largest t with a + t v inside, homogeneous of degree -1         (n,)
    x        a + φ v with φ = sin(r) t(v)                                        (n, p)

At r = π/2 a ray reaches the boundary with speed zero and turns back: a maximum on the boundary is
a stationary point, and no bounds are needed. The cube's gauge map (cube.py) has kinks on all
diagonals, where a search by gradients gets stuck; this one has them only where faces of the cube
cut the ellipsoid. ∇t = -t n / (n·v) with the outward normal n where the ray leaves, so a gradient g
by x becomes φ Fᵀg + (v·g) ∇φ by w.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.regions.clipped import Clipped
from ringfence.regions.walk import chord

TINY = 1e-12  # the anchor itself has no direction; any will do


def sine_from(region: Clipped, w: FloatArray) -> FloatArray:
    """Coordinates (n, p) → points of the region."""
    v, r, t = _rays(region, w)
    points = region.anchor + (np.sin(r) * t)[:, None] * v
    return np.clip(points, 0.0, 1.0)


def sine_to(region: Clipped, points: FloatArray) -> FloatArray:
    """Coordinates, r ≤ π/2, of points inside; points outside go to the boundary on their ray."""
    v = np.asarray(points, float) - region.anchor
    w = v @ region.ellipsoid.inverse.T
    length = np.linalg.norm(w, axis=1)
    far = length > TINY
    share = np.zeros(len(w))
    anchors = np.broadcast_to(region.anchor, v[far].shape)
    share[far] = np.minimum(1.0 / chord(region.ellipsoid, anchors, v[far])[1], 1.0)
    coordinates: FloatArray = w * (np.arcsin(share) / np.maximum(length, TINY))[:, None]
    return coordinates


def sine_pullback(region: Clipped, w: FloatArray, gradient: FloatArray) -> FloatArray:
    """The gradient by w from the gradient by the points at w, both (n, p)."""
    v, r, t = _rays(region, w)
    factor = region.ellipsoid.factor
    normal = _normals(region, region.anchor + t[:, None] * v, v)
    by_t = -(t / np.einsum("ij,ij->i", normal, v))[:, None] * (normal @ factor)
    unit = w / np.maximum(r, TINY)[:, None]
    by_phi = (np.cos(r) * t)[:, None] * unit + np.sin(r)[:, None] * by_t
    along = np.einsum("ij,ij->i", v, gradient)
    pulled: FloatArray = (np.sin(r) * t)[:, None] * (gradient @ factor) + along[:, None] * by_phi
    return pulled


def _rays(region: Clipped, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """v, r and t(v)."""
    r = np.linalg.norm(w, axis=1)
    moved = np.where((r > TINY)[:, None], w, TINY)
    v = moved @ region.ellipsoid.factor.T
    t = chord(region.ellipsoid, np.broadcast_to(region.anchor, v.shape), v)[1]
    return v, np.linalg.norm(moved, axis=1), t


def _normals(region: Clipped, exits: FloatArray, v: FloatArray) -> FloatArray:
    """The outward normal where each ray leaves: the ellipsoid's, or that of a face of the cube."""
    ellipsoid = region.ellipsoid
    ball = (exits - ellipsoid.center) @ ellipsoid.inverse.T
    normals: FloatArray = ball @ ellipsoid.inverse
    face = np.maximum(exits - 1.0, -exits).argmax(axis=1)
    through_face = np.flatnonzero(np.linalg.norm(ball, axis=1) < 1.0 - 1e-9)
    normals[through_face] = 0.0
    normals[through_face, face[through_face]] = np.sign(v[through_face, face[through_face]])
    return normals
