"""`ringfence example`: runs as other tools store them, each read by its reader and learned from."""

from __future__ import annotations

import shlex
from importlib import resources

import pytest

import ringfence as rf
from processes import ringfence
from ringfence.history.example import EXAMPLES, unpack_example

HISTORY = rf.example_history()
ERRORS = {task: set(HISTORY.only([task]).frame["error"]) for task in HISTORY.tasks}
SCALED = {"hpob"}
"""Its layout has neither the names of tasks nor failed runs."""


def run(*words, code=0, **how):
    finished = ringfence(*words, **how)
    assert finished.returncode == code, finished.stderr
    return finished.stdout or finished.stderr


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_read_as_it_says_and_its_runs_are_real(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, command, line = run("example", name).splitlines()
    history = eval(line.strip(), {"rf": rf})
    assert len(history.tasks) == 8 and history.frame.height == 128
    learned = rf.learn(history, starts=0)
    assert learned.volume_fraction < 0.5
    assert run(*shlex.split(command)[1:], "--starts", "0", "-o", "learned.json")
    assert rf.load("learned.json").bounds == learned.bounds
    if name not in SCALED:
        dropped = sum(drop.rows for drop in learned.provenance.dropped)
        assert dropped == 8  # the failed ones, one a task
        for task in learned.tasks:
            assert round(task.value, 6) in ERRORS[task.name.removeprefix("svm-")]


def test_all_tools_teach_the_same(tmp_path):
    """But for what a format cannot hold: HPO-B scales, Syne Tune knows no conditions."""
    learned = {}
    for name in set(EXAMPLES) - SCALED - {"synetune"}:
        source, example = unpack_example(name, tmp_path / name), EXAMPLES[name]
        history = rf.read_history(source, format=example.format, objective=example.objective)
        learned[name] = rf.learn(history, HISTORY.space, starts=0).bounds
    for name, bounds in learned.items():
        assert bounds.keys() == learned["csv"].keys()
        for key in bounds:
            assert bounds[key] == pytest.approx(learned["csv"][key], rel=1e-9), (name, key)


def test_the_examples_are_listed_and_a_misspelled_one_is_named(tmp_path):
    listed = run("example").splitlines()
    assert [line.split()[0] for line in listed] == list(EXAMPLES)
    assert "did you mean 'mlflow'?" in run("example", "mlfow", code=1, cwd=tmp_path)
    assert "which example is for x?" in run("example", "-o", "x", code=1, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_the_users_own_is_never_replaced(tmp_path):
    run("example", "csv", "-o", tmp_path)
    run("example", "csv", "-o", tmp_path)  # the same file: nothing is lost
    (tmp_path / "runs.csv").write_text("mine")
    assert "name another folder" in run("example", "csv", "-o", tmp_path, code=1)
    assert (tmp_path / "runs.csv").read_text() == "mine"


def test_the_examples_are_small():
    folder = resources.files("ringfence") / "data" / "examples"
    sizes = {path.name: len(path.read_bytes()) for path in folder.iterdir()}
    assert set(sizes) == {f"{name}.tar.gz" for name in EXAMPLES}
    assert sum(sizes.values()) < 200_000
