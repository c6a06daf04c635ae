"""Ray Tune's own folders: a real run is read without Ray, and trials that failed are counted."""

from __future__ import annotations

import gc
import json
import shutil
import warnings

import polars as pl
import pytest

import ringfence as rf
from readers.formats import (
    MISMATCHED,
    assert_mismatched,
    assert_same_learned,
    configs,
    in_memory,
    made_history,
)
from ringfence.history import COST, REASON, usable_rows

FRAME = made_history(tasks=1, runs=5).with_columns(task=pl.Series(["a", "b", "a", "b", "a"]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The storage folder of a run of five trials, of which the fourth fails."""
    import ray
    from ray import tune

    def trainable(config):  # pickled by value here: Ray's workers cannot import the tests
        point = config["point"]
        if point["failed"]:
            raise RuntimeError("as planned")
        for worse in (3, 0, 1):
            tune.report({"loss": point["loss"] + worse, "score": {"acc": -point["loss"] - worse}})

    storage = tmp_path_factory.mktemp("ray")
    points = [
        {"task": task, "failed": failed, "loss": loss, "svm": config}
        for task, config, loss, failed in configs(FRAME)
    ]
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        tune.Tuner(
            trainable,
            param_space={"point": tune.grid_search(points)},
            run_config=tune.RunConfig(name="tuned", storage_path=str(storage), verbose=0),
        ).fit()
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of processes that a busy machine has not ended yet
            ray.shutdown()
            gc.collect()
    return storage


RAY = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
NAMES = {f"point/svm/{name}": name for name in ("C", "kernel", "gamma", "depth", "shrinking")}
OPTIONS = {"task": "point/task", "ignore": ["point/failed", "point/loss"]}


@RAY
def test_a_real_run_teaches_what_its_table_teaches(folder):
    history = rf.read_history(folder, objective="loss", at="best", **OPTIONS)
    assert set(history.roles.parameters) == set(NAMES)
    renamed = history.frame.rename(NAMES)
    assert renamed["loss"].to_list()[:3] == FRAME["loss"].to_list()[:3]
    assert renamed["status"].to_list() == [*["finished"] * 3, "error", "finished"]
    assert_same_learned(in_memory(FRAME), in_memory(renamed))


@RAY
def test_the_last_or_the_best_report_counts_in_its_direction(folder):
    last = rf.read_history(folder / "tuned", objective="loss", **OPTIONS)
    assert last.frame["loss"][0] == FRAME["loss"][0] + 1
    best = rf.read_history(
        folder, objective="score/acc", direction="maximize", at="best",
        budget="training_iteration", **OPTIONS,
    )  # fmt: skip
    assert best.frame["score/acc"][0] == -FRAME["loss"][0]
    assert best.frame["training_iteration"].to_list() == [2, 2, 2, None, 2]
    assert last.tasks == ("a", "b")


@RAY
def test_a_task_is_an_experiment_unless_said_otherwise(folder, tmp_path):
    for place in ("one/tuned", "two/tuned"):
        shutil.copytree(folder / "tuned", tmp_path / place)
    history = rf.read_history(str(tmp_path / "*"), format="raytune", objective="loss")
    assert history.tasks == ("one/tuned", "two/tuned")
    assert rf.read_history(folder, objective="loss").tasks == ("tuned",)


def test_mismatched_experiments_count_with_what_they_have(tmp_path):
    """In Ray's layout: params.json, result.json with the time of each report, the state."""
    for number, (task, trials) in enumerate(MISMATCHED.items()):
        entries = []
        for i, (config, loss) in enumerate(trials):
            folder = tmp_path / task / f"trial_{i}"
            folder.mkdir(parents=True)
            (folder / "params.json").write_text(json.dumps(config))
            report = {"loss": loss, "timestamp": 1_700_000_000 + number, "config": config}
            (folder / "result.json").write_text(json.dumps(report) + "\n")
            trial = {"relative_logdir": folder.name, "trial_id": str(i), "status": "TERMINATED"}
            entries.append([json.dumps(trial), "{}"])
        state = json.dumps({"trial_data": entries})
        (tmp_path / task / "experiment_state-1.json").write_text(state)
    assert_mismatched(rf.read_history(tmp_path, objective="loss"))


def written(folder, reports, status="TERMINATED", name="trial"):
    """An experiment with one trial, in Ray's layout."""
    trial = folder / name
    trial.mkdir(parents=True)
    (trial / "params.json").write_text('{"x": 1.5}')
    (trial / "result.json").write_text(reports)
    entry = json.dumps({"relative_logdir": name, "trial_id": "0", "status": status})
    state = {"trial_data": [[entry, "{}"]]}
    (folder / "experiment_state-1.json").write_text(json.dumps(state))
    return folder


def test_a_report_cut_off_by_a_crash_is_left_out_and_the_trial_has_not_finished(tmp_path):
    folder = written(tmp_path / "e", '{"loss": 1.0}\n{"loss": 0.5}\n{"lo', status="RUNNING")
    frame = rf.read_history(folder).frame
    assert frame.row(0) == ("e", 0.5, "running", 1.5)


@pytest.mark.parametrize(
    ("reports", "options", "message"),
    [
        ('{"loss": 1, "acc": 2}', {}, "several objectives; name one with objective=…: acc, loss"),
        ('{"loss": 1}', {"objective": "los"}, "no objective 'los'; did you mean 'loss'"),
        ('{"loss": 1}', {"at": "first"}, "at must be 'last' or 'best', not 'first'"),
        ('{"loss": 1}', {"task": "data"}, "no trial of .* has a parameter 'data'"),
        ('{"loss": 1}', {"budget": "epoch"}, "no budget 'epoch'"),
        ('{"loss"\n{"loss": 1}', {}, "line 1 is cut off or not JSON"),
    ],
)
def test_bad_folders_are_one_clear_error(tmp_path, reports, options, message):
    with pytest.raises(rf.HistoryError, match=message):
        rf.read_history(written(tmp_path / "e", reports), **options)


def test_a_folder_without_experiments_says_what_is_missing(tmp_path):
    with pytest.raises(rf.HistoryError, match="holds no Ray Tune experiments: no file"):
        rf.read_history(tmp_path, format="raytune")
    with pytest.raises(rf.HistoryError, match="there is no folder"):
        rf.read_history(tmp_path / "gone", format="raytune")
    with pytest.raises(rf.HistoryError, match="no folder matches"):
        rf.read_history(str(tmp_path / "x*"), format="raytune")


@RAY
def test_durations_and_failures(folder):
    history = rf.read_history(folder, objective="loss", **OPTIONS).rename(NAMES)
    space = rf.Space({"C": rf.Float(1e-3, 1e3, log=True), "depth": rf.Int(1, 9)})
    usable = usable_rows(history, space)
    assert history.cost_unit == "seconds"
    assert (usable.frame[COST] > 0).all()
    ((cost, reason, depth),) = usable.failed.select(COST, REASON, "depth").rows()
    assert (cost, reason, depth) == (None, "runtimeerror as planned", FRAME["depth"][3])
    iterations = rf.read_history(folder, objective="loss", cost="training_iteration", **OPTIONS)
    assert iterations.cost_unit == "training_iteration"
    assert iterations.frame["training_iteration"].to_list() == [3, 3, 3, None, 3]
