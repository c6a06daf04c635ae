"""Choose the penalty of eq. 7 from the share of outliers, section 5 of the paper.

The rule: the smallest lambda that leaves at most (1 - nu) T points inside, that is at least
k = ceil(nu T) points with a strictly positive slack. A point outside pulls with weight one and all
pulls sum to 2T lambda sum_j (a_j + b_j)(u_j - l_j), hence

    number outside <= 2T lambda sum_j (a_j + b_j)(u_j - l_j)

which bounds lambda from below. That the number outside grows with lambda is the rule of thumb but
not a theorem; what is returned is a crossing: k points or more are outside at lambda, fewer at a
penalty less than 1 % smaller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.slack_box.problem import Problem
from ringfence.fit.solvers.slack_box.solve import ALL_ROWS, SlackBox, exact_box, solve
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes

CROSSING = 1e-2  # relative width of the bracket about the chosen penalty
ROUGH = 5e-2  # the same, on a sample
MOST_SOLVES = 60
MOST_STRIDE = 4.0  # between penalties, until there is a bracket
PAPER_GRID = tuple(10.0 ** (half / 2) for half in range(-6, 7))  # 1e-3 … 1e3, two a decade
POINT = 1e-2  # a box so narrow, against the mean distance of points, is as good as a point


def slack_box_for(
    points: FloatArray,
    outliers: float,
    *,
    scales: FloatArray | None = None,
    tol: float = 1e-8,
    start: tuple[float, FloatArray] | None = None,
) -> SlackBox:
    """The slack box of the smallest penalty that leaves a share `outliers` of the points outside.

    `start` is a guess: the penalty and the bounds, shape (2, p), for nearly the same points.

    Where points coincide there may be no such penalty: the box shrinks to a point that many of them
    share. Then as many are left outside as any penalty can, `n_outside` < outliers * T.
    """
    problem = Problem.of(points, scales)
    wanted = n_outliers(outliers, len(points))
    return _search(problem, wanted, CROSSING, tol, start)


def paper_grid_box(
    points: FloatArray,
    outliers: float,
    grid: Sequence[float] = PAPER_GRID,
    *,
    scales: FloatArray | None = None,
    tol: float = 1e-8,
) -> SlackBox:
    """The paper's own search, for comparison: lambda = s / Q, the first s in `grid` that will do.

    Q = 1/2 |u - l|^2 of the exact box. Of the grid the paper says "small, scale-free" and no more.
    """
    problem = Problem.of(points, scales)
    wanted = n_outliers(outliers, len(points))
    width = problem.hull.sum(axis=0)
    size = 0.5 * float(width @ width)
    if wanted == 0 or size == 0.0:
        return exact_box(problem, 0.0)
    start = None
    for s in sorted(grid):
        box, _ = solve(problem, s / size, start, tol)
        if box.n_outside >= wanted:
            return box
        start = np.stack([box.lower, -box.upper])
    raise FitError(
        f"no penalty s / Q with s up to {max(grid):g} leaves {wanted} of {len(points)} points "
        f"outside: widen the grid or lower outliers={outliers:g}"
    )


def _search(
    problem: Problem,
    wanted: int,
    rtol: float,
    tol: float,
    guess: tuple[float, FloatArray] | None = None,
) -> SlackBox:
    """A crossing of the number outside, by secants and halving on the logarithm of the penalty."""
    T = problem.sides.shape[1]
    reach = -2 * T * float(problem.hull.sum(axis=0) @ problem.scales.sum(axis=0))
    if wanted == 0 or reach == 0.0:
        return exact_box(problem, 0.0)
    bracket = _Bracket(low=max(problem.exact_penalty, wanted / reach))
    penalty, start = guess or _guess(problem, wanted, tol)
    penalty = max(penalty, bracket.low * (1.0 + 2.0 * rtol))
    point = POINT * problem.spread / T
    for _ in range(MOST_SOLVES):
        box, pull = solve(problem, penalty, start, tol)
        if box.n_outside < wanted and problem.largest(box.upper - box.lower) <= point:
            return _search(problem, box.n_outside, rtol, tol)
        bracket = bracket.narrowed(penalty, _excess(box, pull, wanted))
        if penalty == bracket.high:
            best = box
        if bracket.high <= (1.0 + rtol) * bracket.low:
            return best
        penalty = bracket.next_penalty(wanted, rtol)
        start = np.stack([box.lower, -box.upper])
    raise FitError(
        f"no penalty found that leaves {wanted} of {T} points outside: lower outliers, or scale "
        f"the coordinates to similar ranges"
    )


def _excess(box: SlackBox, pull: FloatArray, wanted: int) -> float:
    """How many too many are outside; points on a face count in part, by their pull."""
    missing = wanted - box.n_outside
    if missing <= 0:
        return 0.5 - missing
    idle = 1.0 - pull.sum(axis=2).max(axis=0)[~box.outside]
    return -max(float(np.sort(idle)[:missing].sum()), 1e-3)


@dataclass(frozen=True)
class _Bracket:
    """Too few points are outside at `low`, enough at `high`; excesses are infinite until solved."""

    low: float
    high: float = math.inf
    low_excess: float = -math.inf
    high_excess: float = math.inf
    root: float = math.nan  # where the last two low ends point to
    slow: bool = False  # the last solve did not halve the bracket
    stride: float = 1.02  # at least so far beyond an end; grows

    @property
    def solved(self) -> bool:
        """Both ends stem from a solve, not from a bound."""
        return math.isfinite(self.low_excess) and math.isfinite(self.high_excess)

    def narrowed(self, penalty: float, excess: float) -> _Bracket:
        """With one end moved to this penalty."""
        if excess > 0.0:
            new = replace(self, high=penalty, high_excess=excess)
        else:
            rise = (excess - self.low_excess) / (penalty - self.low)
            root = penalty - excess / rise if 0.0 < rise < math.inf else math.nan
            new = replace(self, low=penalty, low_excess=excess, root=root)
        slow = self.solved and math.log(new.high / new.low) > 0.5 * math.log(self.high / self.low)
        return replace(new, slow=slow, stride=min(self.stride**2, MOST_STRIDE))

    def next_penalty(self, wanted: int, rtol: float) -> float:
        """Inside the bracket if there is one, else beyond the end that is known."""
        if not self.solved:
            return self._beyond(wanted, rtol)
        room = math.log(self.high / self.low)
        if self.slow:
            part = 0.5
        elif self.low < self.root < self.high:
            part = math.log(self.root / self.low) / room
        else:
            part = self.low_excess / (self.low_excess - self.high_excess)
        # Aim a little beyond the root, towards the farther end, to have it in a short bracket.
        part += (0.4 if part < 0.5 else -0.4) * rtol / room
        return self.low * math.exp(room * min(max(part, 0.05), 0.95))

    def _beyond(self, wanted: int, rtol: float) -> float:
        end, excess = self.low, self.low_excess
        if math.isfinite(self.high_excess):
            end, excess = self.high, self.high_excess
        # The number outside grows a little slower than the penalty.
        far = abs(3.0 * math.log1p(0.5 * excess / wanted))
        if end == self.low < self.root:
            far = math.log(self.root / end) + 0.4 * rtol
        far = min(max(far, math.log(self.stride)), math.log(MOST_STRIDE))
        return max(end * math.exp(-math.copysign(far, excess)), math.sqrt(self.low * end))


def _guess(problem: Problem, wanted: int, tol: float) -> tuple[float, FloatArray]:
    """A penalty and bounds to start from: the answer for a sample, or for a trimmed box."""
    _, T, p = problem.sides.shape
    if T > ALL_ROWS:
        n = max(ALL_ROWS, T // 8)
        some = np.sort(np.random.default_rng(1).choice(T, n, replace=False))
        sample = Problem.of(problem.sides[0, some], problem.scales)
        box = _search(sample, math.ceil(wanted * n / T), ROUGH, tol)
        if box.penalty > 0.0:
            return box.penalty, np.stack([box.lower, -box.upper])
    kept = max(T - wanted, (T + 1) // 2)
    bounds = trimmed_boxes(problem.sides[0])[T - kept]
    width = np.maximum(-bounds.sum(axis=0), -1e-3 * problem.hull.sum(axis=0))
    pulls = 2 * T * float(width @ problem.scales.sum(axis=0)) * (T - wanted + 1) / (kept + 1)
    on_faces = min(p, 0.5 * (T - wanted)) * (1.0 - wanted / T)
    return (wanted + on_faces) / pulls, bounds
