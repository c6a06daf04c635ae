"""`literal=True`: eqs. 7 and 8 as the paper prints them, against CVXPY in the declared units."""

from __future__ import annotations

import cvxpy
import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.errors import FitError, SettingError
from ringfence.fit.outlier_count import n_outliers
from ringfence.fit.solvers.slack_box.penalty import PAPER_GRID

SPACE = rf.Space(
    {
        "lr": rf.Float(1e-4, 1.0, log=True),
        "percent": rf.Float(5.0, 95.0),
        "layers": rf.Int(1, 20),
    }
)


def history(n_tasks: int, seed: int = 0) -> rf.History:
    """One row a task: its best configuration."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "task": [f"task {t}" for t in range(n_tasks)],
            "lr": 10 ** rng.normal(-2, 0.5, n_tasks).clip(-4, 0),
            "percent": (60 + 10 * rng.standard_normal(n_tasks)).clip(5, 95),
            "layers": rng.integers(3, 16, n_tasks),
            "loss": rng.random(n_tasks),
        }
    )
    return rf.History.from_frame(frame, task="task", objective="loss")


def declared(learned: rf.LearnedSpace) -> np.ndarray:
    """The incumbents: the log of lr, the others as they are."""
    rows = [task.incumbent for task in learned.tasks]
    return np.array([[np.log(row["lr"]), row["percent"], row["layers"]] for row in rows])


def printed_box(x: np.ndarray, penalty: float, low: np.ndarray, high: np.ndarray):
    """Eq. 7 to the letter; NaN has no constraint."""
    T, p = x.shape
    lower, upper = cvxpy.Variable(p), cvxpy.Variable(p)
    below, above = cvxpy.Variable(T, nonneg=True), cvxpy.Variable(T, nonneg=True)
    rules = []
    for t, j in zip(*np.nonzero(~np.isnan(x))):
        rules += [lower[j] - below[t] * abs(low[j]) <= x[t, j]]
        rules += [x[t, j] <= upper[j] + above[t] * abs(high[j])]
    size = penalty / 2 * cvxpy.sum_squares(upper - lower)
    problem = cvxpy.Problem(cvxpy.Minimize(size + cvxpy.sum(below + above) / (2 * T)), rules)
    accuracy = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-11)
    problem.solve(solver=cvxpy.CLARABEL, **accuracy)
    return lower.value, upper.value, np.maximum(below.value, above.value)


@pytest.mark.parametrize("outliers", [0.1, 0.5])
def test_the_box_is_that_of_the_paper(outliers):
    learned = rf.learn(history(20), SPACE, outliers=outliers, literal=True, starts=0)
    x = declared(learned)
    low, high = np.array([np.log(1e-4), 5, 1]), np.array([0.0, 95, 20])
    size = 0.5 * float((np.ptp(x, axis=0) ** 2).sum())
    k = n_outliers(outliers, 20)
    for s in PAPER_GRID:
        lower, upper, slack = printed_box(x, s / size, low, high)
        if (slack > 1e-6).sum() >= k:
            break
    (block,) = learned.blocks
    assert block.penalty == pytest.approx(s / size)
    ranges = learned.bounds
    assert np.log(ranges["lr"]) == pytest.approx([lower[0], upper[0]], abs=1e-3)
    assert ranges["percent"] == pytest.approx((lower[1], upper[1]), abs=1e-3)
    assert ranges["layers"] == pytest.approx((lower[2], upper[2]), abs=1.0)  # whole numbers
    assert len(learned.outliers) >= k - 1  # one may be inside the whole cell of an integer


def test_a_bound_of_zero_is_rigid():
    """|u0| = |log 1| = 0: nothing may lie beyond, so that the box reaches the largest task."""
    learned = rf.learn(history(20), SPACE, outliers=0.5, literal=True, starts=0)
    largest = max(task.incumbent["lr"] for task in learned.tasks)
    assert learned.bounds["lr"][1] == pytest.approx(largest)
    ours = rf.learn(history(20), SPACE, outliers=0.5, starts=0)
    assert ours.bounds["lr"][1] < largest


def test_the_ellipsoid_is_that_of_the_paper():
    learned = rf.learn(history(20), SPACE, shape="ellipsoid", outliers=0.1, literal=True, starts=0)
    x = declared(learned)
    T, p = x.shape
    A, b = cvxpy.Variable((p, p), PSD=True), cvxpy.Variable(p)
    xi = cvxpy.Variable(T, nonneg=True)
    unit = np.ptp(x, axis=0)  # CVXPY wants numbers near one; log det A⁻¹ changes by a constant
    norms = cvxpy.norm(A @ (x / unit).T + b[:, None], axis=0)

    def solved(penalty: float) -> tuple[float, np.ndarray]:
        total = -penalty * cvxpy.log_det(A) + cvxpy.sum(xi) / T
        cvxpy.Problem(cvxpy.Minimize(total), [norms <= 1 + xi]).solve(solver=cvxpy.CLARABEL)
        return float(np.log(unit).sum() - np.linalg.slogdet(A.value)[1]), norms.value

    exact = cvxpy.Problem(cvxpy.Minimize(-cvxpy.log_det(A)), [norms <= 1])
    exact.solve(solver=cvxpy.CLARABEL)
    Q = float(exact.value) + np.log(unit).sum()
    (block,) = learned.blocks
    s = block.penalty * Q
    assert np.isclose(s, PAPER_GRID).any()
    _, at_s = solved(block.penalty)
    assert (at_s > 1 + 1e-5).sum() >= 2
    if s > 1.1 * PAPER_GRID[0]:
        assert (solved(block.penalty / 10**0.5)[1] > 1 + 1e-5).sum() < 2
    ours = np.array([task.slack for task in learned.tasks])
    assert ours == pytest.approx(np.maximum(at_s - 1, 0), abs=1e-3)


def test_tasks_that_lack_a_parameter_do_not_bound_it():
    """A conditional parameter is one more coordinate of the one cloud."""
    rng = np.random.default_rng(3)
    space = rf.Space(
        {
            "C": rf.Float(1.0, 10.0),
            "kernel": rf.Categorical(["rbf", "linear"]),
            "gamma": rf.Float(1.0, 10.0),
        },
        conditions=[rf.Condition("gamma", "kernel", ["rbf"])],
    )
    kernel = ["rbf", "linear"] * 8
    C, gamma = rng.uniform(2, 9, 16), rng.uniform(2, 9, 16)
    x = np.column_stack([C, [g if k == "rbf" else np.nan for k, g in zip(kernel, gamma)]])
    frame = pl.DataFrame(
        {
            "task": [str(t) for t in range(16)],
            "C": C,
            "kernel": kernel,
            "gamma": [None if np.isnan(g) else g for g in x[:, 1]],
            "loss": rng.random(16),
        }
    )
    past = rf.History.from_frame(frame, task="task", objective="loss")
    learned = rf.learn(past, space, outliers=0.3, literal=True, starts=0)
    penalty = learned.blocks[0].penalty
    lower, upper, _ = printed_box(x, penalty, np.ones(2), np.full(2, 10.0))
    assert learned.bounds["C"] == pytest.approx((lower[0], upper[0]), abs=1e-3)
    assert learned.bounds["gamma"] == pytest.approx((lower[1], upper[1]), abs=1e-3)
    again = rf.learn(past, space, outliers=0.3, literal=True, refit=True, starts=0)
    assert again.outliers == learned.outliers
    assert again.volume_fraction <= learned.volume_fraction


def test_it_is_checked_saved_and_said(tmp_path):
    past = rf.example_history()
    learned = rf.learn(past, outliers="paper", literal=True, starts=0)
    assert "as printed" in str(rf.check(past, outliers="paper", literal=True, starts=0))
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json").settings.literal


def test_it_needs_something_to_be_literal_about():
    for name in ("literal", "one_cloud"):
        for shape in ("boxes", "full", "auto"):
            with pytest.raises(SettingError, match="one box or one ellipsoid"):
                rf.learn(history(8), SPACE, shape=shape, **{name: True})


def test_where_the_papers_penalty_is_not_defined():
    with pytest.raises(FitError, match="span all 3"):
        rf.learn(history(3), SPACE, shape="ellipsoid", outliers=0.1, literal=True, starts=0)


def test_a_small_ellipsoid_is_refused_in_one_line():
    """log det A⁻¹ < 0 in these units: s/Q would be negative."""
    space = rf.Space({"a": rf.Float(0.0, 1.0), "b": rf.Float(0.0, 1.0)})
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"task": [str(t) for t in range(12)], "a": rng.random(12), "b": rng.random(12)}
    ).with_columns(loss=pl.lit(0.1))
    past = rf.History.from_frame(frame, task="task", objective="loss")
    with pytest.raises(FitError, match=r"needs Q > 0.*leave literal out") as refusal:
        rf.learn(past, space, shape="ellipsoid", outliers=0.1, literal=True, starts=0)
    assert "\n" not in str(refusal.value)


def test_raw_units_over_nine_decades():
    """An SVM in raw units, as tasks of many kernels have it: |l0| = 4.5e-5 and |u0| = 2.2e4."""
    rng = np.random.default_rng(0)
    space = rf.Space({"cost": rf.Float(4.5e-5, 2.2e4), "gamma": rf.Float(4.5e-5, 2.2e4)})
    draws = np.exp(rng.uniform(np.log(4.5e-5), np.log(2.2e4), (29, 2)))
    frame = pl.DataFrame(
        {"task": [str(t) for t in range(29)], "cost": draws[:, 0], "gamma": draws[:, 1]}
    ).with_columns(loss=pl.lit(0.1))
    past = rf.History.from_frame(frame, task="task", objective="loss")
    learned = rf.learn(past, space, outliers=0.5, literal=True, starts=0)
    assert len(learned.outliers) >= 15
    assert learned.blocks[0].gap <= 1e-9
    for j, name in enumerate(("cost", "gamma")):  # slack below costs a thousand million times more
        assert learned.bounds[name][0] == pytest.approx(draws[:, j].min(), rel=1e-3)
        assert learned.bounds[name][1] < 0.5 * draws[:, j].max()


def test_without_outliers_it_is_eqs_5_and_6_in_declared_units():
    """The box by minimum and maximum, the ellipsoid by CVXPY."""
    past = history(20)
    box = rf.learn(past, SPACE, literal=True, starts=0)
    assert box.bounds == rf.learn(past, SPACE, starts=0).bounds
    learned = rf.learn(past, SPACE, shape="ellipsoid", literal=True, starts=0)
    x = declared(learned)
    unit = np.ptp(x, axis=0)
    A, b = cvxpy.Variable((3, 3), PSD=True), cvxpy.Variable(3)
    norms = cvxpy.norm(A @ (x / unit).T + b[:, None], axis=0)
    cvxpy.Problem(cvxpy.Minimize(-cvxpy.log_det(A)), [norms <= 1]).solve(solver=cvxpy.CLARABEL)
    (block,) = learned.blocks
    points = np.concatenate([block.encoding.point(task.incumbent) for task in learned.tasks])
    assert block.region.norm(points) == pytest.approx(norms.value, abs=1e-4)


def test_a_box_of_tasks_that_lack_a_parameter_has_room_in_no_more_than_it_holds(tmp_path):
    """All tasks agree in both blocks: each says how many of its own directions are undetermined."""
    frame = pl.DataFrame(
        {
            "task": [str(t) for t in range(6)],
            "C": [2.0] * 6,
            "kernel": ["rbf"] * 6,
            "gamma": [3.0] * 6,
            "loss": [0.1] * 6,
        }
    )
    space = rf.Space(
        {
            "C": rf.Float(1.0, 10.0),
            "kernel": rf.Categorical(["rbf", "linear"]),
            "gamma": rf.Float(1.0, 10.0),
        },
        conditions=[rf.Condition("gamma", "kernel", ["rbf"])],
    )
    past = rf.History.from_frame(frame, task="task", objective="loss")
    learned = rf.learn(past, space, outliers=0.5, literal=True, starts=0)
    learned.save(tmp_path / "learned.json")
    assert [block.widened for block in rf.load(tmp_path / "learned.json").blocks] == [1, 1]
