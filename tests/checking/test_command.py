"""The choice from the command line: `--shape auto`, `--top`, and the gate."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

import ringfence as rf
from conftest import MIXED, mixed_runs
from processes import ringfence
from ringfence.space import write_space


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("few")
    mixed_runs(tasks=8).write_csv(path / "runs.csv")
    (path / "space.json").write_text(write_space(MIXED))
    return path


def run(folder, *arguments, code=0):
    result = ringfence(*arguments, "--space", "space.json", cwd=folder)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout, result.stderr


def test_auto_writes_what_compare_recommends_and_the_gate_takes_the_honest_figure(folder):
    out, err = run(folder, "learn", "runs.csv", "--shape", "auto", "-o", "auto.json")
    assert "chosen among 12 settings; chosen anew without each task: " in out and not err
    asked = ["check", "runs.csv", "--compare", "--format", "json", "--require-speedup", "1000"]
    out, err = run(folder, *asked, code=2)
    found = json.loads(out)
    nested, best = found["nested"], found["checks"][found["best"]]
    assert nested["chosen_from"] == len(found["checks"]) == 12
    settings = rf.load(folder / "auto.json").settings
    assert msgspec.to_builtins(settings) == best["settings"] == nested["settings"]
    honest = next(up["low"] for up in nested["speed_ups"] if up["draws"] == 10)
    assert f"the lower bound {honest:.2f} is below 1000" in err


def test_top_is_passed_on(folder):
    run(folder, "learn", "runs.csv", "--top", "0.1", "-o", "top.json")
    history = rf.read_history(folder / "runs.csv")
    assert rf.load(folder / "top.json").bounds == rf.learn(history, MIXED, top=0.1).bounds
    out, _ = run(folder, "check", "runs.csv", "--top", "0.1")
    assert "\nbox, top 10%: " in out


def test_auto_takes_no_settings_of_its_own(folder):
    _, err = run(folder, "learn", "runs.csv", "--shape", "auto", "--outliers", "0.1", code=1)
    assert "shape='auto' chooses these itself" in err and len(err.splitlines()) == 1


def test_the_gate_has_an_exit_code_of_its_own_for_what_cannot_be_told(tmp_path):
    from histories import SPACE, bowls
    from typer.testing import CliRunner

    from ringfence.cli.app import app

    assert SPACE.parameters
    path = tmp_path / "runs.csv"
    optima = np.random.default_rng(0).normal(0.5, 0.05, (6, 2))
    asked = ["check", str(path), "--task", "task", "--objective", "error", "--starts", "0"]
    bowls(optima, 40).frame.write_csv(path)
    assert CliRunner().invoke(app, [*asked, "--require-speedup", "1.0"]).exit_code == 0
    assert CliRunner().invoke(app, [*asked, "--require-speedup", "99"]).exit_code == 2
    bowls(optima[:3], 40).frame.write_csv(path)
    result = CliRunner().invoke(app, [*asked, "--require-speedup", "1.0"])
    assert result.exit_code == 3 and "3 tasks are too few; at least 5 are needed" in result.output
