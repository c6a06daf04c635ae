"""Optuna studies as a history: from every kind of storage the same, and every mishap in words."""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import datetime, timedelta

import optuna
import polars as pl
import pytest
import sqlalchemy as sa
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import InMemoryStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState, create_trial

import ringfence as rf
from processes import python, ringfence
from readers.formats import (
    MISMATCHED,
    OUTCOMES,
    assert_mismatched,
    assert_outcomes,
    outcome_config,
)
from ringfence.history import COST, usable_rows
from ringfence.history.readers.optuna.tables import Selects
from ringfence.history.readers.shared.runs import TOOK_DURATIONS
from ringfence.reporting.facts import gather

optuna.logging.set_verbosity(optuna.logging.ERROR)

KERNEL = CategoricalDistribution(["linear", "rbf", None])
SMALL = {"C": FloatDistribution(1e-3, 1e3, log=True), "degree": IntDistribution(2, 6)}


def add(study, params, value=None, state=TrialState.COMPLETE, *, dists, **more):
    chosen = {name: dists[name] for name in params}
    study.add_trial(
        create_trial(params=params, distributions=chosen, value=value, state=state, **more)
    )


def fill(storage) -> None:
    """Three studies: one of every state, one to maximize, one with two objectives."""
    dists = {**SMALL, "kernel": KERNEL, "gamma": FloatDistribution(1e-4, 10, log=True)}
    first = optuna.create_study(storage=storage, study_name="svm-a")
    first.set_user_attr("dataset", "iris")
    rows = [
        ({"kernel": "rbf", "C": 1.0, "degree": 2, "gamma": 0.1}, 0.5),
        ({"kernel": "linear", "C": 2.0, "degree": 6}, 0.25),
        ({"kernel": None, "C": 0.001, "degree": 4}, float("inf")),
        ({"kernel": "rbf", "C": 1000.0, "degree": 3, "gamma": 1e-4}, -1e-300),
    ]
    for params, value in rows:
        add(first, params, value, dists=dists, user_attrs={"fold": len(params)})
    add(first, {"C": 3.0}, 9.0, TrialState.PRUNED, dists=dists)
    add(first, {}, state=TrialState.FAIL, dists=dists)
    first.enqueue_trial({"C": 5.0})
    first.enqueue_trial({"C": 6.0})
    first.ask().suggest_float("C", 1e-3, 1e3, log=True)
    second = optuna.create_study(storage=storage, study_name="svm-b", direction="maximize")
    second.set_user_attr("dataset", "wine")
    for params, value in rows[:2]:
        add(second, params, value, dists=dists)
    third = optuna.create_study(
        storage=storage, study_name="two", directions=["minimize", "maximize"]
    )
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        third.set_metric_names(["loss", "speed"])
    chosen = {name: dists[name] for name in rows[1][0]}
    third.add_trial(create_trial(params=rows[1][0], distributions=chosen, values=[0.1, 7.0]))


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "journal.log"
    fill(JournalStorage(JournalFileBackend(str(path))))
    return path


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    path = tmp_path_factory.mktemp("optuna") / "studies.db"
    fill(f"sqlite:///{path}")
    return path


@pytest.fixture
def database(filled, tmp_path):
    return shutil.copy(filled, tmp_path / "studies.db")


def small(tmp_path, **studies):
    """A storage with the given trials: lists of (params, distributions, value)."""
    storage = InMemoryStorage()
    for name, rows in studies.items():
        study = optuna.create_study(storage=storage, study_name=name)
        for params, dists, value in rows:
            add(study, params, value, dists=dists)
    return storage


# What is read


def test_every_state_value_and_type_arrives(database):
    history = rf.read_history(database)
    frame = history.frame
    assert history.tasks == ("svm-a", "svm-b")
    assert frame["state"].to_list()[:9] == [
        *["complete"] * 4, "pruned", "fail", "running", "waiting", "complete",
    ]  # fmt: skip
    assert frame["value"].to_list()[:5] == [0.5, 0.25, math.inf, -1e-300, 9.0]
    assert frame["kernel"].to_list()[:4] == ["rbf", "linear", None, "rbf"]
    assert frame["gamma"].to_list()[:4] == [0.1, None, None, 1e-4]
    assert frame["degree"].to_list()[:4] == [2, 6, 4, 3] and frame["degree"].dtype == pl.Int64
    assert history.roles.status == "state" and history.source == "studies.db"
    assert "10 trials of 2 studies: 6 complete, 1 running, 1 pruned, 1 failed, 1 waiting" in (
        history.notes
    )
    learned = rf.learn(history)
    assert {task.name: task.value for task in learned.tasks}["svm-a"] == -1e-300
    assert sum(dropped.rows for dropped in learned.provenance.dropped) == 5


def test_the_space_is_that_of_the_distributions(database):
    space = rf.read_history(database).space
    assert space == rf.Space(
        {
            "kernel": rf.Categorical(["linear", "rbf", None]),
            "C": rf.Float(1e-3, 1e3, log=True),
            "degree": rf.Int(2, 6),
            "gamma": rf.Float(1e-4, 10.0, log=True),
        },
        [rf.Condition("gamma", "kernel", ["rbf"])],
    )


def test_directions_that_differ_are_right(database):
    history = rf.read_history(database)
    assert history.roles.direction == "minimize"
    assert history.frame.filter(study="svm-b")["value"].to_list() == [-0.5, -0.25]
    assert any(
        "study svm-b, which goes the other way, are negated" in note for note in history.notes
    )
    best = {task.name: task.incumbent["C"] for task in rf.learn(history).tasks}
    assert best == {"svm-a": 1000.0, "svm-b": 1.0}
    other = rf.read_history(database, direction="maximize")
    assert {t.name: t.incumbent["C"] for t in rf.learn(other).tasks} == best
    alone = rf.read_history(database, studies="svm-b")
    assert alone.roles.direction == "maximize" and alone.frame["value"].to_list() == [0.5, 0.25]
    with pytest.raises(rf.HistoryError, match="the studies maximize their objective; leave dir"):
        rf.read_history(database, studies="svm-b", direction="minimize")


def test_several_objectives_need_a_name(database):
    assert "left out study two, which has several objectives" in " ".join(
        rf.read_history(database).notes
    )
    with pytest.raises(rf.HistoryError, match=r"'two' has 2 objectives.*0 to 1 or its name \(loss"):
        rf.read_history(database, studies="two")
    for wanted, direction, value in (
        ("speed", "maximize", 7.0), (1, "maximize", 7.0), ("1", "maximize", 7.0),
        ("loss", "minimize", 0.1), (0, "minimize", 0.1),
    ):  # fmt: skip
        history = rf.read_history(database, studies="two", objective=wanted)
        assert history.roles.direction == direction
        assert history.frame[history.roles.objective].to_list() == [value]
    assert history.roles.objective == "loss"
    with pytest.raises(rf.HistoryError, match="'two' has no objective 2"):
        rf.read_history(database, studies="two", objective=2)


def test_studies_by_name_list_and_glob(database):
    for studies in ("svm-*", ["svm-a", "svm-b"], ["svm-[ab]"]):
        assert rf.read_history(database, studies=studies).tasks == ("svm-a", "svm-b")
    with pytest.raises(rf.HistoryError, match=r"no study 'svm-x'; did you mean 'svm-[ab]'\?"):
        rf.read_history(database, studies="svm-x")
    with pytest.raises(rf.HistoryError, match="no study 'forest'; it has svm-a, svm-b, two"):
        rf.read_history(database, studies=["svm-a", "forest"])


def test_tasks_from_user_attributes(database, journal):
    for source in (database, journal):
        assert rf.read_history(source, studies="svm-*", task="dataset").tasks == ("iris", "wine")
        folds = rf.read_history(source, studies="svm-a", task="fold")
        assert folds.frame["fold"].to_list() == ["4", "3", "3", "4", None, None, None, None]
        with pytest.raises(rf.HistoryError, match="attribute 'data'; the studies have dataset"):
            rf.read_history(source, task="data")


def test_parameters_and_what_to_ignore(database):
    assert list(rf.read_history(database, ignore="gamma").space) == ["kernel", "C", "degree"]
    assert list(rf.read_history(database, parameters=["degree", "C"]).space) == ["C", "degree"]
    with pytest.raises(rf.HistoryError, match="no trial has a parameter 'c'"):
        rf.read_history(database, parameters=["c"])
    with pytest.raises(rf.HistoryError, match="no option 'study'; its options are studies"):
        rf.read_history(database, study="svm-a")


def test_every_storage_gives_the_same(database, journal, tmp_path, request):
    """Byte for byte, but for the name of the source."""
    memory = InMemoryStorage()
    fill(memory)
    server = request.getfixturevalue("postgres")
    fill(server)
    sources = [
        database, f"sqlite:///{database}", journal, memory, RDBStorage(f"sqlite:///{database}"),
        server, server.replace("psycopg2", "psycopg"), server.replace("+psycopg2", ""),
    ]  # fmt: skip
    histories = [rf.read_history(source) for source in sources]
    for history in histories[1:]:
        assert history.frame.equals(histories[0].frame)
        assert history.space == histories[0].space
        assert history.digest() == histories[0].digest()
        assert history.notes == histories[0].notes
    histories = [rf.read_history(source, studies=["svm-b"], task="dataset") for source in sources]
    assert all(history.frame.equals(histories[0].frame) for history in histories)


def test_a_study_at_hand(tmp_path):
    study = optuna.create_study(study_name="one", direction="maximize")
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1), n_trials=5)
    history = rf.read_history(study)
    assert history.tasks == ("one",) and history.source == "study one"
    assert history.frame["x"].to_list() == [trial.params["x"] for trial in study.trials]


# How studies are merged


def test_ranges_scales_types_and_choices_are_joined(tmp_path):
    a = {
        "lr": FloatDistribution(1e-3, 0.1), "n": IntDistribution(1, 10),
        "k": IntDistribution(0, 8, step=2), "c": CategoricalDistribution(["x", "y"]),
    }  # fmt: skip
    b = {
        "lr": FloatDistribution(1e-5, 0.01, log=True), "n": FloatDistribution(0.5, 2.0),
        "k": IntDistribution(4, 16), "c": CategoricalDistribution(["z", "x"]),
    }  # fmt: skip
    rows_a = [({"lr": 0.1, "n": 3, "k": 2, "c": "y"}, a, 1.0)]
    rows_b = [({"lr": 0.01, "n": 0.5, "k": 5, "c": "z"}, b, 1.0)]
    history = rf.read_history(small(tmp_path, a=rows_a, b=rows_b))
    assert history.space.parameters == {
        "lr": rf.Float(1e-5, 0.1, log=True),
        "n": rf.Float(0.5, 10.0),
        "k": rf.Int(0, 16),
        "c": rf.Categorical(["x", "y", "z"]),
    }
    assert history.frame["c"].to_list() == ["y", "z"]
    notes = " | ".join(history.notes)
    for part in (
        "the range of lr differs between studies; took 1e-05 to 0.1",
        "lr is on a log scale in some studies only; took the log scale",
        "n is an integer in some studies only; took it as a real number",
        "the steps of k (2) are left out",
        "the choices of c differ between studies; took all of them: x, y, z",
    ):
        assert part in notes


def test_a_log_scale_cannot_reach_zero(tmp_path):
    rows_a = [({"x": 0.0}, {"x": FloatDistribution(0.0, 1.0)}, 1.0)]
    rows_b = [({"x": 0.1}, {"x": FloatDistribution(0.01, 1.0, log=True)}, 1.0)]
    history = rf.read_history(small(tmp_path, a=rows_a, b=rows_b))
    assert history.space["x"] == rf.Float(0.0, 1.0)
    assert "took the linear scale" in " ".join(history.notes)


@pytest.mark.parametrize(
    ("name", "kind", "value", "said"),
    [
        ("x", CategoricalDistribution([math.nan, 1.0]), 1.0, "'x' cannot be used: .* not nan"),
        ("x", CategoricalDistribution([1, "1"]), "1", "'x' cannot be used: .* 1 and '1' cannot be"),
        ("x", CategoricalDistribution([True, "True"]), True, "'x' cannot be used: .* told apart"),
        ("x", IntDistribution(0, 2**60), 5, "'x' cannot be used: integers beyond"),
        (":trial", FloatDistribution(0, 1), 0.5, "name cannot begin with a colon"),
        (":value", FloatDistribution(0, 1), 0.5, "name cannot begin with a colon"),
    ],
)
def test_a_parameter_that_no_space_can_have_is_named_and_can_be_left_out(
    tmp_path, name, kind, value, said
):
    dists = {name: kind, "y": FloatDistribution(0, 1)}
    storage = small(tmp_path, a=[({name: value, "y": 0.5}, dists, 1.0)])
    with pytest.raises(rf.HistoryError, match=rf"{said}.*ignore=\['{name}'\]"):
        rf.read_history(storage)
    assert list(rf.read_history(storage, ignore=[name]).space) == ["y"]


@pytest.mark.parametrize("name", ["α β/γ", "x" * 200, "study", "value", 'a,b"c\nd'])
def test_names_of_every_kind_arrive(tmp_path, name, postgres):
    kinds = {name: IntDistribution(1, 1024, log=True)}
    for url in (f"sqlite:///{tmp_path / 'studies.db'}", postgres):
        study = optuna.create_study(storage=url, study_name="ü☃'%\"\\")
        for value in (1, 1024):
            add(study, {name: value}, float(value), dists=kinds)
        learned = rf.learn(rf.read_history(url))
        assert [(t.name, t.incumbent) for t in learned.tasks] == [("ü☃'%\"\\", {name: 1})]
        assert learned.space[name] == rf.Int(1, 1024, log=True)


def test_studies_without_a_trial_that_counts(tmp_path):
    storage = InMemoryStorage()
    with pytest.raises(rf.HistoryError, match="the storage has no studies"):
        rf.read_history(storage)
    study = optuna.create_study(storage=storage, study_name="a")
    with pytest.raises(rf.HistoryError, match="InMemoryStorage: the studies have no trials"):
        rf.read_history(storage)
    add(study, {"C": 1.0}, state=TrialState.FAIL, dists=SMALL)
    history = rf.read_history(storage)
    assert history.notes == ("1 trial of 1 study: 1 failed",)
    with pytest.raises(rf.RingfenceError, match="no row of the history can be used"):
        rf.learn(history)


@pytest.mark.parametrize("wanted", [[], 3, [3], [None]])
def test_studies_are_named_by_text(database, wanted):
    with pytest.raises(rf.HistoryError, match="studies must be names or globs"):
        rf.read_history(database, studies=wanted)


@pytest.mark.parametrize("wanted", [1.5, True])
def test_an_objective_is_a_name_or_a_number(database, wanted):
    with pytest.raises(rf.HistoryError, match="objective must be a name or an integer"):
        rf.read_history(database, objective=wanted)


def test_choices_and_numbers_of_one_name_are_those_of_the_newest_study(tmp_path):
    rows_a = [({"x": 0.5}, {"x": FloatDistribution(0, 1)}, 1.0)]
    rows_b = [
        ({"x": "half"}, {"x": CategoricalDistribution(["half", "0.5"])}, 1.0),
        ({"x": "0.5"}, {"x": CategoricalDistribution(["half", "0.5"])}, 2.0),
    ]
    for order in ("ab", "ba"):
        studies = {"a": rows_a, "b": rows_b}
        history = rf.read_history(small(tmp_path, **{name: studies[name] for name in order}))
        newest = rf.Float(0, 1) if order == "ba" else rf.Categorical(["half", "0.5"])
        assert history.space["x"] == newest
        assert history.task_spaces["a"]["x"] == rf.Float(0, 1)
        said = "x is a number from 0 to 1 in some studies and one of half, 0.5 in others; took what"
        assert any(note.startswith(said) for note in history.notes)
        learned = rf.learn(history)
        assert learned.provenance.rows_used == (2 if order == "ba" else 3)  # "0.5" is a number


def test_a_list_of_numbers_here_and_a_range_there_are_a_range(tmp_path):
    rows_a = [({"n": 32}, {"n": CategoricalDistribution([32, 64])}, 1.0)]
    rows_b = [({"n": 5}, {"n": IntDistribution(1, 40)}, 1.0)]
    history = rf.read_history(small(tmp_path, a=rows_a, b=rows_b))
    assert history.space["n"] == rf.Int(1, 64)
    assert history.frame["n"].to_list() == [32, 5]
    assert rf.learn(history).provenance.rows_used == 2


def test_none_of_a_list_is_dropped_and_counted_where_today_has_a_range(tmp_path):
    depth = CategoricalDistribution([None, 3, 5])
    rows_a = [({"n": n}, {"n": depth}, 1.0) for n in (None, 3, None, 5)]
    rows_b = [({"n": n}, {"n": IntDistribution(2, 12)}, 1.0) for n in (2, 12)]
    storage = small(tmp_path, a=rows_a, b=rows_b)
    studies = [optuna.load_study(study_name=name, storage=storage) for name in "ab"]
    for source in (storage, studies):
        learned = rf.learn(rf.read_history(source))
        assert learned.space["n"] == rf.Int(2, 12) and learned.provenance.rows_used == 4
        (dropped,) = learned.provenance.dropped
        assert dropped.rows == 2 and dropped.reason == "n is not an integer from 2 to 12"


@pytest.mark.parametrize(
    ("one", "two"), [([True, False], ["True", "False"]), ([16, 32], ["32", "16", "64"])]
)
def test_choices_that_are_text_in_one_study_only_are_the_same(tmp_path, one, two):
    studies = {
        name: [({"c": c}, {"c": CategoricalDistribution(choices)}, float(i))
               for i, c in enumerate(choices)]
        for name, choices in {"a": two, "b": one}.items()
    }  # fmt: skip
    history = rf.read_history(small(tmp_path, **studies))
    assert {*history.space["c"].choices} >= {*one} and len(history.space["c"].choices) == len(two)
    assert rf.learn(history).provenance.rows_used == len(one) + len(two)
    both = CategoricalDistribution([one[0], str(one[0])])
    within = {"a": [({"c": one[0]}, {"c": both}, 1.0)]}
    with pytest.raises(rf.HistoryError, match="cannot be told apart"):
        rf.read_history(small(tmp_path, **within))


def test_single_values_are_constants_and_lists_are_text(tmp_path):
    with pytest.warns(UserWarning, match="Choices for a categorical"):
        layers = CategoricalDistribution([[8, 8], [16]])
    dists = {
        "one": CategoricalDistribution(["a"]), "same": IntDistribution(3, 3),
        "layers": layers, "flag": CategoricalDistribution([True, False]),
    }  # fmt: skip
    rows = [({"one": "a", "same": 3, "layers": [16], "flag": True}, dists, 1.0)]
    history = rf.read_history(small(tmp_path, a=rows))
    assert history.space["one"] == rf.Constant("a") and history.space["same"] == rf.Constant(3)
    assert history.space["layers"] == rf.Categorical(["[8, 8]", "[16]"])
    assert history.frame["layers"].to_list() == ["[16]"]
    assert history.frame["flag"].to_list() == [True]
    assert rf.learn(history).tasks[0].incumbent["layers"] == "[16]"


def test_an_integer_can_be_the_switch(tmp_path):
    """Two layers have two widths; that no trial had three tells nothing against a third."""
    dists = {"layers": IntDistribution(1, 4)} | {f"w{i}": IntDistribution(1, 9) for i in range(2)}
    rows = [
        ({"layers": n, **{f"w{i}": 5 for i in range(min(n, 2))}}, dists, float(n))
        for n in (1, 2, 4, 1)
    ]
    space = rf.read_history(small(tmp_path, a=rows)).space
    assert space.conditions == (rf.Condition("w1", "layers", (2, 3, 4)),)


def test_gaps_that_nothing_explains_cost_the_parameter_and_are_told(tmp_path):
    dists = {"x": FloatDistribution(0, 1), "odd": FloatDistribution(0, 1)}
    rows = [({"x": 0.1}, dists, 1.0), ({"x": 0.2, "odd": 0.3}, dists, 0.5), ({"x": 0.3}, dists, 1)]
    storage = small(tmp_path, a=rows)
    history = rf.read_history(storage)
    assert list(history.space) == ["x"]
    assert "left out odd: missing in 2 of 3 finished trials" in " ".join(history.notes)
    assert rf.learn(history).tasks[0].value == 0.5
    with pytest.raises(rf.HistoryError, match="'odd' cannot be used: missing in 2 of 3"):
        rf.read_history(storage, parameters=["x", "odd"])
    with pytest.raises(rf.HistoryError, match="the source has values of 'odd' in some trials"):
        history.with_values(odd=0.0)


def test_a_parameter_that_came_in_the_middle_of_a_study_keeps_its_values(tmp_path):
    dists = {"x": FloatDistribution(0, 1), "late": FloatDistribution(0, 1)}
    before = [({"x": 0.1}, dists, 1.0), ({"x": 0.2}, dists, 0.9)]
    rows = [*before, ({"x": 0.3, "late": 0.6}, dists, 0.5), ({"x": 0.4, "late": 0.7}, dists, 0.7)]
    history = rf.read_history(small(tmp_path, a=before, b=rows, c=rows[::-1]))
    assert list(history.space) == ["x", "late"]
    late = history.frame["late"].to_list()
    assert late == [None, None, None, None, 0.6, 0.7, 0.7, 0.6, None, None]
    said = "late came or went in the middle of a study: 4 of 8 finished trials did not tune it"
    assert said in history.notes
    learned = rf.learn(history)
    assert learned.tasks[1].incumbent == {"x": 0.3, "late": 0.6}
    assert learned.provenance.rows_used == 10
    full = history.with_values(late=0.0)  # says what the others had, and leaves these alone
    assert full.frame["late"].to_list() == [0, 0, 0, 0, 0.6, 0.7, 0.7, 0.6, 0, 0]
    alone = rf.read_history(small(tmp_path, b=rows), parameters=["x", "late"])
    assert alone.frame["late"].to_list() == [None, None, 0.6, 0.7]


def test_studies_that_tuned_other_parameters_count_with_what_they_have(tmp_path):
    dists = {"x": FloatDistribution(0, 1), "new": CategoricalDistribution([None, "b"])}
    old = [({"x": 0.1}, dists, 1.0)]
    new = [({"x": 0.2, "new": None}, dists, 0.5)]
    history = rf.read_history(small(tmp_path, a=old, b=old, c=old, d=new))
    assert list(history.space) == ["x", "new"]
    assert "new is in 1 of 4 studies" in history.notes
    assert list(history.task_spaces["a"]) == ["x"]
    assert [t.unknown for t in rf.learn(history).tasks] == [("new",)] * 3 + [()]
    assert rf.learn(history).tasks[3].incumbent == {"x": 0.2, "new": None}
    latest = rf.learn(history, "latest")
    assert list(latest.space) == ["x", "new"]
    assert sorted(history.task_times, key=history.task_times.get)[-1] == "d"


@pytest.mark.parametrize("kind", ["sqlite", "journal", "object"])
def test_mismatched_studies_count_with_what_they_have(tmp_path, kind):
    dists = {
        "C": FloatDistribution(1e-3, 1e3, log=True),
        "kernel": CategoricalDistribution(["linear", "rbf"]),
        "gamma": FloatDistribution(0.0, 1.0),
        "depth": IntDistribution(1, 9),
    }
    made = {
        "sqlite": lambda: RDBStorage(f"sqlite:///{tmp_path / 'studies.db'}"),
        "journal": lambda: JournalStorage(JournalFileBackend(str(tmp_path / "studies.log"))),
        "object": InMemoryStorage,
    }
    storage = made[kind]()
    for name, trials in MISMATCHED.items():
        study = optuna.create_study(storage=storage, study_name=name)
        for config, loss in trials:
            add(study, config, loss, dists=dists)
    source = {"sqlite": tmp_path / "studies.db", "journal": tmp_path / "studies.log"}
    assert_mismatched(rf.read_history(source.get(kind, storage)), declares=True)


def test_a_condition_counts_where_both_parameters_are_known(tmp_path):
    dists = {"k": CategoricalDistribution(["l", "r"]), "g": FloatDistribution(0, 1)}
    both = [({"k": "l"}, dists, 1.0), ({"k": "r", "g": 0.5}, dists, 0.5)]
    only_g = [({"g": 0.1}, dists, 1.0), ({"g": 0.2}, dists, 2.0)]
    only_k = [({"k": "r"}, dists, 1.0)]
    history = rf.read_history(small(tmp_path, a=both, b=only_g, c=only_k))
    assert history.space.conditions == (rf.Condition("g", "k", ["r"]),)
    learned = rf.learn(history)
    assert [task.unknown for task in learned.tasks] == [(), ("k",), ("g",)]
    assert learned.tasks[1].incumbent == {"g": 0.1}


def test_parameters_may_be_called_like_columns(tmp_path):
    names = ("value", "state", "study", "trial", "number", "name", "task")
    dists = {name: FloatDistribution(0, 1) for name in names}
    history = rf.read_history(small(tmp_path, a=[(dict.fromkeys(names, 0.5), dists, 2.0)]))
    assert list(history.space) == list(names)
    assert history.frame[history.roles.objective].to_list() == [2.0]
    assert rf.learn(history).tasks[0].value == 2.0


def test_distributions_of_earlier_versions(database):
    old = {
        "C": {"name": "LogUniformDistribution", "attributes": {"low": 0.001, "high": 1000.0}},
        "degree": {
            "name": "IntUniformDistribution",
            "attributes": {"low": 2, "high": 6, "step": 1},
        },
    }
    with sqlite3.connect(database) as connection:
        for name, distribution in old.items():
            connection.execute(
                "UPDATE trial_params SET distribution_json = ? WHERE param_name = ?",
                (json.dumps(distribution), name),
            )
    connection.close()
    space = rf.read_history(database).space
    assert space["C"] == rf.Float(1e-3, 1e3, log=True) and space["degree"] == rf.Int(2, 6)


# What goes wrong


def test_reading_leaves_the_storage_as_it_was(database):
    before = database.read_bytes()
    database.chmod(0o444)
    rf.read_history(database)
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == ["studies.db"]


def test_postgres_is_read_in_a_read_only_transaction(postgres, monkeypatch):
    fill(postgres)
    monkeypatch.setattr(Selects, "STUDIES", "DELETE FROM studies RETURNING study_id, study_name")
    with pytest.raises(rf.HistoryError, match="read-only transaction"):
        rf.read_history(postgres)


@pytest.mark.parametrize("version", ["v2.6.0.a", "v9.0.0.a"])
def test_the_tables_of_another_version(database, version):
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.close()
    with pytest.raises(rf.HistoryError, match=rf"another Optuna version \({version}.*upgrade"):
        rf.read_history(database)


def test_databases_that_are_none(tmp_path):
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE things (a INTEGER)")
    connection.close()
    with pytest.raises(rf.HistoryError, match=r"other\.db is not an Optuna storage"):
        rf.read_history(other)
    (tmp_path / "text.db").write_text("nothing of the kind")
    with pytest.raises(rf.HistoryError, match="neither a SQLite database nor an Optuna journal"):
        rf.read_history(tmp_path / "text.db")
    with pytest.raises(rf.HistoryError, match="there is no file"):
        rf.read_history(tmp_path / "gone.db")
    with pytest.raises(rf.HistoryError, match="there is no file"):
        rf.read_history(f"sqlite:///{tmp_path}/gone.db")
    assert not (tmp_path / "gone.db").exists()
    empty = f"sqlite:///{tmp_path}/empty.db"
    RDBStorage(empty)
    with pytest.raises(rf.HistoryError, match="the storage has no studies"):
        rf.read_history(empty)
    optuna.create_study(storage=empty)
    with pytest.raises(rf.HistoryError, match="the studies have no trials"):
        rf.read_history(empty)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:sEcReT@127.0.0.1:1/runs",
        "postgresql+psycopg2://127.0.0.1:1/runs?user=me&password=sEcReT",
        "postgres://me:sEcReT@127.0.0.1:1/runs",
        "mysql+pymysql://me:sEcReT@127.0.0.1:1/runs",
        "MySQL://me:sEcReT@127.0.0.1:1/runs",
        "mysql+nodriver://me:sEcReT@127.0.0.1:1/runs",
        "postgresql+pg8000://me:sEcReT@127.0.0.1:1/runs",
        "postgresql://me:sEcReT@127.0.0.1:port/runs",
        "oracle://me:sEcReT@127.0.0.1:1/runs",
    ],
)
def test_what_cannot_be_reached_is_one_line_without_the_password(url, tmp_path):
    code = f"import ringfence as rf; rf.read_history({url!r})"
    (tmp_path / "program.py").write_text(code)
    errors = python(tmp_path / "program.py").stderr
    lines = errors.strip().splitlines()
    assert lines[-1].startswith("ringfence.errors.")
    assert "sEcReT" not in errors.replace(code, "")


def test_the_password_is_in_no_history(postgres):
    fill(postgres)
    url = sa.make_url(postgres).set(password="sEcReT").render_as_string(hide_password=False)
    history = rf.read_history(url)
    assert "sEcReT" not in history.source and history.source.startswith("postgresql")
    assert "sEcReT" not in str(rf.learn(history)) + repr(rf.learn(history).provenance)


@pytest.mark.parametrize("missing", ["sqlalchemy", "psycopg2"])
def test_missing_packages_say_what_to_install(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\nimport ringfence as rf\n"
        "try:\n    rf.read_history('postgresql+psycopg2://h/d')\n"
        "except rf.MissingExtraError as error:\n    print(error)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "pip install 'ringfence[postgresql]'" in result.stdout


KEPT_WORDS = {"key", "value", "number", "state", "direction", "objective"}
"""Words among Optuna's columns that one dialect or another keeps for itself."""


@pytest.mark.parametrize("keys", [None, (1, 2), ()])
def test_no_statement_has_a_word_that_a_dialect_keeps_for_itself(keys):
    """After a table's name it is a column everywhere."""
    selects = Selects(keys)
    for statement in (
        selects.STUDIES, selects.DIRECTIONS, selects.STUDY_ATTRIBUTES, selects.METRICS,
        selects.trials(), selects.values(), selects.params(), selects.distributions(),
        selects.attributes(),
    ):  # fmt: skip
        bare = set(re.findall(r"(?<![.:\w])\w+", statement))
        assert not bare & KEPT_WORDS, statement


@pytest.mark.parametrize("key", ["it's 50 %", "back\\slash", 'a "word"', "%(name)s :key"])
def test_an_attribute_may_have_any_name(tmp_path, postgres, key):
    for url in (f"sqlite:///{tmp_path / 'studies.db'}", postgres):
        for study_name in ("s", "t"):
            study = optuna.create_study(storage=url, study_name=study_name)
            for x, task in ((0.1, "iris"), (0.2, "wine")):
                dists = {"x": FloatDistribution(0, 1)}
                add(study, {"x": x}, x, dists=dists, user_attrs={key: task, "other": 1})
        assert len(rf.read_history(url, task=key)) == 4
        chosen = rf.read_history(url, task=key, studies="s")
        assert chosen.tasks == ("iris", "wine") and len(chosen) == 2


def test_sqlite_needs_no_package_but_ringfence(database):
    """Neither SQLAlchemy nor Optuna; with the same result."""
    code = (
        "import sys; sys.modules['sqlalchemy'] = sys.modules['optuna'] = None\n"
        "import ringfence as rf\n"
        f"for source in ({str(database)!r}, 'sqlite:///' + {str(database)!r},\n"
        f"               'sqlite+pysqlite:///' + {str(database)!r} + '?timeout=30'):\n"
        "    history = rf.read_history(source, studies='svm-a')\n"
        "    print(history.digest(), history.source, history.notes)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    here = rf.read_history(database, studies="svm-a")
    line = f"{here.digest()} {here.source} {here.notes}"
    assert result.stdout.splitlines() == [line] * 3, result.stderr
    study = optuna.load_study(study_name="svm-a", storage=f"sqlite:///{database}")
    assert rf.read_history(study).frame.equals(here.frame)


def test_a_database_in_memory_is_one_line():
    for url in ("sqlite://", "sqlite:///:memory:"):
        with pytest.raises(rf.HistoryError, match="pass the study or the storage"):
            rf.read_history(url)


# Journals


def test_a_journal_that_a_crash_cut_off(journal):
    whole = rf.read_history(journal)
    content = journal.read_bytes()
    journal.write_bytes(content + b'{"op_code":5,"worker_id":"x","tri')
    cut = rf.read_history(journal)
    assert cut.frame.equals(whole.frame)
    assert "the last line of journal.log is cut off and was ignored" in cut.notes
    journal.write_bytes(content[: len(content) // 2])
    half = rf.read_history(journal, studies="svm-a")
    assert 0 < len(half) <= len(whole)


def test_a_journal_that_is_damaged_in_the_middle(journal):
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:3], b"\x00\xff\n", *lines[4:]]))
    with pytest.raises(rf.HistoryError, match=r"journal\.log, line 4 is not a journal entry"):
        rf.read_history(journal)
    new_trial = b'{"op_code":4,"study_id":0}\n'
    number = b'{"op_code":5,"trial_id":0,"param_name":"x","distribution":'
    for bad in (
        b'{"op_code":77}\n',
        b'{"op_code":0,"study_name":"s","directions":[7]}\n',
        b'{"op_code":3,"study_id":0,"system_attr":{"study:metric_names":5}}\n',
        number + b'"zz"}\n',
        number + b'"[]"}\n',
        number + b'""}\n',
    ):
        journal.write_bytes(b"".join([lines[0], new_trial, new_trial, bad]))
        with pytest.raises(rf.HistoryError, match=r"journal\.log, line 4: no such operation"):
            rf.read_history(journal)


def test_a_journal_is_replayed_as_optuna_does(tmp_path):
    """Deleted studies, reports, attributes, several workers: Optuna's own reading is the rule."""
    path = tmp_path / "worker.log"
    workers = [JournalStorage(JournalFileBackend(str(path))) for _ in range(2)]
    gone = optuna.create_study(storage=workers[0], study_name="gone")
    gone.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    optuna.delete_study(study_name="gone", storage=workers[0])
    optuna.create_study(storage=workers[0], study_name="s")
    studies = [optuna.load_study(storage=worker, study_name="s") for worker in workers]

    def objective(trial):
        x = trial.suggest_float("x", 0, 1) + trial.suggest_int("n", 1, 5)
        trial.report(x, 1)
        trial.set_user_attr("note", "n")
        if trial.number % 5 == 2:
            raise optuna.TrialPruned
        return math.inf if trial.number == 3 else x

    for _ in range(5):
        for study in studies:
            study.optimize(objective, n_trials=1)
    ours, theirs = rf.read_history(path), rf.read_history(studies[0])
    assert ours.frame.equals(theirs.frame) and len(ours) == 10
    assert ours.space == theirs.space


# The command line


def test_the_command_line_reads_storages(postgres, tmp_path):
    fill(postgres)
    url = sa.make_url(postgres).set(password="sEcReT").render_as_string(hide_password=False)
    learned = tmp_path / "learned.json"
    learning = ringfence("learn", url, "--studies", "svm-a,svm-[b]", "-o", learned)
    assert learning.returncode == 0, learning.stderr
    assert [task.name for task in rf.load(learned).tasks] == ["svm-a", "svm-b"]
    assert "10 trials of 2 studies" in learning.stdout
    inference = ringfence("infer", url, "--studies", "svm-*", "-o", tmp_path / "space.json")
    assert rf.read_space(tmp_path / "space.json") == rf.read_history(postgres).space
    lost = ringfence("learn", url, "--studies", "svm-c")
    assert lost.returncode == 1 and lost.stderr.count("\n") == 1
    for output in (learning, inference, lost):
        assert "sEcReT" not in output.stdout + output.stderr
    assert "sEcReT" not in learned.read_text()


def _studies_of(values, directions):
    storage = optuna.storages.InMemoryStorage()
    for i, (sign, direction) in enumerate(zip(values, directions)):
        study = optuna.create_study(storage=storage, study_name=f"s{i}", direction=direction)
        study.optimize(lambda t, s=sign: s * t.suggest_float("x", 0.1, 1), n_trials=4)
    return storage


def test_a_stray_study_is_left_out_and_does_not_flip_the_others():
    storage = _studies_of([1, 1, 1, 1], ["maximize", "maximize", "maximize", "minimize"])
    history = rf.read_history(storage)
    assert history.goal == "maximize 'value'" and history.tasks == ("s0", "s1", "s2")
    assert (history.frame["value"] > 0).all()
    (note,) = [note for note in history.notes if note.startswith("left out study s3, which goes")]
    assert "direction='maximize' (--direction maximize) takes it too" in note
    assert note in rf.check(history, starts=0).notes
    learned = rf.learn(history, starts=0)
    assert note[1:] in " ".join(gather(history, learned, None, None).warnings)
    stray = optuna.create_study(storage=storage, study_name="s4", direction="minimize")
    stray.optimize(lambda t: t.suggest_float("x", 0.1, 1), n_trials=4)
    assert "left out studies s3, s4, which go the other" in str(rf.read_history(storage).notes)
    everything = rf.read_history(storage, direction="maximize")
    assert everything.tasks == ("s0", "s1", "s2", "s3", "s4")


def test_messages_name_the_study_and_the_trial():
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        return math.nan if trial.number == 2 else x

    storage = optuna.storages.InMemoryStorage()
    studies = [optuna.create_study(storage=storage, study_name=name) for name in ("wine", "iris")]
    for study in (studies[0], studies[1], studies[0], studies[1]):
        study.optimize(objective, n_trials=2)
    both = rf.read_history(storage)
    assert (both.where(1), both.where(5)) == ("trial 1 of study wine", "trial 1 of study iris")
    assert "1 dropped" not in str(rf.learn(both)) and "(trial 2 of study wine: " in str(
        rf.learn(both)
    )
    assert both.only(["iris"]).where(2) == "trial 2 of study iris"
    assert rf.read_history(studies[1]).where(3) == "trial 3"


def test_the_same_metric_with_the_other_sign_is_turned_around():
    storage = _studies_of([1, 1, -1], ["maximize", "maximize", "minimize"])
    history = rf.read_history(storage)
    assert history.tasks == ("s0", "s1", "s2") and (history.frame["value"] > 0).all()
    assert any("study s2, which goes the other way, are negated" in note for note in history.notes)


def test_python_and_the_command_line_infer_the_same_space(tmp_path):
    url = f"sqlite:///{tmp_path}/studies.db"
    study = optuna.create_study(storage=url, study_name="a")
    for x in (0.2, 0.3):
        add(study, {"C": x, "degree": 3}, x, dists=SMALL)
    history = rf.read_history(url)
    ringfence("infer", url, "-o", tmp_path / "declared.json")
    ringfence("infer", url, "--observed", "-o", tmp_path / "observed.json")
    declared, observed = rf.infer_space(history), rf.infer_space(history, observed=True)
    assert declared.space == rf.read_space(tmp_path / "declared.json") == history.space
    assert declared.notes == ("the space is the one that studies.db declares",)
    assert observed.space == rf.read_space(tmp_path / "observed.json")
    assert observed.space["C"] == rf.Float(0.2, 0.3)


@pytest.mark.parametrize("kind", ["sqlite", "journal", "study", "postgres"])
def test_durations_and_failures(kind, tmp_path, request):
    storages = {
        "sqlite": f"sqlite:///{tmp_path / 'studies.db'}",
        "journal": JournalStorage(JournalFileBackend(str(tmp_path / "journal.log"))),
        "study": InMemoryStorage(),
        "postgres": request.getfixturevalue("postgres") if kind == "postgres" else None,
    }
    study = optuna.create_study(storage=storages[kind], study_name="t")
    dists = {"C": SMALL["C"], "depth": IntDistribution(1, 9)}
    states = {"ok": TrialState.COMPLETE, "pruned": TrialState.PRUNED, "killed": TrialState.RUNNING}
    start = datetime(2026, 3, 1, 12, 0, 0)
    told = {"memory": "CUDA out of memory", "timeout": "the job timed out"}
    for depth, (loss, fate, seconds) in OUTCOMES.items():
        state = states.get(fate, TrialState.FAIL)
        trial = create_trial(
            params=outcome_config(depth), distributions=dists, value=loss, state=state,
            system_attrs={"fail_reason": told[fate]} if fate in told else {},
            user_attrs={"dollars": 2.0 * seconds},
        )  # fmt: skip
        trial.datetime_start = start
        if state.is_finished():
            trial.datetime_complete = start + timedelta(seconds=seconds)
        study.add_trial(trial)
    sources = {
        "sqlite": tmp_path / "studies.db", "journal": tmp_path / "journal.log", "study": study,
        "postgres": storages["postgres"],
    }  # fmt: skip
    history = rf.read_history(sources[kind], studies="t")
    assert_outcomes(history, {3: "memory", 4: "timeout", 5: None})
    paid = rf.read_history(sources[kind], studies="t", cost="dollars")
    assert paid.cost_unit == "dollars" and paid.frame["dollars"].to_list()[:2] == [20.0, 40.0]
    assert TOOK_DURATIONS in history.notes and TOOK_DURATIONS not in paid.notes
    with pytest.raises(
        rf.HistoryError, match="no trial has a number in the user attribute 'cents'"
    ):
        rf.read_history(sources[kind], studies="t", cost="cents")


def test_a_search_of_optunas_own_with_errors_and_nan():
    def objective(trial):
        trial.suggest_float("C", 1e-3, 1e3, log=True)
        depth = trial.suggest_int("depth", 1, 9)
        if depth == 3:
            raise MemoryError("too large")
        return math.nan if depth == 4 else float(depth)

    study = optuna.create_study(study_name="t")
    for depth in range(1, 6):
        study.enqueue_trial(outcome_config(depth))
    study.optimize(objective, n_trials=5, catch=(MemoryError,))
    history = rf.read_history(study)
    usable = usable_rows(history, history.space)
    assert history.cost_unit == "seconds" and usable.frame[COST].min() > 0
    assert TOOK_DURATIONS in history.notes
    assert usable.frame["depth"].to_list() == [1, 2, 5]
    assert usable.failed["depth"].to_list() == [3, 4]
