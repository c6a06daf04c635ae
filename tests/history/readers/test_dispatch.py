"""read_history: which reader gets the source, and what is said if none does."""

from __future__ import annotations

import polars as pl
import pytest

import ringfence as rf
from ringfence.history.readers import dispatch, table
from ringfence.history.roles import NamedColumns

FRAME = pl.DataFrame({"task": ["a", "b"], "x": [1.0, 2.0], "loss": [0.1, 0.2]})


@pytest.fixture
def runs(tmp_path):
    FRAME.write_csv(tmp_path / "runs.csv")
    return tmp_path / "runs.csv"


def test_tables_by_their_ending_or_by_name(runs, tmp_path):
    plain = tmp_path / "runs.data"
    plain.write_bytes(runs.read_bytes())
    for history in (
        rf.read_history(runs),
        rf.read_history(str(runs), format="table"),
        rf.read_history(plain, format="csv"),
        rf.read_history(f"{tmp_path}/*.csv"),
    ):
        assert history.frame.equals(FRAME)
    with pytest.raises(rf.HistoryError, match="cannot tell the format from the name"):
        rf.read_history(plain)


def test_a_module_beside_the_others_is_a_reader(runs, monkeypatch):
    """Found by its name, and by what it recognizes, without being registered anywhere."""
    readers = dict(dispatch._readers())
    assert {"table", "optuna"} <= set(readers) and "shared" not in readers
    monkeypatch.setattr(readers["optuna"], "recognizes", lambda source: source == "pigeon")
    asked = []

    def read(source, columns):
        asked.append((source, columns))
        return rf.History.from_frame(FRAME)

    monkeypatch.setattr(readers["optuna"], "read", read)
    history = rf.read_history("pigeon", task="t", parameters="x", ignore=["y"])
    assert history.tool == "optuna" and rf.read_history(runs).tool == ""
    ((source, columns),) = asked
    assert source == "pigeon"
    assert columns == NamedColumns(task="t", parameters=("x",), ignore=("y",))


def test_budget_and_status_are_options_of_the_readers_that_know_them(runs, monkeypatch):
    readers = dict(dispatch._readers())
    asked = []

    def read(source, columns, *, budget):
        asked.append(budget)
        return rf.History.from_frame(FRAME)

    monkeypatch.setattr(readers["hpob"], "read", read)
    rf.read_history("x", format="hpob", budget="epoch")
    assert asked == ["epoch"]
    with pytest.raises(rf.HistoryError, match="'hpob' has no option 'status'; its options are bud"):
        rf.read_history("x", format="hpob", status="state")
    with pytest.raises(rf.HistoryError, match="the reader 'smac' has no option 'budget'; it has"):
        rf.read_history("x", format="smac", budget="epoch")


def test_a_folder_without_runs_is_told_whose_folders_are_read(tmp_path, monkeypatch):
    with pytest.raises(rf.HistoryError, match="no runs of MLflow, Ray Tune, SMAC or Syne Tune; ta"):
        rf.read_history(tmp_path)
    monkeypatch.setattr(dict(dispatch._readers())["hpob"], "FOLDERS_OF", "HPO-B", raising=False)
    with pytest.raises(rf.HistoryError, match="no runs of HPO-B, MLflow, Ray Tune, SMAC or Syne T"):
        rf.read_history(tmp_path)


def test_unknown_formats_options_and_sources(runs):
    with pytest.raises(rf.HistoryError, match=r"one of csv, .*optuna.*not 'optun'; did you mean"):
        rf.read_history(runs, format="optun")
    with pytest.raises(rf.HistoryError, match="format must be one of"):
        rf.read_history(runs, format="shared")
    with pytest.raises(rf.HistoryError, match="'table' has no option 'studies'; its options are"):
        rf.read_history(runs, studies="a")
    with pytest.raises(rf.HistoryError, match="no reader knows what to do with a int; past runs"):
        rf.read_history(3)
    with pytest.raises(rf.HistoryError, match="read from a file, not from a int"):
        rf.read_history(3, format="csv")
    with pytest.raises(rf.HistoryError, match="no reader knows the address ftp://"):
        rf.read_history("ftp://me:sEcReT@host/runs")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("runs.csv", True), ("a/*.parquet", True), ("RUNS.CSV.GZ", True), ("-", True),
        ("runs.db", False), ("runs", False), ("sqlite:///runs.csv", False), (3, False),
    ],
)  # fmt: skip
def test_what_looks_like_a_table(name, known):
    assert table.recognizes(name) is known
