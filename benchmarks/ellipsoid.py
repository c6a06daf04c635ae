"""The exact ellipsoid (eq. 6) against CVXPY with Clarabel, in the form that the paper states."""

from __future__ import annotations

import time

import cvxpy as cp
import numpy as np

from benchmarks.timing import Row, cpu_seconds
from ringfence.arrays import FloatArray
from ringfence.fit.solvers.minimum_ellipsoid import minimum_ellipsoid


def cvxpy_log_volume(points: FloatArray) -> float:
    """Log det of the half-axes: minimize -log det A subject to |A x + b| ≤ 1, A symmetric."""
    dim = points.shape[1]
    A, b = cp.Variable((dim, dim), PSD=True), cp.Variable((1, dim))
    problem = cp.Problem(cp.Minimize(-cp.log_det(A)), [cp.norm(points @ A + b, 2, axis=1) <= 1])
    return float(problem.solve(solver=cp.CLARABEL))


def log_volume(points: FloatArray) -> float:
    return float(np.log(minimum_ellipsoid(points).factor.diagonal()).sum())


def against_cvxpy(count: int, dim: int, goal: str) -> Row:
    points = np.random.default_rng(0).standard_normal((count, dim))
    start = time.process_time()
    theirs = cvxpy_log_volume(points)
    other = time.process_time() - start
    if other < 1:
        other = cpu_seconds(lambda: cvxpy_log_volume(points))
    difference = log_volume(points) - theirs
    return Row(
        what=f"exact ellipsoid ({count}, {dim})",
        ours=cpu_seconds(lambda: minimum_ellipsoid(points)),
        other=other,
        goal=goal,
        note=f"CVXPY+Clarabel; log volume differs by {difference:+.0e} nats",
    )


def alone(count: int, dim: int, goal: str) -> Row:
    points = np.random.default_rng(0).standard_normal((count, dim))
    return Row(
        what=f"exact ellipsoid ({count}, {dim})",
        ours=cpu_seconds(lambda: minimum_ellipsoid(points)),
        goal=goal,
        note=f"certified to {minimum_ellipsoid(points).gap:.0e} nats",
    )


def rows() -> list[Row]:
    cvxpy_log_volume(np.eye(3)[:, :2])  # the first call imports the solver
    return [
        against_cvxpy(30, 10, "≥ 30×"),
        against_cvxpy(300, 10, "≥ 30×"),
        against_cvxpy(3000, 10, "≥ 400×"),
        alone(100_000, 10, "< 0.5 s"),
        alone(1000, 50, "< 0.5 s"),
        alone(1_000_000, 10, "< 5 s"),
    ]


if __name__ == "__main__":
    for row in rows():
        ratio = "" if row.ratio is None else f"{row.ratio:8.0f}×"
        print(f"{row.what:32} {row.ours:10.4f} s {ratio:>10} {row.goal:10} {row.note}")
