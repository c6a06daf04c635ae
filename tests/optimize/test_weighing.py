"""What an acquisition is multiplied by: the model of costs, and the searches that weigh it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import multivariate_normal

import ringfence as rf
from checking.histories import SPACE
from failing import SPACE as FAILING
from failing import runs_of
from ringfence.learned.full import full_space
from ringfence.optimize.domain.coordinates import SmoothCoordinates
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.log import TrialLog
from ringfence.optimize.transfer.sources import sources_of
from ringfence.optimize.trial import Trial
from ringfence.optimize.weighing.cost import EACH, FADED, Costs, exponent
from ringfence.optimize.weighing.cost_model import (
    PENALTIES,
    CostModel,
    _ridge,
    basis,
    own_model,
    shared_model,
)
from ringfence.optimize.weighing.reasons import weighing_of
from ringfence.optimize.weighing.weighing import Slopes, Weighing


def task(slope: float, seed: int, level: float = 0.0, n: int = 60, noise: float = 0.05):
    """Features, and log costs that grow along the first of two."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    return X, level + slope * X[:, 0] + noise * rng.standard_normal(n)


def test_own_costs_update_the_model_as_a_gaussian_regression_with_that_prior():
    rng = np.random.default_rng(0)
    prior = CostModel(rng.standard_normal(3), rng.standard_normal((3, 5)), 0.3, squares=False)
    X, query = rng.random((4, 2)), rng.random((6, 2))
    y = rng.standard_normal(4)
    A, Q = basis(X, squares=False), basis(query, squares=False)
    covariance = prior.root @ prior.root.T
    K = A @ covariance @ A.T + 0.3 * np.eye(4)
    cross = Q @ covariance @ A.T
    mean, variance = prior.given(X, y).predict(query)
    np.testing.assert_allclose(
        mean, Q @ prior.mean + cross @ np.linalg.solve(K, y - A @ prior.mean)
    )
    rest = Q @ covariance @ Q.T - cross @ np.linalg.solve(K, cross.T)
    np.testing.assert_allclose(variance, np.diag(rest) + 0.3)


def test_costs_in_two_steps_or_in_one_say_the_same():
    model = shared_model([task(2.0, 0), task(3.0, 1), task(2.5, 2, level=4.0)])
    assert model is not None
    X, y = task(2.2, 3, level=1.0, n=6)
    at_once = model.given(X, y).predict(X)
    in_steps = model.given(X[:2], y[:2]).given(X[2:], y[2:]).predict(X)
    np.testing.assert_allclose(at_once, in_steps, atol=1e-8)
    assert model.given(X[:0], y[:0]) is model


def test_a_new_task_is_expected_to_cost_what_the_others_did_relative_to_its_level():
    """The tasks' levels are e⁰ to e⁸; after one trial the new one's is known."""
    tasks = [task(3.0, seed, level=2.0 * seed) for seed in range(5)]
    model = shared_model(tasks)
    assert model is not None
    ends = np.array([[0.0, 0.5], [1.0, 0.5]])
    before, spread = model.predict(ends)
    assert before[1] - before[0] == pytest.approx(3.0, abs=0.1)
    assert spread.min() > 4.0
    after, less = model.given(ends[:1], np.array([20.0])).predict(ends)
    np.testing.assert_allclose(after, [20.0, 23.0], atol=0.3)
    assert less.max() < 0.2


def test_tasks_that_do_not_predict_each_other_say_little():
    agree = shared_model([task(3.0, seed) for seed in range(4)])
    differ = shared_model([task(3.0 * (-1) ** seed, seed) for seed in range(4)])
    assert agree is not None and differ is not None
    ends = np.array([[0.0, 0.5], [1.0, 0.5]])
    assert np.ptp(agree.predict(ends)[0]) > 2.8
    assert np.ptp(differ.predict(ends)[0]) < 0.2


def test_without_earlier_costs_the_own_ones_teach():
    assert shared_model([]) is None
    assert shared_model([task(1.0, 0, n=3)]) is None
    X, y = task(4.0, 0, level=-7.0, n=12)
    ends = np.array([[0.1, 0.5], [0.9, 0.5]])
    low, high = own_model(2).given(X, y).predict(ends)[0]
    assert high - low == pytest.approx(3.2, abs=0.6)


def log_of(layout: Layout, costs: list[float | None]) -> TrialLog:
    rng = np.random.default_rng(1)
    configs = layout.decode(rng.random((len(costs), len(layout.names))))
    trials = [
        Trial(n, config, state="done", value=0.0, cost=cost)
        for n, (config, cost) in enumerate(zip(configs, costs))
    ]
    return TrialLog(layout, trials)


def test_the_weight_is_gain_per_cost_first_and_fades():
    assert exponent(0) == 1.0 and exponent(1) == 1.0 - 1.0 / FADED
    assert exponent(FADED) == exponent(200) == 0.0
    layout = Layout(full_space(SPACE))
    costs = Costs(layout)
    rng = np.random.default_rng(2)
    rows, draws = rng.random((7, len(layout.names))), rng.random((9999, len(layout.names)))
    told = log_of(layout, [1.0, 10.0, None, 3.0])
    expected, level = costs.predict(rows, told)[0], np.median(costs.predict(draws, told)[0])
    weights = -exponent(4) * np.log(np.exp(expected - level) + EACH)
    np.testing.assert_allclose(costs.log_weights(rows, told), weights, atol=0.05)
    unknown = costs.log_weights(rows, log_of(layout, [None]))
    np.testing.assert_allclose(unknown, -exponent(1) * np.log(1.0 + EACH))
    assert not costs.log_weights(rows, log_of(layout, [1.0] * FADED)).any()


def test_costs_of_failed_trials_are_no_costs_of_results():
    layout = Layout(full_space(SPACE))
    told = log_of(layout, [1.0, 10.0])
    failed = TrialLog(
        layout, [*told.trials, Trial(2, told.trials[0].config, state="failed", cost=1e6)]
    )
    rows = np.random.default_rng(2).random((3, len(layout.names)))
    np.testing.assert_array_equal(
        Costs(layout).predict(rows, told)[0], Costs(layout).predict(rows, failed)[0]
    )


class Bump:
    """A weight with a closed form."""

    def log_weights(self, rows, log):
        return multivariate_normal([0.3, 0.6], 0.1 * np.eye(2)).logpdf(rows)

    def with_gradient(self, rows, log):
        return self.log_weights(rows, log), -(rows - [0.3, 0.6]) / 0.1


def test_slopes_of_weights_are_their_gradient():
    layout = domain_of(full_space(SPACE)).layout
    rows = np.random.default_rng(0).random((4, 2))
    coordinates = SmoothCoordinates(layout, rows)
    weights = Weighing((Bump(),)).at(TrialLog(layout))
    values, gradient = Slopes(weights, coordinates).with_gradient(coordinates.start)
    np.testing.assert_allclose(values, weights(rows))
    np.testing.assert_allclose(gradient, -(rows - [0.3, 0.6]) / 0.1, atol=1e-3)


@pytest.mark.parametrize("shape", ["full", "box", "ellipsoid"])
def test_slopes_of_costs_and_failures_are_differences_of_their_weights(shape):
    """In the coordinates of a search, next to rows with a category, after some trials."""
    runs = runs_of(60).with_columns(cost=pl.col("batch") * pl.col("width") ** 0.5)
    history = rf.read_history(
        runs, task="task", objective="loss", direction="minimize", status="status", cost="cost",
        parameters=list(FAILING),
    )  # fmt: skip
    domain = domain_of(rf.learn(history, FAILING, shape=shape, starts=0))
    weighing = weighing_of(domain.layout, sources_of(history, domain.layout).tasks, "cost")
    assert len(weighing.weights) == 2
    trial = Trial(0, domain.config(domain.draw(1, np.random.default_rng(1))))
    weights = weighing.at(TrialLog(domain.layout, [trial]))
    coordinates = SmoothCoordinates(domain.layout, domain.draw(5, np.random.default_rng(2)))
    slopes, u = Slopes(weights, coordinates), coordinates.start
    values, gradient = slopes.with_gradient(u)
    np.testing.assert_allclose(values, slopes.at(u))
    assert np.abs(gradient).max() > 0.1
    for j, step in enumerate(1e-6 * np.eye(u.shape[1])):
        difference = (slopes.at(u + step) - slopes.at(u - step)) / 2e-6
        np.testing.assert_allclose(gradient[:, j], difference, rtol=1e-4, atol=1e-5)


def test_a_search_without_weights_is_what_it_was_and_one_with_a_weight_follows_it():
    def proposals(weighing: Weighing) -> np.ndarray:
        optimizer = rf.optimizer("gp", SPACE, seed=0)
        optimizer.method.weighing = weighing
        for _ in range(9):
            trial = optimizer.ask()
            optimizer.tell(trial, 0.0 * trial.number)
        return optimizer.log.rows[-4:]

    plain = proposals(Weighing())
    np.testing.assert_array_equal(plain, proposals(Weighing()))
    drawn = proposals(Weighing((Bump(), Bump(), Bump())))
    target = np.array([0.3, 0.6])
    assert np.abs(drawn - target).mean() < np.abs(plain - target).mean() / 2


def test_rows_left_out_of_a_ridge_with_few_rows():
    """12 costs and 13 columns: a fit of all rows is perfect, and one without a row is not."""
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 6)), rng.normal(size=12)
    A = basis(X, squares=True)
    _, error = _ridge(A, y)

    def brute(penalty):
        errors = []
        for i in range(len(y)):
            keep = np.arange(len(y)) != i
            P = penalty * np.diag(np.append(0.0, np.ones(A.shape[1] - 1)))  # the level is free
            beta = np.linalg.solve(A[keep].T @ A[keep] + P, A[keep].T @ y[keep])
            errors.append(y[i] - A[i] @ beta)
        return float(np.mean(np.square(errors)))

    assert error == pytest.approx(min(brute(penalty) for penalty in PENALTIES), rel=1e-6)


def test_a_task_ten_times_as_slow_as_all_earlier_ones_is_known_to_be_after_one_trial():
    rng = np.random.default_rng(1)
    tasks = [(X := rng.random((40, 3)), X[:, 0] + 0.05 * rng.normal(size=40)) for _ in range(5)]
    model = shared_model(tasks)
    assert model is not None
    X = rng.random((1, 3))
    after = model.given(X, X[:, 0] + np.log(10.0))
    new = rng.random((20, 3))
    assert np.abs(after.expected(new) - new[:, 0] - np.log(10.0)).max() < 0.3
