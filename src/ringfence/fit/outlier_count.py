"""How many tasks a share of outliers is: the one rounding of ⌈νT⌉."""

from __future__ import annotations

import math

from ringfence.errors import FitError

ROUNDING = 1e-9
"""νT this little above an integer is that integer: 0.1 times 30 is 3.0000000000000004."""


def n_outliers(outliers: float, n_tasks: int) -> int:
    """⌈νT⌉, the least number of tasks to leave outside."""
    if not 0.0 <= outliers < 1.0:
        raise FitError(f"outliers must be a share of the tasks, 0 <= outliers < 1, not {outliers}")
    return math.ceil(outliers * n_tasks - ROUNDING)
