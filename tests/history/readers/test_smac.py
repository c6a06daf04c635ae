"""SMAC's run folders, written by SMAC: costs, statuses, budgets, instances, and its space."""

from __future__ import annotations

import json

import polars as pl
import pytest
from ConfigSpace import (
    AndConjunction,
    Configuration,
    ConfigurationSpace,
    EqualsCondition,
    ForbiddenEqualsClause,
    InCondition,
    NotEqualsCondition,
)
from ConfigSpace import Categorical as CsCategorical
from ConfigSpace import Constant as CsConstant
from ConfigSpace import Float as CsFloat
from ConfigSpace import Integer as CsInteger
from smac import Scenario
from smac.runhistory.enumerations import StatusType
from smac.runhistory.runhistory import RunHistory

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


def svm_space(low: float = 1e-3) -> ConfigurationSpace:
    space = ConfigurationSpace(seed=0)
    kernel = CsCategorical("kernel", ["rbf", "linear"])
    gamma = CsFloat("gamma", (0.0, 1.0))
    space.add(
        CsFloat("C", (low, 1e3), log=True),
        kernel,
        gamma,
        CsInteger("depth", (1, 9)),
        CsCategorical("shrinking", [True, False]),
    )
    space.add(InCondition(gamma, kernel, ["rbf"]))
    return space


def write(folder, name, space, trials, seed=3, objectives="cost"):
    """A run's folder by SMAC: NAME/SEED with scenario, space and run history; `trials` are
    (configuration, cost, status, how it was evaluated)."""
    scenario = Scenario(space, name=name, output_directory=folder, seed=seed, objectives=objectives)
    scenario.save()
    history = RunHistory()
    for config, cost, status, how in trials:
        configuration = Configuration(space, values=config)
        history.add(configuration, cost=cost, status=status, **{"seed": 0, **how})
    history.save(scenario.output_directory / "runhistory.json")


def test_a_history_teaches_what_its_table_teaches(tmp_path):
    space = svm_space()
    frame = made_history(tasks=3, runs=6)
    rounded = [dict(Configuration(space, values=config)) for _, config, _, _ in configs(frame)]
    frame = frame.with_columns(  # ConfigSpace keeps about twelve digits
        C=pl.Series([config["C"] for config in rounded]),
        gamma=pl.Series([config.get("gamma") for config in rounded]),
    )
    trials = {name: [] for name in frame["task"].unique(maintain_order=True)}
    for task, config, loss, failed in configs(frame):
        status = StatusType.CRASHED if failed else StatusType.SUCCESS
        trials[task].append((config, loss, status, {}))
    for task, own in trials.items():
        write(tmp_path, task, space, own)
    history = rf.read_history(tmp_path)
    assert history.tasks == ("t0", "t1", "t2")
    assert history.space == rf.Space(
        {
            "C": rf.Float(1e-3, 1e3, log=True),
            "depth": rf.Int(1, 9),
            "kernel": rf.Categorical(["rbf", "linear"]),
            "shrinking": rf.Categorical([True, False]),
            "gamma": rf.Float(0.0, 1.0),
        },
        [rf.Condition("gamma", "kernel", ["rbf"])],
    )
    assert_same_learned(in_memory(frame), history, history.space)
    (dropped,) = rf.learn(history).provenance.dropped
    assert dropped.rows == 3 and "status = crashed" in dropped.example


POINT = {"C": 1.0, "kernel": "linear", "depth": 2, "shrinking": True}
OTHER = {**POINT, "depth": 3}
OK = StatusType.SUCCESS


def test_instances_and_seeds_are_averaged_and_lucky_configurations_do_not_win(tmp_path):
    trials = [
        (POINT, 1.0, OK, {"instance": "i1"}),
        (POINT, 3.0, OK, {"instance": "i2", "seed": 1}),
        (OTHER, 0.1, OK, {"instance": "i1"}),
    ]
    write(tmp_path, "t", svm_space(), trials)
    history = rf.read_history(tmp_path / "t")
    assert history.frame["cost"].to_list() == [2.0, 0.1]
    assert history.roles.budget == "evaluations"
    (task,) = rf.learn(history).tasks
    assert (task.value, task.incumbent["depth"]) == (2.0, 2)


def test_budgets_and_several_seeds_of_one_scenario_are_one_task(tmp_path):
    trials = [(POINT, 1.0, OK, {"budget": 9.0}), (POINT, 5.0, OK, {"budget": 27.0})]
    write(tmp_path, "t", svm_space(), trials, seed=1)
    write(tmp_path, "t", svm_space(), [(OTHER, 4.0, OK, {"budget": 27.0})], seed=2)
    history = rf.read_history(str(tmp_path / "t" / "*"), format="smac")
    assert history.frame["budget"].to_list() == [9.0, 27.0, 27.0]
    (task,) = rf.learn(history).tasks
    assert (task.name, task.value, task.n_evaluations) == ("t", 4.0, 2)


def test_one_of_several_costs_is_named(tmp_path):
    write(tmp_path, "t", svm_space(), [(POINT, [1.0, 7.0], OK, {})], objectives=["error", "time"])
    with pytest.raises(rf.HistoryError, match=r"several objectives.*error, time"):
        rf.read_history(tmp_path)
    assert rf.read_history(tmp_path, objective="time").frame["time"].to_list() == [7.0]
    write(tmp_path, "u", svm_space(), [(POINT, 1.0, OK, {})], objectives="error")
    with pytest.raises(rf.HistoryError, match=r"u/3 has no objective 'time'; there are: error"):
        rf.read_history(tmp_path, objective="time")


def test_a_task_can_be_a_parameter(tmp_path):
    write(tmp_path, "t", svm_space(), [(POINT, 1.0, OK, {}), (OTHER, 2.0, OK, {})])
    history = rf.read_history(tmp_path, task="depth")
    assert history.tasks == ("2", "3")
    assert "depth" not in history.roles.parameters and "depth" not in history.space


def test_one_name_needs_no_list(tmp_path):
    write(tmp_path, "t", svm_space(), [(POINT, 1.0, OK, {}), (OTHER, 2.0, OK, {})])
    assert "depth" not in rf.read_history(tmp_path, ignore="depth").space
    assert list(rf.read_history(tmp_path, parameters="depth").space) == ["depth"]


def test_every_kind_of_parameter_and_condition_is_read(tmp_path):
    space = ConfigurationSpace()
    parts = [
        CsInteger("units", (1, 512), log=True),
        CsCategorical("size", ["s", "m", "l"], ordered=True),
        CsCategorical("only", ["one"]),
        CsConstant("c", 5),
        CsFloat("rate", (0.1, 3.0)),
    ]
    space.add(*parts)
    space.add(
        AndConjunction(
            EqualsCondition(parts[4], parts[1], "m"), InCondition(parts[4], parts[0], [4, 8])
        )
    )
    config = {"units": 4, "size": "m", "only": "one", "c": 5, "rate": 0.5}
    write(tmp_path, "t", space, [(config, 1.0, OK, {})])
    declared = rf.read_history(tmp_path).space
    assert declared["units"] == rf.Int(1, 512, log=True)
    assert declared["size"] == rf.Categorical(["s", "m", "l"], ordered=True)
    assert declared["only"] == rf.Constant("one") and declared["c"] == rf.Constant(5)
    conditions = {(c.parent, tuple(c.values)) for c in declared.conditions_of("rate")}
    assert conditions == {("size", ("m",)), ("units", (4, 8))}


def test_of_spaces_that_differ_the_union_is_taken(tmp_path):
    write(tmp_path, "a", svm_space(), [(POINT, 1.0, OK, {})])
    write(tmp_path, "b", svm_space(low=1e-2), [(POINT, 1.0, OK, {})])
    history = rf.read_history(tmp_path)
    assert history.space["C"] == rf.Float(1e-3, 1e3, log=True) == history.task_spaces["a"]["C"]
    assert history.task_spaces["b"]["C"] == rf.Float(1e-2, 1e3, log=True)
    assert any("union of those of 2 tasks" in note for note in rf.infer_space(history).notes)


def test_mismatched_runs_count_with_what_they_have(tmp_path):
    whole = svm_space()
    for number, (task, trials) in enumerate(MISMATCHED.items()):
        space = ConfigurationSpace(seed=0)
        names = mismatched_names(task)
        space.add([whole[name] for name in names])
        if "gamma" in names:
            space.add(InCondition(space["gamma"], space["kernel"], ["rbf"]))
        moment = {"starttime": 1.7e9 + number, "endtime": 1.7e9 + number}
        write(tmp_path, task, space, [(config, loss, OK, moment) for config, loss in trials])
    assert_mismatched(rf.read_history(tmp_path), declares=True)


def test_bad_folders_are_one_clear_error(tmp_path):
    with pytest.raises(rf.HistoryError, match="holds no SMAC runs"):
        rf.read_history(tmp_path, format="smac")
    with pytest.raises(rf.HistoryError, match="SMAC minimizes"):
        rf.read_history(tmp_path, format="smac", direction="maximize")
    space = svm_space()
    write(tmp_path, "t", space, [(POINT, 1.0, OK, {})])
    place = tmp_path / "t" / "3"
    text = (place / "runhistory.json").read_text()
    (place / "runhistory.json").write_text(text[: len(text) // 2])
    with pytest.raises(rf.HistoryError, match=r"runhistory.json is cut off or not JSON"):
        rf.read_history(tmp_path)
    (place / "runhistory.json").write_text(json.dumps({"data": [[1, 2, 3]]}))
    with pytest.raises(rf.HistoryError, match="is not as SMAC 2 writes it"):
        rf.read_history(tmp_path)


def test_forbidden_combinations_are_left_out_and_that_is_said(tmp_path):
    space = svm_space()
    space.add(ForbiddenEqualsClause(space["depth"], 7))
    write(tmp_path, "t", space, [(POINT, 1.0, OK, {})])
    assert rf.read_history(tmp_path).notes[0] == "forbidden combinations are left out of the space"


def test_a_condition_that_a_space_cannot_say_is_named(tmp_path):
    space = svm_space()
    space.add(NotEqualsCondition(space["depth"], space["kernel"], "linear"))
    write(tmp_path, "t", space, [({**POINT, "kernel": "rbf", "gamma": 0.5}, 1.0, OK, {})])
    with pytest.raises(rf.HistoryError, match=r"'depth' depends on NEQ conditions; only EQ, IN"):
        rf.read_history(tmp_path)


def test_durations_and_failures(tmp_path):
    statuses = {
        "memory": StatusType.MEMORYOUT, "timeout": StatusType.TIMEOUT, "crash": StatusType.CRASHED,
        "pruned": StatusType.RUNNING, "killed": StatusType.CRASHED,
    }  # fmt: skip
    trials = []
    for depth, (loss, fate, seconds) in OUTCOMES.items():
        how = {"time": seconds / 2}
        if fate == "killed":
            how["additional_info"] = {"traceback": "Traceback …\nValueError: no such kernel\n"}
        config = {**POINT, **outcome_config(depth)}
        for seed in (0, 1):
            status = statuses.get(fate, StatusType.SUCCESS)
            trials.append((config, 9.0 if loss is None else loss, status, {**how, "seed": seed}))
    write(tmp_path, "t", svm_space(), trials)
    history = rf.read_history(tmp_path / "t")
    reasons = {3: "memory", 4: "timeout", 5: "crash", 7: "valueerror no such kernel"}
    assert_outcomes(history, reasons)
    with pytest.raises(rf.HistoryError, match="'smac' has no use for cost='dollars'"):
        rf.read_history(tmp_path / "t", cost="dollars")


def test_runs_whose_time_nobody_told_have_no_cost(tmp_path):
    write(tmp_path, "t", svm_space(), [(POINT, 1.0, OK, {}), (OTHER, 2.0, OK, {})])
    assert rf.read_history(tmp_path / "t").cost_unit is None
