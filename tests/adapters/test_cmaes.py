"""CMA-ES: the first distribution is that of the uniform law over the region."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, Problem, region
from ringfence.adapters.cmaes import start

from .contract import comes_back, inside

cmaes = pytest.importorskip("cmaes")
NUMERIC = ["full", "box", "slack box", "ellipsoid", "slack ellipsoid"]


def points(learned, n=20_000):
    (block,) = learned.blocks
    return learned.draw(block, n, np.random.default_rng(0)).points


@pytest.mark.parametrize("name", [*NUMERIC, "boxes"])
def test_mean_and_covariance_are_those_of_uniform_draws(name):
    """20,000 draws: a standard error of 0.7 % of a deviation for the mean, of 1 % for a variance;
    limits at five of them, so a false alarm comes once in a million."""
    learned = region("numeric", name)
    (block,) = learned.blocks
    lower, upper = block.region.bounds
    if name.endswith("ellipsoid"):  # cut by the cube the law would be another one
        lower, upper = block.region.body.bounds
        assert (lower >= 0).all() and (upper <= 1).all()
    begin, drawn = start(learned), points(learned)
    covariance = begin.sigma**2 * begin.cov
    deviations = np.sqrt(np.diag(covariance))
    assert np.linalg.det(begin.cov) == pytest.approx(1.0)
    assert np.abs((drawn.mean(axis=0) - begin.mean) / deviations).max() < 0.036
    scaled = np.cov(drawn.T) / np.outer(deviations, deviations)
    assert np.abs(scaled - covariance / np.outer(deviations, deviations)).max() < 0.05


@pytest.mark.parametrize("name", NUMERIC)
def test_the_optimizer_stays_inside_and_gets_better(name):
    """By a factor of five or more in the geometric mean over three seeds."""
    learned, problem = region("numeric", name), Problem(SPACES["numeric"], 0.5)
    begin = start(learned)
    ratios = []
    for seed in range(3):
        optimizer = cmaes.CMA(**begin.arguments, seed=seed)
        best = []
        for _ in range(12):
            told = []
            for _ in range(optimizer.population_size):
                row = optimizer.ask()
                config = begin.decode(row)
                inside(learned, config)
                told.append((row, problem(config)))
            optimizer.tell(told)
            best.append(min(value for _, value in told))
        ratios.append(min(best[-3:]) / best[0])
    assert np.exp(np.mean(np.log(ratios))) < 0.2


def test_whole_numbers_are_rounded_inside():
    space = rf.Space({"k": rf.Int(1, 30), "m": rf.Int(1, 30), "x": rf.Float(0, 1)})
    rows = [{"task": str(i), "k": i, "m": 2 * i, "x": 0.3 + 0.02 * i, "y": 0} for i in range(1, 15)]
    history = rf.History.from_frame(
        pl.DataFrame(rows), task="task", objective="y", direction="minimize", parameters=list(space)
    )
    learned = rf.learn(history, space, shape="ellipsoid")
    begin = start(learned)
    optimizer = cmaes.CMA(**begin.arguments, seed=0)
    for _ in range(200):
        inside(learned, begin.decode(optimizer.ask()))
    comes_back(learned, begin.encode, begin.decode)


def test_what_cma_es_cannot_search_is_an_error():
    with pytest.raises(rf.SettingError, match="cannot search choices, such as 'loss'"):
        start(region("mixed", "box"))
    with pytest.raises(rf.SettingError, match=r"active only sometimes, such as 'gamma'"):
        start(region("conditional", "box"))
    with pytest.raises(rf.SettingError, match="needs a numeric parameter"):
        start(rf.Space({"a": rf.Categorical(["x", "y"])}))
