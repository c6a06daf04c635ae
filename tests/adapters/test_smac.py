"""SMAC3: every facade stays inside, the objective sees plain dicts."""

from __future__ import annotations

import pickle

import pytest

import ringfence as rf
from problems import SPACES, Problem, region
from ringfence.adapters import smac

from .contract import inside

pytest.importorskip("smac")
from smac import (
    BlackBoxFacade,
    HyperbandFacade,
    HyperparameterOptimizationFacade,
    MultiFidelityFacade,
    Scenario,
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


class Watched:
    """An objective that keeps what it was asked."""

    def __init__(self, learned, kind):
        self.learned, self.problem, self.seen = learned, Problem(SPACES[kind], 0.5), []

    def plain(self, config):
        inside(self.learned, config)
        self.seen.append(config)
        return self.problem(config)

    def budgeted(self, config, budget):
        assert budget > 0
        return self.plain(config) + 0.1 / budget


def run(facade, learned, objective, folder, n_trials, **options):
    target = smac.target(learned, objective, seed=0)
    scenario = Scenario(
        target.space, n_trials=n_trials, seed=0, deterministic=True, output_directory=folder,
        **options,
    )  # fmt: skip
    runner = facade(scenario, target, overwrite=True, logging_level=50)
    found = target.decode(runner.optimize())
    statuses = {value.status.name for value in runner.runhistory.values()}
    assert statuses == {"SUCCESS"}
    return found


@pytest.mark.parametrize(
    "facade, kind, shape, n_trials",
    [
        (HyperparameterOptimizationFacade, "conditional", "box", 10),
        (HyperparameterOptimizationFacade, "mixed", "slack ellipsoid", 10),
        (BlackBoxFacade, "numeric", "ellipsoid", 6),
        (HyperparameterOptimizationFacade, "mixed", "ellipsoids", 10),
    ],
)
def test_facades_over_boxes_and_ellipsoids(facade, kind, shape, n_trials, tmp_path):
    learned = region(kind, shape)
    watched = Watched(learned, kind)
    found = run(facade, learned, watched.plain, tmp_path, n_trials)
    inside(learned, found)
    assert len(watched.seen) == n_trials
    assert watched.problem(found) == min(map(watched.problem, watched.seen))


@pytest.mark.parametrize("facade", [HyperbandFacade, MultiFidelityFacade])
def test_budgets_reach_the_objective(facade, tmp_path):
    learned = region("conditional", "ellipsoid")
    watched = Watched(learned, "conditional")
    found = run(facade, learned, watched.budgeted, tmp_path, 12, min_budget=1, max_budget=9)
    inside(learned, found)
    assert len(watched.seen) == 12


def test_smac_is_told_what_the_objective_takes():
    import inspect

    def objective(config, instance):
        return instance

    learned = region("numeric", "box")
    target = smac.target(learned, objective)
    assert list(inspect.signature(target).parameters) == ["config", "seed", "instance"]
    assert target.__code__ is objective.__code__
    config = target.encode(learned.sample(1, seed=0)[0])
    assert target(config, seed=3, instance="i") == "i"
    greedy = smac.target(learned, lambda config, **offered: offered)
    assert greedy(config, seed=3, budget=2.0) == {"seed": 3, "budget": 2.0}


def test_targets_can_be_sent_to_other_processes():
    target = pickle.loads(pickle.dumps(smac.target(region("mixed", "ellipsoid"), len, seed=1)))
    assert target(target.space.sample_configuration()) == 6


def test_what_is_no_function_is_an_error():
    with pytest.raises(rf.SettingError, match="objective must be a function"):
        smac.target(SPACES["mixed"], 3.0)
