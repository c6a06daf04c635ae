"""Addresses: scheme, host and database are shown and kept, nothing else."""

from __future__ import annotations

import http.server
import threading
import traceback

import pytest

import ringfence as rf
from ringfence.errors.addresses import hidden, shown

SECRET = "t0k3n-of-mine"
MLFLOW = pytest.mark.filterwarnings("ignore")  # its own


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("http://{}@host:5000", "http://host"),
        ("http://me:{}@host", "http://host"),
        ("http://host/?token={}", "http://host"),
        ("http://host/{}/mlflow", "http://host"),
        ("http://host#{}", "http://host"),
        ("http://me:x@[::1]:80/{}", "http://[::1]"),
        ("postgresql://u:{}@h:5432/db?sslmode=require", "postgresql://h/db"),
        ("postgresql+psycopg2://u:a@{}@h/db", "postgresql+psycopg2://h/db"),
        ("postgresql://h/db?password={}", "postgresql://h/db"),
        ("postgresql:/u:{}@h/db", "postgresql://h/db"),
        ("postgresql://u:pa/{}@h/db", "postgresql://…"),
        ("postgresql://{}?x@h/db", "postgresql://…"),
        ("http://h/@{}", "http://…"),
        ("jdbc:postgresql://h/db?user=u&password={}", "jdbc:postgresql://h/db"),
        ("jdbc:sqlserver://h;user=u;password={}", "jdbc:sqlserver://h"),
        ("jdbc:oracle:thin:u/{}@h:1521:db", "jdbc:oracle://…"),
        ("u:{}@h/db", "…"),
        ("sqlite://u:{}@h/db", "sqlite://h"),
        ("mssql://u:{}@h/db", "mssql://h/db"),
        ("my\nsql://h/db#{}", "…"),
        ("mysql//h/db?password={}", "mysql://…"),
        ("mysql//h:1/db#{}", "mysql://…"),
        ("mysql//{}@h/db", "mysql://h/db"),
        ("postgresql:/u:{}/db", "postgresql://…"),
        ("postgresql:/{}/db", "postgresql://…"),
        ("postgres//u:{}:h/db", "postgres://…"),
        ("postgres/u:{}:h/db", "postgres://…"),
        ("postgrsql:u:{}:h", "postgrsql://…"),
        ("POSTGRESQL:u:{}:h", "POSTGRESQL://…"),
        ("mysql+pymysql:u:{}:h", "mysql+pymysql://…"),
        ("kind+driver:u:{}", "kind+driver://…"),
        ("https//u:{}/x", "https://…"),
        ("ttps//u:{}/x", "…"),
        ("word//u:{}:h/db", "…"),
        ("//u:{}/db", "…"),
        ("postgresql;//u:{}/db", "postgresql://…"),
        ("postgres:// u:{}/h", "postgres://…"),
        (" 'postgresql:/u:{}/db'", "postgresql://…"),
        ("\x1b[31m\u202ehttp//u:{}/x", "http://…"),
        ("jdbc:x;password={}", "jdbc://…"),
        ("host=h user=u password={}", "…"),
        ("Driver={{ODBC}};Server=h;Uid=u;Pwd={};", "…"),
        ("http:'/h/db?password={} \t", "http://…"),
    ],
)
def test_an_address_is_shown_without_anything_that_may_be_secret(address, safe):
    address = address.format(SECRET)
    assert shown(address) == safe
    for reader in (None, "csv", "hpob", "optuna", "raytune"):
        if reader is None and address.startswith("postgresql") and "://" in address:
            continue  # asks a server
        with pytest.raises(rf.HistoryError) as caught:
            rf.read_history(address, format=reader)
        assert SECRET not in "".join(traceback.format_exception(caught.value))
    for call in (rf.load, rf.load_optimizer, rf.read_space):
        with pytest.raises(rf.FileError, match="not from the address") as caught:
            call(address)
        assert SECRET not in str(caught.value)
    if (
        address.isprintable() and " " not in address and not address.startswith("u:")
    ):  # which may be a column
        assert SECRET not in str(rf.FileError(f"there is {address}: a slip"))


@pytest.mark.parametrize(
    "name",
    [
        "runs.csv", "C:/runs.csv", "C://runs.csv", "C:\\data\\runs.csv", "d:/x//y.json",
        "a/b:c.csv", "a#b.csv", "run?/x=1.csv", "mlruns", "-", "runs@x", "out//runs.csv",
        "/tmp/a:b/c.json", "run-2026-01-01T12:30:00.csv", "study:svm:1.csv", "posts:1.csv",
        "file:mlruns", "\\\\server\\share\\x", "//server/share/x.csv", "sqlite:///a/b.db", "sqlite:///C:/b.db",
    ],
)  # fmt: skip
def test_names_of_files_are_no_addresses(name):
    assert shown(name) == name
    message = f"cannot read {name}: No such file"
    assert str(rf.FileError(message)) == message


def test_columns_and_models_of_addresses_stay_in_messages():
    message = "val:acc@5 of 'ndcg@10:1' is none; postgresql://user:password@host:5432/database"
    assert str(rf.HistoryError(message)) == message


def test_a_file_that_is_there_is_no_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:b@c.csv").write_text("task,x,loss\na,1,2\nb,2,3\n")
    assert rf.read_history("a:b@c.csv").source == "a:b@c.csv"


def test_what_a_driver_repeats_is_hidden_as_written_and_decoded():
    address = "postgresql://me:pa%21ss@host:5432/db?sslkey=s3"
    message = f"{address}: no me with pa!ss or pa%21ss, name s3 at host port 5432, us3d"
    assert hidden(message, address) == (
        "postgresql://host/db: no *** with *** or ***, name *** at host port 5432, us3d"
    )


@MLFLOW
@pytest.mark.parametrize("address", ["http://{}@{}", "http://{1}/{0}", "http://{1}/?token={0}"])
def test_a_tracking_server_leaves_no_token_in_what_is_kept(address, tmp_path, monkeypatch):
    """Through MLflow's own client, whose answers are made up here."""
    mlflow = pytest.importorskip("mlflow")
    runs = [_run(i) for i in range(4)]

    class Client:
        def __init__(self, tracking_uri):
            assert SECRET in tracking_uri

        def search_experiments(self):
            return [mlflow.entities.Experiment("1", "digits", "", "active")]

        def search_runs(self, *_, **__):
            return mlflow.store.entities.PagedList(runs, None)

    monkeypatch.setattr("mlflow.MlflowClient", Client)
    with http.server.HTTPServer(("localhost", 0), _Silent) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        host = f"localhost:{server.server_port}"
        history = rf.read_history(
            address.format(SECRET, host), format="mlflow", direction="minimize"
        )
        server.shutdown()
    assert history.source == "http://localhost"
    learned = rf.learn(history, starts=0)
    learned.save(tmp_path / "learned.json")
    assert SECRET not in (tmp_path / "learned.json").read_text()


@MLFLOW
@pytest.mark.parametrize("address", ["mssql://u:{}@h/db", "sqlite://u:{}@h/db"])
def test_what_the_client_of_mlflow_cannot_reach_is_one_line(address):
    pytest.importorskip("mlflow")
    with pytest.raises(rf.HistoryError, match="cannot read") as caught:
        rf.read_history(address.format(SECRET), format="mlflow")
    assert SECRET not in "".join(traceback.format_exception(caught.value))


class _Silent(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def _run(number):
    from mlflow.entities import Metric, Param, Run, RunData, RunInfo

    info = RunInfo(
        run_id=str(number), experiment_id="1", user_id="", status="FINISHED",
        start_time=number, end_time=number, lifecycle_stage="active",
    )  # fmt: skip
    data = RunData([Metric("loss", 0.1 * number, 0, 0)], [Param("x", str(number))], [])
    return Run(info, data)


@pytest.mark.parametrize("text", ["1", ":", "a_", "//", "a:", ":?", ",http/", "password=", "\x1b["])
def test_long_texts_are_looked_at_once(text):
    """A pattern that tries every beginning anew would take hours here."""
    shown(text * 100_000)
    rf.HistoryError(text * 100_000)
