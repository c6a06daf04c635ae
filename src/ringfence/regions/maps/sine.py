"""A smooth map from the whole of R^p onto a clipped body, for searches that follow gradients.

symbol   meaning                                                             shape
w        coordinates, unbounded; r = ‖w‖                                     (n, p)
v        F w: the way from the anchor a, with the body's factor F            (n, p)
t(w)     the largest t with a + t v inside, homogeneous of degree -1         (n,)
x        a + φ v with φ = |sin r| t(w)                                       (n, p)

At r = π/2 a ray reaches the boundary with speed zero and turns back: a maximum on the boundary is
a stationary point, and no bounds are needed. At r = π it is back at the anchor and sets out again.
The gauge map (gauge.py) has kinks on all diagonals, where a search by gradients gets stuck; this
one has them only at the anchor and where faces of the cube cut a smooth body.

In the frame of the body the anchor is b and the way is w itself, so that the ray leaves the body
where b + t w does, with the normal n there, and a face of the cube at t = room / |v_j|, with
n = ± row j of F. t w stays on the boundary as w changes, so ∇t = -t n / (n·w), and a gradient g by
x becomes φ Fᵀg + (v·g) ∇φ by w.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from ringfence.arrays import FloatArray, IntArray
from ringfence.regions.region import Body, Pullback

TINY = 1e-12  # the anchor itself has no direction; any will do


@dataclass(frozen=True, eq=False)
class SineMap:
    """Coordinates w of a body cut to the unit cube, around a point inside."""

    body: Body
    anchor: FloatArray
    """a, (p,)."""
    bounds: tuple[float, float] = (-np.inf, np.inf)

    def decode(self, w: FloatArray) -> FloatArray:
        """Coordinates (n, p) → points of the region."""
        return self.linearized(w)[0]

    def linearized(self, w: FloatArray) -> tuple[FloatArray, Pullback]:
        """The points at w (n, p), and what turns gradients by them into gradients by w."""
        rays = self._rays(w)
        sine = np.abs(np.sin(rays.r))
        points = self.anchor + (sine * rays.t)[:, None] * rays.v
        return np.minimum(np.maximum(points, 0.0), 1.0), partial(self._pullback, rays, sine)

    def encode(self, points: FloatArray) -> FloatArray:
        """Coordinates, r ≤ π/2, of points inside; points outside go to the boundary on their
        ray."""
        w = (np.asarray(points, float) - self.anchor) @ self.body.inverse.T
        rays = self._rays(w)
        at_the_anchor = np.linalg.norm(w, axis=1) <= TINY
        share = np.where(at_the_anchor, 0.0, np.minimum(1.0 / rays.t, 1.0))
        coordinates: FloatArray = w * (np.arcsin(share) / rays.r)[:, None]
        return coordinates

    def _pullback(self, rays: _Rays, sine: FloatArray, gradient: FloatArray) -> FloatArray:
        factor = self.body.factor
        slope = np.copysign(np.cos(rays.r), np.sin(2.0 * rays.r))  # of |sin r|
        of_body = self.body.normal(self._b + rays.t[:, None] * rays.w)
        normal = np.where((rays.face < 0)[:, None], of_body, factor[rays.face])
        by_t = -(rays.t / np.einsum("ij,ij->i", normal, rays.w))[:, None] * normal
        by_r = rays.w / rays.r[:, None]
        by_phi = (slope * rays.t)[:, None] * by_r + sine[:, None] * by_t
        along = np.einsum("ij,ij->i", rays.v, gradient)
        pulled: FloatArray = (sine * rays.t)[:, None] * (gradient @ factor)
        pulled += along[:, None] * by_phi
        return pulled

    @cached_property
    def _b(self) -> FloatArray:
        """F⁻¹(a - c): the anchor in the frame of the body, (p,)."""
        return np.asarray(self.body.inverse @ (self.anchor - self.body.center))

    def _rays(self, w: FloatArray) -> _Rays:
        r = np.sqrt(np.einsum("ij,ij->i", w, w))
        if r.min(initial=1.0) <= TINY:
            w = np.where((r > TINY)[:, None], w, TINY)
            r = np.linalg.norm(w, axis=1)
        v = w @ self.body.factor.T
        to_body = self.body.leave(self._b, w)
        room = np.where(v > 0.0, 1.0 - self.anchor, self.anchor)
        speed = np.abs(v) / np.maximum(room, TINY)
        to_face = 1.0 / np.maximum(speed.max(axis=1), TINY)
        face = np.where(to_face < to_body, speed.argmax(axis=1), -1)
        return _Rays(w, r, v, np.minimum(to_body, to_face), face)


@dataclass(frozen=True, eq=False)
class _Rays:
    """From the anchor to where each ray leaves the region."""

    w: FloatArray
    r: FloatArray
    v: FloatArray
    t: FloatArray
    face: IntArray
    """The coordinate of the face of the cube through which it leaves, -1 for the body."""
