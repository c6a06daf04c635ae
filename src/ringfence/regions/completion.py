"""Points that lack coordinates, completed: in the unit cube, as deep inside an ellipsoid as can be.

The squared norm ‖F⁻¹(x - c)‖² is a convex quadratic in the missing coordinates, each of which stays
between 0 and 1. Most minima lie between these ends and are solved for at once; for the others one
guesses which coordinates sit at an end, solves for the rest, and corrects the guess: a coordinate
beyond an end goes to it, one that is pulled away from its end is let go. If all wrong ones are
exchanged at a time that may go in circles, so that after a while only the first is, which cannot
(Murty's rule for a strictly convex quadratic).

symbol   meaning                                                              shape
O, M     the coordinates that a point has, and that it lacks
A        F⁻¹                                                                  (p, p)
z        the missing coordinates                                              (n, m)
Q, h     ½ z'Qz - h'z is half the squared norm, up to a constant              (m, m), (n, m)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ringfence.arrays import BoolArray, FloatArray

TOGETHER = 10
"""Rounds in which all wrong guesses are exchanged at once; two or three are enough as a rule."""
ROUNDING = 1e-10
"""Of the larger of the two sides: a pull that is smaller is none."""


Pattern: TypeAlias = tuple[BoolArray, BoolArray]
"""A set of coordinates, (p,), and the rows that have these and no others, (n,)."""


def patterns(points: FloatArray) -> list[Pattern]:
    """The different sets of coordinates that rows of `points` (n, p) have."""
    known = ~np.isnan(points)
    return [(has, (known == has).all(axis=1)) for has in np.unique(known, axis=0)]


def completed(
    points: FloatArray,
    center: FloatArray,
    inverse: FloatArray,
    kinds: Sequence[Pattern] | None = None,
) -> FloatArray:
    """`points` (n, p) with every NaN replaced: the point of the unit cube with the least norm
    ‖inverse (x - center)‖ among those that agree with it elsewhere. `kinds` are their patterns, if
    these are known already."""
    if kinds is None:
        kinds = patterns(points) if np.isnan(points).any() else ()
    full = points.copy() if kinds else points
    for has, rows in kinds:
        if has.all():
            continue
        lacks = ~has
        some, columns = points[rows], inverse[:, lacks]
        known = (some[:, has] - center[has]) @ inverse[:, has].T
        some[:, lacks] = _least(columns, known, center[lacks])
        full[rows] = some
    return full


def _least(columns: FloatArray, known: FloatArray, center: FloatArray) -> FloatArray:
    """The z in [0, 1]^m that minimize ‖known + columns (z - center)‖, for each row of `known`."""
    units = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    Q = (columns / units).T @ (columns / units)
    h = -known @ (columns / units) + (center * units) @ Q
    z = _boxed(Q, h, units)
    return np.asarray(np.clip(z / units, 0.0, 1.0))


def _boxed(Q: FloatArray, h: FloatArray, most: FloatArray) -> FloatArray:
    """The minima of ½ z'Qz - h'z over 0 ≤ z ≤ most, Q positive definite; (n, m)."""
    z = np.asarray(np.linalg.solve(Q, h.T).T, dtype=float)
    wrong = ((z < 0) | (z > most)).any(axis=1)
    if wrong.any():
        z[wrong] = _pivoted(Q, h[wrong], most, z[wrong])
    return z


def _pivoted(Q: FloatArray, h: FloatArray, most: FloatArray, z: FloatArray) -> FloatArray:
    n, m = h.shape
    side = np.where(z < 0, -1, np.where(z > most, 1, 0))  # at 0, at its largest, or free
    busy = np.arange(n)
    for number in range(TOGETHER + 2**m if m < 20 else 20 * m):
        at = side[busy]
        fixed = np.where(at > 0, most, 0.0)
        held = at != 0
        systems = np.where(held[:, :, None] | held[:, None, :], 0.0, Q)
        systems[:, np.arange(m), np.arange(m)] = np.where(held, 1.0, Q.diagonal())
        right = np.where(held, fixed, h[busy] - fixed @ Q)
        found = np.linalg.solve(systems, right[:, :, None])[:, :, 0]
        slope = found @ Q - h[busy]
        small = ROUNDING * np.maximum(np.abs(h[busy]), np.abs(found @ Q))
        below, above = ~held & (found < 0), ~held & (found > most)
        freed = ((at < 0) & (slope < -small)) | ((at > 0) & (slope > small))
        wrong = below | above | freed
        z[busy] = found
        if number >= TOGETHER:
            wrong &= np.cumsum(wrong, axis=1) == 1
        side[busy] = np.where(wrong, np.where(below, -1, np.where(above, 1, 0)), at)
        busy = busy[wrong.any(axis=1)]
        if not busy.size:
            break
    return np.clip(z, 0.0, most)
