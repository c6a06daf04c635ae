"""ask, tell, fail, save; and the loop around them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import numpy as np
import pytest

import ringfence as rf
from problems import SPACES, Problem, region
from ringfence.errors import FileError, SettingError, TrialError
from ringfence.optimize import BaseMethod, Options, Proposal

SPACE = SPACES["numeric"]


def test_tell_refuses_what_fits_no_trial():
    engine = rf.optimizer("random", SPACE)
    trial = engine.ask()
    with pytest.raises(TrialError, match="no trial 7; 1 were asked for"):
        engine.tell(7, 1.0)
    with pytest.raises(TrialError, match=r"value is nan; call fail\(trial\)"):
        engine.tell(trial, float("nan"))
    with pytest.raises(TrialError, match="value is inf"):
        engine.tell(trial, np.inf)
    with pytest.raises(TrialError, match="must be a number, not 'good'"):
        engine.tell(trial, "good")
    with pytest.raises(TrialError, match="another optimizer"):
        engine.tell(rf.optimizer("random", SPACE, seed=1).ask(), 1.0)
    assert engine.tell(trial, np.float32(2.0)).value == 2.0
    with pytest.raises(TrialError, match="told before: it is done"):
        engine.tell(trial, 3.0)
    with pytest.raises(TrialError, match="told before"):
        engine.fail(trial)
    failed = engine.ask()
    engine.fail(failed.number, "no memory")
    assert engine.trials[1].reason == "no memory"
    assert engine.best == engine.trials[0]


def test_names_and_options_are_checked():
    with pytest.raises(SettingError, match="no optimizer 'gpp'; choose one of ablr, gp, "):
        rf.optimizer("gpp", SPACE)
    with pytest.raises(SettingError, match="unknown field `n`"):
        rf.optimizer("random", SPACE, n=3)
    with pytest.raises(SettingError, match="seed must be a whole number"):
        rf.optimizer("random", SPACE, seed=0.5)
    with pytest.raises(SettingError, match="needs a seed"):
        rf.optimizer("random", SPACE, seed=None)
    with pytest.raises(SettingError, match="callable"):
        rf.minimize(3, SPACE)


def test_a_saved_optimizer_is_complete_or_an_error(tmp_path):
    path = tmp_path / "state.json"
    engine = rf.optimizer("sobol", region("conditional", "ellipsoid"), seed=3)
    for _ in range(5):
        engine.tell(engine.ask(), 1.0)
    engine.save(path)
    again = rf.load_optimizer(path)
    assert again.trials == engine.trials
    assert repr(again) == repr(engine)
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    with pytest.raises(FileError, match="cut off or not JSON"):
        rf.load_optimizer(path)
    path.write_text("{}")
    with pytest.raises(FileError, match="not a saved optimizer"):
        rf.load_optimizer(path)
    record = json.loads(content)
    path.write_text(json.dumps({**record, "name": "nothing"}))
    with pytest.raises(FileError, match="damaged: there is no optimizer 'nothing'"):
        rf.load_optimizer(path)
    with pytest.raises(FileError, match="cannot read"):
        rf.load_optimizer(tmp_path / "none.json")


def test_minimize_survives_failures_and_its_history_teaches_the_next():
    def objective(config):
        if config["momentum"] > 0.7:
            raise RuntimeError("diverged")
        return float("nan") if config["l2"] > 0.9 else Problem(SPACE, 0.4)(config)

    outcome = rf.minimize(objective, SPACE, "random", 60, seed=2, catch=(RuntimeError, ValueError))
    assert outcome.ended == "60 trials done"
    assert {trial.reason for trial in outcome.failures} >= {"RuntimeError: diverged"}
    assert any("returned nan" in trial.reason for trial in outcome.failures)
    assert outcome.value == min(t.value for t in outcome.trials if t.value is not None)
    assert outcome.config == outcome.best.config
    history = outcome.history("first")
    assert history.tasks == ("first",)
    learned = rf.learn(history)
    assert learned.tasks[0].incumbent == outcome.config
    assert learned.tasks[0].value == outcome.value
    assert sum(d.rows for d in learned.provenance.dropped) == len(outcome.failures)


def test_the_history_of_a_conditional_space_with_budgets_can_be_learned_from():
    space = rf.Space(
        {**SPACES["conditional"].parameters, "value": rf.Float(0, 1), "task": rf.Constant(1)},
        SPACES["conditional"].conditions,
    )
    outcome = rf.minimize(
        lambda config, budget: config["C"] / budget, space, "hyperband", 40, max_budget=9
    )
    learned = rf.learn(outcome.history())
    assert learned.tasks[0].incumbent == outcome.config
    with pytest.raises(rf.HistoryError, match="no trial is finished"):
        rf.optimizer("random", space).history()


def test_ctrl_c_returns_what_is_there():
    def objective(config):
        if len(seen) == 5:
            raise KeyboardInterrupt
        seen.append(config)
        return float(len(seen))

    seen: list[dict] = []
    outcome = rf.minimize(objective, SPACE, "random", 50)
    assert outcome.ended == "interrupted"
    assert outcome.value == 1.0
    assert [trial.state for trial in outcome.trials] == ["done"] * 5 + ["running"]
    assert "1 unfinished" in str(outcome)


@pytest.mark.parametrize("method", ["gp", "sobol"])
def test_an_interrupted_search_continues_as_if_nothing_had_happened(method, tmp_path):
    def interrupted_at(number):
        calls = iter(range(100))

        def objective(config):
            if next(calls) == number:
                raise KeyboardInterrupt
            return (config["x"] - 0.3) ** 2

        return objective

    space = rf.Space({"x": rf.Float(0.0, 1.0)})
    straight = rf.minimize(interrupted_at(None), space, method, 10)
    first = rf.minimize(interrupted_at(6), space, method, 10)
    first.optimizer.save(tmp_path / "search.json")
    saved = rf.load_optimizer(tmp_path / "search.json")
    rest = rf.minimize(interrupted_at(None), saved, n_trials=4)
    assert rest.trials == straight.trials


def test_a_second_ctrl_c_gets_out_of_a_loop_of_searches():
    def objective(config):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rf.minimize(objective, SPACE, "random", 5)


def test_minimize_goes_on_and_ends_when_nothing_is_left():
    space = rf.Space({"a": rf.Int(1, 5)})
    engine = rf.optimizer("random", space)
    first = rf.minimize(lambda c: c["a"], engine, n_trials=2)
    assert len(first.trials) == 2
    rest = rf.minimize(lambda c: c["a"], engine, n_trials=10)
    assert sorted(t.config["a"] for t in rest.trials) == [1, 2, 3, 4, 5]
    assert rest.ended == "all 5 configurations of the space were tried"
    nothing = rf.minimize(lambda c: 1 / 0, space, "random", 3, catch=ZeroDivisionError)
    assert nothing.best is None
    assert nothing.config is None
    assert "no trial succeeded" in repr(nothing)


def test_threads_work_at_once_and_nothing_is_lost():
    barrier = threading.Barrier(3, timeout=600)

    def objective(config):
        barrier.wait()
        return Problem(SPACE, 0.5)(config)

    outcome = rf.minimize(objective, SPACE, "random", 9, n_jobs=3)
    assert [trial.state for trial in outcome.trials] == ["done"] * 9
    for trial in outcome.trials:
        assert trial.value == Problem(SPACE, 0.5)(trial.config)


def test_the_objective_cannot_change_a_trial():
    outcome = rf.minimize(lambda config: config.pop("lr"), SPACE, "random", 5)
    assert all("lr" in trial.config for trial in outcome.trials)


def test_a_bar_shows_the_best_so_far(capsys):
    rf.minimize(Problem(SPACE, 0.5), SPACE, "random", 4, progress=True)
    shown = capsys.readouterr()
    assert "4/4" in shown.err
    assert "best" in shown.err
    assert shown.out == ""
    rf.minimize(Problem(SPACE, 0.5), SPACE, "random", 4)
    assert capsys.readouterr().err == ""


def test_the_same_seed_gives_the_same_sequence_in_another_process():
    code = (
        "import ringfence as rf; space = rf.Space({'x': rf.Float(0, 1)});"
        "e = rf.optimizer('random', space, seed=4); print([e.ask().config['x'] for _ in range(70)])"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    engine = rf.optimizer("random", rf.Space({"x": rf.Float(0, 1)}), seed=4)
    assert str([engine.ask().config["x"] for _ in range(70)]) == there.strip()


def test_a_space_of_constants_has_one_configuration():
    space = rf.Space({"a": rf.Constant(3)})
    outcome = rf.minimize(lambda config: config["a"], space, "sobol", 3)
    assert [trial.config for trial in outcome.trials] == [{"a": 3}]


def test_with_many_trials_hyperparameters_are_searched_for_now_and_then(monkeypatch):
    monkeypatch.setattr("ringfence.optimize.methods.gp.MANY", 20)
    engine = rf.optimizer("gp", rf.Space({"x": rf.Float(0, 1), "y": rf.Float(0, 1)}), seed=0)
    searched = []
    for _ in range(48):
        trial = engine.ask()
        engine.tell(trial, (trial.config["x"] - 0.3) ** 2 + trial.config["y"])
        searched.append(engine.method.memory.get("searched_at", 0))
    # Each time up to 20, then with a tenth more: at 22, 25, 28, 31, 35, 39, 43 results.
    assert searched[20:] == [
        20, 20, 22, 22, 22, 25, 25, 25, 28, 28, 28, 31, 31, 31, 31, 35, 35, 35, 35, 39, 39, 39, 39,
        43, 43, 43, 43, 43,
    ]  # fmt: skip


class Middle(BaseMethod):
    """Walks from the middle of every range towards its lower end."""

    class Options(Options, frozen=True):
        stride: float = 0.5

    def propose(self, log, rng):
        self.memory["asked"] = self.memory.get("asked", 0) + 1
        share = 0.5 * self.options.stride ** len(log)
        config = {n: p.low + share * (p.high - p.low) for n, p in PLAIN.parameters.items()}
        return Proposal(config)


PLAIN = rf.Space({"x": rf.Float(0, 1), "y": rf.Float(-2, 2)})


def test_a_method_of_the_users_own_is_an_optimizer_like_any_other(tmp_path):
    engine = rf.optimizer(Middle, PLAIN, stride=0.25)
    assert engine.ask().config == {"x": 0.5, "y": 0.0}
    assert engine.ask().config == {"x": 0.125, "y": -1.5}
    outcome = rf.minimize(lambda config: config["x"], PLAIN, Middle, n_trials=4)
    assert outcome.value == 0.5**4
    assert "Middle" in repr(outcome.optimizer)

    engine.save(tmp_path / "state.json")
    with pytest.raises(SettingError, match="a method of your own: pass the class as method="):
        rf.load_optimizer(tmp_path / "state.json")
    again = rf.load_optimizer(tmp_path / "state.json", method=Middle)
    assert again.method.memory == {"asked": 2}
    assert again.ask().config == engine.ask().config == {"x": 0.03125, "y": -1.875}

    rf.optimizer("random", PLAIN).save(tmp_path / "state.json")
    with pytest.raises(SettingError, match=r"saved with the method 'random', not with .*Middle"):
        rf.load_optimizer(tmp_path / "state.json", method=Middle)
    with pytest.raises(SettingError, match=r"optimizer '.*Middle'.*stride"):
        rf.optimizer(Middle, PLAIN, stride="long")
    with pytest.raises(SettingError, match=r"derived from ringfence\.optimize\.BaseMethod"):
        rf.optimizer(dict, PLAIN)


class Wrong(BaseMethod):
    """Proposes whatever it is told to."""

    proposals = iter(())

    def propose(self, log, rng):
        return next(self.proposals)


def test_what_a_method_of_the_users_own_proposes_is_checked():
    Wrong.proposals = iter([{"x": 0.5, "y": 0.0}, Proposal({"x": 9.0, "y": 0.0})])
    engine = rf.optimizer(Wrong, PLAIN)
    with pytest.raises(SettingError, match="must return a Proposal, not a dict"):
        engine.ask()
    with pytest.raises(SettingError, match=r"outside the space: \{'x': 9.0"):
        engine.ask()
    assert not engine.trials
    table = rf.optimizer(Wrong, PLAIN, candidates=[{"x": 0.5, "y": 0.0}])
    with pytest.raises(SettingError, match="none of them: propose one of domain"):
        table.setup.domain.config(np.array([[0.1, 0.2]]))


def test_a_reason_that_no_file_can_hold_is_spelled_out(tmp_path):
    engine = rf.optimizer("random", rf.Space({"x": rf.Float(0.0, 1.0)}), seed=0)
    engine.fail(engine.ask(), "caf\udce9")
    engine.save(tmp_path / "run.json")
    assert rf.load_optimizer(tmp_path / "run.json").trials[0].reason == "caf\\udce9"


def test_parameters_that_were_active_in_no_trial_are_no_obstacle():
    space = rf.Space(
        {
            "kernel": rf.Categorical(["linear", "poly"]),
            "degree": rf.Int(2, 5),
            "mode": rf.Categorical(["a", "b"]),
        },
        [rf.Condition(name, "kernel", ["poly"]) for name in ("degree", "mode")],
    )

    def tried(kernel):  # trials of the other kernel stay unsettled, and are no rows
        optimizer = rf.optimizer("random", space, seed=0)
        for trial in [optimizer.ask() for _ in range(9)]:  # all that there are
            if trial.config["kernel"] == kernel:
                optimizer.tell(trial, 0.1 * trial.number)
        return optimizer.history(kernel)

    linear, poly = tried("linear"), tried("poly")
    assert "1 task fits the space as it is" in str(rf.match(linear, space))
    both = rf.History.concat([linear, poly])
    assert rf.learn(both, starts=0).choices["kernel"] == ("linear", "poly")
