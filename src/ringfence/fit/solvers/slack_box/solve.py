"""Solve eq. 7, the box with outliers. Notation in problem.py.

Large problems are solved on the rows nearest to a change, about the optimum of a sample, and the
certificate of the whole problem decides whether that was enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
from ringfence.fit.solvers.slack_box.local import step
from ringfence.fit.solvers.slack_box.polish import polished
from ringfence.fit.solvers.slack_box.problem import Problem, slack_of
from ringfence.fit.solvers.slack_box.separate import separate_box
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes

ALL_ROWS = 400
"""Up to this many points, every row goes to the interior point: picking rows would save no time."""
ROUNDS = 12
"""Steps at most. One is enough as a rule; doubled three times, the rows are all of them."""
OUTSIDE = 1e-8
"""A slack counts as positive from this share of the box's width or the largest slack on: points on
a face come out a little beyond it, and `Box.contains` forgives 1e-9 of the unit cube."""
STALLED = 1e-6
"""A relative gap that is good enough if rounding does not allow a smaller one."""


@dataclass(frozen=True)
class SlackBox:
    """A box that leaves some points outside, with the proof that it is optimal."""

    lower: FloatArray  # (p,)
    upper: FloatArray  # (p,)
    penalty: float  # λ of eq. 7; 0 stands for the limit, the exact box
    slack: FloatArray  # (T, 2): ξ⁻ and ξ⁺ of each point, ≥ 0
    gap: float  # (value - certified lower bound of the minimum) / value; 0 for the exact box

    @property
    def bounds(self) -> FloatArray:
        """l and -u; shape (2, p)."""
        return np.stack([self.lower, -self.upper])

    @property
    def outside(self) -> BoolArray:
        """Which points have a positive slack, rounding aside; shape (T,)."""
        size = max(float((self.upper - self.lower).max()), float(self.slack.max()))
        return np.asarray((self.slack > OUTSIDE * size).any(axis=1))

    @property
    def n_outside(self) -> int:
        """Number of points outside."""
        return int(self.outside.sum())


def slack_box(
    points: FloatArray,
    penalty: float,
    *,
    scales: FloatArray | None = None,
    start: SlackBox | None = None,
    tol: float = 1e-8,
) -> SlackBox:
    """The optimum of eq. 7 for one penalty, to a relative duality gap of `tol`.

    `points` has shape (T, p); `scales`, shape (2, p), holds the paper's |l0| and |u0|, by default
    ones. `start` is a guess, such as the box of a nearby penalty.
    """
    if not (np.isfinite(penalty) and penalty >= 0.0):
        raise FitError(f"the penalty must be finite and >= 0, not {penalty}")
    problem = Problem.of(points, scales)
    return solve(problem, float(penalty), None if start is None else start.bounds, tol)[0]


def solve(
    problem: Problem, penalty: float, start: FloatArray | None, tol: float
) -> tuple[SlackBox, FloatArray]:
    """The box and its pull; `start` holds bounds, shape (2, p).

    Scales that lie many decades apart leave a gap above `tol`: up to `STALLED` it is accepted.
    """
    if penalty <= problem.exact_penalty:
        return exact_box(problem, penalty), problem.exact_pull(penalty)
    gap = np.inf
    for bounds, units in _starts(problem, penalty, start, tol):
        trial, pull, gap = _improved(problem, penalty, bounds, units, tol)
        if gap <= max(tol, STALLED):
            bounds, gap = polished(problem, trial, penalty, pull)
            return _answer(problem, bounds, penalty, gap), pull
    raise FitError(
        f"the slack box at penalty {penalty:.6g} has a duality gap of {gap:.1e}, above the "
        f"tolerance {tol:.1e}: scale the coordinates to similar ranges, or raise tol"
    )


def _starts(
    problem: Problem, penalty: float, start: FloatArray | None, tol: float
) -> Iterator[tuple[FloatArray, FloatArray | None]]:
    """Bounds to start from, one after the other until one will do, and the units of slack (2,);
    None if those follow from the box and the spread of the points."""
    if start is not None:
        yield start, None
    # Among points that repeat, the interior point may stall from some starts.
    yield _start(problem, penalty, tol), None
    # Where scales lie decades apart, some coordinates may shrink to far less than their spread.
    separate = separate_box(problem, penalty)
    yield separate, problem.mean_units(-separate.sum(axis=0))


def _improved(
    problem: Problem, penalty: float, bounds: FloatArray, units: FloatArray | None, tol: float
) -> tuple[FloatArray, FloatArray, float]:
    """Bounds, pull and gap after as many steps as it takes to get to `tol`, or all of them."""
    T = problem.n_tasks
    n_rows = min(T, max(ALL_ROWS, T // 8))
    last_gap, value = 1e-2, problem.value(bounds, penalty)
    for _ in range(ROUNDS):
        here = problem.units(-bounds.sum(axis=0)) if units is None else units
        trial, pull = step(problem, penalty, bounds, here, n_rows)
        gap = problem.gap(trial, penalty, pull)
        if gap <= tol:
            break
        trial_value = problem.value(trial, penalty)
        if trial_value >= value or gap > 0.1 * last_gap:  # rows taken as affine were not
            n_rows = min(2 * n_rows, T)
        if trial_value < value or n_rows == T:
            bounds, value, last_gap = trial, trial_value, gap
    return trial, pull, gap


def exact_box(problem: Problem, penalty: float) -> SlackBox:
    """Eq. 5, the smallest box with all points."""
    return _answer(problem, problem.hull, penalty, 0.0)


def _answer(problem: Problem, bounds: FloatArray, penalty: float, gap: float) -> SlackBox:
    slack = slack_of(problem.violations(bounds)).T
    return SlackBox(bounds[0], -bounds[1] + 0.0, penalty, slack, gap)


def _start(problem: Problem, penalty: float, tol: float) -> FloatArray:
    """The optimum of a sample, or the trimmed box whose pulls are nearest to balance."""
    T = problem.n_tasks
    if T > ALL_ROWS:
        sample = problem.sample(max(ALL_ROWS, T // 4), seed=0)
        return solve(sample, penalty, None, tol)[0].bounds
    boxes = trimmed_boxes(problem.filled)
    # The pulls of the k-th trimmed box must sum to more than k; see penalty.py.
    pulls = -2 * T * penalty * boxes.sum(axis=1) @ problem.scales.sum(axis=0)
    best: FloatArray = boxes[np.argmax(np.arange(T) >= np.minimum(pulls, T // 2))]
    return best
