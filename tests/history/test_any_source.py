"""Every call takes past runs however they are given."""

import inspect
import json

import optuna
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ringfence as rf

OPTIONS = {"task": "dataset", "objective": "auc", "starts": 0}


def table(objective="auc"):
    rows = [
        {"dataset": task, "lr": 10.0 ** -(i % 4 + 1), "depth": i % 3 + 1, objective: 0.5 + i / 20}
        for task in ("a", "b", "c")
        for i in range(8)
    ]
    return pl.DataFrame(rows)


def ways(folder):
    frame = table()
    frame.write_csv(folder / "runs.csv")
    halves = frame.filter(pl.col("dataset") == "a"), frame.filter(pl.col("dataset") != "a")
    return {
        "path": folder / "runs.csv",
        "text": str(folder / "runs.csv"),
        "polars": frame,
        "lazy": frame.lazy(),
        "pandas": pd.DataFrame(frame.to_dicts()),
        "arrow": pa.table(frame.to_dict(as_series=False)),
        "dicts": frame.to_dicts(),
        "list": [halves[0], halves[1].to_dicts()],
    }


def test_learn_takes_every_way(tmp_path):
    history = rf.read_history(table(), task="dataset", objective="auc", direction="maximize")
    expected = rf.learn(history, starts=0)
    assert {task.value for task in expected.tasks} == {0.85}
    for way, runs in ways(tmp_path).items():
        learned = rf.learn(runs, **OPTIONS)
        assert learned.tasks == expected.tasks, way
        assert learned.volume_fraction == expected.volume_fraction
        assert learned.provenance.goal == "maximize 'auc' (guessed from its name)", way


def test_the_other_calls_do_too(tmp_path):
    history = rf.read_history(table(), task="dataset", objective="auc")
    assert rf.check(table(), **OPTIONS) == rf.check(history, starts=0)
    both = [{"shape": "box"}]
    compared = rf.compare(table(), settings=both, nested=False, **OPTIONS)
    assert compared == rf.compare(history, settings=both, nested=False, starts=0)
    named = {"task": "dataset", "objective": "auc"}
    assert rf.infer_space(table(), **named) == rf.infer_space(history)
    page = rf.report(table(), path=tmp_path / "page.html", **OPTIONS).read_bytes()
    assert page == rf.report(history, path=tmp_path / "page.html", starts=0).read_bytes()


def test_an_optuna_study_is_learned_from_directly():
    study = optuna.create_study(study_name="one", direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=4)
    learned = rf.learn([study], starts=0)
    assert learned.tasks[0].value == study.best_value
    assert learned.provenance.goal == "maximize 'value'"
    outcome = rf.minimize(lambda c: -c["x"], rf.Space({"x": rf.Float(0, 1)}), history=study,
                          n_trials=1)  # fmt: skip
    assert outcome.optimizer.name == "transfer"


def test_the_space_needs_no_direction_and_the_rest_asks():
    frame = table("result")
    named = {"task": "dataset", "objective": "result"}
    assert list(rf.infer_space(frame, **named).space) == ["lr", "depth"]
    for call in (rf.learn, rf.check, rf.compare, rf.report):
        with pytest.raises(rf.HistoryError, match="is more or less of 'result' better"):
            call(frame, **named)


def test_wrong_keywords_are_named():
    history = rf.read_history(table(), task="dataset", objective="auc")
    for runs in (history, table()):
        with pytest.raises(
            rf.SettingError, match="learn has no argument 'shap'; did you mean 'shape'"
        ):
            rf.learn(runs, shap="box")
    with pytest.raises(rf.SettingError, match="did you mean 'objective'"):
        rf.check(table(), objectiv="auc")
    with pytest.raises(
        rf.SettingError, match="task= says how runs are read, and a History is read"
    ):
        rf.learn(history, task="dataset")
    with pytest.raises(rf.SettingError, match="task= says how runs are read"):
        rf.learn([history, history], task="dataset")
    with pytest.raises(rf.HistoryError, match="the reader 'table' has no option 'studies'"):
        rf.learn(table(), studies="x")
    with pytest.raises(rf.HistoryError, match="no reader knows what to do with a int"):
        rf.learn(3)
    with pytest.raises(rf.HistoryError, match=r"history=rf.read_history\(…\)"):
        rf.optimizer("transfer", rf.Space({"lr": rf.Float(0, 1)}), history=table("result"))


@pytest.mark.parametrize("call", [rf.learn, rf.check, rf.compare, rf.report, rf.infer_space])
def test_signatures_show_the_reading_options(call):
    assert {"task", "objective", "direction"} < set(inspect.signature(call).parameters)


def test_learn_says_why_there_are_no_starting_points():
    learned = rf.learn(table(), task="dataset", objective="auc")
    line = "no starting points were looked for, which want 32 rows a task and have 8 (the median)"
    assert line in str(learned) and "starts=10 (--starts 10)" in str(learned)
    with pytest.raises(rf.SettingError, match=r"3 starting points .*want 32 rows.*starts=3"):
        learned.starts(3)
    assert rf.learn(table(), task="dataset", objective="auc", starts=2).starts(2)


def nested(extra=None):
    rows = table().to_dicts()
    return [
        {
            "dataset": row["dataset"],
            "params": {"lr": row["lr"], "model": {"depth": row["depth"]}, "seed": 1}
            | (extra or {}),
            "metrics": {"auc": row["auc"], "seconds": 3.0},
            "gpu_hours": i / 7,
        }
        for i, row in enumerate(rows)
    ]


def test_the_keys_of_dicts_are_columns(tmp_path):
    rows = nested()
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for source in (rows, pl.DataFrame(rows), pd.DataFrame(rows), tmp_path / "runs.jsonl"):
        history = rf.read_history(source)
        assert history.roles.parameters == ("lr", "model.depth")
        assert (history.roles.task, history.roles.objective) == ("dataset", "auc")
        assert "took the keys of 'params' as columns: lr, model.depth, seed" in history.notes
        assert (
            rf.learn(history).tasks
            == rf.learn(table().rename({"depth": "model.depth"}), starts=0).tasks
        )
    assert rf.read_history(rows, parameters=["lr"]).roles.parameters == ("lr",)


def test_a_key_that_is_a_column_too_keeps_the_name_of_its_dict():
    history = rf.read_history(
        nested({"gpu_hours": 1.5, "kind": "x"})[:-1] + nested({"kind": 3})[-1:]
    )
    assert "params.gpu_hours" in history.roles.parameters
    assert history.frame["kind"].dtype == pl.String


def test_other_dicts_are_text():
    rows = [{"task": "a", "lr": 0.1, "loss": i, "tags": {"x": i}} for i in range(4)]
    assert rf.read_history(rows).roles.parameters == ("lr",)
