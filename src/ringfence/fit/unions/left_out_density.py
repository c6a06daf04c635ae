"""How densely tasks would lie inside a region that was drawn without them.

A point that alone holds a face of a box, or that touches an ellipsoid, lies outside the region of
the others: the region without it is smaller. All other points lie inside it. So the chance of a new
task to lie inside is known without any further fit (`Splitting.stays_inside`), and over the volume
it is a density: parts that hug their points win volume and lose that chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ringfence.arrays import FloatArray
from ringfence.fit.unions.splitting import Splitting
from ringfence.regions import Fitted


def left_out_log_density(
    clouds: Sequence[FloatArray],
    regions: Sequence[Fitted],
    splitting: Splitting,
    log_volume: float,
) -> float:
    """log of the share of all points that lie inside when left out, over the volume; `clouds` has
    the points (n, p) of each region. One more inside and one more outside keep it finite."""
    total = sum(map(len, clouds))
    inside = sum(int(splitting.stays_inside(c, r).sum()) for c, r in zip(clouds, regions))
    return math.log((inside + 1) / (total + 2)) - log_volume
