"""SGD for ridge regression against closed forms."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from ringfence.bench.suites import SuiteSource, load_suite
from ringfence.bench.suites.sgd import NAMES, RidgeProblem, weights_after


@pytest.fixture(scope="module")
def suite():
    return load_suite(SuiteSource("sgd"))


def columns(*configs):
    return tuple(np.array(column, dtype=float) for column in zip(*configs))


def test_one_weight_and_no_momentum_is_a_geometric_series():
    problem = RidgeProblem(np.array([[2.0]]), np.array([3.0]), np.zeros(50, int), None)
    eta, ridge = 0.05, 0.4
    curvature, pull = 2.0**2 + 2 * ridge, 2.0 * 3.0
    for updates in (0, 1, 7, 50):
        expected = pull / curvature * (1 - (1 - eta * curvature) ** updates)
        found = weights_after(problem, columns((eta, 0.0, ridge)), updates)
        assert found[0, 0] == pytest.approx(expected, abs=1e-14)


def test_momentum_is_a_product_of_matrices(suite):
    """(u, v) follows an affine map of each observation; here they are written out."""
    problem = suite.problem("ridge-03")
    eta, gamma, ridge = 0.004, 0.7, 0.2
    p = problem.inputs.shape[1]
    state = np.zeros(2 * p)
    for i in problem.order[:100]:
        theta = problem.inputs[i]
        hessian = np.outer(theta, theta) + 2 * ridge * np.eye(p)
        step = np.hstack([eta * hessian, gamma * np.eye(p)])
        v = step @ state - eta * problem.targets[i] * theta
        state = np.concatenate([state[:p] - v, v])
    found = weights_after(problem, columns((eta, gamma, ridge)), 100)
    np.testing.assert_allclose(found[0], state[:p], rtol=1e-10, atol=1e-12)


def test_many_configurations_at_once_are_as_one_at_a_time(suite):
    tuned = columns((0.006, 0.5, 0.1), (0.9, 0.99, 5.0), (0.001, 0.3, 0.001))
    together = suite.problem("ridge-00").losses(tuned, 243)
    for k, config in enumerate(zip(*tuned)):
        alone = suite.evaluate("ridge-00", dict(zip(NAMES, config)))
        assert alone == together[k]  # to the last digit, in whatever order a library sums


def test_divergence_counts_twice_the_error_of_the_start(suite):
    _, targets = suite.problem("ridge-01").validation
    start = np.sqrt(np.mean(targets**2))
    diverged = dict(zip(NAMES, (1.0, 0.999, 10.0)))
    assert suite.evaluate("ridge-01", diverged) == pytest.approx(2 * start)
    assert suite.evaluate("ridge-01", dict(zip(NAMES, (0.006, 0.5, 0.1)))) < start


def test_a_unit_of_budget_is_three_updates(suite):
    config = dict(zip(NAMES, (0.006, 0.5, 0.1)))
    after = suite.problem("ridge-02").losses(columns(tuple(config.values())), 27)
    assert suite.evaluate("ridge-02", config, 9) == pytest.approx(after[0], rel=1e-12)
    assert suite.max_budget == 81
    assert suite.evaluate("ridge-02", config, 81) == suite.evaluate("ridge-02", config)


def test_sources_are_uniform_on_the_scale_and_the_same_each_time(suite):
    raw = suite.history(suite.tasks[:2], 256, 5, "raw").frame
    log = suite.history(suite.tasks[:2], 256, 5, "log").frame
    # Median of 512: 0.5 ± 0.022 on the raw scale, 0.03 on the log scale (10 standard errors off).
    assert 0.4 < raw["learning_rate"].median() < 0.6
    assert 0.02 < log["learning_rate"].median() < 0.05
    assert raw.equals(suite.history(suite.tasks[:2], 256, 5, "raw").frame)
    assert suite.reference("ridge-00").best <= raw["loss"].head(256).min()
    assert raw["task"].unique().sort().to_list() == ["ridge-00", "ridge-01"]


def test_mixed_tasks_differ_in_their_number_of_weights():
    mixed = load_suite(SuiteSource("sgd-mixed"))
    assert [mixed.problem(task).inputs.shape[1] for task in mixed.tasks[:3]] == [81, 9, 81]


LOSSES = """
from ringfence.bench.suites import SuiteSource, load_suite
suite = load_suite(SuiteSource("sgd"))
history = suite.history(suite.tasks[:3], 200, 1, "raw").frame
rows = zip(*(history[name] for name in ("task", "learning_rate", "momentum", "regularization")))
alone = [suite.evaluate(t, dict(zip(("learning_rate", "momentum", "regularization"), row)))
         for t, *row in rows]
print(history["loss"].to_list(), alone)
"""


@pytest.mark.slow
def test_other_processors_compute_the_same_losses():
    """OpenBLAS takes the routines of an older processor, with other orders of summation."""
    printed = [
        subprocess.run(
            [sys.executable, "-c", LOSSES], env=os.environ | kind, capture_output=True, check=True
        ).stdout
        for kind in ({}, {"OPENBLAS_CORETYPE": "Sandybridge"}, {"OPENBLAS_CORETYPE": "Nehalem"})
    ]
    assert printed[0] and printed[0] == printed[1] == printed[2]
