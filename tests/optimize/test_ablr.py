"""ABLR against the long way round: dense covariances, finite differences, closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from ringfence.errors import SettingError
from ringfence.optimize.surrogates.ablr.fit import ABLR, fit_ablr
from ringfence.optimize.surrogates.ablr.linear_head import HeadPrior, condition, evidence, fit_head
from ringfence.optimize.surrogates.ablr.network import NetworkShape
from ringfence.optimize.surrogates.ablr.objective import ABLROptions, Objective

SMALL = ABLROptions(width=12, depth=2, compressed=False)


def differences(function, at: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences of a number by every entry of `at`."""
    found = np.empty(at.size)
    for i in range(at.size):
        move = np.zeros(at.size)
        move[i] = step
        move = move.reshape(at.shape)
        found[i] = (function(at + move) - function(at - move)) / (2 * step)
    return found.reshape(at.shape)


def related_tasks(count: int, rows: int, seed: int, *, related: bool = True):
    """Bumps of a shared direction; unrelated ones bend along directions of their own."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=4)
    tasks = []
    for _ in range(count):
        along = shared if related else rng.normal(size=4)
        shift, sign = rng.normal(0, 0.3), rng.choice([-1.0, 1.0])
        X = rng.random((rows, 4))
        y = sign * np.sin(3 * (X - 0.5) @ along + shift) + 0.05 * rng.normal(size=rows)
        tasks.append((X, 5.0 + 2.0 * y))
    return tasks


@pytest.fixture(scope="module")
def fitted() -> ABLR:
    return fit_ablr(related_tasks(3, 30, 0), options=SMALL)


# The head, with more and with fewer rows than features.


@pytest.fixture(params=[(4, 9), (30, 9), (9, 9), (1, 9), (0, 9)], ids=str)
def regression(request):
    rng = np.random.default_rng(1)
    Phi = rng.normal(size=request.param)
    return Phi, rng.normal(size=len(Phi)), np.array([-0.7, -1.9])


def covariance(Phi: np.ndarray, scales: np.ndarray) -> np.ndarray:
    s, v = np.exp(scales)
    return s * Phi @ Phi.T + v * np.eye(len(Phi))


def test_evidence_is_the_density_of_a_normal_law(regression):
    Phi, y, scales = regression
    expected = 0.0
    if len(y):
        expected = -multivariate_normal(np.zeros(len(y)), covariance(Phi, scales)).logpdf(y)
    assert evidence(Phi, y, scales).value == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_gradients_of_the_evidence(regression):
    Phi, y, scales = regression
    found = evidence(Phi, y, scales)
    by_features = differences(lambda P: evidence(P, y, scales).value, Phi)
    by_scales = differences(lambda own: evidence(Phi, y, own).value, scales)
    assert found.by_features == pytest.approx(by_features, rel=1e-6, abs=1e-7)
    assert found.by_scales == pytest.approx(by_scales, rel=1e-6, abs=1e-7)


def test_head_is_the_gaussian_posterior_by_the_dense_covariance(regression):
    Phi, y, scales = regression
    queries = np.random.default_rng(2).normal(size=(6, 9))
    cross = np.exp(scales[0]) * queries @ Phi.T
    K = covariance(Phi, scales)
    expected = cross @ np.linalg.solve(K, y)
    prior = np.exp(scales[0]) * (queries**2).sum(axis=1)
    left = prior - np.einsum("ij,ij->i", cross, np.linalg.solve(K, cross.T).T)
    mean, variance, half = condition(Phi, y, scales).moments(queries)
    assert mean == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert variance == pytest.approx(left, rel=1e-9)
    for q, row in zip(queries, half):
        head = condition(Phi, y, scales)
        slope = differences(lambda one, head=head: head.moments(one[None])[1][0], q)
        assert 2 * row == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_fitted_scales_are_a_maximum(regression):
    Phi, y, _ = regression
    prior = HeadPrior(-1.0)

    def loss(scales: np.ndarray) -> float:
        z = (scales - prior.mean) / prior.deviation
        return evidence(Phi, y, scales).value + 0.5 * z @ z

    best = fit_head(Phi, y, prior).scales
    assert differences(loss, best) == pytest.approx(np.zeros(2), abs=1e-3)
    for move in np.random.default_rng(0).normal(0, 0.3, (20, 2)):
        assert loss(best) <= loss(best + move)


def test_scales_are_recovered_from_many_rows():
    rng = np.random.default_rng(0)
    Phi = rng.normal(size=(3000, 100))
    weights = rng.normal(0, 0.5, 100)
    head = fit_head(Phi, Phi @ weights + rng.normal(0, 0.1, 3000), HeadPrior(0.0))
    # Five standard errors of each log variance: false alarms once in 1.7 million.
    assert abs(head.scales[0] - np.log(0.25)) < 5 * np.sqrt(2 / 100)
    assert abs(head.scales[1] - np.log(0.01)) < 5 * np.sqrt(2 / 2900)


# The network and the whole objective.


def test_network_derivatives():
    rng = np.random.default_rng(3)
    shape = NetworkShape(3, width=5, depth=3)
    theta, X = shape.draw(rng), rng.normal(size=(7, 3))
    theta[:3] = rng.normal(0, 0.3, 3)
    G = rng.normal(size=(7, 6))
    network = shape.network(theta)
    H = network.forward(X)
    by_theta = differences(lambda t: float((G * shape.network(t).features(X)).sum()), theta)
    by_inputs = differences(lambda Z: float((G * network.features(Z)).sum()), X)
    assert network.gradient(H, G) == pytest.approx(by_theta, rel=1e-6, abs=1e-8)
    assert network.pullback(H, G) == pytest.approx(by_inputs, rel=1e-6, abs=1e-8)


def test_a_network_by_hand():
    shape = NetworkShape(2, width=1, depth=2)
    theta = np.array([np.log(2.0), 0.0, 0.5, -0.25, 0.1, 3.0, -0.2])
    inner = np.tanh(0.5 * 2.0 * 0.3 - 0.25 * 0.8 + 0.1)
    features = shape.network(theta).features(np.array([[0.3, 0.8]]))
    assert features == pytest.approx(np.array([[np.tanh(3.0 * inner - 0.2), 1.0]]))
    assert shape.size == theta.size


def objective(seed: int = 0) -> Objective:
    rng = np.random.default_rng(seed)
    shape = NetworkShape(3, width=6, depth=2)
    ends = np.array([0, 4, 4, 24, 25])  # fewer rows than features, none, more, one
    return Objective(
        shape,
        shape.draw(rng),
        shape.deviations(0.25, 0.7),
        HeadPrior(-1.5),
        rng.normal(size=(25, 3)),
        rng.normal(size=25),
        ends,
    )


def test_gradient_of_the_objective():
    function = objective()
    z = np.random.default_rng(1).normal(0, 0.5, function.shape.size + 8)
    slope = differences(lambda at: function(at)[0], z)
    assert function(z)[1] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_objective_is_the_sum_over_tasks_and_the_prior():
    function = objective()
    z = np.random.default_rng(1).normal(0, 0.5, function.shape.size + 8)
    Phi = function.shape.network(function.theta(z)).features(function.X)
    expected = 0.5 * z @ z
    for t, own in enumerate(function.scales(z)):
        rows = slice(*function.ends[t : t + 2])
        y = function.y[rows]
        if len(y):
            expected -= multivariate_normal(np.zeros(len(y)), covariance(Phi[rows], own)).logpdf(y)
    assert function(z)[0] == pytest.approx(expected, rel=1e-10)
    again = function.z(function.theta(z), function.scales(z))
    assert again == pytest.approx(z)


def test_the_fit_goes_downhill_and_a_warm_start_goes_on_from_there():
    tasks = related_tasks(3, 30, 0)

    def error(model: ABLR) -> float:
        """The tasks' evidence and the prior of the network, written out."""
        deviations = NetworkShape(4, 12, 2).deviations(SMALL.stretch, 1.0)
        z = (model.theta - model.anchor) / deviations
        total = 0.5 * z @ z
        for own in model.tasks:
            Phi = own.network.features(own.inputs.standardize(own.data.X))
            total += evidence(Phi, own.data.values.y, own.head.scales).value
        return float(total)

    values = [error(fit_ablr(tasks, options=SMALL, max_iterations=n)) for n in (0, 5, 40)]
    assert values[0] > values[1] > values[2]
    begun = fit_ablr(tasks, options=SMALL, max_iterations=20)
    after = fit_ablr(tasks, options=SMALL, max_iterations=3, start=begun)
    assert error(after) < error(begun)
    assert error(after) < error(fit_ablr(tasks, options=SMALL, max_iterations=3))
    assert (after.anchor == begun.anchor).all()


# Predictions.


def test_gradients_of_predictions(fitted):
    queries = np.random.default_rng(5).random((5, 4))
    mean, variance, by_mean, by_variance = fitted.predict_with_gradient(1, queries)
    for mine, theirs in zip((mean, variance), fitted.predict(1, queries)):
        assert mine == pytest.approx(theirs, rel=1e-12)
    for i, q in enumerate(queries):
        slope = differences(lambda one: fitted.predict(1, one[None])[0][0], q)
        bend = differences(lambda one: fitted.predict(1, one[None])[1][0], q)
        assert by_mean[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)
        assert by_variance[i] == pytest.approx(bend, rel=1e-5, abs=1e-6)


def test_the_order_of_rows_and_of_tasks_does_not_matter():
    tasks = related_tasks(3, 30, 0)
    order = np.random.default_rng(0).permutation(30)
    shuffled = [(X[order], y[order]) for X, y in reversed(tasks)]
    queries = np.random.default_rng(5).random((20, 4))
    # Rounding differs; ten iterations are too few for it to part the paths.
    one, other = (fit_ablr(own, options=SMALL, max_iterations=10) for own in (tasks, shuffled))
    for mine, theirs in zip(one.predict(0, queries), other.predict(2, queries)):
        assert mine == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize(("scale", "shift"), [(1e12, 0.0), (1e-12, 0.0), (2.0**10, 64.0)])
def test_values_in_other_units_predict_the_same_in_those_units(scale, shift):
    tasks = related_tasks(2, 20, 3)
    options = ABLROptions(width=12, depth=2)
    queries = np.random.default_rng(5).random((10, 4))
    plain = fit_ablr(tasks, options=options, max_iterations=15)
    other = fit_ablr(
        [tasks[0], (tasks[1][0], shift + scale * tasks[1][1])], options=options, max_iterations=15
    )
    mean, variance = plain.predict(1, queries)
    assert other.predict(1, queries)[0] == pytest.approx(shift + scale * mean, rel=1e-5)
    assert other.predict(1, queries)[1] == pytest.approx(scale**2 * variance, rel=1e-3)
    assert other.predict(0, queries)[0] == pytest.approx(plain.predict(0, queries)[0], rel=1e-5)


def test_same_seed_same_bytes_and_another_seed_another_network():
    tasks = related_tasks(2, 12, 4)
    queries = np.random.default_rng(5).random((4, 4))
    one, two, other = (
        fit_ablr(tasks, seed=s, options=SMALL).predict(0, queries) for s in (7, 7, 8)
    )
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()
    assert (one[0] != other[0]).any()


# Changing one task.


def test_with_task_is_exact_for_the_network_it_keeps(fitted):
    X, y = related_tasks(1, 15, 9)[0]
    changed = fitted.with_task(1, X, y)
    own = changed.task(1)
    Phi = own.network.features(own.inputs.standardize(X))
    values = (y - y.mean()) / y.std(ddof=1)
    K = covariance(Phi, own.head.scales)
    queries = np.random.default_rng(5).random((6, 4))
    cross = (
        np.exp(own.head.scales[0]) * own.network.features(own.inputs.standardize(queries)) @ Phi.T
    )
    expected = y.mean() + y.std(ddof=1) * cross @ np.linalg.solve(K, values)
    assert changed.predict(1, queries)[0] == pytest.approx(expected, rel=1e-8)
    assert (changed.theta == fitted.theta).all()
    assert (changed.predict(2, queries)[0] == fitted.predict(2, queries)[0]).all()


def test_a_task_can_be_added_and_grow(fitted):
    X, y = related_tasks(1, 15, 9)[0]
    added = fitted.with_task(3, X, y)
    assert len(added.tasks) == 4 and len(fitted.tasks) == 3
    assert (added.predict(3, X)[0] == fitted.with_task(1, X, y).predict(1, X)[0]).all()


def test_a_refit_lets_the_network_learn(fitted):
    X, y = related_tasks(1, 15, 9, related=False)[0]
    learned = fitted.with_task(1, X, y, refit=True, max_iterations=20)
    kept = fitted.with_task(1, X, y)
    assert (learned.theta != fitted.theta).any() and (learned.anchor == fitted.anchor).all()
    misses = [np.mean((model.predict(1, X)[0] - y) ** 2) for model in (learned, kept)]
    assert misses[0] < misses[1]


def test_pending_points_shrink_the_variance_and_keep_the_mean(fitted):
    own = fitted.task(0)
    X = np.random.default_rng(6).random((3, 4))
    later = own.with_pending(X)
    queries = np.random.default_rng(7).random((20, 4))
    assert later.predict(queries)[0] == pytest.approx(own.predict(queries)[0], rel=1e-12)
    assert (later.predict(queries)[1] <= own.predict(queries)[1] * (1 + 1e-12)).all()
    before, noise = own.predict(X[:1])[1], own.noise * own.data.values.scale**2
    after = own.with_pending(X[:1]).predict(X[:1])[1]
    assert after == pytest.approx(before * noise / (before + noise), rel=1e-8)


# Little data.


def surprise(options: ABLROptions) -> float:
    """Squared error over predicted variance on new rows; median over 15 tasks with 5 rows each."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(15):
        X = rng.random((105, 3))
        y = np.sin(2 * X @ rng.normal(size=3))
        model = fit_ablr([(X[:5], y[:5])], options=options).task(0)
        mean, variance = model.predict(X[5:])
        noise = model.noise * model.data.values.scale**2
        ratios.append(np.mean((y[5:] - mean) ** 2 / (variance + noise)))
    return float(np.median(ratios))


def test_five_rows_alone_give_sensible_variances():
    assert 0.5 < surprise(ABLROptions(compressed=False)) < 2  # 1 is honest
    assert surprise(ABLROptions(compressed=False, alone=0.01, stretch=1.0)) > 5  # too free


def test_variance_is_larger_far_from_the_data():
    X = 0.2 * np.random.default_rng(0).random((8, 3))
    model = fit_ablr([(X, X.sum(axis=1))])
    near, far = model.predict(0, np.array([[0.1, 0.1, 0.1], [0.9, 0.9, 0.9]]))[1]
    assert far > 4 * near


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tasks_with_hardly_any_rows(rows):
    X, y = np.full((rows, 4), 0.5), np.full(rows, 3.0)
    for tasks in ([(X, y)], [*related_tasks(2, 20, 0), (X, y)]):
        model = fit_ablr(tasks, options=SMALL)
        mean, variance, by_mean, by_variance = model.predict_with_gradient(
            len(tasks) - 1, np.random.default_rng(0).random((9, 4))
        )
        for found in (mean, variance, by_mean, by_variance):
            assert np.isfinite(found).all()
        assert (variance > 0).all()


def test_an_empty_task_has_the_units_and_the_signal_of_the_others():
    tasks = [(X, 1e6 * y) for X, y in related_tasks(2, 20, 0)]
    nothing = np.empty((0, 4)), np.empty(0)
    queries = np.random.default_rng(0).random((9, 4))
    mean, variance = fit_ablr([*tasks, nothing], options=SMALL).predict(2, queries)
    assert mean == pytest.approx(np.median([y.mean() for _, y in tasks]))
    assert 1e5 < np.sqrt(variance).mean() < 1e7
    later = fit_ablr(tasks, options=SMALL).with_task(2, *nothing)
    assert later.predict(2, queries)[1] == pytest.approx(variance, rel=1e-3)


def test_constant_values_repeated_rows_and_wild_ones():
    X = np.repeat(np.random.default_rng(0).random((4, 3)), 3, axis=0)
    for y in (
        np.zeros(12),
        np.full(12, 1e300),
        np.tile([1.0, 2.0, 1e30], 4),
        np.arange(12) * 1e-300,
    ):
        model = fit_ablr([(X, y)], options=ABLROptions(width=12))
        mean, variance = model.predict(0, X)
        assert np.isfinite(mean).all() and (variance > 0).all() and np.isfinite(model.task(0).best)
    assert fit_ablr([(X, np.full(12, 7.0))]).predict(0, X)[0] == pytest.approx(7.0)


# Transfer: what the model is for.


def transfer_errors(related: bool) -> tuple[float, float]:
    """Root mean square errors, alone and from sources, of tasks with 5 rows, over 4 seeds."""
    alone, helped = [], []
    for seed in range(4):
        *sources, (X, y) = related_tasks(9, 205, seed, related=related)
        sources = [(own[:60], values[:60]) for own, values in sources]
        model = fit_ablr(sources).with_task(8, X[:5], y[:5])
        alone.append(fit_ablr([(X[:5], y[:5])]).predict(0, X[5:])[0] - y[5:])
        helped.append(model.predict(8, X[5:])[0] - y[5:])
    return tuple(float(np.sqrt(np.mean(np.square(own)))) for own in (alone, helped))


def test_related_tasks_help_and_unrelated_ones_do_not():
    alone, helped = transfer_errors(related=True)
    assert helped < 0.6 * alone
    alone, helped = transfer_errors(related=False)
    assert helped > 0.85 * alone


# Bad input.


def test_bad_input_is_named(fitted):
    X, y = related_tasks(1, 6, 0)[0]
    hole = X.copy()
    hole[3, 1] = np.nan
    for tasks, message in [
        ([], "no tasks to fit"),
        ([(X, y), (X[:, :3], y)], "tasks have 3 and 4 features"),
        ([(X, y[:5])], r"task 0 has features of shape \(6, 4\) and values of shape \(5,\)"),
        ([(X, y), (hole, y)], "row 3 of the features of task 1 is not finite"),
        ([(X, np.append(y[:5], np.inf))], "row 5 of the values of task 0 is not finite"),
    ]:
        with pytest.raises(SettingError, match=message):
            fit_ablr(tasks)
    for index in (5, -1, None, 1.5):
        with pytest.raises(SettingError, match="task"):
            fitted.predict(index, X)
    with pytest.raises(SettingError, match="tasks have 3 and 4 features"):
        fitted.with_task(0, X[:, :3], y)
    with pytest.raises(SettingError, match="start was fitted to other features"):
        fit_ablr([(X[:, :3], y)], start=fitted, options=SMALL)
