"""Tasks that did not tune every parameter: they count with what they have."""

from __future__ import annotations

import itertools
import json

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from processes import ringfence
from ringfence.fit.box import fit_box
from ringfence.fit.completion import completed
from ringfence.fit.unions.cells import Cells
from ringfence.learned.blocks import Block
from ringfence.regions import Box, Region, Union
from ringfence.space import Encoding

SPACE = rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1), "n": rf.Int(1, 9)})
SHAPES = ("box", "ellipsoid", "boxes", "ellipsoids")


def holds(region: Region, points: np.ndarray) -> np.ndarray:
    """Whether a block with this region holds the points."""
    names = [f"x{j}" for j in range(region.dim)]
    encoding = Encoding.of(rf.Space({name: rf.Float(0, 1) for name in names}))
    return Block(encoding, (), region, 1, None, 0.0, 0).inside(points)


def mismatched(n_tasks: int = 12, runs: int = 20) -> rf.History:
    """Every third task without y, every fourth without n."""
    rng = np.random.default_rng(3)
    tables = []
    for t in range(n_tasks):
        x, y = rng.uniform(size=(2, runs))
        n = rng.integers(1, 10, runs)
        error = (x - 0.3 - 0.02 * t) ** 2 + (y - 0.6) ** 2 + 0.01 * (n - 4) ** 2
        table = pl.DataFrame({"task": f"t{t:02}", "x": x, "y": y, "n": n, "error": error})
        gone = ["y"] * (t % 3 == 0) + ["n"] * (t % 4 == 0)
        tables.append(table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in gone))
    frame = pl.concat(tables, how="vertical_relaxed")
    return rf.History.from_frame(frame, task="task", objective="error", parameters=list(SPACE))


def test_each_range_of_a_box_is_that_of_the_tasks_that_have_the_parameter():
    points = np.random.default_rng(0).uniform(0.2, 0.8, (30, 4))
    points[np.random.default_rng(1).uniform(size=points.shape) < 0.4] = np.nan
    points[:, 3] = np.nan  # nobody has it
    fit = fit_box(points)
    for j in range(3):
        assert fit.region.lower[j] == np.nanmin(points[:, j])
        assert fit.region.upper[j] == np.nanmax(points[:, j])
    assert (fit.region.lower[3], fit.region.upper[3], fit.widened) == (0.0, 1.0, 1)


def test_a_slack_box_with_unknown_coordinates_leaves_as_many_outside_as_asked():
    points = np.random.default_rng(0).uniform(0.2, 0.8, (40, 3))
    points[::3, 1] = np.nan
    fit = fit_box(points, outliers=0.25)
    assert (fit.slack > 1e-9).sum() >= 10
    assert (~holds(fit.region, points)).sum() == (fit.slack > 1e-9).sum()


def test_a_region_holds_a_point_if_some_completion_is_inside():
    left, right = Box(np.zeros(2), np.array([0.4, 0.4])), Box(np.array([0.6, 0.6]), np.ones(2))
    union = Union((left, right))
    values = np.linspace(0.0, 1.0, 11)
    for x in values:
        completions = np.column_stack([np.full(11, x), values])
        expected = bool(union.contains(completions).any())
        assert holds(union, np.array([[x, np.nan]]))[0] == expected


def test_a_completion_comes_from_the_nearest_task_that_has_the_coordinate():
    nan = np.nan
    points = np.array([[0.1, 0.2, 0.3], [0.8, 0.9, 0.7], [0.15, nan, 0.3], [0.75, nan, nan]])
    filled = completed(Cells.of_reals(points)).points
    assert filled[2].tolist() == [0.15, 0.2, 0.3]
    assert filled[3].tolist() == [0.75, 0.9, 0.7]
    assert completed(Cells.of_reals(np.full((2, 1), nan))).points.tolist() == [[0.5], [0.5]]


@pytest.mark.parametrize(
    ("shape", "more"),
    list(itertools.product(SHAPES, ({}, {"outliers": 0.25}, {"tolerance": 0.2}))),
)
def test_every_shape_learns_and_its_file_comes_back(tmp_path, shape, more):
    learned = rf.learn(mismatched(), SPACE, shape=shape, starts=0, **more)
    assert {task.name: task.unknown for task in learned.tasks}["t00"] == ("y", "n")
    for task in learned.tasks:
        assert set(task.incumbent) | set(task.unknown) == set(SPACE)
        assert not set(task.incumbent) & set(task.unknown)
    if not more.get("outliers"):
        assert learned.outliers == ()
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json") == learned
    assert all(learned.contains(config) for config in learned.sample(20, seed=0))


def test_a_box_is_that_of_the_incumbents_that_know():
    learned = rf.learn(mismatched(), SPACE, starts=0)
    for name in SPACE:
        known = [task.incumbent[name] for task in learned.tasks if name in task.incumbent]
        assert learned.bounds[name] == pytest.approx((min(known), max(known)))


def test_a_file_that_says_an_unknown_parameter_has_a_value_is_refused(tmp_path):
    learned = rf.learn(mismatched(), SPACE, starts=0)
    path = tmp_path / "learned.json"
    learned.save(path)
    for damage in ({"incumbent": {"y": 0.6}}, {"unknown": ["nope", "n"]}, {"unknown": ["y"]}):
        content = json.loads(path.read_text())
        task = content["tasks"][0]
        task["incumbent"] |= damage.get("incumbent", {})
        task["unknown"] = damage.get("unknown", task["unknown"])
        damaged = tmp_path / "damaged.json"
        damaged.write_text(json.dumps(content))
        with pytest.raises(rf.FileError, match="is not in the space"):
            rf.load(damaged)


def test_a_conditional_child_of_an_unknown_parent_stays_in_the_incumbent(tmp_path):
    space = rf.Space(
        {"kernel": rf.Categorical(["lin", "rbf"]), "gamma": rf.Float(0, 1), "C": rf.Float(0, 1)},
        [rf.Condition("gamma", "kernel", ["rbf"])],
    )
    runs = {
        "task": ["a", "a", "b", "b", "c", "c"],
        "kernel": ["rbf", "lin", None, None, None, None],
        "gamma": [0.1, None, 0.4, 0.5, None, None],
        "C": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        "error": [0.0, 1.0] * 3,
    }
    learned = rf.learn(pl.DataFrame(runs), space, task="task", objective="error", starts=0)
    a, b, c = learned.tasks
    assert (a.unknown, b.unknown, c.unknown) == ((), ("kernel",), ("kernel", "gamma"))
    assert b.incumbent == {"gamma": 0.4, "C": 0.3}
    assert c.incumbent == {"C": 0.5}
    assert learned.bounds["gamma"] == pytest.approx((0.1, 0.4))
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json") == learned


def test_the_table_the_notebook_and_the_report_say_what_each_task_knew(tmp_path):
    learned = rf.learn(mismatched(), SPACE, starts=0)
    said = "4 of 12 tasks did not tune y (t00, t03, t06 and 1 more): what is learned of it comes"
    assert said in str(learned) and said in learned._repr_html_()
    learned.save(tmp_path / "learned.json")
    shown = ringfence("show", tmp_path / "learned.json", "--tasks").stdout
    line = next(line for line in shown.splitlines() if line.startswith("t00"))
    assert line.split()[-2:] == ["?", "?"]
    rf.report(mismatched(), SPACE, path=tmp_path / "report.html", starts=0)
    page = (tmp_path / "report.html").read_text()
    assert "How the past fits the space of now" in page and said in page
    rf.report(rf.example_history(), path=tmp_path / "plain.html", starts=0)
    assert "How the past fits" not in (tmp_path / "plain.html").read_text()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_parameter_that_nobody_tuned_keeps_all_of_its_range(tmp_path, shape):
    space = rf.Space(
        {**SPACE.parameters, "new": rf.Float(2, 3), "kind": rf.Categorical(["a", "b"])}
    )
    learned = rf.learn(mismatched(), space, shape=shape, outliers=0.25, refit=True, starts=0)
    assert learned.bounds["new"] == pytest.approx((2, 3))
    assert learned.choices["kind"] == ("a", "b")
    assert all({"new", "kind"} <= set(task.unknown) for task in learned.tasks)
    assert "no task tuned new: all of it stays" in str(learned)
    without = rf.learn(mismatched(), SPACE, shape=shape, outliers=0.25, refit=True, starts=0)
    assert learned.volume_fraction == pytest.approx(without.volume_fraction, rel=0.05)
    assert learned.outliers == without.outliers
    learned.save(tmp_path / "learned.json")
    assert rf.load(tmp_path / "learned.json") == learned


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_a_check_leaves_out_the_only_task_that_knows_a_parameter(shape):
    history = mismatched(6, 40)
    only = pl.when(pl.col("task") == "t05").then(pl.col("y"))
    frame = history.frame.with_columns(only.alias("y"))
    rare = rf.History.from_frame(frame, task="task", objective="error", parameters=list(SPACE))
    check = rf.check(rare, SPACE, shape=shape, starts=0)
    assert {task.name for task in check.tasks} == set(rare.tasks)


def test_a_coordinate_that_few_tasks_know_has_the_room_of_so_few():
    points = np.random.default_rng(0).uniform(0.2, 0.8, (12, 2))
    for known in (1, 2, 3, 6, 11, 12):
        x = points.copy()
        x[:known, 1] = 0.5 + np.linspace(-1e-3, 1e-3, known)
        x[known:, 1] = np.nan
        low, high = (bound[1] for bound in fit_box(x).region.bounds)
        least = 2 * 0.3 * min(1.0, 2 / known) if 1 < known < 12 else 0.0
        assert high - low == pytest.approx(max(2e-3, least) if known > 1 else 0.6)
        assert fit_box(x).region.lower[0] == points[:, 0].min()  # the other is left alone


def test_the_room_of_few_brings_nobody_in_who_was_left_outside():
    points = np.random.default_rng(1).uniform(0.45, 0.55, (20, 2))
    points[::2, 1] = np.nan
    fit = fit_box(points, outliers=0.2)
    assert (fit.slack > 1e-9).sum() >= 4
    assert (~holds(fit.region, points)).sum() == (fit.slack > 1e-9).sum()


def test_tasks_without_a_conditional_parameter_do_not_change_its_range():
    """Inactive is not unknown: one box for all parameters gives a conditional one no room."""
    rng = np.random.default_rng(2)
    n = 12
    frame = pl.DataFrame(
        {
            "task": [f"t{i}" for i in range(n)],
            "opt": ["sgd"] * 3 + ["adam"] * (n - 3),
            "x": rng.uniform(0, 1, n),
            "y": [0.5, 0.501, 0.502] + [None] * (n - 3),
            "error": [0.0] * n,
        }
    )
    space = rf.Space(
        {"opt": rf.Categorical(["sgd", "adam"]), "x": rf.Float(0, 1), "y": rf.Float(0, 1)},
        [rf.Condition("y", "opt", ["sgd"])],
    )
    runs = {"task": "task", "objective": "error", "starts": 0}
    for more in ({}, {"one_cloud": True}, {"one_cloud": True, "outliers": 0.1}):
        learned = rf.learn(frame, space, **runs, **more)
        low, high = learned.bounds["y"]
        assert high - low < 0.01
    assert "note: y is known from 3 of 12 tasks only" in str(rf.learn(frame, space, **runs))


@pytest.mark.parametrize(
    ("knowers", "words"), [(1, "keeps room around it"), (2, "33%"), (4, "60%")]
)
@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_the_note_on_few_tasks_counts_those_that_know(knowers, words, shape):
    frame = mismatched().frame
    rare = frame["task"].is_in(list(mismatched().tasks[1 : 1 + knowers]))
    frame = frame.with_columns(pl.when(rare).then(pl.col("x")).alias("y"), pl.col("n").fill_null(4))
    history = rf.History.from_frame(frame, task="task", objective="error", parameters=list(SPACE))
    text = str(rf.learn(history, SPACE, shape=shape, starts=0))
    (line,) = [line for line in text.splitlines() if "known from" in line]
    assert line.startswith(f"note: y is known from {knowers} of 12 tasks only") and words in line
    assert "12 tasks are too few" not in text


def test_the_range_of_k_tasks_holds_the_next_as_often_as_the_note_says():
    draws = np.random.default_rng(0).normal(size=(40000, 5))
    for k in (2, 3, 4):
        first, further = draws[:, :k], draws[:, k]
        held = ((first.min(axis=1) < further) & (further < first.max(axis=1))).mean()
        assert held == pytest.approx((k - 1) / (k + 1), abs=0.01)


def test_a_parameter_that_a_condition_switched_off_has_no_room_and_none_is_said():
    """Two of five tasks have beta: their box ends where their bests do."""
    space = rf.Space(
        {"opt": rf.Categorical(["adam", "sgd"]), "lr": rf.Float(0, 1), "beta": rf.Float(0, 1)},
        [rf.Condition("beta", "opt", ["adam"])],
    )
    table = pl.DataFrame(
        {
            "task": list("abcde"),
            "opt": ["adam", "adam", "sgd", "sgd", "sgd"],
            "lr": [0.2, 0.3, 0.4, 0.5, 0.6],
            "beta": [0.45, 0.55, None, None, None],
            "error": [0.1] * 5,
        }
    )
    history = rf.History.from_frame(
        table, task="task", objective="error", parameters=["opt", "lr", "beta"]
    )
    learned = rf.learn(history, space, starts=0)
    assert learned.bounds["beta"] == pytest.approx((0.45, 0.55))
    (note,) = (line for line in str(learned).splitlines() if "beta is known from 2 of 5" in line)
    assert "in 33% of cases" in note and "room" not in note
