"""What a table tells about its space, and what it cannot tell."""

from __future__ import annotations

import polars as pl
import pytest

from ringfence import (
    Categorical,
    Condition,
    Constant,
    Float,
    History,
    Int,
    SpaceError,
    infer_space,
)
from ringfence.space.table_columns import infer_from_table


def infer(table, names):
    return infer_from_table(table, names, pl.Series(["one task"]).new_from_index(0, table.height))


def test_ranges_scales_and_conditions_are_read_off_and_said():
    table = pl.DataFrame(
        {
            "kernel": ["rbf", "rbf", "poly", "linear"],
            "C": [0.001, 0.1, 10.0, 1000.0],
            "trees": [10, 600, 1400, 2000],
            "gamma": [0.1, 0.2, 0.3, None],
            "degree": [None, None, 3.0, None],
            "shrinking": [True, False, True, True],
            "seed": [7, 7, 7, 7],
            "depth": ["1", "2", "None", "2"],
            "width": ["8", "16", "32", "8"],
        }
    )
    inferred = infer(table, table.columns)
    assert inferred.space.parameters == {
        "kernel": Categorical(["linear", "poly", "rbf"]),
        "C": Float(0.001, 1000.0, log=True),
        "trees": Int(10, 2000),
        "gamma": Float(0.1, 0.3),
        "degree": Constant(3),
        "shrinking": Categorical([False, True]),
        "seed": Constant(7),
        "depth": Categorical(["1", "2", "None"]),
        "width": Int(8, 32, log=True),
    }
    assert inferred.space.conditions == (
        Condition("gamma", "kernel", ["poly", "rbf"]),
        Condition("degree", "kernel", ["poly"]),
    )
    assert "C is a number from 0.001 to 1000 on a log scale" in inferred.notes
    assert "gamma is active only if kernel is poly, rbf" in inferred.notes


def test_log_needs_decades_and_a_median_to_match():
    uniform = pl.DataFrame({"x": [float(v) for v in range(1, 2001)]})
    spread = pl.DataFrame({"x": [10 ** (v / 100) for v in range(300)]})
    narrow = pl.DataFrame({"x": [1.0, 2.0, 3.0, 8.0]})
    assert not infer(uniform, ["x"]).space["x"].log
    assert infer(spread, ["x"]).space["x"].log
    assert not infer(narrow, ["x"]).space["x"].log


def test_gaps_that_follow_nothing_are_an_error_with_row_and_column():
    table = pl.DataFrame({"k": ["a", "b", "a", "b"], "x": [1.0, 2.0, None, 4.0]})
    with pytest.raises(SpaceError, match="row 2, column 'x'"):
        infer(table, ["k", "x"])


def test_an_empty_column_is_an_error():
    table = pl.DataFrame({"x": [None, None]}, schema={"x": pl.Float64})
    with pytest.raises(SpaceError, match="'x' is empty"):
        infer(table, ["x"])


def test_only_finished_runs_tell_the_space():
    frame = pl.DataFrame(
        {
            "task": ["a", "a", "b", "b", "c"],
            "loss": [1.0, None, 2.0, 3.0, 4.0],
            "x": [0.1, None, 0.2, 0.9, None],
            "y": [5.0, 99.0, 6.0, 7.0, 8.0],
        }
    )
    history = History.from_frame(frame, task="task", objective="loss")
    assert infer_space(history).space.parameters == {"x": Float(0.1, 0.9), "y": Int(5, 8)}
    assert infer_space(frame).space == infer_space(history).space
