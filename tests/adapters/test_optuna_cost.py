"""The transfer sampler by cost: attributes and durations of a study's trials."""

from __future__ import annotations

import warnings

import pytest

import ringfence as rf
from checking.histories import SPACE, charged
from ringfence.learned.full import full_space

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.WARNING)

from ringfence.adapters.optuna import transfer_sampler  # noqa: E402

DISTRIBUTIONS = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in "ab"}


def run(n: int, attribute: str | None = None, **settings: object) -> optuna.Study:
    """A study whose trials are good at the dear end of the first parameter."""
    sampler = transfer_sampler(full_space(SPACE), charged(), **settings)
    study = optuna.create_study(sampler=sampler)
    for _ in range(n):
        trial = study.ask()
        a, b = (trial.suggest_float(name, 0.0, 1.0) for name in "ab")
        if attribute is not None:
            trial.set_user_attr(attribute, 2.718 ** (5.0 * a))
        study.tell(trial, (a - 0.6) ** 2 + (b - 0.5) ** 2)
    return study


def test_the_first_trials_by_cost_are_cheaper_than_by_trials():
    by_cost, by_trials = (run(3, by=by) for by in ("cost", "trials"))
    assert run(3).trials[0].params == by_cost.trials[0].params  # the history has costs
    dear = [max(trial.params["a"] for trial in study.trials) for study in (by_cost, by_trials)]
    assert dear[0] < dear[1]


def test_an_attribute_says_what_a_trial_cost():
    """The sampler sees what the optimizer is told."""
    study = run(4, "dollars", cost="dollars", by="cost")
    optimizer = rf.optimizer("transfer", SPACE, seed=0, history=charged(), by="cost", guard=0)
    for trial in study.trials:
        mine = optimizer.ask()
        assert mine.config == pytest.approx(trial.params)
        optimizer.tell(mine, trial.value, cost=trial.user_attrs["dollars"])


def test_durations_count_only_if_the_past_has_times():
    """The costs of this history are no times, so what trials take has no part in what is tried."""
    assert [t.params for t in run(4).trials] == [t.params for t in run(4).trials]
    method = transfer_sampler(full_space(SPACE), charged())
    trial = run(1).trials[0]
    assert trial.duration is not None and method._cost_of(trial) is None


def test_a_path_is_read_as_a_history(tmp_path):
    charged().frame.write_csv(tmp_path / "runs.csv")
    read = rf.read_history(tmp_path / "runs.csv")
    both = (
        transfer_sampler(full_space(SPACE), past) for past in (str(tmp_path / "runs.csv"), read)
    )
    assert (
        len({str(optuna.create_study(sampler=one).ask(DISTRIBUTIONS).params) for one in both}) == 1
    )


def test_an_attribute_that_no_trial_has_is_warned_of_once():
    with pytest.warns(UserWarning, match="no finished trial has the user attribute 'nope'") as seen:
        run(4, "dollars", cost="nope", guard=0)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(3, "dollars", cost="dollars")
