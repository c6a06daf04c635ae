"""One step towards the slack box: eq. 7 near a given box, by the interior point method.

Near a box most rows are constant (points well inside) or affine (points well outside). Only the
others, the rows nearest to a change, go to the interior point; the rest is a linear term.

The interior point wants numbers near one. It gets the change of q, in multiples of the units, and
the value of eq. 7 times 2T / unit, so that a row of the side with the larger unit counts once:

    new bounds = bounds + unit scales dq
    new width = width - unit Σ scales dq
    2T/unit · λ/2 ‖new width‖² = constant - 2Tλ width·Σ scales dq + ½ weight ‖Σ scales dq‖²

Here Σ is over the two sides, and weight = 2Tλ unit. The other symbols are those of problem.py. Each
side has a unit of its own, since the paper's |l0| and |u0| may lie many decades apart: then slack
on one side is larger by as many.

symbol   meaning                                                          shape
units    size of the box, in units of the scales of each side             (2,)
unit     the larger of the two
shares   units / unit: what a row of each side counts                     (2,)
scales   those of problem.py times the shares                             (2, p)
near     numbers of the rows nearest to a change                          (2, n)
B        how far the near rows are from binding, in units                 (2, p, n)
H, c     quadratic and linear term in dq                                  (2p, 2p), (2, p)
offset   the value without the slack of the near rows
stiff    coordinates in which the box has no width to speak of            (p,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringfence.arrays import BoolArray, FloatArray, IntArray
from ringfence.fit.solvers.slack_box.interior_point import minimize
from ringfence.fit.solvers.slack_box.problem import Problem

MARGIN = 0.03
"""How far off the bounds may be at the start of a step, in units."""
FAR = 1e3
"""Units: a row this far away does not bind."""
STIFF = 1e11
"""Curvature beyond which a coordinate has width zero: slack costs one a unit, so that the width
would be less than 1e-11 units. More would also swamp the other coordinates in rounding."""


def step(
    problem: Problem, penalty: float, bounds: FloatArray, units: FloatArray, n_rows: int
) -> tuple[FloatArray, FloatArray]:
    """Better bounds (2, p) and their pull (2, T, p), from eq. 7 near `bounds` with `n_rows` of the
    rows of each side that may change there."""
    local = _localized(problem, penalty, bounds, units, n_rows)
    dq, z = minimize(local.B, local.H, local.c, local.shares, local.offset, MARGIN)
    bounds = _flattened(local.bounds + local.unit * local.scales * dq, local.stiff)
    near_pull = z.transpose(0, 2, 1) / local.shares[:, None, None]
    if n_rows == problem.n_tasks:
        return bounds, near_pull
    pull = _pull_of_far_rows(problem.violations(bounds))
    np.put_along_axis(pull, local.near_rows[:, :, None], near_pull, axis=1)
    return bounds, pull


@dataclass(frozen=True)
class _Local:
    """Eq. 7 near a box, in the notation above."""

    bounds: FloatArray
    unit: float
    shares: FloatArray
    scales: FloatArray
    stiff: BoolArray
    near_rows: IntArray
    B: FloatArray
    H: FloatArray
    c: FloatArray
    offset: float


def _localized(
    problem: Problem, penalty: float, bounds: FloatArray, units: FloatArray, n_rows: int
) -> _Local:
    T = problem.n_tasks
    bounds = np.where(problem.hard, problem.hull, bounds)
    unit = float(units.max())
    shares = units / unit
    scales = shares[:, None] * problem.scales
    weight = 2 * T * penalty * unit
    curvature = weight * scales.max(axis=0) ** 2
    stiff = (curvature > STIFF) & ~problem.hard.any(axis=0)
    bounds = _flattened(bounds, stiff)
    width = -bounds.sum(axis=0)

    violations = problem.violations(bounds)
    near_rows, slope_of_far = _nearest_rows(violations, n_rows)
    B = -np.take_along_axis(violations, near_rows[:, :, None], axis=1) / units[:, None, None]
    B = np.where(np.isinf(B), FAR, B)  # hard bounds and free coordinates
    near_slack = -float((shares[:, None] * np.minimum(B.min(axis=2), 0.0)).sum())

    softening = np.where(stiff, STIFF / np.maximum(curvature, STIFF), 1.0)
    return _Local(
        bounds=bounds,
        unit=unit,
        shares=shares,
        scales=scales,
        stiff=stiff,
        near_rows=near_rows,
        B=B.transpose(0, 2, 1),
        H=_hessian(problem, scales, weight * softening),
        c=shares[:, None] * slope_of_far - weight / unit * scales * width,
        offset=2 * T / unit * problem.value(bounds, penalty) - near_slack,
    )


def _hessian(problem: Problem, scales: FloatArray, weights: FloatArray) -> FloatArray:
    """Of ½ Σ_j weight_j (a_j dq_0j + b_j dq_1j)²: a diagonal block for each pair of sides.

    A hard bound does not move: with its scale zero, any curvature keeps it where it is.
    """
    blocks = [[np.diag(one * other * weights) for other in scales] for one in scales]
    return np.block(blocks) + np.diag(problem.hard.ravel().astype(np.float64))


def _flattened(bounds: FloatArray, flat: BoolArray) -> FloatArray:
    """The `flat` coordinates (p,) at width zero, in their middle."""
    middle = 0.5 * (bounds[0] - bounds[1])
    flattened: FloatArray = np.where(flat, np.stack([middle, -middle]), bounds)
    return flattened


def _nearest_rows(violations: FloatArray, n_rows: int) -> tuple[IntArray, FloatArray]:
    """The rows with the least room, shape (2, n_rows), and the slope of the others, shape (2, p).

    A row's room is how far each bound may move before the row stops being constant or affine: a
    row outside until another constraint is the most violated one or until it is inside.
    """
    _, T, p = violations.shape
    if n_rows == T:
        return np.tile(np.arange(T), (2, 1)), np.zeros((2, p))
    top = violations.argmax(axis=2)
    most = violations.max(axis=2)
    others = violations.copy()
    np.put_along_axis(others, top[:, :, None], -np.inf, axis=2)
    second = np.maximum(others.max(axis=2), 0.0)
    room = np.where(most > 0.0, 0.5 * (most - second), -most)
    nearest = np.sort(room.argpartition(n_rows, axis=1)[:, :n_rows], axis=1)
    far_outside = most > 0.0
    np.put_along_axis(far_outside, nearest, False, axis=1)
    slope = [np.bincount(j[far], minlength=p) for j, far in zip(top, far_outside, strict=True)]
    return nearest, np.stack(slope).astype(np.float64)


def _pull_of_far_rows(violations: FloatArray) -> FloatArray:
    """One on the most violated constraint of a row outside, zero elsewhere."""
    pull = np.zeros_like(violations)
    top = violations.argmax(axis=2)[:, :, None]
    np.put_along_axis(pull, top, np.take_along_axis(violations, top, axis=2) > 0.0, axis=2)
    return pull
