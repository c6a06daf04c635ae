"""Tables from OpenML: fetched from a server on this machine, piece by piece, and run on."""

from __future__ import annotations

import re
from pathlib import Path

import fake_openml
import numpy as np
import polars as pl
import pytest

from processes import ringfence
from ringfence.bench.fetch.openml import PAPER_SUITES, fetch_suite
from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.suites.description import read_description
from ringfence.bench.suites.loading import DESCRIPTIONS
from ringfence.errors import FileError, HistoryError, SettingError
from ringfence.learned.full import full_space

pytest.importorskip("openml")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

SVM = "openml_5891_svm"
TASKS = ("3", "31", "37", "49", "53", "219")
"""Of a suite that is otherwise the SVM of the paper."""


def described(name):
    return read_description(DESCRIPTIONS / f"{name}.toml")


def made_runs(name, n, tasks):
    """Configurations and accuracies by task, drawn from the suite's space."""
    space = full_space(described(name)[1])
    rng = np.random.default_rng(0)
    return {
        str(task): list(zip(space.sample(n, seed=i), rng.uniform(0.5, 1, n).round(6)))
        for i, task in enumerate(tasks)
    }


def as_sent(name, runs):
    """Those runs as OpenML has them: text, and nothing where the learner's default is meant."""
    defaults = described(name)[0].openml.defaults

    def text(config):
        said = {key: str(value) for key, value in config.items()}
        return {key: value for key, value in said.items() if defaults.get(key) != value}

    return {task: [(text(c), float(v)) for c, v in of_task] for task, of_task in runs.items()}


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """Starts a server with runs of a suite, which this process then takes for OpenML."""
    import openml

    started = []

    def serve(name=SVM, n=6, tasks=TASKS):
        server = fake_openml.Server(as_sent(name, made_runs(name, n, tasks)))
        started.append(fake_openml.start(server))
        monkeypatch.setattr(openml.config, "server", f"http://127.0.0.1:{server.port}/api/v1/xml")
        monkeypatch.setattr(openml.config, "connection_n_retries", 1)
        monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path / "cache")
        return server

    yield serve
    for running in started:
        running.shutdown()
        running.server_close()


def small(folder):
    """The description of the suite with fewer tasks."""
    text = (DESCRIPTIONS / f"{SVM}.toml").read_text()
    path = folder / "svm.toml"
    path.write_text(re.sub(r"tasks = \[[^]]*\]", f"tasks = [{', '.join(TASKS)}]", text))
    return str(path)


def fetched(folder, **options):
    return fetch_suite(small(folder), folder, **{"size": 100, "delay": 0.0, **options})


def tasks_asked(server):
    return [call.split("/task/")[1].split("/")[0] for call in server.asked if "/task/" in call]


@pytest.mark.parametrize("name", PAPER_SUITES)
def test_what_openml_sends_comes_out_as_it_was_tried(serve, tmp_path, name):
    what, space = described(name)
    serve(name, n=20, tasks=what.tasks)
    made = fetch_suite(name, tmp_path, size=100, delay=0.0)
    assert (made.tasks, made.rows, made.incomplete) == (30, 30 * 20, 0)
    assert not made.failures and not made.undescribed
    sent = made_runs(name, 20, what.tasks)
    runs = [(task, config, value) for task in sent for config, value in sent[task]]
    for (task, config, value), row in zip(runs, pl.read_parquet(made.table).iter_rows(named=True)):
        assert row[what.task] == task and row[what.objective[0]] == value
        assert {n: row[n] for n in space if row[n] is not None} == config
    suite = load_suite(SuiteSource(name, (str(tmp_path),)))
    assert sorted(suite.tasks, key=int) == [str(task) for task in what.tasks]
    assert len(suite.candidates("37", "log")) == 20
    assert suite.meta_features()[suite.tasks[0]] == {
        "NumberOfInstances": 200.0,
        "NumberOfFeatures": 9.0,
        "majority_class_fraction": 0.75,
        "NaiveBayesErrRate": 0.25,
    }


def test_a_task_that_fails_is_named_and_fetched_the_next_time(serve, tmp_path):
    server = serve()
    server.broken.update(("37", "219"))
    made = fetched(tmp_path)
    assert made.tasks == 4 and pl.read_parquet(made.table)["task"].n_unique() == 4
    reasons = {failure.task: failure.reason for failure in made.failures}
    assert set(reasons) == {"37", "219"}
    assert "OpenML did not answer" in reasons["37"] and "\n" not in reasons["37"]

    server.broken.clear()
    server.asked.clear()
    again = fetched(tmp_path)
    assert again.tasks == 6 and not again.failures
    assert tasks_asked(server) == ["37", "219"]

    server.asked.clear()
    content = again.table.read_bytes()
    assert fetched(tmp_path) == again and again.table.read_bytes() == content
    assert not server.asked


def test_runs_are_kept_where_the_data_set_is_what_failed(serve, tmp_path, monkeypatch):
    server = serve()
    whole = server._qualities
    monkeypatch.setattr(server, "_qualities", lambda _: (500, "<html>"))
    with pytest.raises(HistoryError, match=r"no task of .*svm\.toml' could be fetched: OpenML did"):
        fetched(tmp_path)
    asked = tasks_asked(server)
    assert len(asked) == 3
    monkeypatch.setattr(server, "_qualities", whole)
    server.asked.clear()
    assert fetched(tmp_path).tasks == 6
    assert not set(asked) & set(tasks_asked(server))


def test_a_server_that_keeps_failing_is_left_alone(serve, tmp_path):
    server = serve()
    server.broken.update(TASKS[1:])
    made = fetched(tmp_path)
    assert made.tasks == 1 and len(made.failures) == 5
    assert tasks_asked(server) == list(TASKS[:4])
    assert made.failures[3].reason == "not asked for, since 3 in a row had failed"


def test_tasks_without_runs_are_noted_and_passed_over(serve, tmp_path):
    """Four in a row, more than a server may fail: "no results" is an answer, not a failure."""
    server = serve()
    late = {task: server.runs.pop(task) for task in TASKS[1:5]}
    made = fetched(tmp_path)
    assert made.tasks == 2 and not made.failures
    assert tasks_asked(server) == list(TASKS)
    assert [one.task for one in made.without_runs] == list(late)
    reason = made.without_runs[0].reason
    assert reason.startswith("OpenML has no runs of flow 5891 with predictive_accuracy on it; to")

    server.runs |= late
    server.asked.clear()
    assert fetched(tmp_path) == made and not server.asked
    Path(reason.split(" delete ")[1]).unlink()
    again = fetched(tmp_path)
    assert again.tasks == 3 and tasks_asked(server) == [TASKS[1]]
    assert [one.task for one in again.without_runs] == list(TASKS[2:5])


def test_failures_count_in_a_row_only(serve, tmp_path):
    server = serve()
    server.broken.update((TASKS[0], TASKS[1], TASKS[3], TASKS[4]))
    del server.runs[TASKS[2]]
    made = fetched(tmp_path)
    assert tasks_asked(server) == list(TASKS) and made.tasks == 1


def test_a_suite_of_which_no_task_has_runs_is_one_clear_error(serve, tmp_path):
    server = serve()
    server.runs.clear()
    with pytest.raises(HistoryError, match=r"no task of .* could be fetched: OpenML has no runs"):
        fetched(tmp_path)
    assert tasks_asked(server) == list(TASKS)


def test_runs_that_lack_a_value_are_left_out_and_counted(serve, tmp_path):
    server = serve(n=2)
    server.runs["37"] = [
        ({"cost": "1", "kernel": "linear"}, 0.5),
        ({"cost": "1", "kernel": "linear", "gamma": "2", "degree": "4"}, 0.6),
        ({"cost": "1"}, 0.7),  # radial by default, which needs a gamma
        ({"cost": "NA", "kernel": "linear"}, 0.8),
        ({"cost": "1", "kernel": "polynomial"}, 0.9),  # of degree 3 by default
    ]
    made = fetched(tmp_path)
    assert made.incomplete == 2
    table = pl.read_parquet(made.table).filter(pl.col("task") == "37")
    assert table["predictive_accuracy"].to_list() == [0.5, 0.6, 0.9]
    assert table["gamma"].null_count() == 3 and table["degree"].to_list() == [None, None, 3.0]


def test_a_task_without_all_meta_features_is_told(serve, tmp_path):
    server = serve()
    server.qualities["37"] = fake_openml.QUALITIES | {"NaiveBayesErrRate": "null"}
    made = fetched(tmp_path)
    assert not made.failures
    assert [(f.task, f.reason) for f in made.undescribed] == [
        ("37", "OpenML does not know NaiveBayesErrRate")
    ]
    assert set(load_suite(SuiteSource(small(tmp_path))).tasks) == set(TASKS) - {"37"}


def test_the_number_of_runs_is_bounded_and_more_are_fetched_anew(serve, tmp_path):
    server = serve()
    assert fetched(tmp_path, size=2).rows == 12
    assert all("/limit/2/" in call for call in server.asked if call.startswith("evaluation"))
    assert fetched(tmp_path, size=5).rows == 30


def test_what_cannot_be_fetched_is_one_clear_error(serve, tmp_path):
    serve()
    with pytest.raises(SettingError, match=r"'fcnet' is not made of OpenML's runs.*needs \[openml"):
        fetch_suite("fcnet", tmp_path, size=1)
    path = Path(small(tmp_path))
    path.write_text(path.read_text().replace("tasks = [3, ", 'tasks = ["iris", '))
    with pytest.raises(SettingError, match=r"needs .* the numbers of its 'tasks'"):
        fetch_suite(str(path), tmp_path, size=1)
    fetched(tmp_path)
    part = next((tmp_path / f"{SVM}.parts").glob("37-*.json"))
    part.write_bytes(part.read_bytes()[:50])
    with pytest.raises(FileError, match=r"37-.*\.json is damaged .*delete it and fetch again"):
        fetched(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot make the folder"):
        fetch_suite(SVM, tmp_path / "file", size=1)


PLAN = """
name = "small"
[[experiment]]
figure = "3b"
title = "made up"
suites = ["svm.toml"]
methods = ["Random", "Box Random", "Ellipsoid Random (T=3)", "GP warm start (k=1)"]
tasks = 2
replications = 1
trials = 3
sources = "similar"
"""


def test_the_commands_from_the_server_to_a_table_of_results(serve, tmp_path):
    server = serve(n=12)
    server.broken.add("219")
    environment = server.configure(tmp_path / "home")
    (tmp_path / "small.toml").write_text(PLAN)

    def bench(*words):
        made = ringfence("bench", *words, cwd=tmp_path, env=environment)
        return made.returncode, made.stdout + made.stderr

    small(tmp_path)
    fetch = ("fetch", "openml", "svm.toml", "--data", "tables", "--delay", "0")
    code, said = bench(*fetch)
    assert code == 1
    assert f"tables/{SVM}.parquet: 60 runs of 5 tasks\nfailed: task 219: OpenML did not" in said
    server.broken.clear()
    code, said = bench(*fetch)
    assert code == 0 and said == f"tables/{SVM}.parquet: 72 runs of 6 tasks\n"
    code, said = bench("run", "small.toml", "--data", "tables")
    assert code == 0 and said == "8 cells finished, 0 failed\n"
    code, said = bench("table", "small.toml", "--data", "tables")
    assert code == 0 and "SVM on the paper's OpenML tasks" in said and "1.000 ± 0.000" in said


@pytest.mark.parametrize("place", ["../stolen.parquet", "/tmp/stolen.parquet", "a/b.parquet"])
def test_a_suite_writes_into_the_named_folder_alone(place, tmp_path):
    text = (DESCRIPTIONS / f"{SVM}.toml").read_text("utf-8")
    suite = tmp_path / "suite.toml"
    suite.write_text(re.sub("(?m)^file = .*", f'file = "{place}"', text, count=1), "utf-8")
    with pytest.raises(SettingError, match="names a file in another folder"):
        fetch_suite(str(suite), tmp_path / "tables", size=1)
    assert [*tmp_path.iterdir()] == [suite]
