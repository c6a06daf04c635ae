"""A smooth map from the whole of R^p onto a clipped ellipsoid, for searches that follow gradients.

    symbol   meaning                                                             shape
    w        coordinates, unbounded; r = ‖w‖                                     (n, p)
    v        F w: the way from the anchor a, with the ellipsoid's factor F        (n, p)
    t(w)     the largest t with a + t v inside, homogeneous of degree -1         (n,)
    x        a + φ v with φ = |sin r| t(w)                                       (n, p)

At r = π/2 a ray reaches the boundary with speed zero and turns back: a maximum on the boundary is
a stationary point, and no bounds are needed. At r = π it is back at the anchor and sets out anew.
The cube's gauge map (cube.py) has kinks on all diagonals, where a search by gradients gets stuck;
this one has them only at the anchor and where faces of the cube cut the ellipsoid.

In the coordinates of the unit ball the anchor is b and the way is w itself, so that the ellipsoid
ends at the positive root of r² t² + 2 (b·w) t = 1 - ‖b‖², with the normal n = b + t w, and a face
of the cube at t = room / |v_j|, with n = ± row j of F. t w stays on the boundary as w changes, so
∇t = -t n / (n·w), and a gradient g by x becomes φ Fᵀg + (v·g) ∇φ by w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.regions.clipped import Clipped

TINY = 1e-12  # the anchor itself has no direction; any will do


Pullback: TypeAlias = Callable[[FloatArray], FloatArray]
"""The gradient by the coordinates from the gradient by the points, both (n, p)."""


def sine_from(region: Clipped, w: FloatArray) -> FloatArray:
    """Coordinates (n, p) → points of the region."""
    return sine_linearized(region, w)[0]


def sine_linearized(region: Clipped, w: FloatArray) -> tuple[FloatArray, Pullback]:
    """The points at w (n, p), and what turns gradients by them into gradients by w."""
    rays = _rays(region, w)
    sine = np.abs(np.sin(rays.r))
    points = region.anchor + (sine * rays.t)[:, None] * rays.v
    return np.minimum(np.maximum(points, 0.0), 1.0), partial(_pullback, region, rays, sine)


def sine_to(region: Clipped, points: FloatArray) -> FloatArray:
    """Coordinates, r ≤ π/2, of points inside; points outside go to the boundary on their ray."""
    w = (np.asarray(points, float) - region.anchor) @ region.ellipsoid.inverse.T
    rays = _rays(region, w)
    at_the_anchor = np.linalg.norm(w, axis=1) <= TINY
    share = np.where(at_the_anchor, 0.0, np.minimum(1.0 / rays.t, 1.0))
    coordinates: FloatArray = w * (np.arcsin(share) / rays.r)[:, None]
    return coordinates


def _pullback(region: Clipped, rays: _Rays, sine: FloatArray, gradient: FloatArray) -> FloatArray:
    factor = region.ellipsoid.factor
    slope = np.copysign(np.cos(rays.r), np.sin(2.0 * rays.r))  # of |sin r|
    normal = np.where(
        (rays.face < 0)[:, None], rays.b + rays.t[:, None] * rays.w, factor[rays.face]
    )
    by_t = -(rays.t / np.einsum("ij,ij->i", normal, rays.w))[:, None] * normal
    by_r = rays.w / rays.r[:, None]
    by_phi = (slope * rays.t)[:, None] * by_r + sine[:, None] * by_t
    along = np.einsum("ij,ij->i", rays.v, gradient)
    pulled: FloatArray = (sine * rays.t)[:, None] * (gradient @ factor) + along[:, None] * by_phi
    return pulled


@dataclass(frozen=True, eq=False)
class _Rays:
    """From the anchor to where each ray leaves the region."""

    w: FloatArray
    r: FloatArray
    v: FloatArray
    b: FloatArray  # (p,)
    t: FloatArray
    face: IntArray
    """The coordinate of the face through which it leaves, -1 for the ellipsoid."""


def _rays(region: Clipped, w: FloatArray) -> _Rays:
    ellipsoid, anchor = region.ellipsoid, region.anchor
    r = np.sqrt(np.einsum("ij,ij->i", w, w))
    if r.min(initial=1.0) <= TINY:
        w = np.where((r > TINY)[:, None], w, TINY)
        r = np.linalg.norm(w, axis=1)
    v = w @ ellipsoid.factor.T
    b = region.anchor_in_ball
    h = w @ b
    to_ellipsoid = (np.sqrt(h * h + r * r * max(1.0 - b @ b, 0.0)) - h) / (r * r)
    speed = np.abs(v) / np.maximum(np.where(v > 0.0, 1.0 - anchor, anchor), TINY)
    to_face = 1.0 / np.maximum(speed.max(axis=1), TINY)
    face = np.where(to_face < to_ellipsoid, speed.argmax(axis=1), -1)
    return _Rays(w, r, v, b, np.minimum(to_ellipsoid, to_face), face)
