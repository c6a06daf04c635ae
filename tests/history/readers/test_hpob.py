"""HPO-B's JSON, in the layout that its paper documents (the data are too large to ship)."""

from __future__ import annotations

import json

import polars as pl
import pytest

import ringfence as rf
from readers.formats import assert_same_learned


def write(path, content):
    path.write_text(json.dumps(content))
    return path


def data(rows):
    return {"X": [[x, 1 - x] for x, _ in rows], "y": [[y] for _, y in rows]}


CONTENT = {
    "5891": {"3": data([(0.1, 0.5), (0.4, 0.9)]), "37": data([(0.7, 0.8), (0.2, 0.3)])},
    "6767": {"3": data([(0.5, 0.5)])},
}


def test_a_search_space_teaches_what_its_table_teaches(tmp_path):
    path = write(tmp_path / "meta-train.json", CONTENT)
    history = rf.read_history(path, format="hpob", search_space=5891)
    table = pl.DataFrame(
        {
            "task": ["3", "3", "37", "37"],
            "accuracy": [0.5, 0.9, 0.8, 0.3],
            "x0": [0.1, 0.4, 0.7, 0.2],
            "x1": [0.9, 0.6, 1 - 0.7, 0.8],
        }
    )
    memory = rf.History.from_frame(table, objective="accuracy", direction="maximize")
    assert_same_learned(memory, history)
    assert [task.value for task in rf.learn(history).tasks] == [0.9, 0.8]
    assert history.source == "meta-train.json, search space 5891"


def test_columns_are_called_by_the_descriptors(tmp_path):
    path = write(tmp_path / "data.json", {"5891": CONTENT["5891"]})
    known = {"search_spaces": {"5891": {"variables_order": ["cost", "gamma"]}}}
    descriptors = write(tmp_path / "descriptors.json", known)
    history = rf.read_history(path, format="hpob", descriptors=descriptors)
    assert history.roles.parameters == ("cost", "gamma")
    known["search_spaces"]["5891"]["variables_order"] = ["cost"]
    write(descriptors, known)
    with pytest.raises(rf.HistoryError, match="names 1 parameters of 5891; the data have 2"):
        rf.read_history(path, format="hpob", descriptors=descriptors)
    write(descriptors, {"search_spaces": {}})
    with pytest.raises(rf.HistoryError, match="does not describe the search space 5891"):
        rf.read_history(path, format="hpob", descriptors=descriptors)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (CONTENT, {}, "several search_spaces; name one with search_space=…: 5891, 6767"),
        (CONTENT, {"search_space": "5892"}, "no search_space '5892'; did you mean '5891'"),
        (CONTENT, {"search_space": 5891, "task": "x"}, "a task is a data set"),
        ([1], {}, "should hold a JSON object, not a list"),
        ({"1": None}, {}, "is not as HPO-B writes it"),
        ({"1": {}}, {}, "search space 1 has no data sets"),
        ({"1": {"3": {"X": [[1]]}}}, {}, "data set 3: no X and y"),
        ({"1": {"3": {"X": [[1]], "y": [1, 2]}}}, {}, "X has the shape"),
        (
            {"1": {"3": data([(0.5, 1)]), "4": {"X": [[1.0]], "y": [1]}}},
            {},
            "different numbers of parameters",
        ),
    ],
)
def test_bad_files_are_one_clear_error(tmp_path, content, options, message):
    path = write(tmp_path / "data.json", content)
    with pytest.raises(rf.HistoryError, match=message):
        rf.read_history(path, format="hpob", **options)


def test_a_file_cut_in_half_is_said_to_be(tmp_path):
    (tmp_path / "data.json").write_text('{"5891": {"3"')
    with pytest.raises(rf.HistoryError, match=r"data.json is cut off or not JSON"):
        rf.read_history(tmp_path / "data.json", format="hpob")
