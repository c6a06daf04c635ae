"""A flag and the number that it switches become one parameter: off, or a range."""

from __future__ import annotations

import html
import math

import optuna
import polars as pl
import pytest
from tests.processes import ringfence

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
    said = [note for note in history.notes if note.startswith(offer)]
    assert len(said) == 1 and said[0].endswith("is off (0) or in its range (--off=gamma=0)")
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


def asked(flags: list[object], low: float = 0.1, high: float = 1.0, *, nested: bool = False):
    """An objective that asks for g where its flag is neither False nor 'none'."""

    def one(trial: optuna.Trial) -> float:
        trial.suggest_float("lr", 0.1, 1.0)
        if nested and trial.suggest_categorical("kind", ["a", "b"]) == "b":
            return 2.0
        flag = trial.suggest_categorical("use", flags) if flags else True
        return trial.suggest_float("g", low, high) if flag not in (False, "none") else 3.0

    return one


def read(*objectives) -> rf.History:
    storage = optuna.storages.InMemoryStorage()
    for seed, each in enumerate(objectives):
        sampler = optuna.samplers.RandomSampler(seed=seed)
        study = optuna.create_study(storage=storage, study_name=f"s{seed}", sampler=sampler)
        study.optimize(each, n_trials=12)
    return rf.read_history(storage)


BOTH = [True, False]
G = rf.Float(0.1, 1.0, off=0.0)


@pytest.mark.parametrize(
    ("objectives", "second"),
    [
        ([asked(BOTH, nested=True), asked(BOTH)], G),
        ([asked(BOTH), asked([])], rf.Float(0.1, 1.0)),  # a study without the flag
        ([asked(BOTH), asked([True])], rf.Float(0.1, 1.0)),
        ([asked(BOTH), asked([False])], rf.Constant(0)),
    ],
    ids=["nested", "no flag", "always on", "always off"],
)
def test_what_is_offered_is_taken(objectives, second):
    history = read(*objectives)
    assert sum("history.with_off({'g': 0})" in note for note in history.notes) == 1
    merged = history.with_off({"g": 0})
    assert merged.space["g"] == G and "use" not in merged.space
    assert merged.task_spaces["s1"]["g"] == second
    assert not any("use" in space for space in merged.task_spaces.values())
    flags, before = history.frame["use"], history.frame["g"]
    for flag, then, now in zip(flags, before, merged.frame["g"], strict=True):
        assert now == (0.0 if flag is False else then)
    assert rf.learn(merged, starts=0).space["g"] == G


def test_runs_with_flags_in_a_space_that_has_none_are_told_what_to_do(history):
    merged = history.with_off({"gamma": 0})
    says = r"values? .*missing.*; flags tell here: history\.with_off\({'gamma': 0}\)$"
    with pytest.raises(rf.HistoryError, match=says):
        rf.learn(history, merged.space, starts=0)


def test_a_range_around_zero_is_not_offered_to_be_off_there():
    history = read(asked(BOTH, -1.0))
    assert "g is active only if use is True" in history.notes
    assert not any("with_off" in note for note in history.notes)


def test_a_study_in_which_a_flag_has_fewer_values_is_read():
    history = read(asked(["none", "l1", "l2"]), asked(["none", "l1"]), asked(["l2"]))
    spaces = [history.task_spaces[name] for name in ("s0", "s1", "s2")]
    values = [[c.values for c in space.conditions] for space in spaces]
    assert values == [[("l1", "l2")], [("l1",)], []]


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
        ({"lr": 0}, "needs one parameter of two values .*; none does; .* the space with off=0 "),
    ],
)
def test_what_cannot_be_merged_is_one_clear_line(history, values, says):
    with pytest.raises(rf.HistoryError, match=says) as caught:
        history.with_off(values)
    assert "\n" not in str(caught.value)


def pairs_of(on: list[float | None], tasks: str = "ab") -> rf.History:
    """A table that declares nothing: `on` has the numbers, None where the flag is False."""
    n = len(on)
    frame = pl.DataFrame(
        {
            "task": list(tasks) * (n // 2),
            "use_g": [x is not None for x in on],
            "g": pl.Series(on, dtype=pl.Float64),
            "error": [0.1 * i for i in range(n)],
        }
    )
    return rf.read_history(frame, task="task", objective="error")


@pytest.mark.parametrize(
    ("on", "off", "wanted"),
    [
        ([0.2, None, None, 0.8], 0, rf.Float(0.2, 0.8, off=0.0)),
        ([0.001, None, None, 9.0, 0.01, 0.02], 0, rf.Float(0.001, 9.0, log=True, off=0.0)),
        ([0.2, None, None, 0.8], -1, rf.Float(0.2, 0.8, off=-1.0)),
        ([1.0, None, None, 6.0, 3.0, 5.0], -1, rf.Int(1, 6, off=-1)),
        ([1.0, None, None, 6.0, 3.0, 5.0], 0.5, rf.Float(1.0, 6.0, off=0.5)),
        ([3.0, None, None, 3.0], 0, rf.Int(0, 3)),  # no range beside it
    ],
)
def test_the_value_for_off_is_no_end_of_the_range_that_is_read_off_a_table(on, off, wanted):
    merged = pairs_of(on).with_off({"g": off})
    assert rf.infer_space(merged).space == rf.Space({"g": wanted})
    both = rf.History.concat([merged, pairs_of(on, "cd").with_off({"g": off})])
    assert rf.infer_space(both.rename({"g": "gamma"})).space == rf.Space({"gamma": wanted})
    assert merged.scaled({"g": 2.0}).off == {"g": 2 * off}


def test_a_value_for_off_lies_beside_the_others_of_a_table():
    says = "'g' cannot be off at 0, which lies among its other values, from -1 to 2; name one besi"
    with pytest.raises(rf.HistoryError, match=says):
        pairs_of([-1.0, None, None, 2.0]).with_off({"g": 0})
    assert pairs_of([0.0, None, None, 2.0]).with_off({"g": 0}).frame["g"].to_list()[1] == 0.0


def test_the_command_line_says_it_with_an_option_and_the_report_keeps_it(tmp_path):
    history = pairs_of([0.2, None, None, 0.8, 0.4, 0.5])
    history.frame.write_csv(tmp_path / "runs.csv")
    said = ringfence("learn", "runs.csv", "--off", "g=0", "-o", "l.json", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    by_hand = rf.learn(history.with_off({"g": 0}))
    assert rf.load(tmp_path / "l.json").bounds == by_hand.bounds
    report = ringfence("report", "runs.csv", "--off", "runs.csv:g=0", "-o", "r.html", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    page = html.unescape((tmp_path / "r.html").read_text())
    assert "history.with_off({'g': 0})" in page and "--off=g=0" in page
    wrong = ringfence("learn", "runs.csv", "--off", "g=none", cwd=tmp_path)
    assert "--off g must be a number such as 0, not 'none'" in wrong.stderr


def test_the_pair_of_a_table_is_offered_if_all_runs_agree():
    runs = pairs_of([0.2, None, None, 0.8] * 50)
    (note,) = [note for note in rf.infer_space(runs).notes if "switches" in note]
    assert note.startswith("use_g switches g on and off; history.with_off({'g': 0})")
    assert not any("switches" in n for n in rf.infer_space(runs.with_off({"g": 0})).notes)
    slip = runs.frame.with_columns(g=pl.Series([None, *runs.frame["g"][1:]]))
    told = rf.infer_space(rf.read_history(slip, task="task", objective="error")).notes
    assert not any("switches" in note for note in told)


def test_a_flag_that_was_always_on_is_one_by_its_name():
    def on(trial):
        trial.suggest_categorical("use_g", BOTH)
        return trial.suggest_float("g", 0.1, 1.0)

    study = optuna.create_study()
    for number in range(6):
        study.enqueue_trial({"use_g": True, "g": 0.1 * (number + 1)})
    study.optimize(on, n_trials=6)
    merged = rf.read_history(study).with_off({"g": 0})
    assert merged.space == rf.Space({"g": G})
    assert merged.frame["g"].min() == pytest.approx(0.1)
    columns = {"task": ["a", "b"] * 3, "g": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "use_g": [True] * 6}
    frame = pl.DataFrame({**columns, "loss": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    table = rf.History.from_frame(frame, parameters=["g", "use_g"])
    assert rf.infer_space(table.with_off({"g": 0})).space["g"].off == 0
    with pytest.raises(rf.HistoryError, match="none does"):
        table.rename({"use_g": "another"}).with_off({"g": 0})
