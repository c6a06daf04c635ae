"""Hyperband's brackets and promotions."""

from __future__ import annotations

import pytest

import ringfence as rf
from problems import SPACES, Problem, region
from ringfence.errors import SettingError
from ringfence.optimize.ask_tell import optimizer
from ringfence.optimize.brackets import bracket, most_rungs

# Li et al., JMLR 2018: n_i and r_i for R = 81, η = 3, bracket by bracket.
PUBLISHED = {
    4: [(81, 1), (27, 3), (9, 9), (3, 27), (1, 81)],
    3: [(34, 3), (11, 9), (3, 27), (1, 81)],
    2: [(15, 9), (5, 27), (1, 81)],
    1: [(8, 27), (2, 81)],
    0: [(5, 81)],
}


def test_the_brackets_are_the_published_ones():
    assert most_rungs(81, 1, 3) == 4
    for s, rungs in PUBLISHED.items():
        assert list(bracket(s, 4, 81, 3)) == rungs


@pytest.mark.parametrize("power", range(1, 9))
@pytest.mark.parametrize("eta", [2, 3, 4, 5, 10])
def test_exact_powers_give_exact_rungs(power, eta):
    assert most_rungs(eta**power, 1, eta) == power
    assert most_rungs(eta**power - 1, 1, eta) == power - 1
    sizes = [rung.size for rung in bracket(power, power, eta**power, eta)]
    assert sizes == [eta ** (power - i) for i in range(power + 1)]


def run(engine, objective, n):
    for _ in range(n):
        trial = engine.ask()
        engine.tell(trial, objective(trial.config, trial.budget))
    return engine.trials


def test_one_round_runs_every_bracket_and_promotes_the_best():
    space = SPACES["numeric"]
    engine = optimizer("hyperband", space, seed=1)
    total = sum(size for rungs in PUBLISHED.values() for size, _ in rungs)
    trials = run(engine, Problem(space, 0.5), total)
    for number, s in enumerate((4, 3, 2, 1, 0)):
        below = None
        for i, (size, budget) in enumerate(PUBLISHED[s]):
            here = [trial for trial in trials if trial.place == (number, i)]
            assert [(len(here), t.budget) for t in here[:1]] == [(size, budget)]
            if below is not None:
                best = sorted(below, key=lambda t: t.value)[:size]
                assert {t.resumes for t in here} == {t.number for t in best}
                for trial in here:
                    assert trials[trial.resumes].config == trial.config
            below = here
    assert engine.ask().place == (5, 0)  # and it begins again
    assert engine.best.budget == 81


def test_waiting_workers_get_the_next_bracket_not_a_premature_promotion():
    engine = optimizer("hyperband", SPACES["numeric"], max_budget=9)
    trials = [engine.ask() for _ in range(12)]
    assert [trial.place for trial in trials] == [(0, 0)] * 9 + [(1, 0)] * 3
    for trial in trials[:9]:
        engine.tell(trial, float(trial.number))
    promoted = [engine.ask() for _ in range(3)]
    assert [trial.resumes for trial in promoted] == [0, 1, 2]
    assert {trial.budget for trial in promoted} == {3.0}
    assert engine.ask().place == (1, 0)


def test_failures_are_not_promoted_and_a_rung_may_shrink():
    engine = optimizer("hyperband", SPACES["numeric"], max_budget=9)
    for number in range(9):
        trial = engine.ask()
        if number < 8:
            engine.fail(trial, "no memory")
        else:
            engine.tell(trial, 1.0)
    assert engine.ask().resumes == 8
    assert engine.ask().place == (1, 0)


def test_one_rung_is_random_search():
    hyperband = optimizer("hyperband", SPACES["numeric"], max_budget=1)
    trials = run(hyperband, Problem(SPACES["numeric"], 0.5), 20)
    assert {trial.budget for trial in trials} == {1.0}
    assert all(trial.resumes is None for trial in trials)


def test_successive_halving_repeats_its_one_bracket():
    learned = region("numeric", "ellipsoid")
    engine = optimizer("successive-halving", learned, max_budget=27, eta=3)
    trials = run(engine, Problem(SPACES["numeric"], 0.5), 80)
    sizes = [sum(t.place == (b, i) for t in trials) for b in (0, 1) for i in range(4)]
    assert sizes == [27, 9, 3, 1] * 2
    assert all(learned.contains(trial.config) for trial in trials)


def test_a_small_list_shrinks_the_rungs():
    space = rf.Space({"a": rf.Int(1, 4)})
    engine = optimizer("successive-halving", space, max_budget=9)
    places = []
    with pytest.raises(rf.ExhaustedError):
        while True:
            trial = engine.ask()
            places.append(trial.place)
            engine.tell(trial, float(trial.config["a"]))
    assert places == [(0, 0)] * 4 + [(0, 1)] * 3 + [(0, 2)]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"max_budget": 0}, "0 < min_budget <= max_budget"),
        ({"min_budget": 90}, "0 < min_budget <= max_budget"),
        ({"eta": 1}, "eta must be greater than 1"),
        ({"rungs": 3}, "unknown field"),
        ({"max_budget": "many"}, "Expected `float`"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(SettingError, match=message):
        optimizer("hyperband", SPACES["numeric"], **options)
