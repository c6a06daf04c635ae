"""Syne Tune's folders, written by its own callback and scheduler, read without it."""

from __future__ import annotations

import math
from datetime import datetime

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
    mismatched_names,
    outcome_config,
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

FRAME = made_history(tasks=3, runs=6).with_columns(pl.col("gamma").fill_null(0.5))


def config_space(low: float = 1e-3):
    from syne_tune import config_space as cs

    return {
        "C": cs.loguniform(low, 1e3),
        "kernel": cs.choice(["linear", "rbf"]),
        "gamma": cs.uniform(0.0, 1.0),
        "depth": cs.randint(1, 9),
        "shrinking": cs.choice([True, False]),
    }


def write(folder, trials, space=None, minimize=True, **facts):
    """An experiment's folder; `trials` are a configuration, its reports and the last status."""
    from syne_tune.backend.trial_status import Trial
    from syne_tune.optimizer.baselines import RandomSearch
    from syne_tune.results_callback import StoreResultsCallback
    from syne_tune.util import dump_json_with_numpy

    folder.mkdir(parents=True)
    callback = StoreResultsCallback()
    callback.csv_file = str(folder / "results.csv.zip")
    callback.save_results_at_frequency = lambda: None
    for number, (config, reports, status) in enumerate(trials):
        trial = Trial(number, config, datetime(2026, 1, 1))
        for epoch, loss in enumerate(reports, 1):
            last = status if epoch == len(reports) else "InProgress"
            callback.on_trial_result(trial, last, {"loss": loss, "epoch": epoch}, "CONTINUE")
    callback.store_results()
    scheduler = RandomSearch(
        space or config_space(), metrics=["loss"], do_minimize=minimize, random_seed=0
    )
    dump_json_with_numpy({**scheduler.metadata(), **facts}, folder / "metadata.json")


def test_a_history_teaches_what_its_table_teaches(tmp_path):
    for name in ("t0", "t1", "t2"):
        own = [
            (config, [loss + 1, loss], "Failed" if failed else "Completed")
            for task, config, loss, failed in configs(FRAME)
            if task == name
        ]
        write(tmp_path / name, own)
    history = rf.read_history(tmp_path)
    assert history.space == rf.Space(
        {
            "C": rf.Float(1e-3, 1e3, log=True),
            "kernel": rf.Categorical(["linear", "rbf"]),
            "gamma": rf.Float(0.0, 1.0),
            "depth": rf.Int(1, 9),
            "shrinking": rf.Categorical([True, False]),
        }
    )
    assert_same_learned(in_memory(FRAME), history, history.space)
    (dropped,) = rf.learn(history).provenance.dropped
    assert dropped.rows == 3


CONFIG = next(configs(FRAME))[1]


def test_the_last_or_the_best_report_counts_in_the_schedulers_direction(tmp_path):
    write(tmp_path / "e", [(CONFIG, [1.0, 3.0, 2.0], "Completed")], minimize=False, benchmark="d1")
    last = rf.read_history(tmp_path, task="benchmark")
    assert last.roles.direction == "maximize" and last.tasks == ("d1",)
    assert last.frame["loss"].to_list() == [2.0]
    best = rf.read_history(tmp_path, at="best", budget="epoch")
    assert best.frame["loss"].to_list() == [3.0] and best.frame["epoch"].to_list() == [2.0]
    low = rf.read_history(tmp_path, at="best", direction="minimize")
    assert low.frame["loss"].to_list() == [1.0]


def test_every_domain_is_read(tmp_path):
    from syne_tune import config_space as cs

    space = {
        "units": cs.lograndint(1, 64),
        "size": cs.ordinal([8, 16, 32]),
        "steps": cs.logfinrange(1, 512, 10, cast_int=True),
        "rate": cs.finrange(0.1, 1.0, 10),
        "epochs": 27,
    }
    config = {"units": 4, "size": 8, "steps": 2, "rate": 0.1, "epochs": 27}
    write(tmp_path / "e", [(config, [1.0], "Completed")], space)
    assert rf.read_history(tmp_path).space == rf.Space(
        {
            "units": rf.Int(1, 64, log=True),
            "size": rf.Categorical([8, 16, 32], ordered=True),
            "steps": rf.Int(1, 512, log=True),
            "rate": rf.Float(0.1, 1.0),
            "epochs": rf.Constant(27),
        }
    )


def test_of_spaces_that_differ_the_union_is_taken_but_for_facts_of_the_tasks(tmp_path):
    trials = [(CONFIG, [1.0], "Completed")]
    write(tmp_path / "a", trials, {**config_space(), "dataset": "iris"})
    write(tmp_path / "b", trials, {**config_space(low=1e-2), "dataset": "wine"})
    history = rf.read_history(tmp_path)
    assert history.space["C"] == rf.Float(1e-3, 1e3, log=True)
    assert history.task_spaces["b"]["C"] == rf.Float(1e-2, 1e3, log=True)
    assert "dataset" not in history.space
    said = "left out dataset: fixed in every search, and not at the same value"
    assert said in history.notes


def test_mismatched_experiments_count_with_what_they_have(tmp_path):
    whole = config_space()
    for number, (task, trials) in enumerate(MISMATCHED.items()):
        own = [(config, [loss], "Completed") for config, loss in trials]
        space = {name: whole[name] for name in mismatched_names(task)}
        facts = {"st_tuner_creation_timestamp": 1.7e9 + number}
        write(tmp_path / task, own, space, **facts)
    history = rf.read_history(tmp_path)
    assert_mismatched(history, declares=True, times=False)  # it declares no conditions
    assert list(history.task_times) == list(history.tasks)


def test_bad_folders_are_one_clear_error(tmp_path):
    with pytest.raises(rf.HistoryError, match="holds no Syne Tune experiments"):
        rf.read_history(tmp_path, format="synetune")
    trials = [(CONFIG, [1.0], "Completed")]
    write(tmp_path / "a", trials)
    with pytest.raises(rf.HistoryError, match="no objective 'los'; did you mean 'loss'"):
        rf.read_history(tmp_path, objective="los")
    with pytest.raises(rf.HistoryError, match="no entry 'dataset' to tell the task"):
        rf.read_history(tmp_path, task="dataset")
    with pytest.raises(rf.HistoryError, match="no budget 'steps'; there are: epoch, loss"):
        rf.read_history(tmp_path, budget="steps")
    write(tmp_path / "b", trials, minimize=False)
    with pytest.raises(rf.HistoryError, match=r"some experiments of .* minimize loss, others max"):
        rf.read_history(tmp_path)
    (tmp_path / "a" / "results.csv.zip").write_bytes(b"PK cut")
    with pytest.raises(rf.HistoryError, match=r"results.csv.zip cannot be read as zip"):
        rf.read_history(tmp_path / "a")


@pytest.mark.parametrize("clock", ["elapsed_time", "st_worker_time"])
def test_durations_and_failures(tmp_path, clock):
    """A trial that ends before its first report leaves nothing in Syne Tune's folder."""
    from syne_tune.backend.trial_status import Trial
    from syne_tune.results_callback import StoreResultsCallback

    callback = StoreResultsCallback()
    callback.csv_file = str(tmp_path / "results.csv.zip")
    callback.save_results_at_frequency = lambda: None
    for depth, (loss, fate, seconds) in OUTCOMES.items():
        trial = Trial(depth, outcome_config(depth), datetime(2026, 1, 1))
        status = "Completed" if fate == "ok" else "Failed"
        for share, state in ((0.5, "InProgress"), (1.0, status)):
            value = math.nan if loss is None else loss
            report = {"loss": value, "paid": 2 * share * seconds, clock: share * seconds}
            callback.on_trial_result(trial, state, report, "CONTINUE")
    callback.store_results()
    history = rf.read_history(tmp_path, objective="loss", parameters=["C", "depth"])
    assert_outcomes(history, dict.fromkeys((3, 4, 5, 6, 7)))
    paid = rf.read_history(tmp_path, objective="loss", cost="paid")
    assert paid.cost_unit == "paid" and paid.frame["paid"][0] == 20.0
