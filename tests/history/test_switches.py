"""A flag and the number that it switches become one parameter: off, or a range."""

from __future__ import annotations

import math

import optuna
import polars as pl
import pytest

import ringfence as rf

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial: optuna.Trial) -> float:
    """Optuna's usual pair: a flag, and a number that is asked for only if it is True."""
    lr = trial.suggest_float("lr", 1e-3, 1.0, log=True)
    use = trial.suggest_categorical("use_gamma", [True, False])
    gamma = trial.suggest_float("gamma", 1e-3, 10.0, log=True) if use else 0.0
    return (math.log10(lr) + 1.5) ** 2 + gamma


@pytest.fixture(scope="module")
def history() -> rf.History:
    storage = optuna.storages.InMemoryStorage()
    for seed in range(4):
        sampler = optuna.samplers.RandomSampler(seed=seed)
        study = optuna.create_study(storage=storage, study_name=f"s{seed}", sampler=sampler)
        study.optimize(objective, n_trials=30)
    return rf.read_history(storage)


def test_the_pair_of_a_study_is_offered_and_merged(history):
    offer = "use_gamma switches gamma on and off; history.with_off({'gamma': 0})"
    assert any(note.startswith(offer) for note in history.notes)
    merged = history.with_off({"gamma": 0})
    wanted = rf.Float(1e-3, 10.0, log=True, off=0.0)
    assert merged.space == rf.Space({"lr": rf.Float(1e-3, 1.0, log=True), "gamma": wanted})
    assert all(space == merged.space for space in merged.task_spaces.values())
    assert not any(note.startswith(offer) or "active only" in note for note in merged.notes)
    flags, before = history.frame["use_gamma"], history.frame["gamma"]
    for flag, then, now in zip(flags, before, merged.frame["gamma"], strict=True):
        assert now == (then if flag else 0.0)
    assert f"gamma is off (0) in the {(~flags).sum()} runs" in merged.notes[-1]
    learned = rf.learn(merged, starts=0)
    assert learned.bounds["gamma"][0] == 0.0  # every task is best without


def test_a_column_of_words_tells_as_well_and_the_space_is_inferred():
    n = 40
    frame = pl.DataFrame(
        {
            "task": ["a", "b"] * (n // 2),
            "penalty": ["none" if i % 4 == 0 else "l2" for i in range(n)],
            "strength": [None if i % 4 == 0 else 10.0 ** (i / 10 - 3) for i in range(n)],
            "error": [float(i) for i in range(n)],
        }
    )
    merged = rf.History.from_frame(frame, task="task", objective="error").with_off({"strength": 0})
    space = rf.infer_space(merged).space
    assert list(space) == ["strength"] and space["strength"].off == 0.0


def test_text_cannot_be_off_at_a_number():
    frame = pl.DataFrame(
        {
            "task": ["a", "a", "b", "b"],
            "use": [True, False, True, False],
            "norm": ["l1", None, "l2", None],
            "error": [0.1, 0.2, 0.3, 0.4],
        }
    )
    history = rf.History.from_frame(frame, task="task", objective="error")
    with pytest.raises(rf.HistoryError, match=r"'norm' holds String, not numbers, .* off at 0$"):
        history.with_off({"norm": 0})


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "takes a dict"),
        ({"gama": 0}, "no parameter 'gama' to be off at 0; did you mean"),
        ({"gamma": "off"}, "a number such as 0, not at 'off'"),
        ({"gamma": float("nan")}, "a number such as 0, not at nan"),
        ({"gamma": float("inf")}, "a number such as 0, not at inf"),
        ({"gamma": 10**400}, "a number such as 0, not at 1000"),
        ({"gamma": 10**5000}, "a number such as 0, not at one of thousands of digits"),
        ({"gamma": 0.5}, "'gamma' cannot be off at 0.5: .*inside the range"),
        ({"lr": 0}, "needs one parameter of two values .*; none does"),
    ],
)
def test_what_cannot_be_merged_is_one_clear_line(history, values, says):
    with pytest.raises(rf.HistoryError, match=says) as caught:
        history.with_off(values)
    assert "\n" not in str(caught.value)
