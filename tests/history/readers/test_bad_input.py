"""What readers are handed by mistake: each is one clear line, never another package's traceback."""

from __future__ import annotations

import json
import socket
import zipfile

import pytest

import ringfence as rf

READERS = ("csv", "hpob", "mlflow", "optuna", "raytune", "smac", "synetune", "wandb")
SECRET = "s3cret"


def refused(source, **options) -> str:
    """The one line that says why the source cannot be read."""
    with pytest.raises(rf.HistoryError) as caught:
        rf.read_history(source, **options)
    line = str(caught.value)
    assert line and "\n" not in line and SECRET not in line
    return line


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("source", ["y" * 300, "a\0b", "", "nowhere", 5, None])
def test_names_that_lead_nowhere(reader, source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(source, format=reader)
    refused(source)


@pytest.mark.parametrize("reader", ["csv", "hpob", "openml", "raytune", "smac", "synetune"])
def test_an_address_where_a_file_is_wanted_is_not_repeated(reader):
    refused(f"http://me:{SECRET}@host/x", format=reader)


@pytest.mark.parametrize("address", ["http://me:s3cret@[::1", "http://me:s3cret@localhost:1"])
def test_a_tracking_server_that_does_not_answer_is_said_at_once(address):
    assert "cannot read http://" in refused(address, format="mlflow")


def test_a_tracking_server_that_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr("ringfence.history.readers.mlflow.store.SECONDS", 0.2)
    with socket.create_server(("localhost", 0)) as silent:
        port = silent.getsockname()[1]
        assert "timed out" in refused(f"http://localhost:{port}", format="mlflow")


@pytest.mark.parametrize("reader", READERS)
def test_files_and_folders_with_something_else_in_them(reader, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "junk").write_bytes(bytes(range(256)) * 20)
    refused(tmp_path / "empty", format=reader)
    refused(tmp_path / "junk", format=reader)


def test_a_folder_that_no_reader_knows(tmp_path):
    assert "holds no runs of MLflow, Ray Tune, SMAC or Syne Tune" in refused(tmp_path)


def test_an_empty_file_is_called_empty(tmp_path):
    (tmp_path / "journal.log").touch()
    assert refused(tmp_path / "journal.log").endswith("journal.log is empty")


def files(folder, contents):
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


RAY = {"experiment_state-1.json": {}, "t/params.json": {"x": 0.5}, "t/result.json": '{"loss": 1}\n'}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("experiment_state-1.json", []),
        ("experiment_state-1.json", {"trial_data": None}),
        ("experiment_state-1.json", {"trial_data": [1]}),
        ("experiment_state-1.json", {"trial_data": [["{"]]}),
        ("t/params.json", [1]),
        ("t/params.json", '{"x'),
        ("t/result.json", "[1]\n"),
        ("t/result.json", "5\n"),
        ("t/result.json", b"\xff\xfe\n"),
        ("t/result.json", '{"loss": 1, "config": 5}\n'),
        ("t/result.json", ""),
        ("t/result.json", '{"loss": "low"}\n'),
    ],
)
def test_experiments_of_ray_tune_that_are_none(name, content, tmp_path):
    refused(files(tmp_path, {**RAY, name: content}))


def test_the_ray_experiment_that_these_break_is_read(tmp_path):
    assert rf.read_history(files(tmp_path, RAY)).frame["x"].to_list() == [0.5]


TRIAL = {"config_id": 1, "budget": 0, "status": 1, "cost": 1.0}
SMAC = {"runhistory.json": {"data": [TRIAL], "configs": {"1": {"x": 0.5}}}}


def smac_space(**parameter):
    entry = {"name": "x", "type": "uniform_float", "lower": 0, "upper": 1, **parameter}
    return {"hyperparameters": [entry], "conditions": []}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("runhistory.json", []),
        ("runhistory.json", {}),
        ("runhistory.json", {"data": None, "configs": {}}),
        ("runhistory.json", {"data": [1], "configs": {}}),
        ("runhistory.json", {"data": [TRIAL], "configs": {"1": [1]}}),
        ("runhistory.json", {"data": [{**TRIAL, "cost": None}], "configs": {"1": {"x": 1}}}),
        ("runhistory.json", {"data": [{**TRIAL, "cost": []}], "configs": {"1": {"x": 1}}}),
        ("scenario.json", [1]),
        ("scenario.json", {"objectives": 5}),
        ("scenario.json", {"objectives": None}),
        ("configspace.json", []),
        ("configspace.json", {"hyperparameters": None, "conditions": []}),
        ("configspace.json", smac_space(type=5)),
        ("configspace.json", smac_space(type="categorical", choices=[])),
        ("configspace.json", smac_space(lower=2)),
    ],
)
def test_runs_of_smac_that_are_none(name, content, tmp_path):
    refused(files(tmp_path, {**SMAC, name: content}))


def test_the_smac_run_that_these_break_is_read(tmp_path):
    folder = files(tmp_path, {**SMAC, "configspace.json": smac_space(), "scenario.json": {}})
    assert rf.read_history(folder).frame["x"].to_list() == [0.5]


def syne_tune(folder, metadata, results="trial_id,loss,config_x\n0,1.0,0.5\n1,2.0,0.7\n"):
    with zipfile.ZipFile(folder / "results.csv.zip", "w") as archive:
        archive.writestr("results.csv", results)
    return files(folder, {"metadata.json": metadata})


@pytest.mark.parametrize(
    "metadata",
    [[], None, "{", {"metric_names": 5}, {"metric_names": ["loss"], "metric_mode": None}],
)
def test_metadata_of_syne_tune_that_are_none(metadata, tmp_path):
    refused(syne_tune(tmp_path, metadata))


def test_a_space_of_syne_tune_that_is_none_is_left_alone_and_that_is_said(tmp_path):
    history = rf.read_history(syne_tune(tmp_path, {"config_space": [1]}))
    assert history.space is None and history.notes[0].startswith("the tuner's space was not taken")


def test_reports_without_a_number_have_no_objective(tmp_path):
    folder = syne_tune(tmp_path, {}, "trial_id,loss,config_x\n0,low,0.5\n")
    assert refused(folder).endswith("has no objective to choose from")


HPOB = {"1": {"d": {"X": [[0.1, 0.2]], "y": [[0.5]]}}}


@pytest.mark.parametrize(
    "described",
    [
        [],
        {"1": None},
        {"1": {"variables_order": 5}},
        {"1": {"variables_order": ["a", "a"]}},
        {"1": {"variables_order": ["task", "b"]}},
        {"1": {"variables_order": ["a"]}},
    ],
)
def test_descriptors_of_hpob_that_are_none(described, tmp_path):
    folder = files(tmp_path, {"data.json": HPOB, "descriptors.json": described})
    refused(folder / "data.json", format="hpob", descriptors=folder / "descriptors.json")


MLFLOW = {
    "0/meta.yaml": "name: e\n",
    "0/r/meta.yaml": "run_id: r\nstatus: 3\n",
    "0/r/params/x": "0.5",
    "0/r/metrics/loss": "1 1.0 0\n",
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("0/meta.yaml", "a: [\n"),
        ("0/r/meta.yaml", b"\xff"),
        ("0/r/params/x", b"\xff"),
        ("0/r/metrics/loss", b"\xff"),
        ("0/r/metrics/loss", "a b c"),
    ],
)
def test_stores_of_mlflow_that_are_none(name, content, tmp_path):
    refused(files(tmp_path, {**MLFLOW, name: content}))


def test_a_metric_that_a_crash_left_empty_does_not_count_as_zero(tmp_path):
    more = {"0/s/meta.yaml": "run_id: s\nstatus: 3\n", "0/s/params/x": "0.7"}
    history = rf.read_history(files(tmp_path, {**MLFLOW, **more, "0/s/metrics/loss": ""}))
    (task,) = rf.learn(history).tasks
    assert (task.value, task.incumbent) == (1.0, {"x": 0.5})


def test_a_table_of_weights_and_biases_lists_its_numbers_to_choose_from(tmp_path):
    table = "Name,State,Sweep,lr,loss\na,finished,s,0.1,1.0\n"
    line = refused(files(tmp_path, {"runs.csv": table}) / "runs.csv", format="wandb")
    assert line.endswith("has several objectives; name one with objective=…: loss, lr")
