"""What starting points are worth, judged on tasks that had no part in choosing them."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from histories import SPACE, bowls, recorded, unrelated

import ringfence as rf
from ringfence.history.regret import capped_regret
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.source_models import fit_source_models
from ringfence.optimize.transfer.sources import sources_of
from ringfence.optimize.transfer.starting_points import SEED, starting_points


def alike(tasks: int = 8, runs: int = 150) -> rf.History:
    return bowls(0.6 + 0.07 * np.random.default_rng(1).standard_normal((tasks, 2)), runs)


def test_where_the_tasks_agree_three_starts_beat_many_random_trials():
    check = rf.check(alike(), SPACE, starts=3)
    assert check.starts.verdict == "helps"
    at = check.starts.speed_ups[-1]
    assert check.starts.not_judged == ("t5",)  # none of its runs is inside
    assert at.draws == 3 and at.inside < 0.1 and at.value > 5
    assert [up.draws for up in check.starts.speed_ups] == [1, 2, 3]
    line = next(line for line in str(check).splitlines() if line.startswith("first 3 starts: "))
    assert f"needs {3 * at.value:.0f} trials" in line and "over 7 tasks" in line


def test_where_they_do_not_agree_the_starts_do_not_help():
    check = rf.check(unrelated(12, runs=60), SPACE, shape="whole", starts=3)
    assert check.starts.verdict in ("no clear difference", "hurts")
    assert "first 3 starts: " + check.starts.verdict in str(check)


def test_a_task_has_no_part_in_its_own_starts():
    """The same as to learn from the others alone, and to choose among the task's runs."""
    history = alike(6)
    found = rf.check(history, SPACE, shape="ellipsoid", starts=4).starts.tasks["t2"]
    others = rf.History.from_frame(
        history.frame.filter(pl.col("task") != "t2"), task="task", objective="error"
    )
    own = history.frame.filter(pl.col("task") == "t2")
    learned = rf.learn(others, SPACE, shape="ellipsoid")
    domain = domain_of(learned, own.select("a", "b").to_dicts())
    sources = sources_of(others, domain.layout).tasks
    models = fit_source_models(sources, domain.layout)
    chosen = starting_points(Candidates(domain, models, sources, SEED), 4)
    regret = capped_regret(own["error"].to_numpy())[0]
    by_config = {(row["a"], row["b"]): z for row, z in zip(own.to_dicts(), regret)}
    values = [by_config[start.config["a"], start.config["b"]] for start in chosen]
    assert found == pytest.approx(np.minimum.accumulate(values))


def test_repeated_runs_of_a_configuration_count_by_their_mean():
    rng = np.random.default_rng(0)
    x = rng.random((40, 2)).repeat(2, axis=0)
    noise = np.tile([-0.02, 0.02], 40)
    errors = [((x - 0.5) ** 2).sum(axis=1) + noise for _ in range(4)]
    found = rf.check(recorded([x] * 4, errors), SPACE, shape="whole", starts=1).starts
    regret = capped_regret(errors[0])[0].reshape(40, 2).mean(axis=1)
    assert found.tasks["t0"][0] == pytest.approx(regret.min())


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
    compared = rf.compare(history, SPACE, [{"shape": "box"}, {"shape": "whole"}], starts=2)
    alone = rf.check(history, SPACE, shape=compared.settings.shape, starts=2)
    assert compared.starts == alone.starts
    assert "first 2 starts: " in str(compared)
    assert rf.compare(history, SPACE, [{"shape": "box"}], starts=0).starts is None


def test_the_command_prints_the_line_and_the_figures(tmp_path, capsys):
    from ringfence.cli.app import app

    alike(5, runs=40).frame.write_csv(tmp_path / "runs.csv")
    asked = ["check", str(tmp_path / "runs.csv"), "--task", "task", "--objective", "error"]
    app([*asked, "--starts", "2"], standalone_mode=False)
    assert "first 2 starts: " in capsys.readouterr().out
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
