"""Own runs join the hub: by the names of parameters; its tasks give way as own ones come."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.learned.file import decode
from ringfence.learned.file_format import encode
from ringfence.learned.hub.entries import past_of
from ringfence.learned.hub.joining import MARK, SOON, thinned, with_past
from ringfence.space.pairs import paired

DENSE = "lightgbm"
BESTS = "catboost-tabr"


def own(n_tasks: int, name: str = DENSE, n: int = 40, objective: str = "auc") -> rf.History:
    """Runs of so many tasks in the upper half of the hub's space."""
    space = rf.hub(name).space
    configs = rf.learn(rf.hub()[name].history(), space, shape="full", starts=0).sample(
        n * n_tasks, seed=1
    )
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(configs, infer_schema_length=None).with_columns(
        task=pl.Series([f"own {i % n_tasks}" for i in range(len(configs))]),
        **{objective: pl.Series(rng.uniform(0.5, 0.9, len(configs)))},
    )
    return rf.History.from_frame(
        frame, task="task", objective=objective, parameters=list(space), direction="maximize"
    )


@pytest.mark.parametrize("n_own", [1, 3, 10])
def test_the_hub_gives_way_as_own_tasks_come(n_own):
    total = len(past_of(rf.hub(DENSE)).tasks)
    learned = rf.learn(own(n_own), hub=DENSE, starts=0)
    of_hub = [task.name for task in learned.tasks if task.name.startswith(MARK)]
    assert len(of_hub) == math.ceil(total * SOON / (SOON + n_own))
    assert len(learned.tasks) == len(of_hub) + n_own
    of_all = f"{len(of_hub)} of the {total} tasks that ship of the hub's '{DENSE}'"
    said = f"{of_all} count beside {n_own} own"
    assert said in str(learned)
    assert learned.provenance.objective == "auc" and learned.provenance.direction == "maximize"


def test_some_of_the_hub_is_always_left():
    past = past_of(rf.hub(DENSE))
    assert len(thinned(past, 0).tasks) == len(past.tasks)
    assert len(thinned(past, 10**9).tasks) == 1
    assert set(thinned(past, 5).tasks) <= set(past.tasks)


def test_ranges_that_were_read_off_are_widened_and_declared_ones_are_not():
    runs = own(2)
    name = next(n for n, p in rf.hub(DENSE).space.parameters.items() if isinstance(p, rf.Float))
    whole = rf.hub(DENSE).space[name]
    assert rf.learn(runs, hub=DENSE, starts=0).space[name] == whole
    low, high = (float(x) for x in runs.frame[name].quantile(0.1) * np.array([1.0, 1.5]))
    declared = rf.Space({name: rf.Float(low, high)})
    learned = rf.learn(runs, declared, hub=DENSE, starts=0)
    assert learned.space == declared


def test_declared_ranges_that_hold_few_runs_of_the_hub_are_told():
    """The best of the few that are left of a task is not the best of the task."""
    whole = rf.hub(DENSE).space
    narrow = {"n_estimators": rf.Int(20, 200, log=True), "num_leaves": rf.Int(4, 64, log=True),
              "learning_rate": rf.Float(0.01, 0.3, log=True)}  # fmt: skip
    learned = rf.learn(own(3), rf.Space(narrow), hub=DENSE, starts=0)
    told = next(note for note in learned.provenance.notes if "declared ranges hold" in note)
    inside, of, a_task = (int(word.replace(",", "")) for word in re.findall(r"[\d,]*\d", told)[:3])
    own_rows = sum(t.n_evaluations for t in learned.tasks if not t.name.startswith(MARK))
    assert inside == learned.provenance.rows_used - own_rows < of / 2
    assert a_task == round(inside / (len(learned.tasks) - 3)) and told in str(learned)
    wide = {name: whole[name] for name in narrow}
    assert "declared ranges hold" not in str(rf.learn(own(3), rf.Space(wide), hub=DENSE, starts=0))


@pytest.mark.parametrize("seed", range(8))
def test_a_narrower_log_range_than_that_of_the_hub_is_no_other_unit(seed):
    """The hub's zeros, where a penalty is off, looked like a linear scale: in 11 of 30 draws the
    own runs were said to be in hundredths."""
    rng = np.random.default_rng(seed)
    table = pl.DataFrame({
        "task": ["a"] * 12 + ["b"] * 12,
        "reg_lambda": 10 ** rng.uniform(-3, 1, 24),
        "learning_rate": 10 ** rng.uniform(-2, -0.5, 24),
        "loss": rng.random(24),
    })  # fmt: skip
    runs = rf.History.from_frame(table, task="task", objective="loss")
    space = rf.Space({"reg_lambda": rf.Float(1e-3, 10.0, log=True),
                      "learning_rate": rf.Float(0.01, 0.33, log=True)})  # fmt: skip
    assert "other units" not in str(rf.learn(runs, space, hub=DENSE, starts=0))


def test_whoever_does_not_say_which_kind_is_told_how():
    with pytest.raises(rf.SettingError, match="hub='elastic_net/classification'"):
        rf.learn(own(2), hub="elastic_net")


def test_flags_of_own_runs_beside_what_is_off_in_the_hub_are_said():
    """As an exported program of Optuna leaves them: most rows of the hub fit only as one."""
    space = rf.hub(DENSE).space
    off = [name for name in space if getattr(space[name], "off", None) == 0]
    runs = own(2)
    flags = {f"use_{name}": runs.frame[name] != 0.0 for name in off}
    frame = runs.frame.with_columns(**flags).with_columns(
        pl.when(pl.col(f"use_{name}")).then(name).alias(name) for name in off
    )
    flagged = rf.History.from_frame(
        frame, task="task", objective="auc", parameters=[*runs.roles.parameters, *flags],
        direction="maximize",
    )  # fmt: skip
    call = "history.with_off({'reg_alpha': 0, 'reg_lambda': 0, 'min_split_gain': 0}) makes them"
    learned = rf.learn(flagged, paired(space), hub=DENSE, starts=0)
    assert call in str(learned) and learned.provenance.rows_used < learned.provenance.rows / 2
    assert "(--off=reg_alpha=0 --off=reg_lambda=0 --off=min_split_gain=0)" in str(learned)
    on = flagged.frame.filter(pl.all_horizontal(*flags))  # as in a search of few trials
    assert call in str(rf.learn(replace(flagged, frame=on), hub=DENSE, starts=0))
    merged = rf.learn(flagged.with_off(dict.fromkeys(off, 0)), space, hub=DENSE, starts=0)
    assert "with_off" not in str(merged)
    assert merged.provenance.rows_used == merged.provenance.rows


@pytest.mark.parametrize("with_booster", [False, True])
def test_own_runs_of_one_booster_join_those_of_several(with_booster):
    """The hub has runs of linear boosters, which have no depth; own runs are of trees alone."""
    rng = np.random.default_rng(0)
    columns = {"max_depth": rng.integers(2, 10, 40), "eta": rng.uniform(0.01, 0.3, 40)}
    booster = {"booster": ["gbtree"] * 40} if with_booster else {}
    frame = pl.DataFrame({"task": ["a", "b"] * 20, **booster, **columns, "error": rng.random(40)})
    runs = rf.History.from_frame(frame, task="task", objective="error")
    learned = rf.learn(runs, hub="xgboost", starts=3)
    inactive = rf.hub()["xgboost"].history().frame["max_depth"].null_count()
    said = f"{inactive:,} rows of the hub left out, in which"
    assert inactive and any(note.startswith(said) for note in learned.provenance.notes)
    assert all("max_depth" in config for config in learned.starts(3))
    outcome = rf.minimize(lambda config: config["eta"], learned, n_trials=4, history=runs)
    assert outcome.optimizer.name == "transfer"


def test_a_search_knows_both_pasts_and_the_file_remembers_the_hub():
    runs = own(2)
    learned = rf.learn(runs, hub=DENSE, starts=0)
    assert learned.hub == f"{DENSE}/any" and decode(encode(learned)).hub == learned.hub
    both = with_past(learned, runs)
    assert set(runs.tasks) < set(both.tasks) and len(both.tasks) == len(learned.tasks)
    assert with_past(learned, None).tasks == past_of(learned).tasks
    plain = rf.learn(runs, starts=0)
    assert plain.hub == "" and with_past(plain, runs) is runs and with_past(plain, None) is None
    engine = rf.optimizer("auto", learned, history=runs, direction="maximize")
    assert engine.name == "transfer"
    assert {task.name for task in engine.setup.sources.tasks} == set(both.tasks)


def test_a_space_of_the_hub_may_stand_for_its_name():
    runs = own(1)
    space = rf.hub(DENSE, task="regression")
    one = rf.learn(runs, hub=space, starts=0)
    other = rf.learn(runs, hub=f"{DENSE}/regression", starts=0)
    assert encode(one) == encode(other) and one.hub == space.hub
    with pytest.raises(rf.SettingError, match=r"that rf.hub\(name, …\) gives"):
        rf.learn(runs, hub=rf.learn(runs, starts=0))


def test_bests_alone_join_too():
    runs = own(2, BESTS)
    learned = rf.learn(runs, hub=BESTS)
    assert learned.hub == f"{BESTS}/any"
    assert sum(task.n_evaluations == 1 for task in learned.tasks) == len(learned.tasks) - 2


def test_other_names_are_offered_and_nothing_is_renamed_unasked():
    runs = own(1).rename({"learning_rate": "lr"})
    learned = rf.learn(runs, hub=DENSE, starts=0)
    assert "learning_rate" not in learned.space and "lr" in learned.space
    note = next(note for note in learned.provenance.notes if "rename" in note)
    assert "history.rename({'lr': 'learning_rate'})" in note
    strange = runs.rename({name: f"x{i}" for i, name in enumerate(runs.roles.parameters)})
    with pytest.raises(rf.SettingError, match="no parameter in common") as error:
        rf.learn(strange, hub=DENSE)
    assert "\n" not in str(error.value) and "history.rename({…})" in str(error.value)
    with pytest.raises(rf.SettingError, match="no entry 'nothing'"):
        rf.learn(runs, hub="nothing")


def test_optuna_transfers_from_the_hub_unasked():
    optuna = pytest.importorskip("optuna")
    from ringfence.adapters.optuna import transfer_sampler

    learned = rf.hub(DENSE)
    study = optuna.create_study(sampler=transfer_sampler(learned, guard=None))
    trial = study.ask()
    name = next(n for n, p in learned.space.parameters.items() if isinstance(p, rf.Float))
    parameter = learned.space[name]
    drawn = trial.suggest_float(name, parameter.low, parameter.high, log=parameter.log)
    assert learned.bounds[name][0] <= drawn <= learned.bounds[name][1]
    with pytest.raises(rf.SettingError, match="brings no runs"):
        transfer_sampler(rf.hub(BESTS))
