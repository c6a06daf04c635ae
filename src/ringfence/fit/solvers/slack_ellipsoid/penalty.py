"""Choose the penalty of eq. 8 from the share of outliers (section 5 of the paper).

The rule: the smallest λ that leaves at most (1 - ν)T tasks inside, that is at least k = ⌈νT⌉
outside. Since Σ α d = λ p and α = 1/T outside, #outside ≤ λ p T; and up to λ = (p + 1)/(pT) eq. 8
is eq. 6. So λ > max(k, p + 1)/(pT), and from there a crossing of the count is sought.

On the line the count never falls as λ grows. In more dimensions it may: `benchmarks/monotone.py`
finds a dip, by a task or two, in about a fifth of random clouds. What is returned is therefore a
crossing, not always the lowest.

symbol   meaning                                                      shape
T, p     number of tasks, dimension
ν, k     share of outliers; number of tasks to leave outside
α, d     multipliers and norms of the points, as in solve.py          (m,)
lead     positive if a point is outside; continuous in λ              (m,)
x        log λ
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.crossing import Bracket, crossing
from ringfence.fit.solvers.slack_ellipsoid.answer import SlackEllipsoid, for_every_task, seen_from
from ringfence.fit.solvers.slack_ellipsoid.distinct import Tasks, merge_duplicates
from ringfence.fit.solvers.slack_ellipsoid.solve import FEW, exact_ellipsoid, solve

RESOLUTION = 0.01
"""Of x: the penalty returned is at most 1 % above one that leaves too few tasks outside."""
SAMPLE_RESOLUTION = 0.02
"""The same for a sample, whose crossing is that of all points only roughly."""
ROUGH = 1e-4
"""Nats: tolerance of the solves of a search; only the ends of its bracket are solved to `tol`."""
OUTSIDE = 1e-5
"""Slack from which a task counts as outside, well above what a solve may be off by."""
LONGEST_STEP = 0.4
"""Of x: each solve starts from the last one, so that a longer step costs more Newton steps."""
SLOPE, SLOPE_OF_MANY = 0.5, 0.08
"""Of the k-th lead by x, roughly; twice the first costs a tenth more solves. After a sample the
search starts near the crossing, where the lead is mostly a multiplier that has yet to fill up."""
LARGEST = 1e4
"""λ p, the mean distance of the tasks in radii: beyond, the ellipsoid has all but vanished."""
FIRST_EXCESS = 1.1
"""A search starts where about this many times k tasks lie outside: several may leave at once. With
1.0 or 1.3 it needs a tenth more solves."""
BOUNDARY_WEIGHT = 0.15
"""A full multiplier in units of norms, if as many points are on the boundary as shall be outside. A
third of it costs a tenth more solves, and so does no weight at all."""


def slack_ellipsoid_for(
    points: FloatArray, outliers: float, *, tol: float = 1e-9
) -> SlackEllipsoid:
    """The slack ellipsoid of `points` (T, p) that leaves a share `outliers` of them outside.

    Its penalty is at most 1 % above one that leaves fewer than ⌈outliers T⌉ points outside. Several
    points may leave at once: if the exact ellipsoid touches p + 1 points only, all of them do.
    Without outliers it is that ellipsoid, of eq. 6, with the largest penalty that gives it.

    Points that hold the center, such as many at one place, cannot be left outside by an ellipsoid
    of any size. Then as many are left outside as can be, `n_outside(fit)` < outliers T.
    """
    tasks, row = merge_duplicates(points)
    if n_outliers(outliers, len(row)) == 0:
        return for_every_task(exact_ellipsoid(tasks, tol), tasks, row)
    return for_every_task(_search(tasks, outliers, RESOLUTION, tol), tasks, row)


def n_outside(fit: SlackEllipsoid) -> int:
    """Number of tasks with a strictly positive slack."""
    return int((fit.norms > 1 + OUTSIDE).sum())


@dataclass
class _Search:
    """The solves of one search, each of which starts from the last."""

    tasks: Tasks
    k: int
    resolution: float
    slope: float = SLOPE
    last: SlackEllipsoid | None = None
    fits: dict[float, SlackEllipsoid] = field(default_factory=dict)
    """By x."""

    def crossing(self, start: float, tol: float) -> Bracket | None:
        """A crossing of the number outside, all solves to `tol`."""
        p, n_tasks = self.tasks.points.shape[1], int(self.tasks.copies.sum())
        return crossing(
            lambda x: self.score(x, tol),
            start,
            floor=math.log(max(self.k, p + 1) / (n_tasks * p)),
            resolution=self.resolution,
            longest_step=LONGEST_STEP,
        )

    def confirms(self, bracket: Bracket, tol: float) -> bool:
        """Whether its ends are on the same sides of the crossing if they are solved to `tol`."""
        is_floor = bracket.low not in self.fits
        return self.score(bracket.high, tol) > 0 and (is_floor or self.score(bracket.low, tol) <= 0)

    def score(self, x: float, tol: float) -> float:
        """How far x is beyond the crossing, roughly; -∞ if the ellipsoid has vanished before."""
        start = self.fits.get(x, self.last)
        self.last = self.fits[x] = solve(self.tasks, math.exp(x), start, tol)
        lead = _kth_lead(self.last, self.tasks, self.k)
        if lead <= 0 and x >= math.log(LARGEST / self.tasks.points.shape[1]):
            return -math.inf
        return lead / self.slope

    def most_outside(self) -> int:
        """The largest number of tasks that any of the fits leaves outside."""
        copies = self.tasks.copies
        return max(int(copies[fit.norms > 1 + OUTSIDE].sum()) for fit in self.fits.values())


def _search(tasks: Tasks, outliers: float, resolution: float, tol: float) -> SlackEllipsoid:
    """The fit at the upper end of a bracket about a crossing, both ends solved to `tol`."""
    n_tasks = int(tasks.copies.sum())
    k = n_outliers(outliers, n_tasks)
    search, start = _Search(tasks, k, resolution), _first_x(tasks, k)
    if tasks.copies.size > FEW:
        sample = _search(tasks.thinned(), outliers, SAMPLE_RESOLUTION, ROUGH)
        search.last, search.slope = seen_from(tasks, sample), SLOPE_OF_MANY
        start = math.log(sample.penalty)
    rough = max(tol, ROUGH)
    bracket = search.crossing(start, rough)
    if bracket and tol < rough and not search.confirms(bracket, tol):
        bracket = search.crossing(bracket.high, tol)
    if bracket:
        return search.fits[bracket.high]
    most = search.most_outside()
    if most == 0 or k == 1:
        raise FitError(
            f"no penalty was found that leaves any of the {n_tasks} tasks outside their slack "
            "ellipsoid: fit without outliers"
        )
    return _search(tasks, min(most, k - 1) / n_tasks, resolution, tol)


def _first_x(tasks: Tasks, k: int) -> float:
    """Where k tasks lie outside, by Σ T α d = λ p T with d = 1: roughly, outside tasks have T α = 1
    and those on the boundary together p, or half of what is left if that is less."""
    p, n_tasks = tasks.points.shape[1], int(tasks.copies.sum())
    boundary = min(p, (n_tasks - k) / 2)
    return math.log((FIRST_EXCESS * k + boundary) / (n_tasks * p))


def _kth_lead(fit: SlackEllipsoid, tasks: Tasks, k: int) -> float:
    """Positive if k tasks or more are outside: the lead of the k-th, continuous in λ.

    The lead of a task outside is its slack. On the boundary it is what its multiplier lacks to be
    full, inside also its distance from the boundary. `weight` is a full multiplier in units of
    norms: the more points share the boundary, the more λ must grow to fill one of them.
    """
    full = tasks.copies / tasks.copies.sum()
    on_boundary = (fit.multipliers > 0) & (fit.norms <= 1)
    weight = min(1.0, BOUNDARY_WEIGHT * max(1, int(on_boundary.sum())) / k)
    lead = np.where(fit.norms > 1, fit.norms - 1 - OUTSIDE, fit.norms - 1 - weight)
    filled = fit.multipliers[on_boundary] / full[on_boundary]
    lead[on_boundary] = weight * (filled - 1) - OUTSIDE
    order = np.argsort(-lead)
    kth = np.searchsorted(np.cumsum(tasks.copies[order]), k)
    return float(lead[order[kth]])
