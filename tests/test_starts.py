"""Starting points: they cover the tasks, stay inside, and survive what histories are like."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ringfence as rf
from checking.histories import SPACE, bowls, recorded
from conftest import MIXED, mixed_runs
from ringfence.cli.app import app
from ringfence.learned.diff import describe
from ringfence.learned.settings import wanted_starts

TWO = np.array([[0.2, 0.25]] * 6 + [[0.8, 0.7]] * 4)
"""Optima of ten tasks of two kinds."""


def near(config: dict, place: tuple[float, float]) -> float:
    return float(np.hypot(config["a"] - place[0], config["b"] - place[1]))


def by_task(history: rf.History, change) -> rf.History:
    """The history with every task's values changed by `change(number, values)`."""
    groups = history.frame.partition_by("task", maintain_order=True)
    frames = [
        g.with_columns(error=pl.Series(change(t, g["error"].to_numpy())))
        for t, g in enumerate(groups)
    ]
    return rf.History.from_frame(pl.concat(frames), task="task", objective="error")


def test_two_kinds_of_tasks_are_covered_by_two_points():
    learned = rf.learn(bowls(TWO, runs=60), SPACE, starts=4)
    (first,) = learned.starts(1)
    both = {(0.2, 0.25), (0.8, 0.7)}
    assert min(near(first, p) for p in both) < 0.35  # a compromise, or the larger kind
    assert {min(both, key=lambda p: near(c, p)) for c in learned.starts(3)} == both
    assert all(min(near(c, p) for c in learned.starts(3)) < 0.1 for p in both)
    left = [start.regret for start in learned.portfolio]
    assert left == sorted(left, reverse=True)
    assert left[2] < 0.1 < left[0]


def test_the_first_of_many_are_the_few():
    history = bowls(np.random.default_rng(0).random((12, 2)), runs=50)
    ten = rf.learn(history, SPACE, starts=10)
    assert rf.learn(history, SPACE, starts=4).starts() == ten.starts(4)
    assert len({json.dumps(config) for config in ten.starts()}) == 10


@pytest.mark.parametrize(
    ("tasks", "runs", "found"), [(3, 32, 10), (2, 40, 0), (10, 31, 0), (101, 32, 10)]
)
def test_they_are_looked_for_unasked_where_that_is_worth_it(tasks, runs, found):
    history = bowls(np.random.default_rng(0).random((tasks, 2)), runs=runs)
    learned = rf.learn(history, SPACE)
    assert len(learned.portfolio) == found
    choice = "starting points: 64 of 101 tasks stand for all"
    assert any(choice in note for note in learned.provenance.notes) == (tasks > 64)
    if found:
        assert rf.learn(history, SPACE, starts=0).portfolio == ()
        assert rf.learn(history, SPACE, n_evaluations=31).portfolio == ()
        assert rf.check(history, SPACE) == rf.check(history, SPACE, starts=10)
    assert (rf.check(history, SPACE).starts is not None) == bool(found)


def test_repeats_that_are_averaged_count_once_for_learn_and_check_alike():
    once = bowls(np.random.default_rng(0).random((4, 2)), runs=20)
    twice = rf.History.concat([once, by_task(once, lambda t, y: y + 1e-3)])
    for settings, found in (({}, 10), ({"average_repeats": True}, 0)):
        assert len(rf.learn(twice, SPACE, **settings).portfolio) == found
        assert (rf.check(twice, SPACE, **settings).starts is not None) == bool(found)


def test_the_same_tasks_are_modeled_once(monkeypatch):
    from ringfence.optimize.transfer import source_models

    fits = []
    fit = source_models.fit_gp
    monkeypatch.setattr(source_models, "fit_gp", lambda *a, **k: fits.append(1) or fit(*a, **k))
    history = bowls(np.random.default_rng(5).random((4, 2)), runs=33)
    first = rf.learn(history, SPACE)
    assert len(fits) == 4
    rf.learn(history, SPACE, shape="ellipsoid")
    rf.check(history, SPACE)
    assert len(fits) == 4 and rf.learn(history, SPACE) == first
    other = by_task(history, lambda t, y: y if t else y**2)
    rf.learn(other, SPACE)
    assert len(fits) == 5


@pytest.mark.parametrize("shape", ["box", "ellipsoid"])
def test_they_lie_inside_whatever_the_space(shape):
    history = rf.History.from_frame(mixed_runs(runs=60), task="task", objective="error")
    learned = rf.learn(history, MIXED, shape=shape, outliers=0.2, starts=8)
    assert all(learned.contains(config) for config in learned.starts())
    for config in learned.starts():
        assert tuple(config) == MIXED.active(config)
        assert float(f"{config['lr']:.12g}") == config["lr"]
    # the objective has its best near lr 0.003, and gblinear costs half a unit
    assert all(3e-4 < config["lr"] < 3e-2 for config in learned.starts(3))
    assert learned.starts(1)[0]["booster"] != "gblinear"


def test_units_and_metrics_of_the_tasks_do_not_matter():
    history = bowls(TWO, runs=60)
    other = by_task(history, lambda t, y: y * 2.0 ** (8 * t - 40))  # exact in binary
    assert rf.learn(other, SPACE, starts=5).starts() == rf.learn(history, SPACE, starts=5).starts()


def test_crashes_recorded_as_huge_values_do_not_matter():
    history = bowls(TWO, runs=60)
    other = by_task(history, lambda t, y: np.where(y > np.quantile(y, 0.8), 1e12, y))
    assert rf.learn(other, SPACE, starts=5).starts() == rf.learn(history, SPACE, starts=5).starts()


def test_one_lucky_row_a_task_does_not_lead_astray():
    # a value far below the rest at a random place of each task: the incumbent is worthless
    rng = np.random.default_rng(3)
    rows = [rng.random((80, 2)) for _ in range(8)]
    errors = [((x - 0.3) ** 2).sum(axis=1) for x in rows]
    for x, error in zip(rows, errors):
        error[np.argmin(np.abs(x - 0.9).sum(axis=1))] = -0.05
    learned = rf.learn(recorded(rows, errors), SPACE, shape="full", starts=3)
    assert min(near(config, (0.3, 0.3)) for config in learned.starts(2)) < 0.2


def test_a_task_of_thousands_of_rows_counts_like_any_other():
    rng = np.random.default_rng(0)
    sizes = [5000, 40, 40, 40]
    optima = [0.8, 0.3, 0.3, 0.3]
    rows = [rng.random((n, 2)) for n in sizes]
    errors = [((x - o) ** 2).sum(axis=1) for x, o in zip(rows, optima)]
    learned = rf.learn(recorded(rows, errors), SPACE, starts=2)
    assert near(learned.starts(1)[0], (0.3, 0.3)) < 0.2
    assert near(learned.starts(2)[1], (0.8, 0.8)) < 0.2


def test_a_grid_that_all_tasks_share_gives_no_point_twice():
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 7)] * 2), axis=-1).reshape(-1, 2)
    error = ((grid - 0.5) ** 2).sum(axis=1)
    learned = rf.learn(recorded([grid] * 9, [error] * 9), SPACE, shape="full", starts=12)
    assert len({json.dumps(config) for config in learned.starts()}) == 12


def test_few_rows_are_hedged_and_that_is_said():
    thin = rf.learn(bowls(TWO, runs=12), SPACE, shape="full", starts=8)
    rich = rf.learn(bowls(TWO, runs=40), SPACE, shape="full", starts=8)
    said = [note for note in thin.provenance.notes if "every second point" in note]
    assert len(said) == 1 and "12 rows" in said[0]
    assert not any("starting points" in note for note in rich.provenance.notes)
    spread = [np.array([c["a"], c["b"]]) for c in thin.starts()[1::2]]  # of a Sobol design
    quarters = {(bool(x[0] > 0.5), bool(x[1] > 0.5)) for x in spread}
    assert len(quarters) == 4


def test_tasks_that_tell_nothing_give_no_points_and_that_is_said():
    flat = by_task(bowls(TWO, runs=40), lambda t, y: np.ones_like(y))
    learned = rf.learn(flat, SPACE, starts=3)
    assert learned.starts() == []
    assert "no starting points" in learned.provenance.notes[-1]
    with pytest.raises(rf.SettingError, match="2 starting points are wanted and this space has 0"):
        learned.starts(2)


def test_the_file_keeps_them_and_refuses_points_outside(tmp_path):
    learned = rf.learn(bowls(TWO, runs=40), SPACE, starts=3)
    path = tmp_path / "learned.json"
    learned.save(path)
    assert rf.load(path).portfolio == learned.portfolio
    record = json.loads(path.read_text())
    record["starts"][1]["config"]["a"] = 0.0
    path.write_text(json.dumps(record))
    with pytest.raises(rf.FileError, match="starting point 2 is not in the learned space"):
        rf.load(path)


def test_the_difference_between_two_spaces_names_them():
    history = bowls(TWO, runs=40)
    two, three = (rf.learn(history, SPACE, starts=n) for n in (2, 3))
    assert describe(two, three)[0] == "starting points: 2 → 3"
    assert describe(two, rf.learn(history, SPACE, starts=2)) == ["nothing changed"]


def test_only_the_rows_that_were_learned_from_count():
    full, cut = bowls(TWO, runs=80), bowls(TWO, runs=80)
    cut = by_task(cut, lambda t, y: np.concatenate([y[:40], 1.0 - y[40:]]))
    same = {"n_evaluations": 40, "starts": 3}
    assert rf.learn(full, SPACE, **same).starts() == rf.learn(cut, SPACE, **same).starts()


def test_the_command_shows_them(tmp_path):
    path, run = tmp_path / "learned.json", CliRunner()
    learned = rf.learn(bowls(TWO, runs=40), SPACE, starts=4)
    learned.save(path)
    lines = run.invoke(app, ["starts", str(path), "-n", "2"]).stdout.splitlines()
    assert [json.loads(line) for line in lines] == learned.starts(2)
    table = run.invoke(app, ["starts", str(path), "--format", "table"]).stdout.splitlines()
    assert table[0].split() == ["regret", "left", "a", "b"] and len(table) == 5
    rf.learn(bowls(TWO, runs=40), SPACE, starts=0).save(path)
    failed = run.invoke(app, ["starts", str(path)])
    assert "learn it with ringfence learn --starts 10" in str(failed.exception)


@pytest.mark.parametrize("name", ["random", "gp", "sobol", "hyperband"])
def test_optimizers_try_them_first(name, tmp_path):
    learned = rf.learn(bowls(TWO, runs=40), SPACE, starts=4)
    engine = rf.optimizer(name, learned, starts=3)
    asked = [engine.ask() for _ in range(2)]
    engine.save(tmp_path / "state.json")
    engine = rf.load_optimizer(tmp_path / "state.json")
    for trial in asked:
        engine.tell(trial, 1.0)
    asked += [engine.ask(), engine.ask()]
    assert [trial.config for trial in asked[:3]] == learned.starts(3)
    assert asked[3].config not in learned.starts()


def test_the_model_speaks_right_after_them():
    learned = rf.learn(bowls(TWO, runs=40), SPACE, starts=5)
    assert rf.optimizer("gp", learned, starts=5).method.n_initial == 5
    assert rf.optimizer("gp", learned, starts=5, n_initial=8).method.n_initial == 8
    assert rf.optimizer("gp", learned, starts=0).method.n_initial == 5


def test_unless_told_otherwise_they_come_first_and_a_history_brings_transfer():
    history = bowls(TWO, runs=40)
    three, seven = (rf.learn(history, SPACE, starts=n) for n in (3, 7))

    def firsts(learned, n, **settings):
        outcome = rf.minimize(lambda config: config["a"], learned, n_trials=n, **settings)
        return outcome.optimizer.name, [trial.config for trial in outcome.trials]

    assert firsts(three, 3) == ("gp", three.starts())
    name, asked = firsts(seven, 6)
    assert name == "gp" and asked[:5] == seven.starts(5) and asked[5] != seven.starts(6)[5]
    assert firsts(seven, 5, optimizer="random") == ("random", seven.starts(5))
    assert firsts(seven, 1, starts=0)[1] != seven.starts(1)
    engine = rf.optimizer("auto", seven, history=history)
    assert engine.name == "transfer" and engine.setup.starts == ()
    assert rf.optimizer("auto", SPACE).name == "gp"
    assert rf.optimizer("auto", rf.learn(history, SPACE, starts=0)).setup.starts == ()
    with pytest.raises(rf.SettingError, match="starts must be a whole number"):
        rf.optimizer("gp", seven, starts="all")


def test_of_candidates_the_nearest_come_first():
    learned = rf.learn(bowls(TWO, runs=40), SPACE, shape="full", starts=2)
    grid = [{"a": a / 10, "b": b / 10} for a in range(11) for b in range(11)]
    engine = rf.optimizer("random", learned, candidates=grid, starts=2)
    for start in learned.starts():
        asked = engine.ask().config
        assert asked in grid and near(asked, (start["a"], start["b"])) <= 0.0708
    with pytest.raises(rf.SettingError, match="9 starting points are wanted"):
        rf.optimizer("random", learned, starts=9)


def test_published_bests_do_not_take_the_starting_points_away():
    assert wanted_starts("auto", [36] * 6) == wanted_starts("auto", [36] * 6 + [1] * 8) == 10
    assert wanted_starts("auto", [1] * 8) == 10 and wanted_starts("auto", [5] * 6 + [1] * 8) == 0
