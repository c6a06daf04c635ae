"""The slack box, eq. 7: the whole choice of the penalty for ν = 0.5, against CVXPY + Clarabel."""

from __future__ import annotations

import cvxpy
import numpy as np

from benchmarks.timing import Row, cpu_seconds
from ringfence.arrays import FloatArray
from ringfence.fit.solvers.slack_box.penalty import slack_box_for

OUTLIERS = 0.5


def beta_points(T: int, p: int, seed: int = 0) -> FloatArray:
    rng = np.random.default_rng(seed)
    return rng.beta(0.5 + 2.0 * rng.random(p), 2.0, (T, p))


def solve_with_cvxpy(points: FloatArray, penalty: float) -> float:
    T, p = points.shape
    lower, upper = cvxpy.Variable(p), cvxpy.Variable(p)
    below, above = cvxpy.Variable((T, 1), nonneg=True), cvxpy.Variable((T, 1), nonneg=True)
    ones = np.ones((T, 1))
    row = np.ones((1, p))
    constraints = [
        ones @ cvxpy.reshape(lower, (1, p), order="C") - below @ row <= points,
        points <= ones @ cvxpy.reshape(upper, (1, p), order="C") + above @ row,
    ]
    slack = (cvxpy.sum(below) + cvxpy.sum(above)) / (2 * T)
    size = 0.5 * penalty * cvxpy.sum_squares(upper - lower)
    problem = cvxpy.Problem(cvxpy.Minimize(size + slack), constraints)
    return float(problem.solve(solver=cvxpy.CLARABEL))


def rows() -> list[Row]:
    table = []
    for (T, p), goal in (((30, 9), "≥ 5×"), ((300, 10), "≥ 5×"), ((3000, 10), "≥ 50×")):
        clouds = [beta_points(T, p, seed) for seed in range(5 if T < 1000 else 1)]
        boxes = [slack_box_for(points, OUTLIERS) for points in clouds]
        ours = [cpu_seconds(lambda x=x: slack_box_for(x, OUTLIERS)) for x in clouds]
        other = [
            cpu_seconds(lambda x=x, box=box: solve_with_cvxpy(x, box.penalty), most=5)
            for x, box in zip(clouds, boxes)
        ]
        what = f"slack box, choice of λ ({T}, {p})"
        note = "ten times one CVXPY + Clarabel solve at the chosen λ"
        note += f"; mean of {len(clouds)} clouds" if len(clouds) > 1 else ""
        table.append(Row(what, float(np.mean(ours)), 10 * float(np.mean(other)), goal, note))
    for T, p in ((1000, 50), (100_000, 10)):
        points = beta_points(T, p)
        ours_once = cpu_seconds(lambda points=points: slack_box_for(points, OUTLIERS), most=1)
        table.append(Row(f"slack box, choice of λ ({T}, {p})", ours_once))
    return table
