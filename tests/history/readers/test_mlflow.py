"""MLflow stores written by its own client: SQLite and folders read directly, servers by it."""

from __future__ import annotations

import math
import shutil
import sqlite3

import polars as pl
import pytest

import ringfence as rf
from readers.formats import (
    MISMATCHED,
    OUTCOMES,
    assert_mismatched,
    assert_outcomes,
    assert_same_learned,
    configs,
    in_memory,
    made_history,
    outcome_config,
)
from ringfence.history.readers.mlflow import reader
from ringfence.history.readers.mlflow.store import runs_of_server
from ringfence.history.readers.shared.runs import TOOK_DURATIONS, from_text

FRAME = made_history(tasks=3, runs=5)
PARENT = "mlflow.parentRunId"


def write(client):
    """The made history, one experiment a task; and what is to be left out: a parent, a deleted run
    and a deleted experiment."""
    from mlflow.entities import Metric, Param, RunTag

    def log(experiment, params, losses, status="FINISHED", tags=()):
        run = client.create_run(experiment, tags=dict(tags))
        client.log_batch(
            run.info.run_id,
            metrics=[Metric("loss", loss, 1000, step) for step, loss in losses],
            params=[Param(name, str(value)) for name, value in params.items()],
            tags=[RunTag("team", "red" if experiment == "1" else "blue")],
        )
        client.set_terminated(run.info.run_id, status)
        return run.info.run_id

    ids = {}
    for task, config, loss, failed in configs(FRAME):
        if task not in ids:
            ids[task] = client.create_experiment(task)
            parent = log(ids[task], {"C": "9"}, [(0, -99.0)])
        reports = [(0, loss + 1), (1, loss)]
        status = "FAILED" if failed else "FINISHED"
        log(ids[task], config, reports, status, {PARENT: parent}.items())
    client.delete_run(log(ids["t0"], {"C": "9"}, [(0, -99.0)]))
    gone = client.create_experiment("gone")
    log(gone, {"C": "9"}, [(0, -99.0)])
    client.delete_experiment(gone)
    other = log(ids["t1"], {"C": "0.5"}, [])
    client.delete_run(other)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """A database and a folder with the same runs."""
    from mlflow import MlflowClient

    folder = tmp_path_factory.mktemp("mlflow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        uris = [f"sqlite:///{folder / 'mlflow.db'}", (folder / "mlruns").as_uri()]
        for uri in uris:
            write(MlflowClient(tracking_uri=uri))
    return folder


MLFLOW = pytest.mark.filterwarnings("ignore")


@MLFLOW
@pytest.mark.parametrize("name", ["mlflow.db", "mlruns"])
def test_a_store_teaches_what_its_table_teaches(stores, name):
    history = rf.read_history(stores / name)
    assert_same_learned(in_memory(FRAME), in_memory(history.frame))
    assert history.frame["status"].to_list() == FRAME["status"].to_list()
    assert history.notes[0] == "3 runs with runs below them were left out"
    assert history.notes[1] == "left out 2 deleted runs"
    assert history.tasks == ("t0", "t1", "t2")


@MLFLOW
def test_mismatched_experiments_count_with_what_they_have(tmp_path, monkeypatch):
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = MlflowClient(tracking_uri=(tmp_path / "mlruns").as_uri())
    for task, trials in MISMATCHED.items():
        experiment = client.create_experiment(task)
        for config, loss in trials:
            run = client.create_run(experiment).info.run_id
            for name, value in config.items():
                client.log_param(run, name, value)
            client.log_metric(run, "loss", loss)
            client.set_terminated(run)
    assert_mismatched(rf.read_history(tmp_path / "mlruns"))


@MLFLOW
def test_uris_and_the_client_read_the_same(stores, monkeypatch):
    history = rf.read_history(f"sqlite:///{stores / 'mlflow.db'}", format="mlflow")
    folder = rf.read_history((stores / "mlruns").as_uri(), format="mlflow")
    same = [name for name in history.frame.columns if name != "duration"]  # they were made apart
    assert history.frame.select(same).equals(folder.frame.select(same))
    monkeypatch.setattr(reader, "_local", lambda _text: None)
    client = rf.read_history(f"sqlite:///{stores / 'mlflow.db'}", format="mlflow")
    assert client.frame.select(history.frame.columns).sort("C").equals(history.frame.sort("C"))


@MLFLOW
def test_a_database_server_is_read_directly_and_left_as_it_was(postgres):
    import sqlalchemy as sa
    from mlflow import MlflowClient

    secret = sa.make_url(postgres).set(password="s3cret")  # which the server does not ask for
    url = secret.render_as_string(hide_password=False)
    with pytest.raises(rf.HistoryError, match="has no table 'experiments'") as caught:
        rf.read_history(url, format="mlflow")
    assert "s3cret" not in str(caught.value)
    write(MlflowClient(tracking_uri=postgres))
    history = rf.read_history(url, format="mlflow")
    assert_same_learned(in_memory(FRAME), in_memory(history.frame))
    assert history.frame["status"].to_list() == FRAME["status"].to_list()
    assert "s3cret" not in repr(history) + history.source
    with pytest.raises(rf.HistoryError, match="MLflow's are read with format='mlflow'"):
        rf.read_history(url)


@MLFLOW
def test_a_task_is_an_experiment_a_parent_a_tag_or_a_parameter(stores):
    path = stores / "mlflow.db"
    assert rf.read_history(path, task="tags.team").tasks == ("red", "blue")
    assert len(rf.read_history(path, task="parent").tasks) == 3
    history = rf.read_history(path, task="params.kernel")
    assert set(history.tasks) == {"linear", "rbf"} and "kernel" not in history.roles.parameters
    assert rf.read_history(path, experiments=["t1"]).tasks == ("t1",)
    with pytest.raises(rf.HistoryError, match=r"no run has 'tags.crew'; a task is 'experiment'"):
        rf.read_history(path, task="tags.crew")
    with pytest.raises(rf.HistoryError, match="no experiment 't9'"):
        rf.read_history(path, experiments="t9")


@MLFLOW
def test_text_becomes_numbers_and_booleans(stores):
    frame = rf.read_history(stores / "mlflow.db").frame
    kinds = {"C": pl.Float64, "depth": pl.Int64, "shrinking": pl.Boolean, "kernel": pl.String}
    assert {name: frame[name].dtype for name in kinds} == kinds


@MLFLOW
def test_nan_and_infinite_metrics_do_not_count(stores, tmp_path):
    path = tmp_path / "mlflow.db"
    shutil.copy(stores / "mlflow.db", path)
    with sqlite3.connect(path) as connection:
        runs = connection.execute(
            "SELECT m.run_uuid FROM latest_metrics m JOIN runs r USING (run_uuid) "
            "WHERE m.value >= 0 AND r.lifecycle_stage = 'active' ORDER BY r.rowid LIMIT 2"
        ).fetchall()
        update = "UPDATE latest_metrics SET value = ?, is_nan = ? WHERE run_uuid = ?"
        connection.execute(update, (0.0, 1, runs[0][0]))
        connection.execute(update, (-1.7976931348623157e308, 0, runs[1][0]))
    connection.close()
    dropped = rf.learn(rf.read_history(path)).provenance.dropped
    assert dropped[-1].rows == 2 and dropped[-1].reason == "loss is missing or not finite"


def test_bad_stores_are_one_clear_error(tmp_path):
    with pytest.raises(rf.HistoryError, match="there is no"):
        rf.read_history(tmp_path / "gone.db", format="mlflow")
    with pytest.raises(rf.HistoryError, match="not a folder of MLflow's"):
        rf.read_history(tmp_path, format="mlflow")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE runs (x)")
    connection.close()
    with pytest.raises(rf.HistoryError, match="has no table 'experiments'"):
        rf.read_history(tmp_path / "other.db", format="mlflow")
    (tmp_path / "half.db").write_bytes(b"SQLite format 3\0" + b"\1" * 200)
    with pytest.raises(rf.HistoryError, match=r"cannot read .*half.db"):
        rf.read_history(tmp_path / "half.db", format="mlflow")


@MLFLOW
def test_several_metrics_want_a_name_and_none_is_said(stores, tmp_path):
    path = tmp_path / "mlflow.db"
    shutil.copy(stores / "mlflow.db", path)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO latest_metrics SELECT 'acc', value, timestamp, step, is_nan, run_uuid "
            "FROM latest_metrics"
        )
    with pytest.raises(rf.HistoryError, match=r"several objectives; name one .*: acc, loss"):
        rf.read_history(path)
    with connection:
        connection.execute("DELETE FROM latest_metrics")
    connection.close()
    with pytest.raises(rf.HistoryError, match=r"no run of .* has a metric"):
        rf.read_history(path)


@MLFLOW
def test_a_password_is_shown_nowhere(monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(rf.HistoryError, match=r"cannot read http://localhost: ") as caught:
        runs_of_server("http://me:pa%21ss@localhost:1")
    seen = repr(caught.value) + repr(caught.value.__cause__)
    assert "pa%21ss" not in seen and "pa!ss" not in seen
    assert caught.value.__suppress_context__


def test_a_server_needs_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(rf.MissingExtraError, match=r"pip install 'ringfence\[mlflow\]'"):
        rf.read_history("http://localhost:5000", format="mlflow")


def test_none_as_text_among_numbers_is_missing():
    assert from_text(["0.1", "None", "3", None, ""]) == [0.1, None, 3.0, None, None]
    assert from_text(["1", "2", "None"]) == [1, 2, None]
    assert from_text(["relu", "None"]) == ["relu", "None"]
    assert from_text(["None", None]) == ["None", None]


@MLFLOW
@pytest.mark.parametrize("kind", ["database", "folder", "client"])
def test_durations_and_failures(kind, tmp_path, monkeypatch):
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    store = tmp_path / ("mlruns" if kind == "folder" else "mlflow.db")
    uri = store.as_uri() if kind == "folder" else f"sqlite:///{store}"
    client = MlflowClient(tracking_uri=uri)
    experiment = client.create_experiment("t")
    words = {"ok": "FINISHED", "killed": "KILLED", "pruned": "RUNNING"}
    for depth, (loss, fate, seconds) in OUTCOMES.items():
        run = client.create_run(experiment, start_time=1_700_000_000_000).info.run_id
        for name, value in outcome_config(depth).items():
            client.log_param(run, name, value)
        if loss is not None or fate == "timeout":
            client.log_metric(run, "loss", math.nan if loss is None else loss)
        client.log_metric(run, "dollars", 2.0 * seconds)
        status = "FINISHED" if fate == "timeout" else words.get(fate, "FAILED")
        client.set_terminated(run, status, end_time=int(1_700_000_000_000 + 1000 * seconds))
    if kind == "client":
        monkeypatch.setattr(reader, "_local", lambda _text: None)
    source = uri if kind == "client" else store
    history = rf.read_history(source, format="mlflow", objective="loss", missing="drop")
    assert_outcomes(history, {3: None, 4: "diverged", 5: None})
    paid = rf.read_history(source, format="mlflow", objective="loss", cost="dollars")
    assert paid.cost_unit == "dollars" and sorted(paid.frame["dollars"])[0] == 6.0
    assert TOOK_DURATIONS in history.notes and TOOK_DURATIONS not in paid.notes
