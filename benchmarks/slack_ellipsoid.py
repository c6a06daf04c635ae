"""The slack ellipsoid, eq. 8: the whole choice of the penalty for ν = 0.1, against CVXPY."""

from __future__ import annotations

import cvxpy
import numpy as np

from benchmarks.timing import Row, cpu_seconds
from ringfence.arrays import FloatArray
from ringfence.fit.solvers.slack_ellipsoid.penalty import slack_ellipsoid_for

OUTLIERS = 0.1


def beta_points(T: int, p: int) -> FloatArray:
    rng = np.random.default_rng(0)
    return rng.beta(0.5 + 2.0 * rng.random(p), 2.0, (T, p))


def solve_with_cvxpy(points: FloatArray, penalty: float) -> None:
    """Eq. 8 as the paper writes it."""
    T, p = points.shape
    A, b = cvxpy.Variable((p, p), PSD=True), cvxpy.Variable((1, p))
    slack = cvxpy.Variable(T, nonneg=True)
    cost = -penalty * cvxpy.log_det(A) + cvxpy.sum(slack) / T
    constraint = cvxpy.norm(points @ A + b, axis=1) <= 1 + slack
    cvxpy.Problem(cvxpy.Minimize(cost), [constraint]).solve(solver=cvxpy.CLARABEL)


def rows() -> list[Row]:
    table = []
    for T, p in ((30, 9), (300, 10)):
        points = beta_points(T, p)
        penalty = slack_ellipsoid_for(points, OUTLIERS).penalty
        ours = cpu_seconds(lambda points=points: slack_ellipsoid_for(points, OUTLIERS))
        one = cpu_seconds(lambda points=points, λ=penalty: solve_with_cvxpy(points, λ), most=7)
        note = "ten times one CVXPY + Clarabel solve at the chosen λ"
        table.append(Row(f"slack ellipsoid, choice of λ ({T}, {p})", ours, 10 * one, "≥ 20×", note))
    for T, p, goal in ((1000, 50, "< 5 s"), (100_000, 10, "< 3 s")):
        points = beta_points(T, p)
        ours = cpu_seconds(lambda points=points: slack_ellipsoid_for(points, OUTLIERS), most=3)
        table.append(Row(f"slack ellipsoid, choice of λ ({T}, {p})", ours, goal=goal))
    return table
