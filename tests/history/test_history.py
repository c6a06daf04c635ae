"""Histories are cut and joined without losing a row."""

from __future__ import annotations

import polars as pl
import pytest

import ringfence as rf


def test_a_history_splits_by_task_and_joins_again():
    frame = pl.DataFrame(
        {"task": ["a", "b"] * 10, "x": [float(i) for i in range(20)], "y": [0.0] * 20}
    )
    history = rf.History.from_frame(
        frame, task="task", objective="y", direction="minimize", parameters=["x"]
    )
    first, rest = history.split(3)
    assert first.frame["x"].to_list() == [0, 1, 2, 3, 4, 5]
    assert rest.frame["x"].to_list() == list(range(6, 20))
    drawn, others = history.split(4, seed=1)
    assert drawn.frame["task"].value_counts()["count"].to_list() == [4, 4]
    assert drawn.frame["x"].to_list() != history.split(4)[0].frame["x"].to_list()
    assert sorted(drawn.frame["x"].to_list() + others.frame["x"].to_list()) == list(range(20))
    joined = rf.History.concat([first, rest])
    assert joined.tasks == ("a", "b")
    assert len(joined) == 20


def test_histories_join_under_the_names_of_the_first():
    one = rf.History.from_frame(
        pl.DataFrame({"task": ["a"], "x": [1.0], "y": [0.0]}),
        task="task",
        objective="y",
        direction="minimize",
        parameters=["x"],
    )
    other = rf.History.from_frame(
        pl.DataFrame({"data": ["b"], "x": [2], "loss": [3.0], "host": ["h"]}),
        task="data",
        objective="loss",
        parameters=["x"],
    )
    joined = rf.History.concat([one, other])
    rows = joined.frame.select("task", "x", "y").rows()
    assert rows == [("a", 1.0, 0.0), ("b", 2.0, 3.0)]
    up = rf.History.from_frame(
        one.frame, task="task", objective="y", parameters=["x"], direction="maximize"
    )
    both = rf.History.concat([one, up])
    assert both.frame["y"].to_list() == [0.0, -0.0] and both.roles.direction == "minimize"
    more = rf.History.from_frame(
        one.frame.with_columns(z=1.0),
        task="task",
        objective="y",
        direction="minimize",
        parameters=["x", "z"],
    )
    assert rf.History.concat([one, more]).frame["z"].to_list() == [None, 1.0]
    with pytest.raises(rf.HistoryError, match="no history to join"):
        rf.History.concat([])
