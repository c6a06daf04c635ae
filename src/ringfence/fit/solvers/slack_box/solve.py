"""Solve eq. 7, the box with outliers. Notation in `slack_box_problem`.

Near a box most rows are constant (points well inside) or affine (points well outside): only the
others need an interior point. So large problems are solved on the rows nearest to a change, about
the optimum of a sample, and the certificate of the whole problem decides whether that was enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.errors import FitError
from ringfence.fit.solvers.slack_box.interior_point import minimize
from ringfence.fit.solvers.slack_box.polish import polished
from ringfence.fit.solvers.slack_box.problem import Problem, slack_of
from ringfence.fit.solvers.slack_box.trimmed import trimmed_boxes

ALL_ROWS = 400  # up to so many points, every row goes to the interior point
ROUNDS = 12
MARGIN = 0.03  # how far a start may be off, in widths
FAR = 1e3  # a row so many widths away does not bind
ROUNDING = 1e-12  # of the largest width or slack: a slack so small is none
STALLED = 1e-6  # a gap that is good enough where rounding allows no better
STIFF = 1e11  # a width that costs so much more than slack, per unit, is zero


@dataclass(frozen=True)
class SlackBox:
    """A box that leaves some points outside, with the proof that it is optimal."""

    lower: FloatArray  # (p,)
    upper: FloatArray  # (p,)
    penalty: float  # lambda of eq. 7; 0 stands for the limit, the exact box
    slack: FloatArray  # (T, 2): xi- and xi+ of each point, >= 0
    gap: float  # (value - certified lower bound of the minimum) / value; 0 for the exact box

    @property
    def outside(self) -> BoolArray:
        """Which points have a positive slack, rounding aside; shape (T,)."""
        size = max(float((self.upper - self.lower).max()), float(self.slack.max()))
        return np.asarray((self.slack > ROUNDING * size).any(axis=1))

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
    guess = None if start is None else np.stack([start.lower, -start.upper])
    return solve(problem, float(penalty), guess, tol)[0]


def solve(
    problem: Problem, penalty: float, start: FloatArray | None, tol: float
) -> tuple[SlackBox, FloatArray]:
    """The box and its pull; `start` holds bounds, shape (2, p).

    Scales that lie many decades apart leave a gap above `tol`: up to `STALLED` it is accepted.
    """
    T = problem.sides.shape[1]
    if penalty <= problem.exact_penalty:
        return exact_box(problem, penalty), problem.exact_pull(penalty)
    bounds = _start(problem, penalty, tol) if start is None else start
    n_rows = min(T, max(ALL_ROWS, T // 8))
    last_gap, value = 1e-2, problem.value(bounds, penalty)
    for last in [False] * (ROUNDS - 1) + [True]:
        trial, pull = _step(problem, penalty, bounds, n_rows)
        gap = problem.gap(trial, penalty, pull)
        if gap <= tol or (last and gap <= STALLED):
            bounds, gap = polished(problem, trial, penalty, pull)
            return _answer(problem, bounds, penalty, gap), pull
        trial_value = problem.value(trial, penalty)
        if trial_value >= value or gap > 0.1 * last_gap:
            n_rows = min(2 * n_rows, T)
        if trial_value < value or n_rows == T:
            bounds, value, last_gap = trial, trial_value, gap
    raise FitError(
        f"the slack box at penalty {penalty:.6g} has a duality gap of {gap:.1e}, above the "
        f"tolerance {tol:.1e}: scale the coordinates to similar ranges, or raise tol"
    )


def exact_box(problem: Problem, penalty: float) -> SlackBox:
    """Eq. 5, the smallest box with all points."""
    return _answer(problem, problem.hull, penalty, 0.0)


def _answer(problem: Problem, bounds: FloatArray, penalty: float, gap: float) -> SlackBox:
    slack = slack_of(problem.violations(bounds)).T
    return SlackBox(bounds[0], -bounds[1] + 0.0, penalty, slack, gap)


def _start(problem: Problem, penalty: float, tol: float) -> FloatArray:
    """The optimum of a sample, or the trimmed box that comes nearest to balance."""
    T = problem.sides.shape[1]
    if T > ALL_ROWS:
        some = np.random.default_rng(0).choice(T, max(ALL_ROWS, T // 4), replace=False)
        sample = Problem.of(problem.sides[0, np.sort(some)], problem.scales)
        box = solve(sample, penalty, None, tol)[0]
        return np.stack([box.lower, -box.upper])
    boxes = trimmed_boxes(problem.sides[0])
    # Rows pull with 2T lambda sum(a + b)(u - l) in all; a point outside accounts for one.
    wanted = -2 * T * penalty * boxes.sum(axis=1) @ problem.scales.sum(axis=0)
    best: FloatArray = boxes[np.argmax(np.arange(T) >= np.minimum(wanted, T // 2))]
    return best


def _step(
    problem: Problem, penalty: float, bounds: FloatArray, n_rows: int
) -> tuple[FloatArray, FloatArray]:
    """Minimize over the rows nearest to a change at `bounds`; the others are taken as affine there.

    In units of `unit`, from q at the bounds, and with all values times 2T / unit.
    """
    _, T, p = problem.sides.shape
    bounds = np.where(problem.hard, problem.hull, bounds)
    unit = max(problem.largest(-bounds.sum(axis=0)), problem.spread)
    weight = 2 * T * penalty * unit
    cost = weight * problem.scales.max(axis=0) ** 2
    stiff = (cost > STIFF) & ~problem.hard.any(axis=0)
    bounds = _collapsed(bounds, stiff)
    violations = problem.violations(bounds)
    near, folded = _nearest_rows(violations, n_rows)
    width = -bounds.sum(axis=0)
    softened = np.diag(weight * np.where(stiff, STIFF / np.maximum(cost, STIFF), 1.0))
    H = np.einsum("aj,bj,ji->ajbi", problem.scales, problem.scales, softened)
    H = H.reshape(2 * p, 2 * p) + np.diag(problem.hard.ravel().astype(np.float64))
    c = folded - weight / unit * problem.scales * width
    B = -np.take_along_axis(violations, near[:, :, None], axis=1) / unit
    B = np.where(problem.hard[:, None, :], FAR, B)
    slack = -float(np.minimum(B.min(axis=2), 0.0).sum())
    offset = 2 * T / unit * problem.value(bounds, penalty) - slack
    q, z = minimize(B.transpose(0, 2, 1), H, c, offset, MARGIN)
    z = z.transpose(0, 2, 1)
    bounds = _collapsed(bounds + unit * problem.scales * q, stiff)
    if n_rows == T:
        return bounds, z
    pull = _pull_of_far_rows(problem.violations(bounds))
    np.put_along_axis(pull, near[:, :, None], z, axis=1)
    return bounds, pull


def _collapsed(bounds: FloatArray, which: BoolArray) -> FloatArray:
    """These coordinates at width zero, in their middle."""
    middle = 0.5 * (bounds[0] - bounds[1])
    collapsed: FloatArray = np.where(which, np.stack([middle, -middle]), bounds)
    return collapsed


def _nearest_rows(violations: FloatArray, n_rows: int) -> tuple[IntArray, FloatArray]:
    """The rows with the least room, shape (2, n_rows), and the slope of the others, shape (2, p).

    A row's room is how far each bound may move before the row stops being constant or affine.
    """
    _, T, p = violations.shape
    if n_rows == T:
        return np.tile(np.arange(T), (2, 1)), np.zeros((2, p))
    top = violations.argmax(axis=2)
    most = violations.max(axis=2)
    rest = violations.copy()
    np.put_along_axis(rest, top[:, :, None], -np.inf, axis=2)
    second = np.maximum(rest.max(axis=2), 0.0)
    room = np.where(most > 0.0, 0.5 * (most - second), -most)
    near = np.sort(room.argpartition(n_rows, axis=1)[:, :n_rows], axis=1)
    outside = most > 0.0
    np.put_along_axis(outside, near, False, axis=1)
    slope = [np.bincount(j[out], minlength=p) for j, out in zip(top, outside, strict=True)]
    return near, np.stack(slope).astype(np.float64)


def _pull_of_far_rows(violations: FloatArray) -> FloatArray:
    """One on the most violated constraint of a row outside, zero elsewhere."""
    pull = np.zeros_like(violations)
    top = violations.argmax(axis=2)[:, :, None]
    np.put_along_axis(pull, top, np.take_along_axis(violations, top, axis=2) > 0.0, axis=2)
    return pull
