"""From a history to a learned space: what the user gets, and the laws it keeps."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ringfence as rf
from conftest import MIXED, incumbent_history, mixed_runs, unit_space

SHAPES = ["box", "ellipsoid"]
SETTINGS = [(shape, nu) for shape in SHAPES for nu in (0.0, 0.1, 0.5)]


@pytest.fixture(params=SETTINGS, ids=lambda s: f"{s[0]}-{s[1]}", scope="module")
def learned(request, mixed_history):
    shape, outliers = request.param
    return rf.learn(mixed_history, MIXED, shape=shape, outliers=outliers)


def test_tasks_are_inside_unless_they_are_named_as_outliers(learned):
    for task in learned.tasks:
        assert learned.contains(task.incumbent) == (task.name not in learned.outliers)


def test_without_outliers_every_task_is_inside(learned):
    if learned.settings.outliers == 0:
        assert learned.outliers == ()
    else:
        main = learned.blocks[0]
        assert main.penalty > 0
        assert len(learned.outliers) >= learned.settings.outliers * len(learned.tasks)


def test_samples_are_inside_in_original_units_and_types(learned):
    configs = learned.sample(300, seed=0)
    assert all(learned.contains(c) and MIXED.contains(c) for c in configs)
    assert {type(c["lr"]) for c in configs} == {float}
    assert {type(c["depth"]) for c in configs if "depth" in c} == {int}
    assert all(("rate" in c) == (c["booster"] == "dart") for c in configs)
    assert all(("depth" in c) == (c["booster"] != "gblinear") for c in configs)
    assert {c["seed"] for c in configs} == {7}
    assert {c["booster"] for c in configs} == {"gbtree", "dart", "gblinear"}


def test_bounds_hold_every_sample_and_lie_in_the_declared_ones(learned):
    low, high = learned.bounds["lr"]
    assert 1e-5 <= low < high <= 1.0
    assert set(learned.bounds) == {"lr", "depth", "rate", "batch"}
    choices = MIXED["batch"].choices
    for config in learned.sample(200, seed=1):
        for name, (low, high) in learned.bounds.items():
            if name == "batch":
                assert choices.index(low) <= choices.index(config[name]) <= choices.index(high)
            elif name in config:
                assert low <= config[name] <= high


def test_the_volume_kept_is_the_share_of_original_draws_that_stay(learned):
    """Draws of the full space, 20,000: the share inside within five sigma (false alarm 6e-7);
    integers blur the boundary of an ellipsoid, hence a margin there."""
    n = 20_000
    rng = np.random.default_rng(0)
    booster = rng.integers(0, 3, n).astype(float)
    columns = {
        "lr": 10 ** rng.uniform(-5, 0, n),
        "booster": booster,
        "batch": rng.integers(0, 4, n).astype(float),
        "depth": np.where(booster < 2, rng.integers(2, 13, n), np.nan),
        "rate": np.where(booster == 1, rng.uniform(0, 0.9, n), np.nan),
    }
    share = learned.inside(columns).mean()
    sigma = math.sqrt(share * (1 - share) / n) + 1e-4
    margin = 0.0 if learned.shape == "box" else 0.35 * share
    assert abs(share - learned.volume_fraction) < 5 * sigma + margin


def test_many_at_once_and_one_by_one_agree(learned):
    configs = learned.sample(100, seed=5) + [t.incumbent for t in learned.tasks]
    position = {b: i for i, b in enumerate(MIXED["booster"].choices)}
    columns = {n: np.array([c.get(n, np.nan) for c in configs]) for n in ("lr", "depth", "rate")}
    columns["booster"] = np.array([float(position[c["booster"]]) for c in configs])
    columns["batch"] = np.array([np.log2(c["batch"]) - 3 for c in configs])
    assert learned.inside(columns).tolist() == [learned.contains(c) for c in configs]


def test_the_same_seed_gives_the_same_draws_in_another_process(learned, tmp_path):
    learned.save(tmp_path / "l.json")
    code = "import ringfence as rf, sys; print(rf.load(sys.argv[1]).sample(5, seed=3))"
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "l.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.strip() == str(learned.sample(5, seed=3))
    assert learned.sample(5, seed=3) != learned.sample(5, seed=4)


def test_the_exact_box_is_the_incumbents_minimum_and_maximum():
    points = np.random.default_rng(0).random((9, 3))
    learned = rf.learn(incumbent_history(points), unit_space(3))
    for j, name in enumerate("abc"):
        assert learned.bounds[name] == (points[:, j].min(), points[:, j].max())
    assert learned.volume_fraction == pytest.approx(np.ptp(points, axis=0).prod())


def test_integers_at_both_ends_are_kept_and_drawn_evenly():
    """4 … 8 of 2 … 12 is 5 of 11 values; each gets a fifth of 10,000 draws, five sigma."""
    frame = pl.DataFrame({"task": ["a", "b"], "error": [0.0, 0.0], "n": [4, 8]})
    history = rf.History.from_frame(frame, task="task", objective="error")
    learned = rf.learn(history, rf.Space({"n": rf.Int(2, 12)}))
    assert learned.bounds == {"n": (4, 8)}
    assert learned.volume_fraction == pytest.approx(5 / 11)
    counts = np.bincount([c["n"] for c in learned.sample(10_000, seed=0)])
    assert counts[:4].sum() == 0 and len(counts) == 9
    assert np.abs(counts[4:] - 2000).max() < 5 * math.sqrt(10_000 * 0.2 * 0.8)


def test_an_ordered_parameter_keeps_its_middle_values():
    frame = pl.DataFrame({"task": ["a", "b"], "error": [0.0, 0.0], "size": [8, 64]})
    history = rf.History.from_frame(frame, task="task", objective="error")
    space = rf.Space({"size": rf.Categorical([4, 8, 16, 32, 64, 128], ordered=True)})
    learned = rf.learn(history, space)
    assert learned.bounds == {"size": (8, 64)}
    assert {c["size"] for c in learned.sample(200, seed=0)} == {8, 16, 32, 64}


def test_one_outlier_task_does_not_blow_the_range_up():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.uniform(0.4, 0.6, (29, 3)), [[0.95, 0.95, 0.95]]])
    history, space = incumbent_history(points), unit_space(3)
    for shape in SHAPES:
        exact = rf.learn(history, space, shape=shape)
        robust = rf.learn(history, space, shape=shape, outliers=1 / 30)
        assert "t29" in robust.outliers
        assert not exact.outliers
        assert robust.volume_fraction < exact.volume_fraction
    assert rf.learn(history, space, outliers="paper").settings.outliers == 0.5
    assert rf.learn(history, space, shape="ellipsoid", outliers="paper").settings.outliers == 0.1


@pytest.mark.parametrize("shape", SHAPES)
def test_a_refit_is_the_exact_region_of_the_tasks_inside(shape):
    rng = np.random.default_rng(0)
    points = np.vstack([rng.uniform(0.4, 0.6, (29, 3)), [[0.95, 0.95, 0.95]]])
    space = unit_space(3)
    rule = rf.learn(incumbent_history(points), space, shape=shape, outliers=1 / 30)
    refit = rf.learn(incumbent_history(points), space, shape=shape, outliers=1 / 30, refit=True)
    inside = np.array([not task.outside for task in rule.tasks])
    exact = rf.learn(incumbent_history(points[inside]), space, shape=shape)
    assert refit.outliers == rule.outliers
    assert refit.bounds == exact.bounds
    assert refit.volume_fraction < 0.2 * rule.volume_fraction


def test_the_index_and_the_names_of_rows_do_not_matter():
    frame = mixed_runs(5, 10).to_pandas()
    told = {"task": "task", "objective": "error"}
    plain = rf.learn(rf.History.from_frame(frame, **told), MIXED)
    frame.index = list(reversed(range(len(frame))))
    assert rf.learn(rf.History.from_frame(frame, **told), MIXED) == plain


def test_scales_of_the_objective_do_not_matter():
    frame = mixed_runs(5, 10)
    scaled = frame.with_columns(error=pl.col("error") * 1e6 - 5)
    told = {"task": "task", "objective": "error"}
    first = rf.learn(rf.History.from_frame(frame, **told), MIXED)
    second = rf.learn(rf.History.from_frame(scaled, **told), MIXED)
    assert first.bounds == second.bounds


def test_maximizing_is_minimizing_the_negative():
    frame = mixed_runs(5, 10)
    mirrored = frame.with_columns(error=-pl.col("error"))
    first = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), MIXED)
    second = rf.learn(
        rf.History.from_frame(mirrored, task="task", objective="error", direction="maximize"), MIXED
    )
    assert first.bounds == second.bounds
    assert first.tasks[0].value == -second.tasks[0].value


def test_what_was_dropped_is_part_of_the_result():
    frame = mixed_runs(5, 10).with_columns(
        error=pl.when(pl.int_range(50) == 3).then(None).otherwise("error"),
        lr=pl.when(pl.int_range(50) == 4).then(5.0).otherwise("lr"),
    )
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), MIXED)
    assert [d.rows for d in learned.provenance.dropped] == [1, 1]
    assert learned.provenance.rows == 50 and learned.provenance.rows_used == 48


def test_only_observed_categories_on_request():
    runs = mixed_runs().filter(pl.col("booster") != "gblinear")
    history = rf.History.from_frame(runs, task="task", objective="error")
    every = rf.learn(history, MIXED)
    seen = rf.learn(history, MIXED, categories="observed")
    observed = {task.incumbent["booster"] for task in seen.tasks}
    assert every.choices["booster"] == ("gbtree", "dart", "gblinear")
    assert set(seen.choices["booster"]) == observed < {"gbtree", "dart", "gblinear"}
    assert {c["booster"] for c in seen.sample(200, seed=0)} == observed
    (gone,) = {"gbtree", "dart", "gblinear"} - observed
    config = {**seen.sample(1, seed=0)[0], "booster": gone, "depth": 6, "rate": 0.5}
    assert not seen.contains(config)


def test_a_block_that_no_task_speaks_of_keeps_its_range():
    frame = mixed_runs(5, 10).filter(pl.col("booster") == "gblinear")
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), MIXED)
    assert learned.bounds["rate"] == (0.0, 0.9)
    assert learned.bounds["depth"] == (2, 12)


def test_without_a_space_the_observed_one_is_taken(mixed_history):
    learned = rf.learn(mixed_history)
    assert learned.space["lr"].log
    assert learned.space.conditions_of("rate")[0].parent == "booster"
    assert any("rate is active only if booster is dart" in n for n in learned.provenance.notes)


def test_tasks_that_only_leave_together_stay_and_that_is_said():
    """Ten tasks at each of two places: nothing would be inside, so nothing is left outside."""
    points = np.repeat([[0.1, 0.5], [0.9, 0.5]], 10, axis=0)
    corners = np.array([[i % 2, i // 2 % 2] for i in range(20)], float)
    for cloud in (points, corners):
        for shape in SHAPES:
            learned = rf.learn(incumbent_history(cloud), unit_space(2), shape=shape, outliers=0.1)
            assert not learned.outliers
            assert "left outside (2 asked for; the others can only leave together): no task" in str(
                learned
            )
            assert all(learned.contains(c) for c in learned.sample(50, seed=0))


def test_more_outliers_than_asked_are_remarked():
    """Three tasks at each end: none of them can leave alone."""
    middle = np.random.default_rng(0).uniform(0.4, 0.6, (20, 1))
    points = np.vstack([middle, np.zeros((3, 1)), np.ones((3, 1))])
    learned = rf.learn(incumbent_history(points), unit_space(1), outliers=0.03)
    assert len(learned.outliers) > 1
    assert "left outside (1 asked for; tasks can leave together only): " in str(learned)


def test_many_switches_do_not_take_forever():
    """Fourteen parameters, each with a switch of its own: the shares multiply."""
    space = rf.Space(
        {f"s{i}": rf.Categorical(["a", "b", "c"]) for i in range(14)}
        | {f"x{i}": rf.Float(0, 1) for i in range(14)},
        [rf.Condition(f"x{i}", f"s{i}", ["a"]) for i in range(14)],
    )
    columns = {f"s{i}": ["a", "a"] for i in range(14)} | {f"x{i}": [0.25, 0.75] for i in range(14)}
    frame = pl.DataFrame({"task": ["t", "u"], "error": [0.0, 0.0], **columns})
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), space)
    assert learned.volume_fraction == pytest.approx((2 / 3 + 1 / 3 * 0.5) ** 14)


def test_shares_of_blocks_that_hang_together_are_averaged_together():
    """x is on for a, y for a and b: P(a) fx fy + P(b) fy + P(c)."""
    space = rf.Space(
        {"s": rf.Categorical(["a", "b", "c"]), "x": rf.Float(0, 1), "y": rf.Float(0, 1)},
        [rf.Condition("x", "s", ["a"]), rf.Condition("y", "s", ["a", "b"])],
    )
    frame = pl.DataFrame({"task": ["t", "u"], "error": [0.0, 0.0], "s": ["a", "a"],
                          "x": [0.0, 0.5], "y": [0.0, 0.2]})  # fmt: skip
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), space)
    assert learned.volume_fraction == pytest.approx((0.5 * 0.2 + 0.2 + 1) / 3)


def test_the_acceptance_of_draws_is_told(mixed_history):
    for shape in SHAPES:
        learned = rf.learn(mixed_history, MIXED, shape=shape)
        draws = learned.draw(learned.blocks[0], 500, np.random.default_rng(0))
        assert draws.points.shape == (500, 2) and draws.method == "rejection"
        assert (draws.acceptance == 1.0) if shape == "box" else (0.1 < draws.acceptance < 1.0)


def test_the_ranges_as_a_space_of_their_own(mixed_history):
    learned = rf.learn(mixed_history, MIXED)
    space = learned.as_space()
    assert (space["lr"].low, space["lr"].high) == learned.bounds["lr"] and space["lr"].log
    assert (space["depth"].low, space["depth"].high) == learned.bounds["depth"]
    assert space["batch"].choices[0] == learned.bounds["batch"][0] and space["batch"].ordered
    assert all(space.contains(config) for config in learned.sample(100, seed=0))
    runs = mixed_runs().filter(pl.col("booster") == "dart")
    alone = rf.History.from_frame(runs, task="task", objective="error")
    single = rf.learn(alone, MIXED, categories="observed").as_space()
    assert single["booster"] == rf.Constant("dart")
    assert not single.conditions and "rate" in single
    runs = mixed_runs().filter(pl.col("booster") == "gblinear")
    alone = rf.History.from_frame(runs, task="task", objective="error")
    single = rf.learn(alone, MIXED, categories="observed").as_space()
    assert "rate" not in single and "depth" not in single


def test_observed_categories_are_those_of_the_tasks_inside():
    points = np.random.default_rng(0).uniform(0.4, 0.6, (12, 2))
    points[11] = 0.95
    frame = incumbent_history(points).frame.with_columns(k=pl.Series(["a", "b"] * 5 + ["a", "odd"]))
    history = rf.History.from_frame(frame, task="task", objective="error")
    learned = rf.learn(history, outliers=0.05, refit=True, categories="observed")
    assert "t11" in learned.outliers
    assert learned.choices["k"] == ("a", "b")


def test_a_refitted_region_has_the_gap_of_its_own(mixed_history):
    refit = rf.learn(mixed_history, MIXED, shape="ellipsoid", outliers=0.1, refit=True)
    inside = [task.name for task in refit.tasks if not task.outside]
    exact = rf.learn(mixed_history.only(inside), MIXED, shape="ellipsoid")
    assert refit.blocks[0].gap == exact.blocks[0].gap


def test_no_configurations_are_an_empty_list(mixed_history):
    assert rf.learn(mixed_history, MIXED).sample(0) == []


def test_inactive_constants_are_no_part_of_an_incumbent():
    frame = pl.DataFrame(
        {"task": ["a", "b"], "error": [0.0, 0.0], "k": ["l", "r"], "x": [0.1, 0.2]}
    )
    space = rf.Space(
        {"k": rf.Categorical(["l", "r"]), "c": rf.Constant(3), "x": rf.Float(0, 1)},
        [rf.Condition("c", "k", ["r"])],
    )
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"), space)
    assert [task.incumbent for task in learned.tasks] == [
        {"k": "l", "x": 0.1},
        {"k": "r", "c": 3, "x": 0.2},
    ]


def test_only_categories():
    frame = pl.DataFrame({"task": ["a", "b"], "error": [0.0, 1.0], "k": ["x", "y"]})
    learned = rf.learn(rf.History.from_frame(frame, task="task", objective="error"))
    assert learned.volume_fraction == 1.0
    assert {c["k"] for c in learned.sample(50, seed=0)} == {"x", "y"}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("outliers", [0.0, 0.2])
@pytest.mark.parametrize(
    "points",
    [
        np.full((1, 3), 0.5),
        np.full((6, 3), 0.5),
        np.zeros((4, 3)),
        np.ones((2, 3)),
        np.array([[0.1, 0.2, 0.3], [0.4, 0.2, 0.9]]),
        np.linspace(0, 1, 5)[:, None] * np.ones(3),
        np.random.default_rng(0).random((30, 3)) * [1, 1, 0] + [0, 0, 0.25],
        np.random.default_rng(0).integers(0, 2, (30, 3)).astype(float),
        0.5 + 1e-9 * np.random.default_rng(0).random((10, 3)),
        0.5 + 1e-5 * np.random.default_rng(0).random((10, 3)),
        np.random.default_rng(0).random((10, 3)) * [1, 1e-4, 1e-8],
        np.repeat(np.random.default_rng(0).random((4, 3)), 5, axis=0),
        np.array([[0.0], [0.0], [1.0], [1.0], [1e-8]]) * np.ones(2),
        np.random.default_rng(0).random((3, 8)),
        np.random.default_rng(0).random((9, 8)),
    ],
    ids=["one", "agree", "corner", "other corner", "two", "line", "flat", "grid", "dust", "tiny",
         "wild", "repeats", "nearly repeats", "T<p", "T=p+1"],
)  # fmt: skip
def test_there_is_always_a_usable_full_dimensional_region(points, shape, outliers):
    dim = points.shape[1]
    learned = rf.learn(incumbent_history(points), unit_space(dim), shape=shape, outliers=outliers)
    assert 0 < learned.volume_fraction <= 1
    lower, upper = learned.blocks[0].region.bounds
    assert (upper - lower > 0).all() and (lower >= 0).all() and (upper <= 1).all()
    few = len(points) <= dim
    assert ("undetermined" in str(learned)) == bool(learned.blocks[0].widened)
    assert few <= ("note: " in str(learned)) and few <= ("note: " in learned._repr_html_())
    assert ("tasks are few for" in str(learned)) == (few and not learned.blocks[0].widened)
    configs = learned.sample(50, seed=0)
    assert all(learned.contains(config) for config in configs)
    for j in range(dim):
        assert len({config["abcdefghij"[j]] for config in configs}) > 10
    if outliers == 0:
        assert not learned.outliers


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_declared_bounds_are_law_whatever_the_points(data):
    dim = data.draw(st.integers(1, 4))
    size = data.draw(st.integers(1, 12))
    coordinate = st.sampled_from([0.0, 1.0, 0.5, 1e-8, 0.5 + 1e-7]) | st.floats(0, 1)
    points = np.array(data.draw(st.lists(
        st.lists(coordinate, min_size=dim, max_size=dim), min_size=size, max_size=size
    )))  # fmt: skip
    shape = data.draw(st.sampled_from(SHAPES))
    outliers = data.draw(st.sampled_from([0.0, 0.1, 0.4]))
    learned = rf.learn(incumbent_history(points), unit_space(dim), shape=shape, outliers=outliers)
    configs = learned.sample(20, seed=0)
    assert all(0.0 <= v <= 1.0 for config in configs for v in config.values())
    assert all(learned.contains(config) for config in configs)
    assert all(learned.contains(t.incumbent) != t.outside for t in learned.tasks)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
@pytest.mark.parametrize("shape", SHAPES)
def test_units_do_not_matter(shape, scale):
    points = np.random.default_rng(0).random((12, 2))
    plain = rf.learn(incumbent_history(points), unit_space(2), shape=shape)
    wide = rf.Space({"a": rf.Float(0.0, scale), "b": rf.Float(-scale, 0.0)})
    scaled = rf.learn(incumbent_history(points * scale - [0, scale]), wide, shape=shape)
    assert scaled.volume_fraction == pytest.approx(plain.volume_fraction, rel=1e-6)


def test_top_draws_around_the_best_rows_of_every_task():
    """Four tasks of 40 rows: the best 10 % are four rows each, the best 1 % is one."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"task": ["p", "q", "r", "s"] * 40, "a": rng.random(160),
                          "b": rng.random(160), "error": rng.random(160)})  # fmt: skip
    history = rf.History.from_frame(frame, task="task", objective="error")
    learned = rf.learn(history, unit_space(2), top=0.1)
    best = frame.sort("error").group_by("task").head(4)
    for name in "ab":
        assert learned.bounds[name] == (best[name].min(), best[name].max())
    alone = rf.learn(history, unit_space(2))
    assert learned.tasks == alone.tasks and len(learned.tasks) == 4
    assert learned.blocks[0].tasks == 4
    assert learned.volume_fraction > alone.volume_fraction
    assert rf.learn(history, unit_space(2), top=0.01).bounds == alone.bounds
    assert "box around the best 10% of the configurations of all 4 tasks" in str(learned)


def test_with_top_outliers_are_a_share_of_rows_and_a_task_is_judged_by_its_best():
    """Ten tasks of 20 rows, the best two of each count; one task's best lies far off."""
    rng = np.random.default_rng(0)
    points = rng.uniform(0.4, 0.6, (10, 20, 2))
    points[7, 0] = 0.99
    error = np.tile(np.arange(20.0), 10)
    flat = points.reshape(-1, 2)
    frame = pl.DataFrame({"task": np.repeat([f"t{t}" for t in range(10)], 20), "a": flat[:, 0],
                          "b": flat[:, 1], "error": error})  # fmt: skip
    history = rf.History.from_frame(frame, task="task", objective="error")
    settings = {"top": 0.1, "outliers": 0.05, "refit": True}  # one of twenty rows
    learned = rf.learn(history, unit_space(2), **settings)
    assert learned.outliers == ("t7",)
    best = points[:, :2].reshape(-1, 2)
    inside = learned.inside({"a": best[:, 0], "b": best[:, 1]})
    assert not inside[14] and 1 <= (~inside).sum() <= 3
    assert learned.bounds["a"] == (best[inside, 0].min(), best[inside, 0].max())
    assert "left outside (by their best rows): t7" in str(learned)


@pytest.mark.parametrize("equal", [0.0, 1.0])
def test_among_equal_rows_the_earliest_are_the_top(equal):
    frame = pl.DataFrame({"task": ["t"] * 10 + ["u"] * 10, "a": np.linspace(0, 1, 20),
                          "error": equal})  # fmt: skip
    history = rf.History.from_frame(frame, task="task", objective="error")
    learned = rf.learn(history, unit_space(1), top=0.2)
    assert learned.bounds["a"] == (0.0, pytest.approx(11 / 19))
    assert [task.incumbent["a"] for task in learned.tasks] == [0.0, pytest.approx(10 / 19)]


def test_the_full_space_is_the_original_one(mixed_history, tmp_path):
    whole = rf.learn(mixed_history, MIXED, shape="full")
    assert whole.volume_fraction == 1.0 and not whole.outliers
    assert whole.bounds == {"lr": (1e-5, 1.0), "depth": (2, 12), "rate": (0, 0.9), "batch": (8, 64)}
    assert whole.choices == MIXED.unordered_choices()
    assert [task.name for task in whole.tasks] == [*mixed_history.tasks]
    assert str(whole).startswith("the full space (20 tasks)")
    assert "undetermined" not in str(whole)
    whole.save(tmp_path / "whole.json")
    assert rf.load(tmp_path / "whole.json") == whole
    assert all(whole.contains(config) for config in whole.sample(50, seed=0))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda h: rf.learn(h, shape="circle"), "shape must be"),
        (lambda h: rf.learn(h, top=1.0), "top must be a share"),
        (lambda h: rf.learn(h, top="5%"), "top must be a share"),
        (lambda h: rf.learn(h, shape="full", outliers=0.1), "keeps the full space"),
        (lambda h: rf.learn(h, shape="auto", top=0.1), "chooses these itself"),
        (lambda h: rf.learn(h, shape="auto", outliers="paper"), "chooses these itself"),
        (lambda h: rf.learn(h, outliers=1.0), "outliers must be"),
        (lambda h: rf.learn(h, outliers=-0.1), "outliers must be"),
        (lambda h: rf.learn(h, outliers="many"), "outliers must be"),
        (lambda h: rf.learn(h, categories="some"), "categories must be"),
        (lambda h: rf.learn(h, outliers=None), "outliers must be"),
        (lambda h: rf.learn(h, n_evaluations=0), "at least 1"),
        (lambda h: rf.learn(h, n_evaluations=2.5), "whole number"),
        (lambda h: rf.learn(h, seed=-1), "seed must be at least 0"),
        (lambda h: rf.learn(h, {"lr": 1}), "must be a Space"),
        (lambda h: rf.check(h, {"lr": 1}), "must be a Space"),
        (lambda h: rf.compare(h, {"lr": 1}), "must be a Space"),
        (lambda h: rf.report(h, {"lr": 1}), "must be a Space"),
        (lambda h: rf.learn(h).sample(-1), "n must be at least 0"),
        (lambda h: rf.learn(h).sample(1, seed=-1), "seed must be at least 0"),
        (lambda h: rf.learn(h, rf.Space({"nope": rf.Float(0, 1)})), "no run has a value of a par"),
    ],
)
def test_wrong_arguments_are_named(mixed_history, call, says):
    with pytest.raises(rf.RingfenceError, match=says):
        call(mixed_history)


def test_a_configuration_with_a_wrong_name_is_an_error_not_a_no(mixed_history):
    learned = rf.learn(mixed_history, MIXED)
    good = learned.sample(1, seed=0)[0]
    with pytest.raises(rf.SpaceError, match="'lrr'"):
        learned.contains({**good, "lrr": 1})
    with pytest.raises(rf.SpaceError, match="no value of 'lr'"):
        learned.contains({k: v for k, v in good.items() if k != "lr"})
    with pytest.raises(rf.SpaceError, match="is a dict"):
        learned.contains(list(good.items()))
    assert learned.contains({**good, "booster": np.str_(good["booster"])})
    assert not learned.contains({**good, "booster": "gbtree", "depth": float("nan")})
    assert not learned.contains({**good, "lr": None})
    assert not learned.contains({**good, "lr": float("nan")})
    assert not learned.contains({**good, "lr": "fast"})
