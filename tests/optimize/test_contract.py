"""What every optimizer promises, over every region and kind of space.

`make test` runs methods with a model on a covering of the matrix (covering.py), `make test-all` on
all of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from threadpoolctl import threadpool_limits

import ringfence as rf
from covering import matrix
from problems import META, REGIONS, SPACES, TARGET, Problem, history, mismatched, region
from ringfence.learned.full import full_space
from ringfence.optimize.registry import names

HERE = Path(__file__).parent
KINDS = [*SPACES, "table"]
TRIALS = 12
OPTIONS = {
    "hyperband": {"max_budget": 9},
    "successive-halving": {"max_budget": 9},
    "gp": {"n_initial": 4},
    "gp-warping": {"n_initial": 4},
    "ablr": {"n_initial": 4},
    "smac": {"n_initial": 4, "challengers": 200, "local_searches": 1},
}
TRANSFER = ("ablr", "gp-warm-start", "gp-warm-start-all", "transfer")
WITH_MODEL = {*names()} - {"random", "sobol", "hyperband", "successive-halving"}


@cache
def recorded() -> list[dict]:
    """The rows of a table, to four digits, as people write them."""
    return [
        {n: float(f"{v:.4g}") if isinstance(v, float) else v for n, v in config.items()}
        for config in region("conditional", "full").sample(400, seed=9)
    ]


def make(name: str, kind: str, where: str, seed: int = 0, guard: float = 0.0) -> rf.Optimizer:
    space_kind = "conditional" if kind == "table" else kind
    sources = {}
    if name in TRANSFER:
        past = mismatched(SPACES[space_kind]) if where == "mismatched" else history(space_kind)
        sources = {"history": past, "meta_features": META, "target": TARGET}
    candidates = recorded() if kind == "table" else None
    return rf.optimizer(
        name,
        region(space_kind, where),
        seed=seed,
        candidates=candidates,
        guard=guard,
        **sources,
        **OPTIONS.get(name, {}),
    )


def transfer(name: str, space: rf.Space, objective) -> dict:
    """What a method that transfers needs: two earlier tasks of ten rows, and meta-features."""
    if name not in TRANSFER:
        return {}
    configs = full_space(space).sample(20, seed=0)
    table = pl.DataFrame(configs).with_columns(
        task=pl.Series(["t0", "t1"] * 10), y=pl.Series([objective(config) for config in configs])
    )
    past = rf.History.from_frame(
        table, task="task", objective="y", direction="minimize", parameters=list(space)
    )
    return {"history": past, "meta_features": META, "target": TARGET}


def problem(kind: str) -> Problem:
    return Problem(SPACES["conditional" if kind == "table" else kind], 0.55)


def run(engine: rf.Optimizer, objective, n: int) -> list[dict]:
    for _ in range(n):
        trial = engine.ask()
        if trial.number == 5:
            engine.fail(trial, "on purpose")
        else:
            engine.tell(trial, objective(trial.config, trial.budget))
    return [trial.config for trial in engine.trials]


def distinct(engine: rf.Optimizer) -> bool:
    """No configuration twice, but for higher budgets."""
    new = [json.dumps(t.config, sort_keys=True) for t in engine.trials if t.resumes is None]
    return len(set(new)) == len(new)


@pytest.mark.parametrize("name, kind, where", matrix(names(), KINDS, REGIONS, WITH_MODEL))
def test_the_contract(name, kind, where, tmp_path):
    learned = region("conditional" if kind == "table" else kind, where)
    objective = problem(kind)
    engine = make(name, kind, where)
    first = run(engine, objective, TRIALS)

    assert all(learned.contains(config) for config in first)
    assert distinct(engine)
    if kind == "table":
        assert all(config in recorded() for config in first)

    # the same seed and results, the same continuation after a save in the middle
    again = make(name, kind, where)
    assert run(again, objective, TRIALS // 2) == first[: TRIALS // 2]
    again.save(tmp_path / "state.json")
    resumed = rf.load_optimizer(tmp_path / "state.json")
    assert run(resumed, objective, TRIALS - TRIALS // 2) == first

    # another seed differs, unless the method asks for the best of a model it had from the start
    if name not in TRANSFER or name == "ablr":
        assert run(make(name, kind, where, seed=1), objective, 1) != first[:1]

    # progress: its best is among the better three quarters of the region (eight random draws fail
    # that once in 65,000 times)
    layout = objective.layout
    usual = np.quantile(objective.values(layout.encode(learned.sample(300, seed=2))), 0.75)
    assert min(objective(t.config) for t in engine.trials if t.value is not None) < usual


@pytest.mark.parametrize("kind", ["conditional", "table"])
@pytest.mark.parametrize("name", TRANSFER)
def test_the_contract_with_tasks_of_other_parameters(name, kind, tmp_path):
    # every method that transfers, also where the covering above leaves it out
    test_the_contract(name, kind, "mismatched", tmp_path)
    sources = make(name, kind, "mismatched").setup.sources
    assert [bool(task.unknown) for task in sources.tasks] == [True] * 6 + [False] * 6
    assert [task.extra is not None for task in sources.tasks] == [True] * 6 + [False] * 6


@pytest.mark.parametrize("name", names())
def test_the_number_of_blas_threads_changes_no_digit(name):
    asked, objective = [], problem("conditional")
    for number in (1, 8):
        with threadpool_limits(number, user_api="blas"):
            asked.append(run(make(name, "conditional", "ellipsoid", guard=0.1), objective, 8))
    assert asked[0] == asked[1]


@pytest.mark.parametrize("name", names())
def test_workers_at_once_get_different_configurations(name):
    engine = make(name, "mixed", "ellipsoid")
    run(engine, problem("mixed"), 8)
    batch = [engine.ask() for _ in range(4)]
    assert distinct(engine)
    for trial in reversed(batch):
        engine.tell(trial, 1.0)
    assert engine.ask().number == 12


@pytest.mark.parametrize("name", names())
def test_a_finite_space_is_searched_to_its_end(name):
    space = rf.Space({"a": rf.Int(1, 3), "b": rf.Categorical(["x", "y"])})

    def objective(config, budget=1):
        return float(config["a"] + (config["b"] == "x"))

    options = OPTIONS.get(name, {})
    if "max_budget" in options:
        options = {"max_budget": 1}
    outcome = rf.minimize(objective, space, name, 20, **transfer(name, space, objective), **options)
    assert outcome.ended.startswith("all 6 configurations")
    assert len(outcome.trials) == 6
    assert outcome.config == {"a": 1, "b": "y"}


@pytest.mark.parametrize("name", names())
def test_equal_values_and_categories_alone_are_no_trouble(name):
    space = rf.Space({f"c{j}": rf.Categorical([*"pqrs"]) for j in range(8)})
    sources = transfer(name, space, lambda config: 1.0)
    engine = rf.optimizer(name, space, **sources, **OPTIONS.get(name, {}))
    for _ in range(9):
        engine.tell(engine.ask(), 3.0)
    assert distinct(engine)


@pytest.mark.parametrize("name", names())
def test_every_trial_may_fail(name):
    engine = make(name, "numeric", "box")
    for _ in range(8):
        engine.fail(engine.ask(), "always")
    assert engine.best is None
    assert distinct(engine)


def sequence(name: str) -> list[dict]:
    return run(make(name, "conditional", "slack ellipsoid"), problem("conditional"), 9)


@cache
def elsewhere() -> dict[str, list[dict]]:
    """The sequence of every method in one other process, with other hashes: what runs through a set
    may not decide."""
    code = (
        "import json, test_contract as t;"
        "print(json.dumps({name: t.sequence(name) for name in t.names()}))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]),
            "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1",
        },
    )
    return json.loads(finished.stdout)


@pytest.mark.parametrize("name", names())
def test_the_same_sequence_in_another_process(name):
    assert elsewhere()[name] == sequence(name)


@pytest.mark.parametrize("name", sorted(TRANSFER))
def test_a_history_that_holds_its_tasks_twice_is_as_one_that_holds_them_once(name):
    once = history("mixed")
    where = region("mixed", "box")
    engines = [
        rf.optimizer(
            name,
            where,
            history=past,
            meta_features=META,
            target=TARGET,
            **OPTIONS.get(name, {}),
        )
        for past in (once, rf.History.concat([once, once]))
    ]
    for _ in range(4):
        trials = [engine.ask() for engine in engines]
        assert trials[0].config == trials[1].config
        for engine, trial in zip(engines, trials):
            engine.tell(trial, problem("mixed")(trial.config))
