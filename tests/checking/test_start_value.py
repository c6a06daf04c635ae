"""What starting points are worth, judged on tasks that had no part in choosing them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from histories import SPACE, bowls, unrelated

import ringfence as rf
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.starting_points import judge_starts, starts_by_task
from ringfence.history import PreparedHistory, RowChoice
from ringfence.learned.full import full_space
from ringfence.learned.settings import checked_settings
from ringfence.optimize.domain.layout import Layout


def alike(tasks: int = 8, runs: int = 150) -> rf.History:
    return bowls(0.6 + 0.07 * np.random.default_rng(1).standard_normal((tasks, 2)), runs)


def test_where_the_tasks_agree_three_starts_beat_many_random_trials():
    check = rf.check(alike(), SPACE, starts=3)
    assert check.starts.verdict == "helps"
    at = check.starts.speed_ups[-1]
    assert check.starts.not_judged == ()
    assert at.draws == 3 and at.inside < 0.15 and at.value > 4
    assert [up.draws for up in check.starts.speed_ups] == [1, 2, 3]
    says = "first 3 starting points: "
    line = next(line for line in str(check).splitlines() if line.startswith(says))
    assert f"needs {3 * at.value:.0f} trials" in line and "over 8 tasks" in line


def test_where_they_do_not_agree_the_starts_do_not_help():
    check = rf.check(unrelated(12, runs=60), SPACE, shape="full", starts=3)
    assert check.starts.verdict != "helps"
    assert "first 3 starting points: " + check.starts.verdict in str(check)


def test_a_task_has_no_part_in_its_own_starts():
    """The same points as those that are learned from the others alone."""
    history = alike(6)
    left_out = LeaveOneOut.of(PreparedHistory.of(history, SPACE, rf.check), RowChoice())
    settings = checked_settings("ellipsoid")
    chosen = starts_by_task(left_out, settings, 4)["t2"]
    others = history.only([f"t{t}" for t in (0, 1, 3, 4, 5)])
    learned = rf.learn(others, SPACE, shape="ellipsoid", starts=4)
    layout = Layout(full_space(SPACE))
    np.testing.assert_allclose(chosen, layout.encode(learned.starts(4)), atol=1e-9)


def test_the_value_of_starts_is_near_the_truth():
    """Bowls whose values are known everywhere: the believed regret of the first three points of
    each task against the share of 20,000 random configurations that are better. Averages of eight
    tasks, within twice what the model leaves open (0.1)."""
    optima = 0.6 + 0.07 * np.random.default_rng(1).standard_normal((8, 2))
    history = bowls(optima, 40)
    left_out = LeaveOneOut.of(PreparedHistory.of(history, SPACE, rf.check), RowChoice())
    chosen = starts_by_task(left_out, checked_settings("box"), 3)
    random = np.random.default_rng(0).random((20_000, 2))
    better = []
    for name, rows in chosen.items():
        optimum = optima[int(name[1:])]
        values = ((random - optimum) ** 2).sum(axis=1)
        better.append((values < ((rows - optimum) ** 2).sum(axis=1).min()).mean())
    believed = judge_starts(left_out, chosen, 3)
    exponent = left_out.scale.exponent
    truth = np.mean((2 * np.array(better)) ** exponent)
    assert abs(believed.speed_ups[-1].inside - truth) < 0.1


def test_more_starts_than_runs_keep_the_last_regret():
    found = rf.check(bowls(np.full((4, 2), 0.5), runs=12), SPACE, starts=20).starts
    assert all(len(curve) == 20 for curve in found.tasks.values())
    assert all(np.diff(curve).max() <= 0 for curve in found.tasks.values())


def test_a_task_that_tells_nothing_is_named():
    history = alike(5)
    frame = history.frame.with_columns(
        error=pl.when(pl.col("task") == "t1").then(1.0).otherwise(pl.col("error"))
    )
    flat = rf.History.from_frame(frame, task="task", objective="error")
    found = rf.check(flat, SPACE, starts=2).starts
    assert found.not_judged == ("t1",) and "t1" not in found.tasks


def test_compare_and_auto_judge_the_starts_of_the_recommended_setting():
    history = alike(5, runs=40)
    compared = rf.compare(history, SPACE, [{"shape": "box"}, {"shape": "full"}], starts=2)
    alone = rf.check(history, SPACE, shape=compared.settings.shape, starts=2)
    assert compared.starts == alone.starts
    assert "first 2 starting points: " in str(compared)
    assert rf.compare(history, SPACE, [{"shape": "box"}], starts=0).starts is None


def test_the_command_prints_the_line_and_the_figures(tmp_path, capsys):
    from ringfence.cli.app import app

    alike(5, runs=40).frame.write_csv(tmp_path / "runs.csv")
    asked = ["check", str(tmp_path / "runs.csv"), "--task", "task", "--objective", "error"]
    app([*asked, "--starts", "2"], standalone_mode=False)
    assert "first 2 starting points: " in capsys.readouterr().out
    app([*asked, "--starts", "2", "--format", "json"], standalone_mode=False)
    found = json.loads(capsys.readouterr().out)
    assert [up["draws"] for up in found["starts"]["speed_ups"]] == [1, 2]
    with pytest.raises(rf.RingfenceError, match="starts must be at least 0"):
        rf.check(alike(5), SPACE, starts=-1)


def test_the_choice_of_a_shape_and_a_report_judge_them_no_more_than_once(tmp_path, monkeypatch):
    from ringfence.checking import starting_points

    judged = []
    judge = starting_points.check_starts
    monkeypatch.setattr(starting_points, "check_starts", lambda *a: judged.append(1) or judge(*a))
    history = alike(5, runs=40)
    rf.learn(history, SPACE, shape="auto")
    assert not judged
    rf.report(history, SPACE, compare=True, path=tmp_path / "report.html")
    assert len(judged) == 1
