"""minimize: which way, and what becomes of failures."""

import math
import traceback

import msgspec
import numpy as np
import pytest

import ringfence as rf

SPACE = rf.Space({"x": rf.Float(0.0, 1.0), "n": rf.Int(1, 5)})


def score(config):
    return 1.0 - (config["x"] - 0.3) ** 2 - 0.01 * config["n"]


@pytest.mark.parametrize("method", ["random", "gp", "smac"])
def test_maximizing_is_minimizing_the_negative(method):
    up = rf.minimize(score, SPACE, method, 8, direction="maximize")
    down = rf.minimize(lambda config: -score(config), SPACE, method, 8)
    assert [trial.config for trial in up.trials] == [trial.config for trial in down.trials]
    assert [trial.value for trial in up.trials] == [-trial.value for trial in down.trials]
    assert up.value == max(score(trial.config) for trial in up.trials) == -down.value
    assert "maximize" in repr(up) and up.direction == "maximize"


def test_a_maximized_search_is_a_maximized_history():
    outcome = rf.minimize(score, SPACE, "random", 6, direction="maximize")
    history = outcome.history("now")
    assert history.goal == "maximize 'value'"
    assert rf.learn(history, starts=0).tasks[0].value == outcome.value


@pytest.mark.parametrize("call", [rf.minimize, rf.optimizer])
def test_after_maximized_runs_the_direction_is_asked_for(call):
    """A minimized AUC would be the worst of guesses."""
    history = rf.minimize(score, SPACE, "random", 6, direction="maximize").history("now")
    learned = rf.learn(history, starts=0)
    arguments = (score, learned, "random", 3) if call is rf.minimize else ("random", learned)
    with pytest.raises(rf.SettingError, match=r"maximize 'value'.*direction='maximize'"):
        call(*arguments)
    for direction in ("maximize", "minimize"):
        assert call(*arguments, direction=direction).direction == direction
    with pytest.raises(rf.SettingError, match="the past runs maximize"):
        rf.optimizer("transfer", SPACE, history=history)


def test_a_maximized_search_is_saved_and_goes_on_exactly(tmp_path):
    whole = rf.minimize(score, SPACE, "gp", 8, direction="maximize")
    half = rf.minimize(score, SPACE, "gp", 4, direction="maximize")
    half.optimizer.save(tmp_path / "state.json")
    state = msgspec.json.decode((tmp_path / "state.json").read_bytes())
    assert state["trials"][0]["value"] == half.trials[0].value  # the user's own
    again = rf.load_optimizer(tmp_path / "state.json")
    assert again.trials == half.trials and again.direction == "maximize"
    assert rf.minimize(score, again, n_trials=4).trials == whole.trials
    with pytest.raises(rf.SettingError, match="that continues is to maximize"):
        rf.minimize(score, again, n_trials=1, direction="minimize")
    del state["direction"]  # as files of earlier versions
    (tmp_path / "old.json").write_bytes(msgspec.json.encode(state))
    assert rf.load_optimizer(tmp_path / "old.json").direction == "minimize"


def test_a_direction_is_one_of_two():
    with pytest.raises(rf.HistoryError, match="direction must be 'minimize' or 'maximize'"):
        rf.minimize(score, SPACE, direction="up")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bug_ends_the_search_with_its_own_traceback(n_jobs):
    calls = []

    def buggy(config):
        calls.append(config)
        if len(calls) > 4:
            return undefined_name  # noqa: F821
        return config["x"]

    with pytest.raises(NameError, match="undefined_name") as caught:
        rf.minimize(buggy, SPACE, "random", 20, n_jobs=n_jobs)
    outcome = caught.value.outcome
    assert sum(trial.state == "done" for trial in outcome.trials) == 4
    assert not outcome.failures
    assert len(outcome.trials) <= 4 + n_jobs
    assert outcome.value is not None
    shown = "".join(traceback.format_exception(caught.value))
    assert "return undefined_name" in shown and "catch=NameError" in shown
    cut_short = [trial.config for trial in outcome.trials if trial.state == "running"]
    tried = []
    rest = rf.minimize(lambda c: tried.append(c) or c["x"], outcome.optimizer, n_trials=4)
    assert tried[: len(cut_short)] == cut_short  # mended, it begins with those
    assert sum(trial.state == "done" for trial in rest.trials) == 8


@pytest.mark.parametrize("bug", [TypeError, ImportError, AttributeError, SyntaxError, KeyError])
def test_what_counts_as_a_bug(bug):
    def objective(config):
        raise bug("no")

    with pytest.raises(bug) as caught:
        rf.minimize(objective, SPACE, "random", 5)
    assert len(caught.value.outcome.trials) == 1
    outcome = rf.minimize(objective, SPACE, "random", 5, catch=Exception)
    assert len(outcome.failures) == 5


def test_an_estimators_refusal_of_a_value_is_no_bug():
    class InvalidParameterError(ValueError, TypeError):
        """As scikit-learn has it."""

    def objective(config):
        if config["n"] > 4:
            raise InvalidParameterError("n must be at most 4")
        return config["x"]

    outcome = rf.minimize(objective, SPACE, "sobol", 8)
    assert outcome.failures and len(outcome.trials) == 8


def failing_at(numbers):
    count = iter(range(1000))

    def objective(config):
        if next(count) in numbers:
            raise ValueError("too large")
        return config["x"]

    return objective


def test_three_failures_in_a_row_end_it_and_two_do_not():
    outcome = rf.minimize(failing_at({0, 1, 3, 4, 6}), SPACE, "random", 8)
    assert outcome.failed == "5 of 8 trials failed, the first with ValueError: too large"
    assert outcome.failed in repr(outcome)
    with pytest.raises(ValueError, match="too large") as caught:
        rf.minimize(failing_at({2, 3, 4}), SPACE, "random", 8)
    assert [t.state for t in caught.value.outcome.trials] == ["done"] * 2 + ["failed"] * 3
    rest = rf.minimize(lambda c: c["x"], caught.value.outcome.optimizer, n_trials=3)
    assert len(rest.trials) == 8


def test_caught_failures_never_end_it_and_others_still_do():
    outcome = rf.minimize(failing_at(range(8)), SPACE, "random", 8, catch=ValueError)
    assert len(outcome.failures) == 8 and outcome.best is None
    assert "no trial succeeded" in repr(outcome)
    with pytest.raises(ValueError, match="too large"):
        rf.minimize(failing_at(range(8)), SPACE, "random", 8, catch=(OSError,))
    for catch in (3, [ValueError], (ValueError, "x"), KeyboardInterrupt):
        with pytest.raises(rf.SettingError, match="catch must be an exception"):
            rf.minimize(score, SPACE, catch=catch)


@pytest.mark.parametrize(
    ("value", "trials"),
    [(math.nan, 3), (math.inf, 3), (np.array(math.nan), 3), (None, 1), ("0.5", 1), ((0.1, 2), 1)],
)
def test_what_is_no_number_is_a_failure_with_its_reason(value, trials):
    with pytest.raises(rf.TrialError, match=r"returned .* not a finite number") as caught:
        rf.minimize(lambda config: value, SPACE, "random", 8)
    assert len(caught.value.outcome.trials) == trials  # another trial will not mend it
    assert ("is a return missing?" in str(caught.value)) == (value is None)
    assert "optimizer, catch=rf.TrialError)" in caught.value.__notes__[0]
    outcome = rf.minimize(lambda config: value, SPACE, "random", 5, catch=ValueError)
    assert (
        f"5 of 5 trials failed, the first with the objective returned {value!r}" in outcome.failed
    )


@pytest.mark.parametrize(
    "argument",
    [
        {"optimizer": "gp"},
        {"seed": 9},
        {"candidates": [{}]},
        {"starts": 3},
        {"guard": 0.5},
        {"x": 1},
    ],
)
def test_what_an_optimizer_that_continues_has_already_is_not_ignored(argument):
    engine = rf.minimize(score, SPACE, "random", 2, direction="maximize").optimizer
    (name,) = argument
    with pytest.raises(rf.SettingError, match=f"has its own {name}"):
        rf.minimize(score, engine, n_trials=2, **argument)
    assert len(rf.minimize(score, engine, n_trials=2).trials) == 4
