"""Choose the penalty of eq. 8 from the share of outliers (section 5 of the paper).

The rule: the smallest λ that leaves at most (1 - ν)T tasks inside, that is at least k = ⌈νT⌉
outside. Since Σ α d = λ p and α = 1/T outside, #outside <= λ p T; and up to λ = (p + 1)/(pT) eq. 8
is eq. 6. So λ > max(k, p + 1)/(pT), and from there a crossing of the count is sought.

On the line the count never falls as λ grows. In more dimensions it may: `benchmarks/monotone.py`
finds a dip, by a task or two, in about a fifth of random clouds. What is returned is therefore a
crossing, not always the lowest.

| symbol | meaning                                                        |
|--------|----------------------------------------------------------------|
| ν, k   | share of outliers; number of tasks to leave outside            |
| T, p   | number of tasks, dimension                                     |
| x      | log λ                                                          |
| score  | positive where k tasks or more are outside; continuous in x    |
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.slack_ellipsoid.distinct import Tasks, merge_duplicates
from ringfence.fit.solvers.slack_ellipsoid.solve import (
    FEW,
    SlackEllipsoid,
    exact_ellipsoid,
    for_every_task,
    seen_from,
    solve,
)

CROSSING = 0.01  # of x: width of the bracket about the crossing
SAMPLE_CROSSING = 0.02
ROUGH = 1e-4  # nats, while searching
OUTSIDE = 1e-5  # slack from which a task counts as outside
MAX_SOLVES = 60
LONGEST_STEP = 0.4  # of x
SLOPE, SLOPE_OF_MANY = 0.5, 0.08  # of the score
LARGEST = 1e4  # λ p, the mean distance of the tasks in radii: the ellipsoid has all but vanished


def slack_ellipsoid_for(
    points: FloatArray, outliers: float, *, tol: float = 1e-9
) -> SlackEllipsoid:
    """The slack ellipsoid of `points` (T, p) that leaves a share `outliers` of them outside.

    Its penalty is at most 1 % above one that leaves fewer than ⌈outliers T⌉ points outside. Several
    points may leave at once: where the exact ellipsoid touches p + 1 points only, all of them do.
    Without outliers it is that ellipsoid, of eq. 6, with the largest penalty that gives it.

    Points that hold the center, such as many at one place, cannot be left outside by an ellipsoid
    of any size. Then as many are left outside as can be, `n_outside(fit)` < outliers T.
    """
    tasks, row = merge_duplicates(points)
    if n_outliers(outliers, len(row)) == 0:
        return for_every_task(exact_ellipsoid(tasks, tol), tasks, row)
    return for_every_task(_search(tasks, outliers, CROSSING, tol), tasks, row)


def n_outside(fit: SlackEllipsoid) -> int:
    """Number of tasks with a strictly positive slack."""
    return int((fit.norms > 1 + OUTSIDE).sum())


def _search(tasks: Tasks, outliers: float, resolution: float, tol: float) -> SlackEllipsoid:
    """The fit at the upper end of a bracket about a crossing, both ends solved to `tol`."""
    p, n_tasks = tasks.points.shape[1], int(tasks.copies.sum())
    k = n_outliers(outliers, n_tasks)
    boundary = min(p, (n_tasks - k) / 2)  # Σ T α over the boundary, roughly
    start, slope = math.log((1.1 * k + boundary) / (n_tasks * p)), SLOPE
    last: SlackEllipsoid | None = None
    if tasks.copies.size > FEW:
        sample = _search(tasks.thinned(), outliers, SAMPLE_CROSSING, ROUGH)
        last, start, slope = seen_from(tasks, sample), math.log(sample.penalty), SLOPE_OF_MANY
    limits = math.log(max(k, p + 1) / (n_tasks * p)), math.log(LARGEST / p)
    fits: dict[float, SlackEllipsoid] = {}

    def score(x: float, accuracy: float) -> float:
        nonlocal last
        last = fits[x] = solve(tasks, math.exp(x), fits.get(x, last), accuracy)
        return _score(last, tasks, k)

    rough = max(tol, ROUGH)
    bracket = _crossing(lambda x: score(x, rough), start, slope, limits, resolution)
    if bracket and tol < rough:
        low, high = bracket
        if score(high, tol) <= 0 or (low in fits and score(low, tol) > 0):  # counted wrongly
            bracket = _crossing(lambda x: score(x, tol), high, slope, limits, resolution)
    if bracket:
        return fits[bracket[1]]
    most = max(int(tasks.copies[fit.norms > 1 + OUTSIDE].sum()) for fit in fits.values())
    if most == 0 or k == 1:
        raise FitError(
            f"no penalty was found that leaves any of the {n_tasks} tasks outside their slack "
            "ellipsoid: fit without outliers"
        )
    return _search(tasks, min(most, k - 1) / n_tasks, resolution, tol)


def _score(fit: SlackEllipsoid, tasks: Tasks, k: int) -> float:
    """Positive if k tasks or more are outside: how far the k-th is from leaving, continuous in λ.

    The lead of a task is its slack outside, how far its multiplier is from full on the boundary,
    how far it is from the boundary inside. The weight brings multipliers to the scale of norms.
    """
    full = tasks.copies / tasks.copies.sum()
    on = (fit.multipliers > 0) & (fit.norms <= 1)
    weight = min(1.0, 0.15 * max(1, int(on.sum())) / k)
    lead = np.where(fit.norms > 1, fit.norms - 1 - OUTSIDE, fit.norms - 1 - weight)
    lead[on] = weight * (fit.multipliers[on] / full[on] - 1) - OUTSIDE
    order = np.argsort(-lead)
    return float(lead[order[np.searchsorted(np.cumsum(tasks.copies[order]), k)]])


def _crossing(
    score: Callable[[float], float],
    start: float,
    slope: float,
    limits: tuple[float, float],
    resolution: float,
) -> tuple[float, float] | None:
    """A bracket no wider than `resolution`: score <= 0 at its lower end, > 0 at its upper end.

    Regula falsi (Anderson and Björck), aimed a little beyond the estimate to close the bracket from
    its other side, with a bisection now and then. The score is taken to be <= 0 at the lower of the
    `limits`; None if it is so up to the upper one.
    """
    floor, ceiling = limits
    low, high = (floor, -math.inf), (math.inf, math.inf)
    x, before, step = max(start, floor + resolution / 2), 0.0, 0.0
    for i in range(MAX_SOLVES):
        value = score(x)
        stale = 1 - value / before if before * value > 0 else 1.0
        stale = stale if stale > 0 else 0.5
        if value > 0:
            low, high = (low[0], low[1] * stale), (x, value)
        else:
            low, high = (x, value), (high[0], high[1] * stale)
        width = high[0] - low[0]
        if width <= resolution:
            return low[0], high[0]
        if x >= ceiling and value <= 0:
            return None
        beyond = 0.3 * resolution
        if math.isinf(low[1]) or math.isinf(high[1]):
            step = min(max(abs(value) / slope, step if i < 4 else 2 * step), LONGEST_STEP)
            guess = x - math.copysign(step + beyond, value)
        elif i % 8 == 7:
            guess = low[0] + width / 2
        else:
            guess = low[0] + width * low[1] / (low[1] - high[1]) - math.copysign(beyond, value)
        margin = min(beyond, width / 2)
        x, before = min(max(guess, low[0] + margin), high[0] - margin), value
    return None
