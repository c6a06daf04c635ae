"""Saved optimizers that were damaged, or changed by hand: one clear error, or a search that works.

`make test` tries a few of all damages to each method's state, `make test-all` hundreds.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from test_contract import make, problem, run

import ringfence as rf
from mutation import mutants
from ringfence.optimize import BaseMethod, Proposal
from ringfence.optimize.registry import names

TRIALS = 9
SAMPLE, MANY = 25, 600  # damages of each method's state that `make test` and `make test-all` try


@cache
def state(name: str) -> str:
    """A search of a few trials, one failed and one running, over a region with a guard."""
    where = "mismatched" if name in ("transfer", "ablr") else "ellipsoid"
    engine = make(name, "table" if name == "random" else "conditional", where, guard=0.25)
    run(engine, problem("conditional"), TRIALS)
    engine.ask()
    path = Path("state.json")
    engine.save(path)
    tree = json.loads(path.read_text())
    if tree["candidates"]:  # the rest takes time only
        told = [trial["config"] for trial in tree["trials"]]
        tree["candidates"] = told + [c for c in tree["candidates"] if c not in told][:30]
    for source in (tree["sources"] or {"tasks": []})["tasks"]:
        for part in ("rows", "values", "extra"):
            source.update({part: source[part][:6]} if part in source else {})
    return json.dumps(tree)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def loaded(text: str) -> rf.Optimizer:
    Path("damaged.json").write_text(text)
    return rf.load_optimizer("damaged.json")


def changed(name: str, change) -> rf.Optimizer:
    tree = json.loads(state(name))
    change(tree)
    return loaded(json.dumps(tree))


def search_on(engine: rf.Optimizer) -> None:
    """Two more trials, each where it may be, and the same again from the file."""
    for _ in range(2):
        trial = engine.ask()
        domain = engine.setup.guard.domain if trial.guard else engine.setup.domain
        assert trial.resumes is not None or domain.learned.contains(trial.config)
        engine.tell(trial, 0.3)
    str(engine), engine.history()
    engine.save("again.json")
    assert rf.load_optimizer("again.json").trials == engine.trials


def tried(name: str, damages) -> dict[str, int]:
    counts = {"error": 0, "search": 0}
    for what, text in damages:
        try:
            search_on(loaded(text))
            counts["search"] += 1
        except rf.RingfenceError as error:
            assert "\n" not in str(error) and len(str(error)) < 500, what
            counts["error"] += 1
        except Exception as error:
            raise AssertionError(f"{name}: {what}") from error
    return counts


@pytest.mark.parametrize("name", names())
def test_damages_end_in_an_error_or_a_search(name):
    every = list(mutants(json.loads(state(name))))
    chosen = np.random.default_rng(0).choice(len(every), SAMPLE, replace=False)
    counts = tried(name, [every[i] for i in chosen])
    assert sum(counts.values()) == SAMPLE and counts["error"] > SAMPLE / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_many_damages_end_in_an_error_or_a_search(name):
    every = list(mutants(json.loads(state(name))))
    counts = tried(name, every[:: max(len(every) // MANY, 1)])
    assert counts["error"] > counts["search"] > 0


def swap(tree):
    trials = tree["trials"]
    trials[1], trials[2] = trials[2], trials[1]


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("gp", lambda t: t.update(seed=-1), "seed"),
        ("gp", lambda t: t.update(seed=None), "seed"),
        ("gp", lambda t: t.update(name="nope"), "no optimizer 'nope'"),
        ("gp", lambda t: t.update(guard=1e308), "guard is the share"),
        ("gp", lambda t: t.update(guard=-1), "guard is the share"),
        ("gp", lambda t: t.update(starts=10**400), "starts"),
        ("gp", lambda t: t["trials"][0].update(value=None), "is done, and its value is None"),
        ("gp", lambda t: t["trials"][5].update(value=1.0), "is failed, and its value is 1"),
        ("gp", lambda t: t["trials"][9].update(reason="why"), "a reason for a failure"),
        ("gp", lambda t: t["trials"][0].update(budget=1e-320), "has a budget"),
        ("gp", lambda t: t["trials"][1].update(number=7), "in the place of trial 1"),
        ("gp", lambda t: t["trials"].pop(0), "in the place of trial 0"),
        ("gp", swap, "trial 2 stands in the place of trial 1"),
        ("gp", lambda t: t["trials"][0]["config"].update(C=1e9), "trial 0 is outside"),
        ("gp", lambda t: t["trials"][0]["config"].update(C="big"), "trial 0 is outside"),
        ("gp", lambda t: t["trials"][0]["config"].pop("C"), "no value of 'C'"),
        ("gp", lambda t: t["trials"][0]["config"].update(new=1), "'new' is not a parameter"),
        ("random", lambda t: t["trials"][1]["config"].update(shrink=0.512345), "none of the cand"),
        ("gp", lambda t: t["trials"][0].update(guard=True) or t.update(guard=0), "no guard"),
        ("gp", lambda t: t["trials"][1].update(resumes=4), "did not come before"),
        ("random", lambda t: t.update(memory={"hyperparameters": None}), "keeps none"),
        ("gp", lambda t: t.update(memory={"sources": {}}), "sources"),
        ("gp", lambda t: t["memory"]["hyperparameters"].update(noise=-1), "out of its range"),
        ("gp", lambda t: t["memory"]["hyperparameters"].update(noise=1e-320), "out of its range"),
        ("gp", lambda t: t["memory"]["hyperparameters"]["length_scales"].pop(), "length scales"),
        (
            "transfer",
            lambda t: t["memory"]["sources"].update(x=t["memory"]["sources"]["t0"]),
            "'x'",
        ),
        ("transfer", lambda t: t["sources"]["tasks"][0]["rows"][0].pop(), "has not 5 numbers"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["values"].pop(), "6 rows and 5 values"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["rows"][2].__setitem__(1, 1.5), "row 2 of"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["rows"][2].__setitem__(1, 0.5), "row 2 of"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["unknown"].append("D"), "than it says"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["extra"][3].__setitem__(0, 2), "than it s"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["extra"].pop(), "than it says"),
        ("transfer", lambda t: t["sources"]["tasks"][0]["rows"][2].__setitem__(0, 0.5), "row 2 of"),
        (
            "transfer",
            lambda t: t["sources"]["tasks"][-1]["rows"][2].__setitem__(1, None),
            "row 2 of",
        ),
        ("transfer", lambda t: t["sources"].update(tasks=[]), "no earlier tasks"),
        ("hyperband", lambda t: t["options"].update(eta=1 + 1e-12), "rungs"),
        ("hyperband", lambda t: t["options"].update(min_budget=1e-320), "never be complete"),
        ("hyperband", lambda t: t["options"].update(max_budget=1e308), "never be complete"),
        ("hyperband", lambda t: t["trials"][0].update(budget=1e-320), "has the budget"),
        ("hyperband", lambda t: t["trials"][0].update(budget=None), "has the budget"),
        ("hyperband", lambda t: t["trials"][0].update(place=[0, 7]), "no place in a bracket"),
        ("hyperband", lambda t: t["trials"][0].update(place=[10**12, 0]), "no place in a bracket"),
        ("hyperband", lambda t: t["trials"][0].pop("place"), "no place in a bracket"),
        ("smac", lambda t: t["options"].update(local_searches=2**53), "local_searches"),
        ("smac", lambda t: t["options"].update(challengers=2**53), "challengers"),
    ],
)
def test_what_cannot_be_is_named(name, change, says):
    with pytest.raises(rf.FileError, match=says) as caught:
        changed(name, change)
    assert "\n" not in str(caught.value) and "damaged.json" in str(caught.value)
    assert len(str(caught.value)) < 500


def promoted() -> dict:
    """The state of a successive halving with a promotion."""
    engine = rf.optimizer("successive-halving", rf.Space({"x": rf.Float(0, 1)}), max_budget=3)
    run(engine, lambda config, budget: config["x"] + 1 / budget, 4)
    engine.save("halving.json")
    return json.loads(Path("halving.json").read_text())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t[3].update(resumes=None), "resumes none"),
        (lambda t: t[3]["config"].update(x=0.5), "whose configuration is another"),
        (lambda t: t[t[3]["resumes"]].update(state="failed", value=None), "not done in the rung"),
        (lambda t: t[3].update(place=[0, 0], budget=1.0, resumes=None), "one too many"),
        (lambda t: t.append({**t[3], "number": 4}), "resumes what another did"),
    ],
)
def test_a_promotion_comes_from_the_rung_below(change, says):
    tree = promoted()
    assert loaded(json.dumps(tree)).trials[3].resumes is not None
    change(tree["trials"])
    with pytest.raises(rf.FileError, match=says):
        loaded(json.dumps(tree))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(number):
    text = state("gp").replace('"seed": 0', f'"seed": {number}')
    with pytest.raises(rf.FileError):
        loaded(text)


@pytest.mark.parametrize("name", ["hyperband", "successive-halving"])
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"eta": 1.0000001}, "choose a larger one"),
        ({"eta": 1.0}, "greater than 1"),
        ({"min_budget": 1e-320}, "never be complete"),
        ({"max_budget": 1e308, "min_budget": 1e-308}, "never be complete"),
        ({"min_budget": float("nan")}, "budgets must satisfy"),
    ],
)
def test_brackets_that_never_end_are_refused(name, options, says):
    with pytest.raises(rf.SettingError, match=says):
        rf.optimizer(name, rf.Space({"x": rf.Float(0, 1)}), **options)


def test_a_method_of_ones_own_keeps_any_memory_and_budget():
    class Own(BaseMethod):
        def propose(self, log, rng):
            self.memory["asked"] = self.memory.get("asked", 0) + 1
            return Proposal({"x": rng.random()}, budget=2.0)

    engine = rf.optimizer(Own, rf.Space({"x": rf.Float(0, 1)}))
    engine.tell(engine.ask(), 1.0)
    engine.save("own.json")
    again = rf.load_optimizer("own.json", Own)
    again.ask()
    assert again.method.memory == {"asked": 2}


@pytest.mark.parametrize("name", ["gp", "gp-warm-start", "gp-warm-start-all", "ablr", "transfer"])
def test_a_value_near_the_largest_float_is_a_value(name):
    """Users take 1e308 for a failed run; the sum of two such values overflows."""

    def change(tree):
        for trial in tree["trials"][1:4]:
            trial["value"] = 1e308

    search_on(changed(name, change))
