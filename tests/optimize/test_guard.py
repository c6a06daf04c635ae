"""The guard: how many trials search the full space, which, and what that is good for."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from test_contract import KINDS, OPTIONS, WITH_MODEL, distinct, make, problem, recorded, run

import ringfence as rf
from covering import matrix
from problems import SPACES, Problem, history, region
from ringfence.errors import SettingError
from ringfence.optimize.guard import n_guarded
from ringfence.optimize.registry import names

NUMERIC = SPACES["numeric"]
WHERE = ["box", "slack ellipsoid", "ellipsoid", "ellipsoids"]


@pytest.mark.parametrize("name, kind, where", matrix(names(), KINDS, WHERE, WITH_MODEL))
def test_the_contract_with_a_guard(name, kind, where, tmp_path):
    space_kind = "conditional" if kind == "table" else kind
    learned, objective = region(space_kind, where), problem(kind)
    engine = make(name, kind, where, guard=0.3)
    run(engine, objective, 5)
    engine.save(tmp_path / "state.json")
    first = run(engine, objective, 5)
    assert all(SPACES[space_kind].contains(config) for config in first)
    assert all(learned.contains(t.config) for t in engine.trials if not t.guard and not t.resumes)
    assert distinct(engine)
    new = [trial.guard for trial in engine.trials if trial.resumes is None]
    assert sum(new) >= n_guarded(0.3, len(new)) > 0
    if kind == "table":
        assert all(config in recorded() for config in first)

    resumed = rf.load_optimizer(tmp_path / "state.json")
    assert run(resumed, objective, 5) == first
    assert [t.guard for t in resumed.trials] == [t.guard for t in engine.trials]


def guarded(engine: rf.Optimizer) -> list[int]:
    return [trial.number for trial in engine.trials if trial.guard]


def prefers(learned: rf.LearnedSpace, inside: bool):
    """An objective whose good values lie on one side of the region's edge."""
    return lambda config, budget=None: 1.0 - (learned.contains(config) == inside)


@pytest.mark.parametrize("share, expected", [(0.1, [9, 19]), (0.25, [3, 7, 11, 15, 19])])
def test_while_the_best_is_inside_the_share_is_exact(share, expected):
    learned = region("numeric", "box")
    engine = rf.optimizer("random", learned, guard=share)
    for _ in range(20):
        engine.tell(engine.ask(), prefers(learned, True)(engine.trials[-1].config))
    assert guarded(engine) == expected
    assert [n_guarded(0.29, n) for n in (100, 200)] == [29, 58]  # 0.29 * 100 is 28.999…


def test_while_the_best_is_outside_every_second_trial_is_the_guards():
    learned = region("numeric", "box")
    engine = rf.optimizer("random", learned, guard=0.1)
    for _ in range(20):
        engine.tell(engine.ask(), prefers(learned, False)(engine.trials[-1].config))
    assert not learned.contains(engine.trials[9].config)
    assert guarded(engine) == [9, 11, 13, 15, 17, 19]


def test_trials_that_run_at_once_keep_the_share():
    engine = rf.optimizer("gp", region("numeric", "ellipsoid"), guard=0.25, n_initial=4)
    for _ in range(3):
        for trial in [engine.ask() for _ in range(4)]:
            engine.tell(trial, float(trial.guard))
    assert guarded(engine) == [3, 7, 11]


def test_hyperband_counts_new_configurations_only():
    engine = rf.optimizer("hyperband", region("numeric", "box"), guard=0.5, max_budget=9)
    for _ in range(30):
        trial = engine.ask()
        engine.tell(trial, float(trial.guard))
    new = [trial.guard for trial in engine.trials if trial.resumes is None]
    assert len(new) < 30 and new == [i % 2 == 1 for i in range(len(new))]
    assert not any(trial.guard for trial in engine.trials if trial.resumes is not None)


def test_starting_points_come_first():
    learned = rf.learn(history("numeric"), NUMERIC, starts=4)
    engine = rf.optimizer("random", learned, starts=4, guard=0.5)
    for _ in range(8):
        engine.tell(engine.ask(), prefers(learned, True)(engine.trials[-1].config))
    assert [trial.config for trial in engine.trials[:4]] == learned.starts(4)
    assert guarded(engine) == [4, 5, 6, 7]  # and then the guard catches up


@pytest.mark.parametrize("where", ["box", "ellipsoid"])
@pytest.mark.parametrize("name", ["gp", "gp-warping"])
def test_an_optimum_outside_the_region_is_found_with_a_guard_and_not_without(name, where):
    learned = region("numeric", where)
    objective = Problem(NUMERIC, 0.1)
    layout = objective.layout
    floor = objective.values(layout.encode(learned.sample(4000, seed=0))).min()
    best = {
        guard: rf.minimize(objective, learned, name, 40, guard=guard, progress=False).value
        for guard in ("auto", None)
    }
    assert best[None] > 0.8 * floor  # nothing inside is much better than the best of 4,000 draws
    assert best["auto"] < 0.1 * floor


def finite() -> tuple[rf.Space, rf.LearnedSpace]:
    space = rf.Space({"a": rf.Int(1, 6), "b": rf.Categorical(["x", "y"])})
    rows = pl.DataFrame({"task": ["s", "t"], "a": [2, 3], "b": ["x", "y"], "loss": [0.0, 0.0]})
    return space, rf.learn(rf.History.from_frame(rows, task="task", objective="loss"), space)


@pytest.mark.parametrize("name", sorted(set(names()) - {"hyperband", "successive-halving"}))
def test_where_the_region_is_exhausted_the_search_goes_on_outside(name):
    space, learned = finite()
    sources = {}
    if name in ("ablr", "gp-warm-start", "gp-warm-start-all", "transfer"):
        configs = [{"a": a, "b": "x", "task": t, "y": a} for a in range(1, 7) for t in ("s", "t")]
        past = rf.History.from_frame(
            pl.DataFrame(configs),
            task="task",
            objective="y",
            direction="minimize",
            parameters=list(space),
        )
        meta = {"s": {"n": 1.0}, "t": {"n": 2.0}}
        sources = {"history": past, "meta_features": meta, "target": {"n": 1.0}}
    asked = {**sources, **OPTIONS.get(name, {}), "progress": False}
    outcome = rf.minimize(lambda c: float(c["a"]), learned, name, 30, guard=0.1, **asked)
    assert outcome.ended.startswith("all 12 configurations")
    assert len(outcome.trials) == 12 and outcome.config["a"] == 1
    closed = rf.minimize(lambda c: float(c["a"]), learned, name, 30, guard=None, **asked)
    assert closed.ended.startswith("all 4 configurations") and len(closed.trials) == 4


@pytest.mark.parametrize("name", sorted(set(names()) - {"gp-warm-start", "gp-warm-start-all"}))
def test_methods_with_a_model_have_a_guard_unless_told_otherwise(name):
    sources = {"history": history("numeric")} if name == "transfer" else {}
    usual = rf.optimizer(name, region("numeric", "box"), **sources).setup.guard
    assert (usual is not None and usual.share == 0.1) == (name in WITH_MODEL)
    assert rf.optimizer(name, region("numeric", "box"), guard=0, **sources).setup.guard is None
    assert rf.optimizer(name, NUMERIC, guard=0.5, **sources).setup.guard is None
    assert rf.optimizer(name, region("numeric", "full"), **sources).setup.guard is None


@pytest.mark.parametrize("guard", [-0.1, 1.5, "yes", True, float("nan")])
def test_what_is_no_share_is_refused(guard):
    with pytest.raises(SettingError, match="from 0 to 1, not"):
        rf.optimizer("gp", region("numeric", "box"), guard=guard)


def test_a_state_file_from_before_there_was_a_guard_goes_on_without_one(tmp_path):
    path = tmp_path / "state.json"
    engine = make("gp", "table", "box")
    run(engine, problem("table"), 5)
    engine.save(path)
    state = json.loads(path.read_text())
    del state["guard"], state["guard_memory"]
    path.write_text(json.dumps(state))
    old = rf.load_optimizer(path)
    assert old.setup.guard is None
    assert run(old, problem("table"), 3) == run(engine, problem("table"), 3)


def test_uniform_guard_trials_are_uniform_in_the_full_space():
    """Kolmogorov-Smirnov on each coordinate; a false alarm in 3,000 for the three together."""
    from scipy.stats import kstest

    engine = rf.optimizer("random", region("numeric", "box"), guard=1.0, seed=5)
    layout = engine.setup.domain.layout
    rows = layout.encode([engine.ask().config for _ in range(300)])
    assert all(trial.guard for trial in engine.trials)
    assert min(kstest(column, "uniform").pvalue for column in rows.T) > 1e-4
    assert not np.all(layout.inside(rows))
