"""Choose the penalty of eq. 7 from the share of outliers (section 5 of the paper).

The rule: the smallest λ that leaves at most (1 - ν)T points inside, that is at least k = ⌈νT⌉
points with a strictly positive slack. A point outside pulls with weight one, and all pulls sum to
2T λ Σ_j (a_j + b_j)(u_j - l_j), hence

    #outside ≤ 2T λ Σ_j (a_j + b_j)(u_j - l_j),

which bounds λ from below. That #outside grows with λ is the rule of thumb but not a theorem; what
is returned is a crossing: k points or more are outside at λ, fewer at a penalty less than 1 %
smaller.

symbol   meaning                                                      shape
T, p     number of tasks, dimension
ν, k     share of outliers; number of points to leave outside
l, u     lower and upper bounds                                       (p,)
a, b     scales of the slack below and above, as in problem.py        (p,)
x        log λ
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ringfence.arrays import FloatArray
from ringfence.errors import FitError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.crossing import Bracket, crossing
from ringfence.fit.solvers.slack_box.problem import Problem
from ringfence.fit.solvers.slack_box.solve import ALL_ROWS, SlackBox, exact_box, solve
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes

RESOLUTION = math.log(1.01)
"""Of x: the penalty returned is at most 1 % above one that leaves too few points outside."""
SAMPLE_RESOLUTION = math.log(1.05)
"""The same for a sample, whose crossing is that of all points only roughly."""
LONGEST_STEP = math.log(4.0)
"""Of x: with coordinates in units of their own the start may be off by many decades."""
DEFICIT = 2.0
"""Distance from the crossing, in x, for each share of k that is missing outside; 1 for each share
too many. As λ grows the box shrinks, so that the pulls grow more slowly than λ; but points leave
several at a time, which makes up for it beyond the crossing. Equal weights cost 6 % more solves."""
LEAST_DEFICIT = 1e-3
"""Points: keeps the score below zero if too few are outside."""
VANISHED = 1e-2
"""A box narrower than this share of the mean distance of points is as good as a point."""
LEAST_WIDTH = 1e-3
"""Of the exact box: the width at least assumed of a box to start from."""
PAPER_GRID = tuple(10.0 ** (half / 2) for half in range(-6, 7))
"""The paper does not give its grid: 1e-3 … 1e3, two a decade, as wide as any data seen needed."""


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

    If points coincide there may be no such penalty: the box shrinks to a point that many of them
    share. Then as many are left outside as any penalty can, `n_outside` < outliers * T.
    """
    problem = Problem.of(points, scales)
    k = n_outliers(outliers, len(points))
    return _search(problem, k, RESOLUTION, tol, start)


def paper_grid_box(
    points: FloatArray,
    outliers: float,
    grid: Sequence[float] = PAPER_GRID,
    *,
    scales: FloatArray | None = None,
    tol: float = 1e-8,
) -> SlackBox:
    """The paper's own search, for comparison: λ = s/Q for the first s in `grid` that will do.

    Q = ½ ‖u - l‖² of the exact box. Of the grid the paper says "small, scale-free" and no more.
    """
    problem = Problem.of(points, scales)
    k = n_outliers(outliers, len(points))
    width = problem.hull.sum(axis=0)
    size = 0.5 * float(width @ width)
    if k == 0 or size == 0.0:
        return exact_box(problem, 0.0)
    start = None
    for s in sorted(grid):
        box, _ = solve(problem, s / size, start, tol)
        if box.n_outside >= k:
            return box
        start = box.bounds
    raise FitError(
        f"no penalty s / Q with s up to {max(grid):g} leaves {k} of {len(points)} points "
        f"outside: widen the grid or lower outliers={outliers:g}"
    )


@dataclass
class _Search:
    """The solves of one search, each of which starts from the last."""

    problem: Problem
    k: int
    tol: float
    start: FloatArray
    boxes: dict[float, SlackBox] = field(default_factory=dict)
    """By x."""

    def crossing(self, penalty: float, floor: float, resolution: float) -> Bracket | None:
        """A crossing of the number outside, sought from `penalty`; none lies below `floor`."""
        return crossing(
            self.score,
            math.log(penalty),
            floor=math.log(floor),
            resolution=resolution,
            longest_step=LONGEST_STEP,
        )

    def score(self, x: float) -> float:
        """How far x is beyond the crossing, roughly; -∞ if the box has shrunk to a point before."""
        box, pull = solve(self.problem, math.exp(x), self.start, self.tol)
        self.boxes[x], self.start = box, box.bounds
        if box.n_outside >= self.k:
            return (box.n_outside - self.k + 0.5) / self.k
        if self.is_point(box):
            return -math.inf
        return -DEFICIT * _deficit(box, pull, self.k) / self.k

    def is_point(self, box: SlackBox) -> bool:
        """Whether a box is so small that a larger penalty leaves no further points outside."""
        mean_distance = self.problem.largest(self.problem.spread) / self.problem.n_tasks
        return self.problem.largest(box.upper - box.lower) <= VANISHED * mean_distance


def _search(
    problem: Problem,
    k: int,
    resolution: float,
    tol: float,
    guess: tuple[float, FloatArray] | None = None,
) -> SlackBox:
    """The box at the upper end of a bracket about a crossing."""
    most_pull = problem.total_pull(-problem.hull.sum(axis=0))
    if k == 0 or most_pull == 0.0:
        return exact_box(problem, 0.0)
    penalty, bounds = guess or _guess(problem, k, tol)
    search = _Search(problem, k, tol, bounds)
    bracket = search.crossing(penalty, max(problem.exact_penalty, k / most_pull), resolution)
    if bracket:
        return search.boxes[bracket.high]
    *_, smallest = search.boxes.values()
    if search.is_point(smallest):
        return _search(problem, smallest.n_outside, resolution, tol)
    raise FitError(
        f"no penalty found that leaves {k} of {problem.n_tasks} points outside: lower outliers, or "
        f"scale the coordinates to similar ranges"
    )


def _deficit(box: SlackBox, pull: FloatArray, k: int) -> float:
    """How many points are missing outside; those on a face count in part, by their pull."""
    lacks = 1.0 - pull.sum(axis=2).max(axis=0)[~box.outside]
    return max(float(np.sort(lacks)[: k - box.n_outside].sum()), LEAST_DEFICIT)


def _guess(problem: Problem, k: int, tol: float) -> tuple[float, FloatArray]:
    """A penalty and bounds to start from: the answer for a sample, or for a trimmed box."""
    T = problem.n_tasks
    if T > ALL_ROWS:
        sample = problem.sample(max(ALL_ROWS, T // 8), seed=1)
        box = _search(sample, math.ceil(k * sample.n_tasks / T), SAMPLE_RESOLUTION, tol)
        if box.penalty > 0.0:
            return box.penalty, box.bounds
    return _trimmed_guess(problem, k)


def _trimmed_guess(problem: Problem, k: int) -> tuple[float, FloatArray]:
    """A trimmed box with all points inside but k, and the penalty at which its pulls balance.

    A box trimmed to less than half of the points depends on few of them. So that of one half is
    taken then, and assumed to be narrower in proportion to the points inside.
    """
    _, T, p = problem.sides.shape
    n_inside = T - k
    n_in_box = max(n_inside, (T + 1) // 2)
    bounds = trimmed_boxes(problem.filled)[T - n_in_box]
    width = np.maximum(-bounds.sum(axis=0), -LEAST_WIDTH * problem.hull.sum(axis=0))
    pull = problem.total_pull(width) * (n_inside + 1) / (n_in_box + 1)
    # Points on faces pull in part: roughly one for each coordinate, fewer if few points are inside.
    pull_on_faces = min(p, 0.5 * n_inside) * (1.0 - k / T)
    return (k + pull_on_faces) / pull, bounds
