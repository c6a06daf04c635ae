"""Hyperopt: fmin stays inside, and its answer decodes."""

from __future__ import annotations

import numpy as np
import pytest

import ringfence as rf
from problems import SPACES, Problem, region
from ringfence.learned.full import full_space

from .contract import AWKWARD, SHAPES, comes_back, evenly, inside

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
hyperopt = pytest.importorskip("hyperopt")

from hyperopt.pyll.stochastic import sample  # noqa: E402

from ringfence.adapters.hyperopt import search_space  # noqa: E402


def minimize(learned, objective, n):
    translated = search_space(learned)
    seen = []

    def evaluate(values):
        seen.append(translated.decode(values))
        return objective(seen[-1])

    best = hyperopt.fmin(
        evaluate, translated.space, algo=hyperopt.tpe.suggest, max_evals=n,
        rstate=np.random.default_rng(0), show_progressbar=False, trials=hyperopt.Trials(),
    )  # fmt: skip
    return translated.decode(hyperopt.space_eval(translated.space, best)), seen


@pytest.mark.parametrize("kind, name", SHAPES)
def test_fmin_stays_inside(kind, name):
    learned, problem = region(kind, name), Problem(SPACES[kind], 0.5)
    best, seen = minimize(learned, problem, 25)
    assert len(seen) == 25
    for config in seen:
        inside(learned, config)
    assert problem(best) == min(map(problem, seen))


@pytest.mark.parametrize("kind, name", SHAPES)
def test_configurations_come_back(kind, name):
    translated = search_space(region(kind, name))
    comes_back(region(kind, name), translated.encode, translated.decode)


def test_awkward_choices():
    learned = full_space(AWKWARD)
    for config in minimize(AWKWARD, lambda config: float(config["depth"]), 25)[1]:
        inside(learned, config)


@pytest.mark.parametrize("log", [False, True])
def test_whole_numbers_have_both_ends(log):
    translated = search_space(rf.Space({"k": rf.Int(3, 7, log), "x": rf.Float(0, 1)}))
    rng = np.random.default_rng(0)
    drawn = [translated.decode(sample(translated.space, rng=rng))["k"] for _ in range(1000)]
    assert set(drawn) == {3, 4, 5, 6, 7}
    if not log:
        evenly(drawn, 3, 7)
