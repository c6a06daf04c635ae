"""read_history: which reader gets the source, and what is said if none does."""

from __future__ import annotations

import polars as pl
import pytest

import ringfence as rf
from ringfence.history.readers import dispatch, table

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
    found = dict(dispatch._modules())
    assert {"table", "optuna"} <= set(found) and "optuna_sql" not in found
    monkeypatch.setattr(found["optuna"], "recognizes", lambda source: source == "pigeon")
    monkeypatch.setattr(found["optuna"], "read", lambda source, **options: (source, options))
    source, options = rf.read_history("pigeon", task="t")
    assert source == "pigeon" and options["task"] == "t"


def test_unknown_formats_options_and_sources(runs):
    with pytest.raises(rf.HistoryError, match=r"one of csv, .*optuna.*not 'optun'; did you mean"):
        rf.read_history(runs, format="optun")
    with pytest.raises(rf.HistoryError, match="format must be one of"):
        rf.read_history(runs, format="optuna_sql")
    with pytest.raises(rf.HistoryError, match="'table' has no option 'studies'; its options are"):
        rf.read_history(runs, studies="a")
    with pytest.raises(rf.HistoryError, match=r"a DataFrame; a DataFrame is read by History\.from"):
        rf.read_history(FRAME)
    with pytest.raises(rf.HistoryError, match="read from a file, not from a int"):
        rf.read_history(3, format="csv")
    with pytest.raises(rf.HistoryError, match="no reader knows addresses that begin with ftp://"):
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
