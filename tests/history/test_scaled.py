"""Units that differ by a factor: converted as the user says, in Python and on a command line."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import ringfence as rf
from processes import ringfence
from ringfence.history import usable_rows

SPACE = rf.Space({"dropout": rf.Float(0.0, 0.6), "lr": rf.Float(0.0, 1.0)})


def runs(tasks: str, factor: float = 1.0, n: int = 12) -> rf.History:
    """Runs of each task; dropout is `factor` times what it should be."""
    rows = [
        {"task": task, "dropout": factor * (0.05 + 0.04 * i), "lr": (i + 1) / 13, "error": i / 10.0}
        for task in tasks
        for i in range(n)
    ]
    return rf.History.from_frame(pl.DataFrame(rows), task="task", objective="error")


def test_numbers_are_as_people_would_write_them():
    table = pl.DataFrame({"task": ["a"] * 3, "p": [57, 29, None], "error": [0.1, 0.2, 0.3]})
    history = rf.History.from_frame(table, task="task", objective="error", parameters=["p"])
    scaled = history.scaled({"p": 0.01})
    assert scaled.frame["p"].to_list() == [0.57, 0.29, None]
    assert scaled.scaled({"p": 1000}).frame["p"].to_list()[:2] == pytest.approx([570, 290])
    assert scaled.notes[-1] == "took 0.01 times p (2 values), as you said"


def test_only_the_named_tasks_are_converted_and_text_stays_text():
    table = pl.DataFrame(
        {"task": ["a", "a", "b"], "p": ["50", "auto", "0.5"], "error": [1.0, 2, 3]}
    )
    history = rf.History.from_frame(table, task="task", objective="error", parameters=["p"])
    scaled = history.scaled({"p": 0.01}, tasks=["a"])
    assert scaled.frame["p"].to_list() == ["0.5", "auto", "0.5"]


def test_the_call_of_the_warning_mends_it():
    history = rf.History.concat([runs("ab", 100.0), runs("cde")])
    (warning,) = rf.match(history, SPACE).warnings
    call = warning.partition("if so, ")[2].partition(" converts")[0]
    mended = eval(call, {"history": history})
    assert rf.match(mended, SPACE).warnings == ()
    frame = usable_rows(mended, SPACE).frame
    assert frame.height == len(history)
    assert frame["dropout"].to_list() == pytest.approx(runs("abcde").frame["dropout"].to_list())


def test_a_source_that_is_whole_in_other_units_needs_no_tasks():
    (warning,) = rf.match(runs("ab", 100.0), SPACE).warnings
    assert "history.scaled({'dropout': 0.01}) converts them (--scale=dropout=0.01)" in warning


def test_per_cent_over_decades_are_told_although_the_ranges_meet():
    space = rf.Space({"lr": rf.Float(1e-4, 1.0, log=True)})

    def rates(tasks, factor):
        rows = [
            {"task": task, "lr": factor * 10 ** (-4 + 3.9 * i / 19), "error": i / 10}
            for task in tasks
            for i in range(20)
        ]
        return rf.History.from_frame(pl.DataFrame(rows), task="task", objective="error")

    history = rf.History.concat([rates("ab", 100.0), rates("cd", 1.0)])
    (warning,) = rf.match(history, space).warnings
    assert "lr is probably in other units in a, b: its values are about 100 times" in warning
    assert rf.match(history.scaled({"lr": 0.01}, tasks=["a", "b"]), space).warnings == ()
    declared = rf.Space({"lr": rf.Float(1e-2, 100.0, log=True)})
    known = replace(history, task_spaces=dict.fromkeys("ab", declared))
    assert rf.match(known, space).warnings == ()


def test_declared_ranges_and_said_values_are_converted_too():
    space = rf.Space(
        {"p": rf.Int(0, 50), "opt": rf.Categorical(["x", "y"]), "q": rf.Float(0, 1)},
        [rf.Condition("q", "opt", ["x"])],
    )
    table = pl.DataFrame(
        {"task": ["a", "b"], "p": [10, 20], "opt": ["x", "y"], "q": [0.5, 0.2], "error": [1.0, 2.0]}
    )
    history = rf.History.from_frame(
        table, task="task", objective="error", parameters=["p", "opt", "q"]
    )
    history = replace(history, space=space, task_spaces={"a": space, "b": space})
    scaled = history.with_values(r=30).scaled({"p": 0.01, "r": 0.01})
    assert scaled.space["p"] == rf.Float(0.0, 0.5)
    assert scaled.space.conditions == space.conditions
    assert scaled.said["a"] == {"r": 0.3}
    part = history.scaled({"p": 0.01}, tasks=["a"])
    assert part.task_spaces["a"]["p"] == rf.Float(0.0, 0.5)
    assert part.task_spaces["b"]["p"] == rf.Int(0, 50)
    assert part.space["p"] == rf.Float(0.0, 50.0)


@pytest.mark.parametrize(
    ("factors", "tasks", "says"),
    [
        ({}, None, "scaled takes a dict"),
        ({"dropot": 0.01}, None, "no parameter 'dropot' to convert; did you mean 'dropout'?"),
        ({"dropout": 0}, None, "positive number, not by 0"),
        ({"dropout": "x"}, None, "by a number, not by 'x'"),
        ({"dropout": True}, None, "by a number, not by True"),
        ({"dropout": 0.01}, ["z"], "no task 'z'"),
    ],
)
def test_what_cannot_be_converted_is_one_clear_line(factors, tasks, says):
    with pytest.raises(rf.HistoryError, match=says.replace("?", r"\?")):
        runs("ab").scaled(factors, tasks=tasks)


def test_several_sources_on_the_command_line_are_those_of_a_list(tmp_path):
    runs("ab", 100.0).frame.write_csv(tmp_path / "old.csv")
    old = runs("cd").frame.rename({"lr": "rate"})
    old.write_parquet(tmp_path / "new.parquet")
    (tmp_path / "space.json").write_text(
        '{"dropout": {"type": "float", "low": 0.0, "high": 0.6},'
        ' "lr": {"type": "float", "low": 0.0, "high": 1.0}}'
    )
    words = ["learn", "old.csv", "new.parquet", "--objective", "error", "--space", "space.json"]
    mends = ["--scale", "old.csv:dropout=0.01", "--rename", "new.parquet:rate=lr"]
    finished = ringfence(*words, *mends, "-o", "l.json", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    sources = [
        rf.read_history(tmp_path / "old.csv", objective="error").scaled({"dropout": 0.01}),
        rf.read_history(tmp_path / "new.parquet", objective="error").rename({"rate": "lr"}),
    ]
    by_hand = rf.learn(rf.read_history(sources), SPACE)
    assert rf.load(tmp_path / "l.json").bounds == by_hand.bounds
    by_task = ["--scale", "a:dropout=0.01", "--scale", "b:dropout=0.01", "--rename", "rate=lr"]
    finished = ringfence(*words, *by_task, "-o", "t.json", cwd=tmp_path)
    assert rf.load(tmp_path / "t.json").bounds == by_hand.bounds


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["a.csv", "a.csv"], "the sources 1 and 2 of the list hold the same runs"),
        (["a.csv", "b.csv", "--scale", "a.cvs:dropout=0.01"], "'a.cvs', which is not among the"),
        (["a.csv", "b.csv", "--scale", "nix:dropout=0.01"], "no source and no task is 'nix'"),
        (["a.csv", "b.csv", "--scale", "a.csv:nope=0.01"], "no parameter 'nope' to convert"),
        (["a.csv", "b.csv", "--scale", "dropout=half"], "--scale dropout must be a number"),
        (["a.csv", "b.csv", "--scale", "dropout="], "--scale dropout= has no value"),
        (["a.csv", "b.csv", "--task", "nowhere"], "the table has no column 'nowhere'"),
    ],
)
def test_slips_with_several_sources_are_one_clear_line(tmp_path, words, says):
    runs("ab").frame.write_csv(tmp_path / "a.csv")
    runs("cd").frame.write_csv(tmp_path / "b.csv")
    finished = ringfence("match", *words, cwd=tmp_path)
    assert finished.returncode == 1
    assert says in " ".join(finished.stderr.split())
    assert "Traceback" not in finished.stderr


def test_a_column_is_said_of_the_sources_that_have_it():
    """A task column of one source, while another names its tasks otherwise."""
    first = pl.DataFrame({"name": ["a", "a", "b"], "lr": [0.1, 0.2, 0.3], "error": [0.5, 0.4, 0.3]})
    second = first.rename({"name": "dataset"}).with_columns(pl.lit("c").alias("dataset"))
    history = rf.read_history([first, second], task="name", objective="error")
    assert history.tasks == ("a", "b", "c")
    with pytest.raises(rf.HistoryError, match="the table has no column 'nobody'"):
        rf.read_history([first, second], task="nobody", objective="error")
    with pytest.raises(rf.HistoryError, match="has no option 'sheets'"):
        rf.read_history([first, second], task="name", objective="error", sheets="x")


def test_a_number_that_switches_others_is_not_made_a_fraction():
    space = rf.Space({"p": rf.Int(1, 3), "q": rf.Float(0, 1)}, [rf.Condition("q", "p", [2])])
    table = pl.DataFrame({"task": ["a", "b"], "p": [1, 2], "q": [None, 0.5], "error": [0.1, 0.2]})
    history = rf.History.from_frame(table, task="task", objective="error", parameters=["p", "q"])
    with pytest.raises(rf.HistoryError, match="p cannot be converted"):
        replace(history, space=space).scaled({"p": 0.01})
