"""OpenML's answers, written by hand in its XML and parsed by its own package; no network."""

from __future__ import annotations

import inspect

import polars as pl
import pytest

import ringfence as rf
from readers.formats import assert_same_learned, run_page
from ringfence.history.readers.openml import reader

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

XMLNS = 'xmlns:oml="http://openml.org/openml"'
RUNS = [  # run, task, setup, accuracy
    (11, 3, 1, 0.70),
    (12, 3, 2, 0.90),
    (10, 31, 1, 0.60),
    (13, 31, 3, 0.80),
]
SETUPS = {
    1: {"cost": "0.5", "kernel": "linear"},
    2: {"cost": "8", "kernel": "radial", "gamma": "0.25"},
    3: {"cost": "2.5", "kernel": "radial", "gamma": "0.125"},
}


def evaluations():
    rows = "".join(
        f"<oml:evaluation><oml:run_id>{run}</oml:run_id><oml:task_id>{task}</oml:task_id>"
        f"<oml:setup_id>{setup}</oml:setup_id><oml:flow_id>5891</oml:flow_id>"
        f"<oml:flow_name>mlr.classif.svm(6)</oml:flow_name><oml:data_id>{task}</oml:data_id>"
        f"<oml:data_name>data{task}</oml:data_name><oml:function>predictive_accuracy</oml:function>"
        f"<oml:upload_time>2017-05-03</oml:upload_time><oml:uploader>2702</oml:uploader>"
        f"<oml:value>{value}</oml:value></oml:evaluation>"
        for run, task, setup, value in RUNS
    )
    return f"<oml:evaluations {XMLNS}>{rows}</oml:evaluations>"


def setups(ids):
    def parameter(number, name, value):
        return (
            f"<oml:parameter><oml:id>{number}</oml:id><oml:flow_id>5891</oml:flow_id>"
            f"<oml:flow_name>mlr.classif.svm</oml:flow_name>"
            f"<oml:full_name>mlr.classif.svm(6)_{name}</oml:full_name>"
            f"<oml:parameter_name>{name}</oml:parameter_name><oml:data_type>x</oml:data_type>"
            f"<oml:default_value>x</oml:default_value><oml:value>{value}</oml:value>"
            f"</oml:parameter>"
        )

    rows = "".join(
        f"<oml:setup><oml:setup_id>{i}</oml:setup_id><oml:flow_id>5891</oml:flow_id>"
        + "".join(parameter(k, *pair) for k, pair in enumerate(SETUPS[i].items()))
        + "</oml:setup>"
        for i in ids
    )
    return f"<oml:setups {XMLNS}>{rows}</oml:setups>"


@pytest.fixture
def calls(monkeypatch):
    """What was asked of the server, which answers from the tables above."""
    asked = []

    def answer(call, *_args, **_kwargs):
        asked.append(call)
        if call.startswith("evaluation/list"):
            return evaluations() if "/offset/0" in call or "offset" not in call else ""
        if call.startswith("setup/list"):
            ids = call.split("/setup/")[1].split("/")[0].split(",")
            return setups([int(i) for i in ids])
        user = "<oml:user><oml:id>2702</oml:id><oml:username>bot</oml:username></oml:user>"
        return f"<oml:users {XMLNS}>{user}</oml:users>"

    monkeypatch.setattr("openml._api_calls._perform_api_call", answer)
    return asked


def test_runs_of_a_flow_teach_what_their_table_teaches(calls):
    history = rf.read_history("openml:5891", tasks=[3, 31], size=4)
    first = calls[0]
    assert "function/predictive_accuracy" in first
    assert "flow/5891" in first and "task/3,31" in first and "limit/4" in first
    table = pl.DataFrame(
        {
            "task": ["31", "3", "3", "31"],
            "cost": [0.5, 0.5, 8.0, 2.5],
            "kernel": ["linear", "linear", "radial", "radial"],
            "gamma": [None, None, 0.25, 0.125],
            "accuracy": [0.6, 0.7, 0.9, 0.8],
        }
    )
    memory = rf.History.from_frame(table, objective="accuracy", direction="maximize")
    assert_same_learned(memory, history)
    assert history.roles.direction == "maximize"


def answered(tasks, flows, size):
    """What `list_evaluations_setups` makes of the server's answer, in 0.15 and 0.16 alike: a frame
    with these columns; without a single column if there are no runs."""
    import pandas as pd

    common = {"flow_id": flows[0], "flow_name": "mlr.classif.svm(6)", "uploader_name": "bot"}
    common |= {"function": "predictive_accuracy", "upload_time": "2017-05-03", "uploader": 2702}
    common |= {"values": None, "array_data": None}
    return pd.DataFrame(
        [
            {"run_id": run, "task_id": task, "setup_id": setup, "data_id": task}
            | {"data_name": f"data{task}", "value": value, **common}
            | {"parameters": {f"mlr.classif.svm(6)_{n}": v for n, v in SETUPS[setup].items()}}
            for run, task, setup, value in RUNS
            if task in tasks
        ][:size]
    )


def as_in_15(function, offset=None, size=None, tasks=None, setups=None, flows=None, runs=None,
             uploaders=None, tag=None, per_fold=None, sort_order=None, output_format="dataframe",
             parameters_in_separate_columns=False):  # fmt: skip
    """The signature of openml 0.15."""
    table = answered(tasks, flows, size)
    return table if output_format == "dataframe" else table.to_dict(orient="index")


def as_in_16(function, offset=None, size=None, tasks=None, setups=None, flows=None, runs=None,
             uploaders=None, tag=None, per_fold=None, sort_order=None,
             parameters_in_separate_columns=False):  # fmt: skip
    """The signature of openml 0.16: no `output_format`."""
    return answered(tasks, flows, size)


def test_the_stand_in_has_the_signature_of_the_package_at_hand():
    import openml

    real = inspect.signature(openml.evaluations.list_evaluations_setups).parameters
    stand_in = as_in_15 if "output_format" in real else as_in_16
    same = inspect.signature(stand_in).parameters
    assert [(p.name, p.default) for p in same.values()] == [
        (p.name, p.default) for p in real.values()
    ]


def test_the_stand_in_gives_what_the_package_at_hand_gives(calls):
    import openml

    real = openml.evaluations.list_evaluations_setups(
        "predictive_accuracy", flows=[5891], tasks=[3, 31], size=4
    )
    assert sorted(real.columns) == sorted(answered([3, 31], [5891], 4).columns)
    assert real.to_dict("records") == [
        {name: row[name] for name in real.columns}
        for row in answered([3, 31], [5891], 4).to_dict("records")
    ]


@pytest.mark.parametrize("package", [as_in_15, as_in_16])
def test_packages_with_and_without_output_format_are_asked_alike(monkeypatch, calls, package):
    here = rf.read_history("openml:5891", tasks=[3, 31], size=4)
    monkeypatch.setattr("openml.evaluations.list_evaluations_setups", package)
    history = rf.read_history("openml:5891", tasks=[3, 31], size=4)
    assert history.frame.equals(here.frame) and history.roles == here.roles
    with pytest.raises(rf.HistoryError, match="OpenML has no runs of flow 5891"):
        rf.read_history("openml:5891", tasks=[99])


def test_numbers_may_be_text_as_on_the_command_line(calls):
    rf.read_history("openml:5891", tasks=["3", "31"], size="4", uploaders="2702")
    assert "task/3,31" in calls[0] and "limit/4" in calls[0] and "uploader/2702" in calls[0]
    with pytest.raises(rf.HistoryError, match="tasks: 'iris' is not an integer"):
        rf.read_history("openml:5891", tasks="iris")


def test_a_task_can_be_a_data_set(calls):
    history = rf.read_history(5891, format="openml", tasks=[3, 31], size=4, task="data_name")
    assert history.tasks == ("data31", "data3")
    assert calls


RECORD = {"run_id": 1, "task_id": 3, "value": 0.5, "parameters": {"clf(1)_C": "1.5"}}


def test_values_of_scikit_learn_come_out_of_their_json(monkeypatch):
    parameters = {
        "sklearn.svm.SVC(2)_C": "1.5",
        "sklearn.svm.SVC(2)_kernel": '"rbf"',
        "sklearn.svm.SVC(2)_class_weight": "null",
        "sklearn.svm.SVC(2)_shrinking": "true",
    }
    monkeypatch.setattr(
        reader, "evaluations", lambda *_a, **_k: [{**RECORD, "parameters": parameters}]
    )
    frame = rf.read_history(1, format="openml", objective="mean_absolute_error").frame
    assert frame.row(0, named=True) == {
        "task": "3", "mean_absolute_error": 0.5, "status": "finished", "C": 1.5, "kernel": "rbf",
        "class_weight": None, "shrinking": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "direction"),
    [("area_under_roc_curve", "maximize"), ("root_mean_squared_error", "minimize")],
)
def test_the_measure_tells_the_direction(monkeypatch, measure, direction):
    monkeypatch.setattr(reader, "evaluations", lambda *_a, **_k: [RECORD])
    assert rf.read_history(1, format="openml", objective=measure).roles.direction == direction


def test_a_server_that_does_not_answer_is_one_clear_error(monkeypatch):
    from openml.exceptions import OpenMLServerException

    for error in (
        TimeoutError("timed out"),
        OpenMLServerException("No results", code=542),
        ConnectionError("name or service not known"),
    ):

        def fail(*_args, error=error, **_kwargs):
            raise error

        monkeypatch.setattr("openml._api_calls._perform_api_call", fail)
        with pytest.raises(rf.HistoryError, match=r"OpenML did not answer: .*; check the network"):
            rf.read_history(5891, format="openml", tasks=[3])


def test_a_page_that_is_no_answer_is_one_clear_error(monkeypatch):
    page = "<html><p>sign in to this network</html>"
    monkeypatch.setattr("openml._api_calls._perform_api_call", lambda *_a, **_k: page)
    with pytest.raises(rf.HistoryError, match="OpenML did not answer: mismatched tag"):
        rf.read_history(5891, format="openml", tasks=[3])


def test_wrong_arguments_are_one_clear_error(monkeypatch):
    with pytest.raises(rf.HistoryError, match="named by its number, such as openml:5891"):
        rf.read_history("svm", format="openml")
    with pytest.raises(rf.HistoryError, match="task must be 'task_id'"):
        rf.read_history(5891, format="openml", task="dataset")
    monkeypatch.setattr(reader, "evaluations", lambda *_a, **_k: [])
    with pytest.raises(rf.HistoryError, match="no runs of flow 5891"):
        rf.read_history(5891, format="openml")


def test_the_page_runs(tmp_path, monkeypatch, calls):
    run_page("openml", monkeypatch, tmp_path)
    assert "limit" in calls[0]
