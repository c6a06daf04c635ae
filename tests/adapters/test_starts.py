"""Starting points handed to other tools, and the transfer optimizer behind an Optuna study."""

from __future__ import annotations

import json
from functools import cache

import pytest

import ringfence as rf
from problems import SPACES, Problem, history

SPACE = SPACES["conditional"]


@cache
def learned(shape: str = "ellipsoid") -> rf.LearnedSpace:
    return rf.learn(history("conditional"), SPACE, shape=shape, starts=4)


def suggest(trial) -> dict:
    config = {
        "kernel": trial.suggest_categorical("kernel", ["linear", "poly", "rbf"]),
        "C": trial.suggest_float("C", 1e-3, 1e3, log=True),
        "shrink": trial.suggest_float("shrink", 0.0, 1.0),
    }
    if config["kernel"] != "linear":
        config["gamma"] = trial.suggest_float("gamma", 1e-4, 10.0, log=True)
    if config["kernel"] == "poly":
        config["degree"] = trial.suggest_int("degree", 2, 6)
    return config


def objective(trial) -> float:
    return Problem(SPACE, 0.55)(suggest(trial))


def study_of(sampler, **options):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(sampler=sampler, **options)


def test_a_study_tries_them_first():
    pytest.importorskip("optuna")
    from ringfence.adapters.optuna import enqueue, sampler

    study = study_of(sampler(learned(), seed=0))
    enqueue(study, learned().starts(3))
    study.optimize(objective, n_trials=5)
    assert [trial.params for trial in study.trials[:3]] == learned().starts(3)
    assert all(learned().contains(trial.params) for trial in study.trials)


def test_smac_has_them_in_its_initial_design(tmp_path):
    smac_package = pytest.importorskip("smac")
    from ringfence.adapters import smac

    target = smac.target(learned(), lambda config: 1.0, seed=0)
    scenario = smac_package.Scenario(target.space, n_trials=12, output_directory=tmp_path)
    facade = smac_package.HyperparameterOptimizationFacade
    design = facade.get_initial_design(scenario, n_configs=0, additional_configs=target.starts(3))
    chosen = [target.decode(config) for config in design.select_configurations()]
    for found, start in zip(chosen, learned().starts(3), strict=True):
        assert found.keys() == start.keys() and found["kernel"] == start["kernel"]
        numbers = [name for name in start if name != "kernel"]
        assert [found[n] for n in numbers] == pytest.approx([start[n] for n in numbers], rel=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_ray_suggests_them_first_also_after_a_restart(tmp_path):
    pytest.importorskip("ray")
    from ray.tune.search.optuna import OptunaSearch

    from ringfence.adapters import raytune

    def make():
        base = OptunaSearch(seed=0)
        return raytune.searcher(learned(), "loss", "min", base=base, starts=3)

    first = make()
    found = [first.suggest("a"), first.suggest("b")]
    first.on_trial_complete("a", {"loss": 1.0})
    first.save(str(tmp_path / "state"))
    second = make()
    second.restore(str(tmp_path / "state"))
    second.on_trial_complete("b", {"loss": 2.0})
    found += [second.suggest("c"), second.suggest("d")]
    assert found[:3] == learned().starts(3)
    assert found[3] not in learned().starts() and learned().contains(found[3])
    second.on_trial_complete("d", {"loss": 2.0})


@pytest.mark.parametrize("direction, sign", [("minimize", 1.0), ("maximize", -1.0)])
def test_a_study_transfers_in_both_directions_and_goes_on_in_another_process(direction, sign):
    pytest.importorskip("optuna")
    from ringfence.adapters.optuna import transfer_sampler

    def run(*parts: int) -> list[dict]:
        study = study_of(None, direction=direction)
        for n in parts:
            study.sampler = transfer_sampler(learned(), history("conditional"), seed=0, guard=0)
            study.optimize(lambda trial: sign * objective(trial), n_trials=n)
        assert all(learned().contains(trial.params) for trial in study.trials)
        return [trial.params for trial in study.trials]

    whole = run(14)
    assert run(6, 8) == whole
    assert len({json.dumps(config, sort_keys=True) for config in whole}) == 14

    engine = rf.optimizer("transfer", learned(), history=history("conditional"), guard=0)
    for number in range(6):
        trial = engine.ask()
        assert trial.config == whole[number]
        engine.tell(trial, Problem(SPACE, 0.55)(trial.config))


def test_failed_pruned_and_running_trials_are_taken_into_account():
    optuna = pytest.importorskip("optuna")
    from ringfence.adapters.optuna import transfer_sampler

    study = study_of(transfer_sampler(learned(), history("conditional")))
    running = [study.ask() for _ in range(3)]
    seen = [json.dumps(suggest(trial), sort_keys=True) for trial in running]
    assert len(set(seen)) == 3
    study.tell(running[0], state=optuna.trial.TrialState.FAIL)
    running[1].report(1.0, 0)
    study.tell(running[1], state=optuna.trial.TrialState.PRUNED)
    study.optimize(objective, n_trials=6)
    assert len({json.dumps(t.params, sort_keys=True) for t in study.trials}) == 9


def test_one_value_only():
    pytest.importorskip("optuna")
    from ringfence.adapters.optuna import transfer_sampler

    sampler = transfer_sampler(learned(), history("conditional"))
    study = study_of(sampler, directions=["minimize", "minimize"])
    with pytest.raises(rf.SettingError, match="one value, not several"):
        suggest(study.ask())
