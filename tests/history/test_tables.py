"""Files and frames in, one plain table out."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ringfence import History, HistoryError, read_history
from ringfence.history.tables import as_table

FRAME = pl.DataFrame(
    {
        "task": ["a", "a", "b", "b"],
        "lr": [0.1, 0.01, 0.5, 0.2],
        "depth": [1, 2, 3, 4],
        "loss": [0.4, 0.3, 0.2, 0.1],
    }
)


def write(path, frame=FRAME):
    ending = path.name.removesuffix(".gz").rpartition(".")[2]
    buffer = io.BytesIO()
    match ending:
        case "csv":
            frame.write_csv(buffer)
        case "tsv":
            frame.write_csv(buffer, separator="\t")
        case "jsonl":
            frame.write_ndjson(buffer)
        case "parquet":
            frame.write_parquet(buffer)
    content = buffer.getvalue()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return content


FORMATS = ["runs.csv", "runs.tsv", "runs.jsonl", "runs.parquet"]


@pytest.mark.parametrize("name", [*FORMATS, "runs.csv.gz"])
def test_every_format_reads_the_same_table(tmp_path, name):
    write(tmp_path / name)
    history = read_history(tmp_path / name, task="task", objective="loss")
    assert history.frame.equals(FRAME)
    assert history.roles.parameters == ("lr", "depth")
    assert history.tasks == ("a", "b")
    assert history.digest() == History.from_frame(FRAME, task="task", objective="loss").digest()


@pytest.mark.parametrize("name", FORMATS)
def test_standard_input_is_recognized(tmp_path, monkeypatch, name):
    content = write(tmp_path / name)
    stdin = io.TextIOWrapper(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_history("-").frame.equals(FRAME)


def test_a_glob_reads_all_files_in_order_and_rows_are_found_again(tmp_path):
    write(tmp_path / "b.csv", FRAME[2:])
    write(tmp_path / "a.csv", FRAME[:2])
    history = read_history(str(tmp_path / "*.csv"))
    assert history.frame.equals(FRAME)
    assert history.where(3) == f"row 3 of {tmp_path / 'b.csv'}"


def test_semicolons_and_words_for_missing(tmp_path):
    (tmp_path / "r.csv").write_text("task;x;loss\na;NA;1\na;2.5;nan\nb;;3\n")
    frame = read_history(tmp_path / "r.csv", parameters=["x"]).frame
    assert frame["x"].to_list() == [None, 2.5, None]
    assert frame["loss"].to_list() == [1.0, None, 3.0]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("r.csv", b"", "is empty"),
        ("r.csv", b"task,x,loss\n", "no rows"),
        ("r.parquet", b"PAR1 and then nothing", "cannot be read as parquet"),
        ("r.jsonl", b'{"task": "a"', "line 1 is cut off or not JSON"),
        ("r.xlsx", b"x", "cannot be read as xlsx"),
        ("r.csv", b"loss,x\n1,2\n", "which column is the task"),
        ("r.csv", b"task,x\na,2\n", "which column is the objective"),
        ("r.csv", b"task,loss\na,2\n", "no parameter columns"),
    ],
)
def test_a_file_that_is_no_history_is_one_clear_line(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(HistoryError, match=says) as caught:
        read_history(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_missing_files_folders_and_columns(tmp_path):
    with pytest.raises(HistoryError, match="No such file"):
        read_history(tmp_path / "none.csv")
    with pytest.raises(HistoryError, match="is a folder"):
        read_history(tmp_path, format="csv")
    with pytest.raises(HistoryError, match="no file matches"):
        read_history(str(tmp_path / "*.csv"))
    with pytest.raises(HistoryError, match="no column 'deph'; did you mean 'depth'"):
        History.from_frame(FRAME, parameters=["deph"])
    with pytest.raises(HistoryError, match="direction"):
        History.from_frame(FRAME, direction="up")
    with pytest.raises(HistoryError, match="expected a pandas or polars DataFrame, not list"):
        History.from_frame([1, 2])


def test_the_index_of_a_pandas_frame_does_not_matter():
    plain = FRAME.to_pandas()
    shuffled = plain.set_axis([7, 7, 0, -1], axis=0)
    assert as_table(shuffled).equals(FRAME)


def test_a_named_index_is_a_column():
    frame = FRAME.to_pandas().set_index("task")
    assert as_table(frame).equals(FRAME)


def test_pandas_columns_of_every_kind():
    frame = pd.DataFrame(
        {
            "int": pd.array([1, None, 3], dtype="Int64"),
            "bool": pd.array([True, None, False], dtype="boolean"),
            "text": pd.array(["a", None, "b"], dtype="string"),
            "cat": pd.Categorical(["u", None, "v"]),
            "object_int": np.array([1, None, 3], dtype=object),
            "object_bool": np.array([True, False, None], dtype=object),
            "numbers": np.array([1, 2.5, None], dtype=object),
            "mixed": np.array([1, "sqrt", 0.5], dtype=object),
            "float32": np.array([0.5, np.nan, 2], dtype=np.float32),
            "when": pd.to_datetime(["2026-01-01", "2026-01-02", None]),
            5: [1, 2, 3],
        },
        index=["x", "x", "y"],
    )
    table = as_table(frame)
    assert table.to_dict(as_series=False) | {"when": None} == {
        "int": [1, None, 3],
        "bool": [True, None, False],
        "text": ["a", None, "b"],
        "cat": ["u", None, "v"],
        "object_int": [1, None, 3],
        "object_bool": [True, False, None],
        "numbers": [1.0, 2.5, None],
        "mixed": ["1", "sqrt", "0.5"],
        "float32": [0.5, None, 2.0],
        "when": None,
        "5": [1, 2, 3],
    }
    assert table["when"].dtype.is_temporal()
    assert table["bool"].dtype == pl.Boolean and table["int"].dtype == pl.Int64


def test_every_named_level_of_an_index_is_a_column():
    frame = FRAME.to_pandas().set_index(pd.Index([3, 1, 2, 5], name="run"))
    assert as_table(frame).columns[0] == "run"
    assert as_table(frame, index=False).equals(FRAME)
    both = FRAME.to_pandas().set_index(["task", FRAME.columns[1]])
    assert as_table(both).equals(FRAME.select("task", FRAME.columns[1], *FRAME.columns[2:]))
    assert History.from_frame(both).roles == History.from_frame(FRAME).roles


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (",task,x,loss\n0,a,1,2\n1,b,3,4\n", ["unnamed:0", "task", "x", "loss"]),
        ("task,x,loss,\na,1,2,\nb,3,4,\n", ["task", "x", "loss"]),
        ("task, x ,loss\na,1,2\n\nb,3,4\n\n", ["task", "x", "loss"]),
        ("task\tx\tloss\na\t1\t2\nb\t3\t4\n", ["task", "x", "loss"]),
        ("\ufefftask|x|loss\r\na|1|2\r\nb|3|4\r\n", ["task", "x", "loss"]),
    ],
    ids=["index", "trailing comma", "blank lines", "tabs", "bars, BOM, CRLF"],
)
def test_the_csv_that_people_have(tmp_path, text, columns):
    (tmp_path / "r[1].csv").write_bytes(text.encode())
    history = read_history(tmp_path / "r[1].csv")
    assert history.frame.columns == columns
    assert history.roles.parameters == ("x",)
    assert history.frame["x"].to_list() == [1, 3]


def test_a_header_that_names_a_column_twice(tmp_path):
    (tmp_path / "r.csv").write_text("task,x,x,loss\na,1,2,3\n")
    with pytest.raises(HistoryError, match="'x' occurs twice"):
        read_history(tmp_path / "r.csv")


def test_json_lines_with_pythons_nan_and_differing_keys(tmp_path):
    lines = [
        '{"task": "a", "x": 1, "loss": NaN}',
        '{"task": "a", "loss": 2, "x": 2.5}',
        "",
        '{"task": "b", "x": 3, "loss": Infinity}',
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    frame = read_history(tmp_path / "r.jsonl").frame
    assert frame["x"].to_list() == [1.0, 2.5, 3.0]
    assert frame["loss"].to_list() == [None, 2.0, float("inf")]


def test_a_pipe_is_not_an_empty_file(tmp_path):
    os.mkfifo(tmp_path / "p.csv")
    writer = threading.Thread(
        target=lambda: (tmp_path / "p.csv").write_bytes(FRAME.write_csv().encode())
    )
    writer.start()
    assert read_history(tmp_path / "p.csv").frame.equals(FRAME)
    writer.join()


def test_a_column_that_occurs_twice_is_an_error():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(HistoryError, match="'x' occurs twice"):
        as_table(frame)


def test_guesses_are_made_and_said():
    frame = FRAME.rename({"task": "dataset", "loss": "Accuracy"}).with_columns(
        auc=0.5,
        val_loss_3=0.1,
        run_id=pl.Series(["r1", "r2", "r3", "r4"]),
        seed=1,
        loss=pl.lit("l2"),
    )
    history = History.from_frame(frame)
    assert history.roles.task == "dataset"
    assert (history.roles.objective, history.roles.direction) == ("Accuracy", "maximize")
    assert history.roles.parameters == ("lr", "depth", "loss")
    assert "took the column 'dataset' as the task" in history.notes
    assert "maximize 'Accuracy', guessed from its name" in history.notes
    assert history.goal == "maximize 'Accuracy' (guessed from its name)"
    assert history.goal in repr(history)
    assert any(
        note.startswith("not taken as parameters: auc, val_loss_3 (results); run_id, seed (labels)")
        for note in history.notes
    )


def test_a_direction_that_is_said_counts_and_is_no_guess():
    frame = FRAME.rename({"loss": "accuracy"})
    said = History.from_frame(frame, objective="accuracy", direction="minimize")
    assert said.goal == "minimize 'accuracy'" and not any("guessed" in n for n in said.notes)


def test_the_digest_follows_the_data_and_nothing_else():
    digest = History.from_frame(FRAME).digest()
    assert digest == History.from_frame(FRAME.to_pandas()).digest()
    assert digest != History.from_frame(FRAME.with_columns(lr=pl.col("lr") + 1e-9)).digest()
    assert digest != History.from_frame(FRAME, direction="maximize").digest()
    assert digest == History.from_frame(FRAME.with_columns(run_id=1)).digest()


@pytest.mark.parametrize("name", ["*", "^x$", "^.*$"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "ndjson"])
def test_a_name_that_is_a_pattern_to_polars_is_refused(name, ending, tmp_path):
    frame = pl.DataFrame(
        {"task": ["a", "b"], "x": [0.1, 0.2], name: [0.3, 0.4], "loss": [1.0, 2.0]}
    )
    getattr(frame, f"write_{ending}")(tmp_path / f"runs.{ending}")
    for source in (frame, tmp_path / f"runs.{ending}"):
        with pytest.raises(HistoryError, match="pattern for other columns; rename it"):
            read_history(source, task="task", objective="loss")
