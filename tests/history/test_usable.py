"""Dirty tables: what is dropped is counted, what is wrong is named, nothing is clipped."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from ringfence import Categorical, Condition, Constant, Float, History, HistoryError, Int, Space
from ringfence.history import COUNT, ROW, TASK, VALUE, RowChoice, incumbents, usable_rows

SPACE = Space({"x": Float(0, 1), "n": Int(1, 5)})


def history(**columns) -> History:
    size = max(len(v) for v in columns.values())
    base = {"task": ["t"] * size, "loss": [float(i) for i in range(size)]}
    frame = pl.DataFrame({**base, **columns}, strict=False)
    return History.from_frame(frame, task="task", objective="loss")


def test_bad_objectives_are_dropped_and_counted():
    rows = history(loss=[1.0, math.nan, math.inf, None, -math.inf, 2.0], x=[0.5] * 6, n=[1] * 6)
    usable = usable_rows(rows, SPACE)
    assert usable.frame[ROW].to_list() == [0, 5]
    (dropped,) = usable.dropped
    assert (dropped.rows, dropped.reason) == (4, "loss is missing or not finite")
    assert dropped.example == "row 1 (from 0): loss = NaN"


def test_nan_does_not_win_when_maximizing():
    frame = pl.DataFrame(
        {"task": ["t"] * 3, "acc": [0.5, math.nan, 0.7], "x": [0.1, 0.2, 0.3], "n": 1}
    )
    runs = History.from_frame(frame, task="task", objective="acc", direction="maximize")
    best = incumbents(usable_rows(runs, SPACE).frame)
    assert best["x"].to_list() == [0.3]


def test_failed_runs_are_dropped_and_counted():
    rows = history(x=[0.1, 0.2, 0.3, 0.4], n=[1] * 4, status=["COMPLETE", "FAIL", None, "ok"])
    usable = usable_rows(rows, SPACE)
    assert usable.frame[ROW].to_list() == [0, 3]
    assert [d.rows for d in usable.dropped] == [2]


def test_values_outside_are_dropped_not_clipped():
    rows = history(x=[-0.1, 0.0, 1.0, 1.1, 0.5, 0.5], n=[1, 1, 5, 5, 6, 2.5])
    usable = usable_rows(rows, SPACE)
    assert usable.frame[ROW].to_list() == [1, 2]
    assert [(d.rows, d.reason) for d in usable.dropped] == [
        (2, "x is not a number from 0 to 1"),
        (2, "n is not an integer from 1 to 5"),
    ]
    assert usable.dropped[0].example == "row 0 (from 0): x = -0.1"


def test_rounding_noise_is_not_outside():
    space = Space({"x": Float(1e-5, 0.1, log=True)})
    rows = history(x=[np.nextafter(1e-5, 0), float(np.float32(0.1)), 0.99e-5])
    usable = usable_rows(rows, space)
    assert usable.frame[ROW].to_list() == [0, 1]
    assert usable.frame["x"].to_list() == [1e-5, 0.1]  # put back onto the bound


def test_text_where_a_number_is_wanted():
    rows = history(x=["0.5", " 0.25", "abc", "inf"], n=["1", "2", "3", "4"])
    usable = usable_rows(rows, SPACE)
    assert usable.frame["x"].to_list() == [0.5, 0.25]
    assert usable.dropped[0].rows == 2


def test_a_missing_value_is_an_error_with_row_and_column():
    with pytest.raises(HistoryError, match=r"row 2 \(from 0\), column 'x': the value is missing"):
        usable_rows(history(x=[0.1, 0.2, None, 0.3], n=[1] * 4), SPACE)


def test_a_missing_value_of_a_failed_run_does_not_matter():
    rows = history(x=[0.1, None], n=[1, 1], loss=[0.0, math.nan])
    assert usable_rows(rows, SPACE).frame.height == 1


def test_a_task_that_did_not_tune_a_parameter_counts_with_what_it_has():
    rows = history(task=["a", "a", "b", "b"], x=[0.1, 0.2, None, None], n=[1] * 4)
    usable = usable_rows(rows, SPACE)
    assert usable.frame["x"].to_list()[:2] == [0.1, 0.2]
    assert usable.frame["x"].is_nan().to_list() == [False, False, True, True]
    assert usable.frame["n"].to_list() == [1, 1, 1, 1]
    assert usable.dropped == ()
    assert usable.notes == ("task b did not tune x: it counts with what it has",)


def test_a_parameter_that_nobody_tuned_is_unknown_and_said():
    usable = usable_rows(history(x=[0.1], nn=[3]), SPACE)
    assert usable.frame["n"].is_nan().all()
    assert usable.notes[0] == (
        "no task tuned n: its range stays as it is; did you mean 'nn'? history.rename can say so "
        "(--rename …)"
    )


def test_runs_without_any_parameter_of_the_space_are_an_error_and_single_tasks_are_counted():
    with pytest.raises(HistoryError, match=r"no run has a value of a par.*rename\({'y': 'x'}\)"):
        usable_rows(history(y=[0.1, 0.2]), SPACE)
    rows = history(task=["a", "b"], x=[0.1, None], n=[1, None], y=[1.0, 2.0])
    usable = usable_rows(rows, SPACE)
    assert usable.frame[TASK].to_list() == ["a"]
    assert usable.dropped[0].reason == "the task tuned none of the parameters"


def test_the_best_run_outside_the_range_of_today_is_said():
    rows = history(task=["a", "a", "b"], x=[0.1, 7.0, 0.3], n=[1] * 3, loss=[1.0, 0.0, 0.0])
    usable = usable_rows(rows, SPACE)
    assert usable.frame[ROW].to_list() == [0, 2]
    said = "the best run of 1 task does not count: x is not a number from 0 to 1 (a: 7.0)"
    assert usable.notes == (said,)


def test_what_a_task_tuned_beyond_the_space_is_kept_for_models():
    rows = history(
        task=["a", "a", "a", "b"],
        x=[0.1, 0.2, 0.3, 0.4],
        n=[1] * 4,
        width=[10, 20, 40, None],
        how=["up", "down", "up", None],
    )
    frame = usable_rows(rows, SPACE).frame
    assert frame[":extra:width"].to_list() == [0.0, pytest.approx(1 / 3), 1.0, None]
    assert frame[":extra:how=up"].to_list() == [1.0, 0.0, 1.0, None]
    assert frame[":extra:how=down"].to_list() == [0.0, 1.0, 0.0, None]


def test_an_extra_number_over_decades_is_taken_on_a_log_scale():
    rows = history(task=["a"] * 3, x=[0.1] * 3, n=[1] * 3, decay=[1e-4, 1e-3, 1e-2])
    extra = usable_rows(rows, SPACE).frame[":extra:decay"].to_list()
    assert extra == pytest.approx([0.0, 0.5, 1.0])


SVM = Space(
    {"kernel": Categorical(["linear", "rbf"]), "gamma": Float(0, 1), "C": Float(0, 1)},
    [Condition("gamma", "kernel", ["rbf"])],
)


def test_missing_means_inactive_where_a_condition_says_so():
    rows = history(kernel=["linear", "rbf"], gamma=[None, 0.5], C=[0.1, 0.2])
    assert usable_rows(rows, SVM).frame["gamma"].to_list() == [None, 0.5]


def test_values_of_inactive_parameters_are_ignored_even_when_absurd():
    rows = history(kernel=["linear", "rbf"], gamma=[-99.0, 0.5], C=[0.1, 0.2])
    usable = usable_rows(rows, SVM)
    assert usable.frame["gamma"].to_list() == [None, 0.5]
    assert usable.notes == ("1 values of gamma ignored where it is inactive",)


def test_inactive_is_not_unknown():
    rows = history(
        task=["a", "a", "b", "b", "c"],
        kernel=["linear", "rbf", "linear", "rbf", "linear"],
        gamma=[None, 0.5, None, None, None],
        C=[0.1] * 5,
    )
    gamma = usable_rows(rows, SVM).frame["gamma"]
    assert gamma.is_null().to_list() == [True, False, True, False, True]
    assert gamma.is_nan().fill_null(value=False).to_list() == [False, False, False, True, False]


def test_the_child_of_an_unknown_parent_is_active_if_it_has_a_value_and_else_unknown():
    rows = history(
        task=["a", "b", "b", "c", "c"],
        kernel=["rbf", None, None, None, None],
        gamma=[0.1, 0.2, None, None, None],
        C=[0.1] * 5,
    )
    gamma = usable_rows(rows, SVM).frame["gamma"]
    assert gamma[1] == 0.2
    assert gamma[2] is None  # task b has others: there it was switched off
    assert gamma[3:].is_nan().all()


def test_missing_where_active_is_an_error():
    rows = history(kernel=["rbf", "rbf"], gamma=[None, 0.5], C=[0.1, 0.2])
    with pytest.raises(HistoryError, match=r"row 0 \(from 0\), column 'gamma'"):
        usable_rows(rows, SVM)


@pytest.mark.parametrize(
    ("choices", "column", "codes"),
    [
        ([16, 32], [16.0, 32.0, None], [0, 1]),
        ([16, 32], ["16", "32.0", "x"], [0, 1]),
        (["16", "32"], [16, 32, 64], [0, 1]),
        ([True, False], [True, False, None], [0, 1]),
        ([True, False], ["true", "False", "no"], [0, 1]),
        ([True, False], ["TRUE", "false", "x"], [0, 1]),
        ([True, False], [1, 0, 2], [0, 1]),
        (["true", "false"], [True, False, None], [0, 1]),
        (["a", "b"], ["a", "b", "c"], [0, 1]),
        ([1, "sqrt"], ["1", "sqrt", "log2"], [0, 1]),
    ],
)
def test_categories_match_across_the_types_that_tables_mangle(choices, column, codes):
    space = Space({"k": Categorical(choices)})
    frame = pl.DataFrame({"task": ["t", "t", "u"], "loss": [1.0, 2.0, 3.0], "k": column})
    runs = History.from_frame(frame, task="task", objective="loss", parameters=["k"])
    assert usable_rows(runs, space).frame["k"].to_list() == codes


def test_none_can_be_a_choice():
    space = Space({"depth": Categorical([None, 3])})
    rows = history(depth=[None, 3, 4])
    assert usable_rows(rows, space).frame["depth"].to_list() == [0, 1]


def test_constants_need_no_column_and_reject_other_values():
    space = Space({"x": Float(0, 1), "opt": Constant("adam")})
    assert usable_rows(history(x=[0.1]), space).frame.height == 1
    usable = usable_rows(history(x=[0.1, 0.2], opt=["adam", "sgd"]), space)
    assert usable.frame[ROW].to_list() == [0]


def test_only_the_highest_budget_of_a_task_counts():
    frame = pl.DataFrame(
        {
            "task": ["a", "a", "a", "b", "b"],
            "loss": [0.0, 2.0, 1.0, 0.0, 5.0],
            "x": [0.1, 0.2, 0.3, 0.4, 0.5],
            "n": 1,
            "epoch": [1, 9, 9, 1, 3],
        }
    )
    runs = History.from_frame(frame, task="task", objective="loss", budget="epoch")
    usable = usable_rows(runs, SPACE)
    assert incumbents(usable.frame)["x"].to_list() == [0.3, 0.5]
    assert usable.dropped[0].rows == 2


def test_when_nothing_is_left_the_reasons_are_told():
    with pytest.raises(HistoryError, match=r"no row .* 2 because x is not a number from 0 to 1"):
        usable_rows(history(x=[2.0, 3.0], n=[1, 1]), SPACE)


def test_numbers_as_task_names():
    frame = pl.DataFrame({"task": [3.0, 3.0, None, 12.0], "loss": 1.0, "x": 0.5, "n": 1})
    runs = History.from_frame(frame, task="task", objective="loss")
    assert runs.tasks == ("3", "12")
    usable = usable_rows(runs, SPACE)
    assert usable.dropped[0].reason == "no task is named"


def test_one_row_tasks_and_ties_go_to_the_earliest_row():
    rows = history(
        task=["a", "b", "b", "b"], loss=[1.0, 2.0, 2.0, 3.0], x=[0.1, 0.2, 0.3, 0.4], n=[1] * 4
    )
    best = incumbents(usable_rows(rows, SPACE).frame)
    assert best["x"].to_list() == [0.1, 0.2]
    assert best[COUNT].to_list() == [1, 3]


def test_repeats_are_averaged_on_request():
    """The luckiest seed wins without averaging, the better configuration with it."""
    rows = history(loss=[0.0, 9.0, 3.0, 3.2], x=[0.1, 0.1, 0.2, 0.2], n=[1] * 4)
    usable = usable_rows(rows, SPACE).frame
    assert incumbents(usable)["x"].to_list() == [0.1]
    averaged = incumbents(usable, RowChoice(average_repeats=True))
    assert averaged["x"].to_list() == [0.2]
    assert averaged[VALUE].to_list() == [pytest.approx(3.1)]


def test_the_first_n_rows_or_a_seeded_choice():
    size = 40
    rng = np.random.default_rng(0)
    runs = history(
        task=["a", "b"] * size,
        loss=rng.random(2 * size).tolist(),
        x=rng.random(2 * size),
        n=[1] * 2 * size,
    )
    usable = usable_rows(runs, SPACE).frame
    first = incumbents(usable, RowChoice(5))
    assert first[COUNT].to_list() == [5, 5]
    assert (first[ROW] < 10).all()
    chosen = incumbents(usable, RowChoice(5, seed=3))
    assert chosen.equals(incumbents(usable, RowChoice(5, seed=3)))
    assert not chosen.equals(incumbents(usable, RowChoice(5, seed=4)))
    alone = incumbents(usable.filter(pl.col(TASK) == "b"), RowChoice(5, seed=3))
    assert alone.equals(chosen.filter(pl.col(TASK) == "b"))
    assert incumbents(usable, RowChoice(10**6)).equals(incumbents(usable))


@pytest.mark.parametrize("name", ["value", "row", "task_", "n_evaluations", "_active", "lacks"])
def test_parameters_may_be_called_anything(name):
    frame = pl.DataFrame(
        {"ds": ["a", "a", "b", "b"], "loss": [0.9, 0.1, 0.9, 0.1], name: [1.0, 5.0, 2.0, 7.0]}
    )
    runs = History.from_frame(frame, task="ds", objective="loss", parameters=[name])
    best = incumbents(usable_rows(runs, Space({name: Float(0, 9)})).frame, RowChoice(9, seed=0))
    assert best[name].to_list() == [5.0, 7.0]


def test_a_column_cannot_play_two_parts():
    frame = pl.DataFrame({"task": ["a"], "loss": [1.0], "x": [1.0]})
    for roles in (
        {"task": "task", "objective": "loss", "parameters": ["x", "loss"]},
        {"task": "loss", "objective": "loss"},
    ):
        with pytest.raises(HistoryError, match="two parts"):
            History.from_frame(frame, **roles)


def test_nested_columns_are_refused_where_they_are_needed():
    frame = pl.DataFrame({"task": ["a", "b"], "loss": [1.0, 2.0], "x": [0.1, 0.2], "l": [[1], [2]]})
    runs = History.from_frame(frame, task="task", objective="loss")
    assert usable_rows(runs, Space({"x": Float(0, 1)})).frame.height == 2
    with pytest.raises(HistoryError, match="holds List"):
        usable_rows(runs, Space({"l": Float(0, 1)}))
    with pytest.raises(HistoryError, match="holds List"):
        History.from_frame(frame, task="l", objective="loss")


def test_missing_cells_of_a_constant_do_not_matter():
    space = Space({"x": Float(0, 1), "c": Constant(3)})
    assert usable_rows(history(x=[0.1, 0.2], c=[3, None]), space).frame.height == 2
    space = Space({"x": Float(0, 1), "c": Constant(None)})
    assert usable_rows(history(x=[0.1, 0.2], c=[None, None]), space).frame.height == 2
