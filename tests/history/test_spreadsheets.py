"""Tables as people keep them: what docs/history.md promises of each mess, one test a row."""

from __future__ import annotations

import datetime
import random

import polars as pl
import pytest

from ringfence import Categorical, Float, History, HistoryError, Int, SpaceError, infer_space
from ringfence import read_history as read
from ringfence.history import usable_rows
from ringfence.history.spreadsheets.columns import read_cells
from ringfence.history.spreadsheets.notation import MISSING_WORDS, look_at, with_meaning
from ringfence.words import plain

openpyxl = pytest.importorskip("openpyxl")


def sheet(tmp_path, lines, separator=",", name="runs.csv", encoding="utf-8"):
    (tmp_path / name).write_bytes("\n".join(lines).replace("|", separator).encode(encoding))
    return tmp_path / name


def column(name, cells, tmp_path, separator=";"):
    """The column as it is read beside a task and a loss."""
    lines = [f"task|{name}|loss", *(f"t{i % 2}|{cell}|{i}" for i, cell in enumerate(cells))]
    return read(sheet(tmp_path, lines, separator), parameters=[name])


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0,5", "1,25"], [0.5, 1.25]),
        (["1,00E-04", "-2,5E+01"], [1e-4, -25.0]),
        (["1.234,5", "2"], [1234.5, 2.0]),
        (["1 234,5", "7"], [1234.5, 7.0]),
        (["1\u202f234", "12"], [1234, 12]),
        (["1,234.5", "2"], [1234.5, 2.0]),
        (["1'024", "512"], [1024, 512]),
        (["१२", "5"], ["१२", "5"]),
        (["1,024", "512"], [1024, 512]),
        (["1,024", "2048"], [1.024, 2048.0]),
        (["1,234,567", "1,000"], [1234567, 1000]),
        (["50%", "7.5 %"], [0.5, 0.075]),
        (["50 %", "7,5 %"], [0.5, 0.075]),
        (["−1,5", "+2"], [-1.5, 2.0]),
        (["-", "0.5", "n/a", "?", "#DIV/0!"], [None, 0.5, None, None, None]),
        (["True", "FALSE"], [True, False]),
        (["007", "012,5"], ["007", "012,5"]),
        (["none", "l2"], ["none", "l2"]),
        (["None", "l2"], [None, "l2"]),
        (["1.2.3", "1.10.0"], ["1.2.3", "1.10.0"]),
    ],
)
def test_cells_are_read_by_the_whole_column(cells, values, tmp_path):
    assert column("x", cells, tmp_path).frame["x"].to_list() == values


def test_what_was_converted_is_said(tmp_path):
    lines = ["task|lr|width|acc", "a|0,5|1.024|90 %", "a|0,25|2.048|80 %", "b|?|1.024|70 %"]
    notes = read(sheet(tmp_path, lines, ";", encoding="utf-8-sig")).notes
    assert set(notes[:4]) == {
        "read decimal commas in lr: 0,25 is 0.25",
        "read '?' as missing in lr",
        "read marks of thousands in width: 1.024 is 1024",
        "read per cent signs as shares in acc: 70 % is 0.7",
    }


def test_a_column_that_could_be_either_is_a_question(tmp_path):
    with pytest.raises(HistoryError, match=r"row 2, column 'x': .* '1,234' is 1234 or 1\.234; say"):
        column("x", ["1,234", "2,345"], tmp_path)
    path = tmp_path / "runs.csv"
    assert read(path, decimal="comma").frame["x"].to_list() == [1.234, 2.345]
    assert read(path, decimal=".").frame["x"].to_list() == [1234, 2345]
    lines = ["task|x|y|loss", 'a|"1,234"|0.5|1', 'b|"2,345"|0.7|2']  # y tells the notation
    assert read(sheet(tmp_path, lines)).frame["x"].to_list() == [1234, 2345]
    with pytest.raises(HistoryError, match="decimal must be"):
        read(path, decimal="dot")


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["50%", "0.5"], r"row 3, column 'x': '0.5' has no per cent sign"),
        ([*(f"0.{i}" for i in range(1, 30)), "fast"], r"row 31, column 'x': 'fast' is not a num"),
        (["0.5", "0,7", "0.25"], r"'x' has a decimal point in .* and a decimal comma in '0,7'"),
    ],
)
def test_what_does_not_fit_is_named(cells, says, tmp_path):
    with pytest.raises(HistoryError, match=says) as caught:
        column("x", cells, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word", ["Mean", "Mittelwert", "TOTAL:", "Moyenne"])
def test_a_summary_below_the_table_is_left_out(word, tmp_path):
    history = read(sheet(tmp_path, ["task|x|loss", "a|1|2", "b|3|4", f"{word}|2|3"]))
    assert history.frame["x"].to_list() == [1, 3]
    assert history.notes[0] == f"left out 1 line of summary (row 4: {word!r})"


def test_choices_that_are_called_like_a_summary_stay(tmp_path):
    lines = ["task|pool|loss", "a|max|2", "b|mean|4", "b|max|1", "a|mean|3"]
    assert len(read(sheet(tmp_path, lines))) == 4


def test_titles_encodings_and_hints_above_the_header(tmp_path):
    lines = ["Läufe im Mai||", "||", "task|größe|loss", "a|1,5|2", "b|2,5|4"]
    for encoding in ("utf-8-sig", "cp1252", "utf-16"):
        history = read(sheet(tmp_path, lines, ";", encoding=encoding))
        assert history.frame["größe"].to_list() == [1.5, 2.5]
        assert history.where(0) == "row 4"
    hinted = sheet(tmp_path, ["sep=;", "task|x|loss", "a|1|2", "b|2|4"], ";")
    assert read(hinted).frame["x"].to_list() == [1, 2]


def test_spellings_of_one_choice_are_one(tmp_path):
    lines = ["task|opt|loss", "a|Adam|1", "a|adam |2", "b|Adam|3", "b|SGD|4"]
    history = read(sheet(tmp_path, lines))
    inferred = infer_space(history)
    assert inferred.space["opt"] == Categorical(["Adam", "SGD"])
    assert inferred.notes[0] == "opt: read 'adam ' as 'Adam'"
    assert usable_rows(history, inferred.space).frame["opt"].to_list() == [0, 0, 0, 1]


def runs(n=40, **columns):
    base = {"task": [f"t{i % 4}" for i in range(n)], "loss": [float(i) for i in range(n)]}
    return pl.DataFrame(base | {"x": [i / n for i in range(n)]} | columns)


def test_a_few_blanks_drop_their_rows():
    x = [None if i in (3, 17) else i / 40 for i in range(40)]
    history = History.from_frame(runs(x=x))
    inferred = infer_space(history)
    where = "row 3 (from 0)"
    assert inferred.notes[-1] == f"x is missing in 2 rows, which are dropped (first: {where})"
    (dropped,) = usable_rows(history, inferred.space).dropped
    assert (dropped.rows, dropped.reason) == (2, "x is missing")
    with pytest.raises(SpaceError, match="missing"):
        infer_space(History.from_frame(runs(x=x), missing="error"))


def test_many_blanks_are_one_question_with_all_columns():
    x = [None if i % 3 == 0 else i / 40 for i in range(40)]
    y = [None if i % 5 == 1 else i / 40 for i in range(40)]
    with pytest.raises(SpaceError, match=r"14 of 'x' \(first: row 0.*8 of 'y'.*19 of 40 rows"):
        infer_space(History.from_frame(runs(x=x, y=y)))
    history = History.from_frame(runs(x=x, y=y), missing="drop")
    assert usable_rows(history, infer_space(history).space).frame.height == 21


def test_none_is_a_choice_where_it_is_frequent():
    depth = [["None", "3", "5", "10"][i // 4 % 4] for i in range(40)]
    history = History.from_frame(runs(max_depth=depth))
    space = infer_space(history).space
    assert space["max_depth"] == Categorical([None, 3, 5, 10])
    assert usable_rows(history, space).frame.height == 40
    rare = ["None" if i == 7 else str(i % 5 + 1) for i in range(40)]
    assert infer_space(History.from_frame(runs(max_depth=rare))).space["max_depth"] == Int(1, 5)
    many = ["None" if i % 3 else str(i) for i in range(90)]
    with pytest.raises(SpaceError, match="more than 20 different numbers"):
        infer_space(History.from_frame(runs(90, max_depth=many)))


def test_a_condition_survives_a_slip():
    kernel = ["rbf" if i // 4 % 2 else "linear" for i in range(40)]
    gamma = [i / 40 if k == "rbf" and i != 5 else None for i, k in enumerate(kernel)]
    history = History.from_frame(runs(kernel=kernel, gamma=gamma))
    space = infer_space(history).space
    assert [(c.child, c.values) for c in space.conditions] == [("gamma", ("rbf",))]
    assert usable_rows(history, space).frame.height == 39


def test_labels_results_and_times_are_not_parameters():
    frame = runs(
        train_loss=[0.1] * 40, runtime_s=[1.5] * 40, fit_time=["3 s"] * 40,
        git_sha=["a"] * 40, loss_weight=[0.5] * 40,
        test_size=[0.2] * 40, notes=[None] * 40, epochs=[100] * 20 + [*range(20, 40)],
    )  # fmt: skip
    history = History.from_frame(frame)
    assert history.roles.parameters == ("x", "loss_weight", "test_size")
    (note,) = [note for note in history.notes if note.startswith("not taken")]
    assert "train_loss (results); fit_time (times); git_sha (labels); notes (empty)" in note
    assert "epochs (how far runs got)" in note and "parameters=…" in note
    tuned = History.from_frame(runs(epochs=[10, 20, 40, 80] * 10))
    assert "epochs" in tuned.roles.parameters


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([16, 32, 64, 128], True),
        ([1, 2, 3, 4], False),
        ([0.001, 0.002, 0.005, 0.01], True),
        ([0.1, 0.2, 0.3, 0.4, 0.8], False),
    ],
)
def test_grids_tell_the_scale(values, log):
    history = History.from_frame(runs(40, x=[values[i % len(values)] for i in range(40)]))
    assert infer_space(history).space["x"].log is log


def test_zeros_beside_a_log_spread_switch_off():
    x = [0.0 if i % 8 == 0 else 10.0 ** (-6 + i / 8) for i in range(40)]
    inferred = infer_space(History.from_frame(runs(x=x)))
    assert inferred.space["x"] == Float(x[1], x[39], log=True, off=0.0)
    assert any(note.startswith("x is off (0) in 5 rows, else a number") for note in inferred.notes)
    whole = [0 if i % 8 == 0 else 2 ** (i % 11) for i in range(40)]
    assert infer_space(History.from_frame(runs(x=whole))).space["x"] == Int(1, 1024, True, off=0)


def test_a_zero_or_two_are_numbers_that_were_rounded():
    x = [0.0 if i == 8 else 10.0 ** (-6 + i / 8) for i in range(40)]
    inferred = infer_space(History.from_frame(runs(x=x)))
    assert inferred.space["x"] == Float(0.0, x[39])
    assert any("x is 0 in 1 row and spread over" in note for note in inferred.notes)


def test_zeros_beside_a_linear_spread_are_its_lowest_values():
    x = [0.0 if i % 8 == 0 else i / 40 for i in range(40)]
    assert infer_space(History.from_frame(runs(x=x))).space["x"] == Float(0.0, x[39])


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("a,0.1,3\nb,0.2,4\n", {}, "has no header row"),
        ("task,x,loss\n", {}, "a header and no rows"),
        ("task,x,loss\na,1,2\n", {"objective": "task"}, "two parts, task and objective"),
        ("task,x,loss\na,1,good\nb,2,bad\n", {"objective": "loss"}, "holds text such as"),
        ("task,x,loss\na,1,\nb,2,\n", {"objective": "loss"}, "no value in any of the 2 rows"),
        ("run_id,x,loss\na,1,1\nb,2,2\nc,3,3\n", {"task": "run_id"}, "every row has its own"),
        ("task,x,x,loss\na,1,2,3\n", {}, "'x' occurs twice .* columns B and C"),
        ("task,x,loss\na,0,1,0,2\n", {}, "row 2: 5 values, but the header has 3 names"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(text, options, says, tmp_path):
    (tmp_path / "runs.csv").write_text(text)
    with pytest.raises(HistoryError, match=says) as caught:
        read(tmp_path / "runs.csv", **options)
    assert "\n" not in str(caught.value)


def test_a_column_twice_with_the_same_values_is_one(tmp_path):
    history = read(sheet(tmp_path, ["task|x|x|loss", "a|1|1|3", "b|2|2|4"]))
    assert history.roles.parameters == ("x",)
    assert "occurs twice with the same values" in history.notes[0]


def test_excel(tmp_path):
    book = openpyxl.Workbook()
    page = book.active
    page.append(["Runs of May"])
    page.append([])
    page.append(["task", "lr", "drop", "when", None, "acc"])
    for i in range(6):
        lr = "0,05" if i == 2 else 0.01 * (i + 1)
        page.append([f"t{i % 2}", lr, i / 10, datetime.date(2026, 5, 1 + i), None, 0.9 + i / 100])
    page.cell(4, 6).number_format = "0 %"
    book.create_sheet("other").append(["task", "loss"])
    book.save(tmp_path / "runs.xlsx")
    history = read(tmp_path / "runs.xlsx")
    assert history.roles.parameters == ("lr", "drop")
    assert history.frame["lr"].to_list() == pytest.approx([0.01, 0.02, 0.05, 0.04, 0.05, 0.06])
    assert history.frame["acc"][0] == 0.9
    assert history.where(0) == "row 4"
    with pytest.raises(HistoryError, match="no sheet 'May'; its sheets are Sheet, other"):
        read(tmp_path / "runs.xlsx", sheet="May")
    with pytest.raises(HistoryError, match="a header and no rows"):
        read(tmp_path / "runs.xlsx", sheet=2)


@pytest.mark.parametrize("name", ["学习率", "λ", "опт", "7"])
def test_names_of_every_alphabet_are_parameters(name):
    assert History.from_frame(runs(**{name: [0.5, 0.25] * 20})).roles.parameters == ("x", name)


BLOCKS = [f"{task}|{i}|{i / 10}|{i}" for task in "abc" for i in range(1, 5)]


@pytest.mark.parametrize(
    "below",
    [
        ["Mittelwert (gesamt)|2|0.2|3"],
        ["Mean|2|0.2|3", "Stand: 3. November 2026"],
        ["Mean|2|0.2|3", "made by Jürgen|||"],
        ["count|2|0.2|3", "mean|2|0.2|3", " |||", "* without May|||"],
        ["Total = 3|2|0.2|3", "", " "],
    ],
)
def test_a_summary_is_left_out_whatever_stands_below_it(below, tmp_path):
    history = read(sheet(tmp_path, ["task|n|x|loss", *BLOCKS, *below], ";"))
    assert history.tasks == ("a", "b", "c") and len(history) == 12
    assert "of summary (row 14: " in history.notes[0]


def test_a_summary_below_each_block_is_left_out(tmp_path):
    lines = [*BLOCKS[:4], "Mean|1|2|3", *BLOCKS[4:8], "Mean|1|2|3", *BLOCKS[8:], "Mean of c|1|2|3"]
    history = read(sheet(tmp_path, ["task|n|x|loss", *lines, "Total|1|2|3"]))
    assert history.tasks == ("a", "b", "c") and len(history) == 12
    assert history.notes[0] == "left out 4 lines of summary (row 6: 'Mean')"


def test_tasks_that_are_called_like_a_summary_stay(tmp_path):
    rows = [f"{task}|{i}|{i}" for i in range(4) for task in ("Best Buy", "Total", "Max Cut")]
    assert len(read(sheet(tmp_path, ["task|x|loss", *rows]))) == 12
    assert len(read(sheet(tmp_path, ["task|x|loss", *sorted(rows)]))) == 12
    notes = sheet(tmp_path, ["notes|task|x|loss", "|a|1|1", "|b|2|2", "best so far|a|3|3"])
    assert len(read(notes)) == 3


def test_the_task_of_merged_cells_is_that_of_the_row_above(tmp_path):
    lines = [line if i % 4 == 0 else line[1:] for i, line in enumerate(BLOCKS)]
    history = read(sheet(tmp_path, ["task|n|x|loss", *lines, "Mean|1|2|3"]))
    assert history.task_column().to_list() == [task for task in "abc" for _ in range(4)]
    assert "filled in the task of 9 rows from the row above, as of merged cells" in history.notes[1]
    forgotten = [line if i % 4 else line[1:] for i, line in enumerate(BLOCKS)]
    assert read(sheet(tmp_path, ["task|n|x|loss", *forgotten])).task_column().null_count() == 3


def test_a_header_that_comes_again_is_no_run(tmp_path):
    lines = [*BLOCKS[:4], "", "task|n|x|loss", *BLOCKS[4:8], "task|n|x|loss", *BLOCKS[8:]]
    book = openpyxl.Workbook()
    for line in ["task|n|x|loss", *lines]:
        cells = [float(cell) if cell[:1].isdigit() else cell for cell in line.split("|")]
        book.active.append(cells if line else [])
    book.save(tmp_path / "runs.xlsx")
    for path in (sheet(tmp_path, ["task|n|x|loss", *lines]), tmp_path / "runs.xlsx"):
        history = read(path)
        assert history.notes[0] == "left out 2 rows that repeat the header (first: row 7)"
        assert history.frame["n"].to_list() == [1, 2, 3, 4] * 3 and history.where(8) == "row 13"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Lauf-Nr.", "labels"), ("Notiz", "labels"), ("Remarque", "labels"), ("notas", "labels"),
        ("Zeit (s)", "times"), ("Temps (min)", "times"), ("Dure\u0301e", "times"),
        ("Zeit", "times"), ("duración", "times"), ("Tempo (s)", "times"),
    ],
)  # fmt: skip
def test_facts_in_other_languages_are_not_parameters(name, why):
    history = History.from_frame(runs(**{name: [1.5, 2.5] * 20}))
    assert history.roles.parameters == ("x",)
    assert any(f"not taken as parameters: {name} ({why})" in note for note in history.notes)


def test_what_counts_the_rows_is_not_a_parameter():
    assert History.from_frame(runs(lfd=range(1, 41))).roles.parameters == ("x",)
    assert History.from_frame(runs(k=[*range(1, 21)] * 2)).roles.parameters == ("x", "k")


@pytest.mark.parametrize("name", ["auc", "val_auc"])
def test_a_word_in_a_column_of_results_is_a_failed_run(name, tmp_path):
    lines = ["task|x|auc|val_auc", *(f"t{i % 2}|{i}|0.{i}|0.{i}" for i in range(1, 20))]
    lines[3] = "t1|3|0.5|aborted" if name == "val_auc" else "t1|3|aborted|0.5"
    history = read(sheet(tmp_path, lines))
    assert history.notes[0] == f"{name}: 1 cell without a number counts as missing (aborted)"
    assert history.frame[name].null_count() == 1 and history.frame[name].dtype == pl.Float64


def test_a_word_in_what_may_be_the_objective_is_asked_about(tmp_path):
    lines = ["task|x|Genauigkeit", *(f"t{i % 2}|{i}|0.{i}" for i in range(1, 20)), "t1|3|failed"]
    with pytest.raises(HistoryError, match=r"'failed' is not a num.*say objective='Genauigkeit'"):
        read(sheet(tmp_path, lines))


def test_shares_are_the_nearest_numbers(tmp_path):
    cells = [f"{i / 10} %" for i in range(1, 1000)]
    shares = column("x", cells, tmp_path).frame["x"].to_list()
    assert shares == [float(f"{i}e-3") for i in range(1, 1000)]


def test_blanks_within_numbers_are_shown_as_blanks():
    assert plain("12\u202f000\x1b") == "12 000\\x1b"


def workbook(path, **pages):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in pages.items():
        page = book.create_sheet(title)
        for row in rows:
            page.append(row)
    book.save(path)
    return path


RUNS = [["task", "x", "loss"], ["a", 1, 2.5], ["b", 2, 3.5]]


@pytest.mark.parametrize(
    "cover",
    [[["Runs of May"]], [], [["Project", "May"], ["Author", "me"], ["Version", "3"]]],
    ids=["title", "empty", "facts"],
)
def test_a_cover_sheet_is_said_with_the_other_sheets(cover, tmp_path):
    path = workbook(tmp_path / "runs.xlsx", Cover=cover, Runs=RUNS)
    with pytest.raises(HistoryError, match=r"sheets, Cover, Runs; say .* sheet='Runs' \(--option"):
        read(path)
    assert not any("sheet" in note for note in read(path, sheet="Runs").notes)


def test_the_sheet_that_was_read_is_said(tmp_path):
    history = read(workbook(tmp_path / "runs.xlsx", Runs=RUNS, Notes=[["none"]]))
    assert "read the first of the sheets Runs, Notes" in history.notes[0]
    with pytest.raises(
        HistoryError, match=r"no parameter columns besides the task and the obj\w+$"
    ):
        read(tmp_path / "runs.xlsx", ignore="x")


def test_formulas_without_values_are_said(tmp_path):
    rows = [["task", "x", "acc"], *([f"t{i % 2}", i, f"=1/{i}"] for i in range(1, 5))]
    with pytest.raises(HistoryError, match=r"'acc' has no value .* formulas, their values are not"):
        read(workbook(tmp_path / "runs.xlsx", Runs=rows))


def test_a_summary_beside_merged_cells_is_left_out(tmp_path):
    lines = ["run|task|x|loss", "1|a|1|1", "2||2|2", "Mean||3|3", "3|b|1|1", "4||2|2", "Mean||3|3"]
    history = read(sheet(tmp_path, lines))
    assert history.task_column().to_list() == ["a", "a", "b", "b"]
    pools = ["pool|task|x|loss", "max|a|1|1", "mean||2|2", "max||3|3", "max|b|1|1", "mean||2|2"]
    assert len(read(sheet(tmp_path, pools))) == 5


def test_a_summary_that_only_a_remark_tells_is_left_out(tmp_path):
    block = ["{}|1|.5|", "|2|.6|mean pooling", "|3|.7|best of three", "|2|.99|mean of the above"]
    lines = [line.format(task) for task in "abc" for line in block]
    history = read(sheet(tmp_path, ["task|x|auc|notes", *lines, "|2|.01|std", "|2|.99|Average"]))
    assert history.frame["auc"].to_list() == [0.5, 0.6, 0.7] * 3
    assert history.notes[0] == "left out 5 lines of summary (row 5: 'mean of the above')"
    commas = [line.replace(".", "0,") for line in lines]
    assert read(sheet(tmp_path, ["task|x|auc|notes", *commas], ";")).notes[0] == (
        "left out 3 lines of summary (row 5: 'mean of the above')"
    )
    kept = [*block[:2], "|2|.99|mean of the above", "|4|.4|"]  # another run follows
    lines = [line.format(task) for task in "abc" for line in kept]
    assert len(read(sheet(tmp_path, ["task|x|auc|notes", *lines]))) == 12


def test_blank_sheets_are_not_offered_as_those_with_the_runs(tmp_path):
    book = openpyxl.Workbook()
    for row in [("who", "x", "loss"), ("a", 1, 2), ("b", 2, 3)]:
        book.active.append(row)
    book.create_sheet("Plot")["B7"] = "a remark"
    book.save(tmp_path / "runs.xlsx")
    with pytest.raises(HistoryError, match="cannot tell which column is the task") as error:
        read(tmp_path / "runs.xlsx")
    assert "Plot" not in str(error.value)


def test_the_real_kind_of_a_renamed_file_is_named(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["task", "x", "loss"])
    book.save(tmp_path / "excel.csv")
    sheet(tmp_path, ["task|x|loss", "a|1|2"], name="text.xlsx")
    (tmp_path / "old.csv").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    pl.DataFrame({"task": ["a"]}).write_parquet(tmp_path / "frame.jsonl")
    for name, said in {
        "excel.csv": "cannot be read as csv: its content is xlsx; name it .xlsx",
        "text.xlsx": "cannot be read as xlsx: its content is text; name it .csv",
        "old.csv": "cannot be read as csv: its content is xls; save it as .xlsx",
        "frame.jsonl": "cannot be read as jsonl: its content is parquet; name it .parquet",
    }.items():
        with pytest.raises(HistoryError, match=said):
            read(tmp_path / name)
    with pytest.raises(HistoryError, match=r"header and no rows"):
        read(tmp_path / "excel.csv", format="xlsx")


def test_why_a_metric_in_words_is_not_the_objective(tmp_path):
    lines = ["task;lr;auc", *(f"t{i % 2};0,{i + 1};0,{i + 80} ± 0,01" for i in range(8))]
    with pytest.raises(
        HistoryError, match=r"cannot tell.*; 'auc' holds text such as '0,80 ± 0,01'"
    ):
        read(sheet(tmp_path, lines))


@pytest.mark.parametrize("task", ["Datensatz", "Aufgabe", "Tâche", "Jeu de données"])
def test_tasks_and_errors_in_other_languages(task, tmp_path):
    lines = [f"{task};lr;Fehler (%)", *(f"t{i % 2};0,{i + 1};{i + 5},5" for i in range(16))]
    roles = read(sheet(tmp_path, lines)).roles
    assert (roles.task, roles.objective, roles.direction) == (task, "Fehler (%)", "minimize")


def test_an_empty_list_is_said_to_be_one():
    for empty in ([], ()):
        with pytest.raises(HistoryError, match="the list of past runs is empty"):
            read(empty)


CELLS = (
    *MISSING_WORDS, "None", "none", "NONE", "True", "false", "TRUE", "inf", "-Infinity", "infant",
    "0,5", ".5", ",5", "−3", "1e−5", "+7", "12 %", "5%", "%", "007", "64,32,16", "1.2.3", "1 234",
    "१२", "relu", "l2", "x1", "-x", "+", "nan?", "a b", "\u3000", "\u3000na", "\u00a0 4", " yes ",
    "ø", "1st", "0x1f", "e5", "$5", "(3)", "'5", "none ",
)  # fmt: skip


def test_columns_without_meaning_would_have_been_left_as_they_are(monkeypatch):
    rng = random.Random(5)
    columns = {f"c{i}": [cell] * 6 for i, cell in enumerate(CELLS)} | {
        f"m{i}": rng.choices([*CELLS, None], k=6) for i in range(300)
    }
    columns["empty"] = [None] * 6
    skipped = 0
    for name, cells in columns.items():
        table = pl.DataFrame({name: pl.Series(cells, dtype=pl.String)})

        def outcome(table=table, name=name):
            try:
                read = read_cells(table, [name], [], None, lambda row: f"row {row}")
            except HistoryError as error:
                return str(error)
            return read.table.to_dict(as_series=False), read.notes, read.nones

        quick = outcome()
        skipped += not with_meaning(table, [name])
        with monkeypatch.context() as patch:
            patch.setattr("ringfence.history.spreadsheets.columns.with_meaning", lambda _, n: n)
            assert repr(quick) == repr(outcome())
    assert 10 < skipped < 100


def test_thousands_of_columns_of_words_are_not_looked_at_one_by_one(monkeypatch, tmp_path):
    seen = []

    def counted(column, **options):
        seen.append(column.name)
        return look_at(column, **options)

    for module in ("spreadsheets.columns", "readers.shared.delimited"):
        monkeypatch.setattr(f"ringfence.history.{module}.look_at", counted)
    header = "task|lr|loss" + "".join(f"|w{i}|e{i}" for i in range(1000))
    words = "".join(f"|relu{i}|" for i in range(1000))  # and an empty column beside each
    rows = [f"t{i % 2}|0.{i + 1}|{i}{words}" for i in range(4)]
    read(sheet(tmp_path, [header, *rows], "\t", "runs.tsv"))
    assert not seen
