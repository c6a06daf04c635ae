"""What the readers of other tools share: columns of runs, reports, names of folders, text."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import ringfence as rf
from ringfence.history import usable_rows
from ringfence.history.readers.shared.folders import find_folders, task_names
from ringfence.history.readers.shared.runs import Run, flat, from_text, history_of, reported
from ringfence.history.roles import NamedColumns


def test_a_parameter_keeps_its_name_whatever_the_other_columns_are_called():
    configs = [{"task": 1.0, "status": 5, "loss": 0.1}, {"task": 2.0, "status": 6, "loss": 0.2}]
    runs = [Run("a", config, value) for config, value in zip(configs, (3.0, 4.0))]
    history = history_of(runs, "here", "loss", NamedColumns(parameters=list(configs[0])))
    (task,) = rf.learn(history).tasks
    assert (task.name, task.value, task.incumbent) == ("a", 3.0, configs[0])


def test_values_that_are_no_finite_numbers_do_not_count():
    values = [math.nan, math.inf, None, "7", True, 1]
    runs = [Run("a", {"x": i}, value) for i, value in enumerate(values)]
    history = history_of(runs, "here", "loss", NamedColumns())
    assert history.frame["loss"].to_list() == [None, math.inf, *[None] * 3, 1.0]
    usable = usable_rows(history, rf.Space({"x": rf.Int(0, 5)}))
    assert usable.frame["x"].to_list() == [5.0]
    assert usable.failed["x"].to_list() == [0.0, 1.0]  # NaN and infinity, not what is no number


def test_a_declared_space_is_cut_to_the_parameters_that_are_wanted():
    space = rf.Space(
        {"x": rf.Float(0, 1), "k": rf.Categorical(["a", "b"]), "y": rf.Int(1, 5)},
        [rf.Condition("y", "k", ["b"])],
    )
    runs = [Run("t", {"x": 0.5, "k": "a"}, 1.0, space=space)]
    assert history_of(runs, "here", "loss", NamedColumns()).space == space
    cut = history_of(runs, "here", "loss", NamedColumns(ignore=["k"]))
    assert list(cut.space) == ["x", "y"] and not cut.space.conditions
    with pytest.raises(rf.HistoryError, match="the space has no parameter 'z'"):
        history_of(runs, "here", "loss", NamedColumns(parameters=["z"]))
    with pytest.raises(rf.HistoryError, match="here holds no runs"):
        history_of([], "here", "loss", NamedColumns())


@pytest.mark.parametrize(
    ("values", "at", "direction", "place"),
    [
        ([3, 1, 2], "last", None, 2),
        ([3, 1, 2], "best", None, 1),
        ([3, 1, 2], "best", "maximize", 0),
        ([math.nan, 1, 1], "best", "minimize", 1),
        ([math.nan, None], "best", None, 1),
        ([], "best", None, None),
        ([], "last", None, None),
    ],
)
def test_which_report_counts(values, at, direction, place):
    assert reported(values, at, direction) == place


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", None, "20"], [1, None, 20]),
        (["1", "2.5", "1e-3"], [1.0, 2.5, 0.001]),
        (["True", "false"], [True, False]),
        (["1", "None"], [1, None]),
        (["relu", "None"], ["relu", "None"]),
        ([None, None], [None, None]),
    ],
)
def test_text_becomes_what_all_of_it_can_be(texts, values):
    parsed = from_text(texts)
    assert parsed == values and [type(v) for v in parsed] == [type(v) for v in values]


def test_nested_configurations_are_flattened():
    nested = {"a": {"b": {"c": 1}, "d": [1, 2]}, "e": None}
    assert flat(nested, "/") == {"a/b/c": 1, "a/d": "[1, 2]", "e": None}


def test_folders_are_found_and_told_apart(tmp_path):
    for place in ("one/run", "two/run", "three"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "marker").touch()
    folders = find_folders(tmp_path, "marker", "runs")
    assert task_names(folders) == ["one/run", "three", "two/run"]
    assert task_names(find_folders(str(tmp_path / "t*"), "marker", "runs")) == ["three", "run"]
    assert task_names([Path("/x/a"), Path("/x/b")]) == ["a", "b"]
    with pytest.raises(rf.HistoryError, match="are read from a folder, not from a int"):
        find_folders(3, "marker", "runs")
