"""Whether numbers are spread on a log scale: by their range and median, or by their grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

DECADES = 30.0
"""A log scale is suggested by a median only if the largest value is at least this many times the
smallest: one and a half decades, since draws from two decades do not reach both ends."""
MOST_GRID_VALUES = 20
"""With more different values than this, numbers are not looked at as a grid."""
GRID_SPAN = 8.0
"""A grid spans three doublings at least; below that, both scales are much the same."""
UNEVEN = 1.6
"""The steps of a grid on a log scale differ by this factor at most: 1, 2, 5, 10 is one (1.32), and
so is 1, 3, 10 (1.1); 1, 2, 3 (1.7) is not."""


def spans_decades(low: float, high: float) -> bool:
    """Whether a log scale comes into question."""
    return low > 0 and high / low >= DECADES


def suggests_log(low: float, high: float, median: float) -> bool:
    """Whether the median lies nearer to the middle of the range on a log scale."""
    on_line = (median - low) / (high - low)
    on_log = _log_ratio(median, low) / _log_ratio(high, low)
    return abs(on_log - 0.5) < abs(on_line - 0.5)


def _log_ratio(high: float, low: float) -> float:
    ratio = high / low
    return math.log(ratio) if math.isfinite(ratio) else math.log(high) - math.log(low)


def is_log_grid(values: Sequence[float]) -> bool:
    """Whether the sorted different values are powers of two, or have about equal ratios."""
    if not 3 <= len(values) <= MOST_GRID_VALUES or values[0] <= 0:
        return False
    if values[0] >= 1 and all(math.frexp(value)[0] == 0.5 for value in values):
        return values[-1] >= 8
    if values[-1] / values[0] < GRID_SPAN:
        return False
    steps = [math.log(after / before) for before, after in pairwise(values)]
    return max(steps) <= UNEVEN * min(steps)
