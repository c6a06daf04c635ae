"""What looks like a number and is none, and what is dropped: nothing is misread in silence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence import History, HistoryError, infer_space
from ringfence import read_history as read
from ringfence.history import usable_rows
from ringfence.learned.diff import describe


def sheet(tmp_path, lines, separator=","):
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines).replace("|", separator))
    return path


@pytest.mark.parametrize(
    "names", [("007", "7", "07"), ("1.10", "1.1", "1.2"), ("1e3", "1000", "12e4"), ("1", "2", "+2")]
)
@pytest.mark.parametrize("options", [{}, {"task": "which"}])
def test_tasks_are_named_as_they_are_written(names, options, tmp_path):
    column = options.get("task", "dataset")
    lines = [f"{column}|x|loss", *(f"{name}|{i}|{i}" for i, name in enumerate(names * 2))]
    assert read(sheet(tmp_path, lines), **options).tasks == names


def test_a_gap_does_not_rename_tasks_that_are_integers(tmp_path):
    lines = ["task|x|loss", "3.0|1|1", "|2|2", "10.0|3|3"]
    assert read(sheet(tmp_path, lines)).tasks == ("3", "10")


def test_numbers_with_leading_zeros_are_names(tmp_path):
    cells = ["007", "010", "100", "7"]
    lines = ["task|preset|loss", *(f"t{i % 2}|{cell}|{i}" for i, cell in enumerate(cells))]
    history = read(sheet(tmp_path, lines))
    frame = History.from_frame(
        pl.DataFrame({"task": ["a", "b"] * 2, "preset": cells, "loss": [1.0, 2.0, 3.0, 4.0]})
    )
    for one in (history, frame):
        assert one.frame["preset"].to_list() == cells
        assert "read numbers with leading zeros as names in preset: 007 is no number" in one.notes
        space = infer_space(one).space
        assert set(space["preset"].choices) == set(cells)
        assert usable_rows(one, space).frame["preset"].n_unique() == 4


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize(
    "cells", [["64,32", "128,64"], ["128,128", "256,128"], ["128,128", "64"], ["1,2", "1,1"]]
)
def test_lists_are_choices_where_numbers_have_points(cells, separator, tmp_path):
    lines = ["task|lr|layers|acc"]
    lines += [f't{i % 3}|0.{i + 1}|"{cells[i % 2]}"|0.5' for i in range(6)]
    history = read(sheet(tmp_path, lines, separator))
    assert set(infer_space(history).space["layers"].choices) == set(cells)
    assert any("read lists, not numbers, in layers: " in note for note in history.notes)
    numbers = read(sheet(tmp_path, lines, separator), decimal="comma").frame["layers"]
    assert numbers.to_list()[:2] == [float(cell.replace(",", ".")) for cell in cells]


def test_decimal_commas_stay_numbers_where_they_can_be_nothing_else(tmp_path):
    lines = ["task|lr|x|acc", *(f"t{i % 3}|0,0{i + 1}|{i},5|0,{i + 1}" for i in range(1, 7))]
    assert read(sheet(tmp_path, lines, ";")).frame["x"].to_list() == [i + 0.5 for i in range(1, 7)]


def test_many_different_lists_are_a_question(tmp_path):
    lines = ["task|lr|x|acc", *(f't{i % 3}|0.{i + 1}|"{i + 10},5"|0.5' for i in range(20))]
    with pytest.raises(HistoryError, match=r"row 2, column 'x': .* '10,5' is a number or a list"):
        read(sheet(tmp_path, lines))


def runs(n=30, **columns):
    """A table of `n` runs of three tasks."""
    given = {name: [values[i % len(values)] for i in range(n)] for name, values in columns.items()}
    table = {"task": [f"t{i % 3}" for i in range(n)], "loss": [float(i % 7) for i in range(n)]}
    return pl.DataFrame({**table, "x": [i / n for i in range(n)], **given}, strict=False)


def test_rows_without_a_task_are_said_and_most_rows_prominently():
    history = History.from_frame(runs(task=["a", None, None]))
    said = "20 of 30 rows name no task in 'task' and do not count (first: row 1 (from 0))"
    assert said in history.notes
    second = str(rf.learn(history)).splitlines()[1]
    assert second.startswith("note: 20 of 30 rows do not count: no task is named (row 1 (from 0)")
    few = rf.learn(History.from_frame(runs(task=["a", "b", None])))
    assert "note: " not in "\n".join(str(few).splitlines()[:3])


def test_infinite_values_are_said():
    notes = infer_space(History.from_frame(runs(norm=[1.0, 2.0, float("inf")]))).notes
    assert any(note.startswith("norm is infinite in 10 rows, which no range") for note in notes)


@pytest.mark.parametrize(
    ("values", "said"), [([-1, 3, 5, 7, 9], True), ([-1, 0, 1, 2, 3], False), ([-1, 1], False)]
)
def test_minus_one_beside_positive_integers_is_said(values, said):
    notes = infer_space(History.from_frame(runs(max_depth=values))).notes
    expected = f"max_depth is -1 in {30 // len(values)} rows and 3 or more otherwise"
    assert any(note.startswith(expected) for note in notes) == said
    assert any("declare max_depth from 3 on, with off=-1 " in note for note in notes) == said


def test_ones_and_zeros_beside_true_and_false_are_the_same(tmp_path):
    cells = ["True", "0", "1", "False"]
    lines = ["task|flag|loss", *(f"t{i % 3}|{cells[i % 4]}|{i}" for i in range(12))]
    history = read(sheet(tmp_path, lines))
    assert history.frame["flag"].to_list()[:4] == [True, False, True, False]
    assert "read 1 and 0 as True and False in flag" in history.notes


def test_a_column_is_a_parameter_or_ignored():
    with pytest.raises(HistoryError, match="'x' is in parameters and in ignore"):
        read(runs(), parameters=["x"], ignore=["x"])


def test_the_same_runs_twice_are_an_error(tmp_path):
    runs().write_csv(tmp_path / "runs.csv")
    path, other = str(tmp_path / "runs.csv"), runs().with_columns(loss=pl.col("loss") + 1)
    with pytest.raises(HistoryError, match="sources 1 and 3 of the list hold the same runs"):
        read([path, other, path])
    assert len(read([path, other])) == 60


def test_what_infer_space_gives_is_a_space():
    history = History.from_frame(runs())
    inferred = infer_space(history)
    assert rf.learn(history, inferred, starts=0).space == inferred.space


def test_a_text_is_no_result():
    space = rf.Space({"x": rf.Float(0.0, 1.0)})
    with pytest.raises(rf.TrialError, match=r"returned '0\.5', which is not a finite number"):
        rf.minimize(lambda config: "0.5", space, "random", n_trials=3)
    optimizer = rf.optimizer("random", space)
    with pytest.raises(rf.TrialError, match=r"the value must be a number, not '0\.5'"):
        optimizer.tell(optimizer.ask(), "0.5")
    with pytest.raises(rf.SettingError, match=r"not Inferred; pass its \.space"):
        rf.optimizer("random", infer_space(History.from_frame(runs())))


def test_a_diff_says_that_the_goal_is_another():
    less = rf.learn(History.from_frame(runs()), starts=0)
    more = rf.learn(History.from_frame(runs(), direction="maximize"), starts=0)
    assert describe(less, more)[0] == "goal: minimize 'loss' → maximize 'loss'"


def numbers_with(cell, others):
    """A table of 80 rows whose parameter is `cell` in the eighth, one of the others elsewhere."""
    cells = [str(others[i % len(others)]) for i in range(80)]
    cells[7] = cell
    return ["task|drop|auc", *(f"t{i % 4}|{x}|0.{500 + i}" for i, x in enumerate(cells))]


@pytest.mark.parametrize("cell", ["01. Mai", "01.05.", "02x", "0.3.1"])
def test_one_cell_that_begins_with_a_zero_does_not_retype_a_column(cell, tmp_path):
    lines = numbers_with(cell, [f"0.{i}" for i in range(101, 181)])
    with pytest.raises(
        HistoryError, match=rf"row 9, column 'drop': '{cell}' is not a number, and 79"
    ):
        read(sheet(tmp_path, lines))


@pytest.mark.parametrize(("cell", "others"), [("007", range(11, 91)), ("064", range(16, 144, 16))])
def test_a_number_with_a_zero_in_front_among_plain_ones_is_asked_about(cell, others, tmp_path):
    with pytest.raises(HistoryError, match=rf"'{cell}' has a zero in front.*79 other cells"):
        read(sheet(tmp_path, numbers_with(cell, others)))


def test_codes_of_one_length_are_names_though_few_begin_with_a_zero(tmp_path):
    history = read(sheet(tmp_path, numbers_with("064", [128, 256, 512])))
    assert history.frame["drop"].dtype == pl.String


def test_an_objective_may_have_zeros_in_front(tmp_path):
    lines = ["task;lr;auc", *(f"t{i % 2};0,{i + 1};0,{i + 50}" for i in range(30)), "t1;0,5;00,9"]
    history = read(sheet(tmp_path, lines))
    assert history.frame["auc"][-1] == 0.9


def test_a_word_in_the_objective_is_shown_as_written(tmp_path):
    lines = ["task|lr|auc", *(f"t{i % 2}|0.{i + 1}|{'OOM' if i == 5 else 0.5}" for i in range(9))]
    history = read(sheet(tmp_path, lines))
    for one in (history, History.concat([history.only(["t0"]), history.only(["t1"])])):
        (dropped,) = rf.learn(one).provenance.dropped
        assert dropped.example.endswith("auc = OOM")
    assert history.roles.parameters == ("lr",)


@pytest.mark.parametrize("choices", [["relu", "None"], ["relu", None]])
def test_a_declared_choice_called_none_is_no_gap(choices):
    rng = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "task": np.repeat(list("abc"), 20),
            "x": rng.random(60),
            "activation": rng.choice(["relu", "None"], 60),
            "loss": rng.random(60),
        }
    )
    space = rf.Space({"x": rf.Float(0, 1), "activation": rf.Categorical(choices)})
    learned = rf.learn(table, space, task="task", objective="loss", starts=0)
    assert learned.provenance.rows_used == 60
    assert {task.incumbent["activation"] for task in learned.tasks} <= set(choices)


def table(**columns) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "task": np.repeat([f"t{t}" for t in range(6)], 20),
            "x": rng.random(120),
            "loss": 1.0 + rng.random(120),
            **columns,
        }
    )


@pytest.mark.parametrize(
    "day", ["2024-01-{:02}", "2024/1/{}T10:00:00Z", "{:02}.01.2024", "{}/1/2024"]
)
def test_days_that_repeat_are_no_choices(day):
    frame = table(logged=[day.format(1 + row % 9) for row in range(120)])
    learned = rf.learn(frame, task="task", objective="loss", starts=0)
    assert list(learned.space) == ["x"]
    assert any("logged (dates)" in note for note in learned.provenance.notes)


@pytest.mark.parametrize("low", [1e-4, 1e-3, 3.0])
def test_draws_from_two_decades_are_on_a_log_scale(low):
    rng = np.random.default_rng(0)
    for _ in range(20):
        rate = low * 100 ** rng.random(120)
        assert infer_space(table(rate=rate), task="task", objective="loss").space["rate"].log
        even = low * (1 + 99 * rng.random(120))
        assert not infer_space(table(rate=even), task="task", objective="loss").space["rate"].log


def test_grids_of_three_with_equal_ratios_are_on_a_log_scale():
    for grid, log in (((1e-4, 3e-4, 1e-3), True), ((10, 30, 100), True), ((1, 5, 10), False)):
        frame = table(rate=[grid[row % 3] for row in range(120)])
        assert infer_space(frame, task="task", objective="loss").space["rate"].log == log


def test_the_only_negative_values_are_asked_about_however_wide_the_losses_spread():
    rng = np.random.default_rng(3)
    losses = 10 ** rng.uniform(0, 5, 120)
    losses[::10] = -1
    learned = rf.learn(table(val_loss=losses).drop("loss"), task="task", starts=0)
    assert "12 rows of 6 tasks have the same best value, -1" in str(learned)


def test_not_determined_is_missing():
    cells = ["n.d." if row % 5 == 0 else f"{row % 17 / 10}" for row in range(120)]
    with pytest.raises(rf.SpaceError, match="'dose': the value is missing"):
        rf.learn(table(dose=cells), task="task", objective="loss")
