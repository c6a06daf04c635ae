"""Points that lack coordinates and leave directions undetermined, and points more that give room.

A shadow of the ellipsoid can shrink to nothing along a normal if the points that have all of its
coordinates lie on a plane with that normal; whoever lacks one of them can always be completed to
lie on the plane. For each set of coordinates that some point has, such normals are looked for. One
of their coordinates, the one that the fewest points have, is then given room: two points more, the
mean of those points moved to both sides along this coordinate.
"""

from __future__ import annotations

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.fit.result import RESOLUTION, least_reach
from ringfence.fit.solvers.affine import affine_frame
from ringfence.regions.completion import patterns


def with_room(points: FloatArray) -> tuple[FloatArray, int]:
    """`points` (n, p), NaN where they lack a coordinate, followed by those that give room; and the
    number of directions that needed it."""
    known = ~np.isnan(points)
    count = known.sum(axis=0)
    made: dict[bytes, FloatArray] = {}
    for has, _ in patterns(points):
        together = has.copy()
        while together.any():
            cloud = points[known[:, together].all(axis=1)][:, together]
            loose = _on_normals(cloud)
            if not loose.any():
                break
            places = np.flatnonzero(together)[loose]
            rarest = int(places[np.argmin(count[places])])
            made.setdefault(
                together.tobytes() + bytes([rarest % 256, rarest // 256]),
                _pair(cloud.mean(axis=0), together, rarest, len(cloud)),
            )
            together[rarest] = False
    return np.concatenate([points, *made.values()]), len({key[-2:] for key in made})


def _on_normals(cloud: FloatArray) -> BoolArray:
    """Which coordinates some normal of the points' affine hull has, (k,)."""
    agreed = np.ptp(cloud, axis=0) <= RESOLUTION
    frame = affine_frame(np.where(agreed, cloud[0], cloud), RESOLUTION)
    directions = (
        np.linalg.svd(frame.basis, full_matrices=True)[0] if frame.rank else np.eye(len(agreed))
    )
    normals = directions[:, frame.rank :]
    return np.asarray((np.abs(normals) > RESOLUTION).any(axis=1))


def _pair(middle: FloatArray, has: BoolArray, place: int, n_points: int) -> FloatArray:
    """The two points that give room along one coordinate."""
    pair = np.full((2, len(has)), np.nan)
    pair[:, has] = middle
    reach = least_reach(n_points, int(has.sum()))
    pair[:, place] = np.clip(pair[:, place] + [-reach, reach], 0.0, 1.0)
    return pair
