"""The Gaussian process: gradients, closed forms, invariances, limits, and data that tries it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from ringfence.errors import SettingError
from ringfence.optimize.surrogates.gp import fit as gp_module
from ringfence.optimize.surrogates.gp.fit import GPOptions, fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.posterior import log_posterior
from ringfence.optimize.surrogates.gp.prediction import condition
from ringfence.optimize.surrogates.gp.warping import warp
from ringfence.optimize.surrogates.matern import matern52
from ringfence.optimize.surrogates.standardize import REACH, standardize

PLAIN = GPOptions(compressed=False)


def wavy(n=30, dim=3, seed=0, noise=0.0):
    """Features, values of a smooth function, and features held out with theirs."""
    rng = np.random.default_rng(seed)
    f = lambda x: np.sin(3 * x[:, 0]) + (x[:, 1:] ** 2).sum(axis=1)  # noqa: E731
    X, Q = rng.random((n, dim)), rng.random((50, dim))
    return X, f(X) + noise * rng.standard_normal(n), Q, f(Q)


def matern(r):
    return (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)


# --- pieces ---------------------------------------------------------------------------------------


def test_the_kernel_is_materns_and_its_slope_the_derivative():
    squares = np.array([0.0, 1e-4, 0.3, 2.0, 50.0])
    kernel, slope = matern52(squares)
    np.testing.assert_allclose(kernel, [matern(math.sqrt(s)) for s in squares], rtol=1e-14)
    step = 1e-6
    numeric = (matern52(squares + step)[0] - matern52(squares)[0]) / step
    np.testing.assert_allclose(slope, -numeric, rtol=2e-3, atol=1e-8)


def test_warping_is_the_kumaraswamy_distribution_function():
    x = np.array([[0.1, 0.7], [0.5, 0.2]])
    a, b = np.array([2.0, 0.5]), np.array([3.0, 0.8])
    np.testing.assert_allclose(
        warp(x, np.log(a), np.log(b)).u, 1 - (1 - x**a) ** b, rtol=0, atol=1e-5
    )
    np.testing.assert_allclose(warp(x, np.zeros(2), np.zeros(2)).u, x, atol=1e-6)


def test_derivatives_of_the_warping():
    x, log_a, log_b = np.array([[0.02], [0.4], [0.97]]), np.array([0.6]), np.array([-0.4])
    got, step = warp(x, log_a, log_b), 1e-7
    for slope, shifted in (
        (got.by_x, warp(x + step, log_a, log_b)),
        (got.by_log_a, warp(x, log_a + step, log_b)),
        (got.by_log_b, warp(x, log_a, log_b + step)),
    ):
        np.testing.assert_allclose(slope, (shifted.u - got.u) / step, rtol=1e-4)


@pytest.mark.parametrize("exponent", [-3.0, 3.0])
def test_warping_stays_finite_at_the_ends_and_beyond(exponent):
    log_ab = np.array([exponent])
    got = warp(np.array([[-0.3], [0.0], [1.0], [1.2]]), log_ab, -log_ab)
    for array in (got.u, got.by_x, got.by_log_a, got.by_log_b):
        assert np.isfinite(array).all()
    np.testing.assert_allclose(got.u[1] - got.u[0], 0.3)  # outside the region distances stay
    np.testing.assert_allclose(got.u[3] - got.u[2], 0.2)
    assert got.by_x[0] == got.by_x[3] == 1.0


def test_one_crash_value_does_not_flatten_the_rest():
    values = np.array([1e9, 4.0, 2.0, 3.0, 1.0, 5.0, 2.5])
    got = standardize(values)
    restored = got.shift + got.scale * got.y
    expected = [3 + 2 * REACH, 3 + 2 * math.log(1.5), 2, 3, 1, 3 + 2 * math.log(2), 2.5]
    np.testing.assert_allclose(restored, expected, rtol=1e-12)
    assert got.y.mean() == pytest.approx(0.0, abs=1e-12)
    assert got.y.std(ddof=1) == pytest.approx(1.0)


def test_values_are_left_alone_on_request_and_where_half_of_them_tie():
    values = np.array([1.0, 1.0, 1.0, 5.0, 1e6])
    for got in (standardize(values), standardize(values + np.arange(5), compressed=False)):
        restored = got.shift + got.scale * got.y
        assert restored[-1] - restored[0] == pytest.approx(1e6, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-80, 1e-12, 1.0, 1e12, 1e130])
def test_values_are_standardized_at_any_scale(scale):
    values = np.array([1.0, 3.0, 2.0, 2.5])
    np.testing.assert_allclose(standardize(scale * values).y, standardize(values).y, rtol=1e-10)


def test_values_that_differ_by_rounding_alone_are_equal():
    got = standardize(1e12 + np.array([0.0, 1e-4, 0.0]))
    assert (got.y == 0).all() and got.scale == 1.0


# --- posterior density ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "warped"),
    [
        (None, None),
        ([0, 0, 1, 2], None),
        ([5, 2, 5, 9], [True, False, True, False]),
        (None, [True] * 4),
    ],
)
def test_gradient_of_the_log_posterior(groups, warped):
    rng = np.random.default_rng(2)
    X = rng.random((15, 4))
    X[3] = X[4]  # repeated features
    y = standardize(np.sin(4 * X).sum(axis=1) + rng.normal(0, 0.1, 15)).y
    columns = KernelColumns.of(4, groups, warped)
    theta = columns.prior[0] + rng.normal(0, 0.5, columns.prior[0].size)
    theta[columns.n_groups] = -3.0
    value, gradient = log_posterior(theta, X, y, columns)
    numeric = [
        (
            log_posterior(theta + step, X, y, columns)[0]
            - log_posterior(theta - step, X, y, columns)[0]
        )
        / 2e-5
        for step in 1e-5 * np.eye(theta.size)
    ]
    assert np.isfinite(value)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


def test_the_prior_counts_once():
    """Two densities at the same data differ by the priors and the likelihoods, nothing else."""
    X, y, _, _ = wavy(12)
    y = standardize(y)
    columns = KernelColumns.of(3)
    mode, spread = columns.prior
    one, two = mode + 0.3, mode - np.array([0.2, 0.0, 0.5, -2.0])
    expected = [
        condition(theta, X, y, columns).log_marginal_likelihood
        - 0.5 * (((theta - mode) / spread) ** 2).sum()
        for theta in (one, two)
    ]
    got = [log_posterior(theta, X, y.y, columns)[0] for theta in (one, two)]
    assert got[1] - got[0] == pytest.approx(expected[1] - expected[0], rel=1e-9)


def test_the_mean_is_the_likeliest_one():
    X, y, _, _ = wavy(12)
    values, columns = standardize(y), KernelColumns.of(3)
    gp = condition(columns.prior[0], X, values, columns)
    K = np.linalg.inv(gp.root.T @ gp.root)
    likelihood = lambda m: -0.5 * (values.y - m) @ np.linalg.solve(K, values.y - m)  # noqa: E731
    slope = approx_fprime(np.array([gp.mean]), lambda m: likelihood(m[0]))
    assert abs(slope[0]) < 1e-4
    assert likelihood(gp.mean) > likelihood(gp.mean + 0.1)


def test_the_fit_is_a_maximum():
    """No step along any hyperparameter, nor any other start, gives a higher density."""
    X, y, _, _ = wavy(25, noise=0.05)
    gp = fit_gp(X, y)
    here = log_posterior(gp.theta, X, gp.values.y, gp.columns)[0]
    for step in 0.1 * np.vstack([np.eye(4), -np.eye(4)]):
        assert log_posterior(gp.theta + step, X, gp.values.y, gp.columns)[0] < here + 1e-4
    rng = np.random.default_rng(0)
    for _ in range(10):
        theta = rng.normal(*gp.columns.prior)
        assert log_posterior(theta, X, gp.values.y, gp.columns)[0] <= here


# --- predictions ----------------------------------------------------------------------------------


def test_one_observation_in_closed_form():
    """With one value the mean is that value everywhere, the variance 1 - k²/(1 + noise)."""
    gp = fit_gp(np.array([[0.3, 0.6]]), np.array([7.0]))
    Q = np.array([[0.3, 0.6], [0.4, 0.6], [1.0, 0.0]])
    mean, variance = gp.predict(Q)
    np.testing.assert_allclose(mean, 7.0)
    lengths = np.array(gp.hyperparameters.length_scales)
    k = [matern(np.linalg.norm((q - Q[0]) / lengths)) for q in Q]
    np.testing.assert_allclose(variance, 1 - np.square(k) / (1 + gp.noise), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("warped", [None, [True, False, True]])
def test_gradients_of_the_predictions(warped):
    X, y, Q, _ = wavy(20, noise=0.1)
    gp = fit_gp(X, 1e3 * y, warped=warped)
    mean, variance, by_mean, by_variance = gp.predict_with_gradient(Q)
    np.testing.assert_allclose(mean, gp.predict(Q)[0], rtol=1e-12)
    np.testing.assert_allclose(variance, gp.predict(Q)[1], rtol=1e-9)
    for j, step in enumerate(1e-6 * np.eye(3)):
        up, down = gp.predict(Q + step), gp.predict(Q - step)
        for got, a, b in zip((by_mean, by_variance), up, down):
            numeric = (a - b) / 2e-6
            np.testing.assert_allclose(
                got[:, j], numeric, rtol=1e-4, atol=1e-5 * abs(numeric).max()
            )


def test_it_learns_a_smooth_function():
    X, y, Q, truth = wavy(40)
    mean, variance = fit_gp(X, y, options=PLAIN).predict(Q)
    assert np.sqrt(((mean - truth) ** 2).mean()) < 0.08 * truth.std()
    assert (np.abs(mean - truth) < 5 * np.sqrt(variance)).all()


def test_it_finds_the_noise_and_smooths_it():
    """The noise, 0.09 of variance, is estimated within a factor of two."""
    X, y, Q, truth = wavy(100, noise=0.3)
    gp = fit_gp(X, y, options=PLAIN)
    assert 0.045 < gp.noise * gp.values.scale**2 < 0.18
    assert np.sqrt(((gp.predict(Q)[0] - truth) ** 2).mean()) < 0.15


def test_the_best_is_a_predicted_mean_not_a_lucky_draw():
    X, y, _, _ = wavy(60, noise=0.3)
    gp = fit_gp(X, y)
    assert gp.best == pytest.approx(gp.predict(X)[0].min(), rel=1e-9)
    assert gp.best > y.min()
    exact = fit_gp(*wavy(30)[:2])
    assert exact.best == pytest.approx(wavy(30)[1].min(), abs=1e-2)


def test_a_flat_direction_gets_a_long_scale():
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    near, far = fit_gp(X, np.sin(6 * X[:, 0])).hyperparameters.length_scales
    assert far > 5 * near


def test_repeated_features_with_different_values_are_noise():
    X = np.repeat(np.random.default_rng(0).random((10, 2)), 3, axis=0)
    y = np.tile([0.0, 1.0, 2.0], 10)
    gp = fit_gp(X, y, options=PLAIN)
    np.testing.assert_allclose(gp.predict(X)[0], 1.0, atol=0.05)
    assert gp.noise > 0.5


def test_pending_points_change_the_variance_and_no_mean():
    X, y, Q, _ = wavy(25, noise=0.1)
    gp = fit_gp(X, y)
    pending = Q[:4].copy()
    pending[3] = X[0]  # one that was evaluated already
    after = gp.with_pending(pending)
    mean, variance = gp.predict(Q)
    np.testing.assert_allclose(after.predict(Q)[0], mean, rtol=1e-9)
    assert (after.predict(Q)[1] <= variance + 1e-12).all()
    assert (after.predict(pending)[1][:3] < 0.5 * gp.predict(pending)[1][:3]).all()
    assert after.best == pytest.approx(min(gp.best, gp.predict(pending)[0].min()), rel=1e-12)
    assert gp.with_pending(X[:0]).best == gp.best


def test_pending_points_are_evaluations_that_returned_the_mean():
    X, y, Q, _ = wavy(25, noise=0.1)
    gp = fit_gp(X, y)
    pending = Q[:3]
    believed = (gp.predict(pending)[0] - gp.values.shift) / gp.values.scale
    values = standardize(y)
    longer = type(values)(np.append(values.y, believed), values.shift, values.scale)
    slow = condition(gp.theta, np.vstack([X, pending]), longer, gp.columns)
    fast = gp.with_pending(pending[:1]).with_pending(pending[1:])
    np.testing.assert_allclose(fast.predict(Q)[1], slow.predict(Q)[1], rtol=1e-6)


# --- invariances ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1e-12), (3e5, 1e12), (-20.0, 4.0)])
def test_units_of_the_values_do_not_matter(shift, scale):
    X, y, Q, _ = wavy(20)
    mean, variance = fit_gp(X, y).predict(Q)
    other_mean, other_variance = fit_gp(X, shift + scale * y).predict(Q)
    np.testing.assert_allclose((other_mean - shift) / scale, mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(other_variance / scale**2, variance, rtol=1e-3, atol=1e-9)


def test_order_does_not_matter():
    X, y, Q, _ = wavy(20, noise=0.1)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(20), rng.permutation(3)
    mean, variance = fit_gp(X, y).predict(Q)
    shuffled = fit_gp(X[rows][:, columns], y[rows]).predict(Q[:, columns])
    np.testing.assert_allclose(shuffled[0], mean, rtol=1e-4)
    np.testing.assert_allclose(shuffled[1], variance, rtol=1e-3)


def test_one_group_means_one_length_scale():
    """Then rotating the features changes nothing."""
    X, y, Q, _ = wavy(20)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    plain = fit_gp(X, y, [7, 7, 7])
    turned = fit_gp(X @ turn, y, [7, 7, 7])
    assert len(plain.hyperparameters.length_scales) == 1
    np.testing.assert_allclose(turned.predict(Q @ turn)[0], plain.predict(Q)[0], rtol=1e-4)


def test_a_constant_column_keeps_its_prior():
    X, y, _, _ = wavy(20)
    wide = np.column_stack([X, np.full(20, 0.5)])
    gp = fit_gp(wide, y)
    assert math.log(gp.hyperparameters.length_scales[3]) == pytest.approx(
        gp.columns.prior[0][3], abs=0.05
    )


def test_warping_by_the_identity_is_no_warping():
    X, y, Q, _ = wavy(20)
    values, plain, warped = (
        standardize(y),
        KernelColumns.of(3),
        KernelColumns.of(3, None, [True] * 3),
    )
    theta = plain.prior[0]
    a = condition(theta, X, values, plain)
    b = condition(np.append(theta, np.zeros(6)), X, values, warped)
    np.testing.assert_allclose(a.predict(Q)[0], b.predict(Q)[0], atol=1e-4)


def test_warping_straightens_a_bad_scale():
    """A function of log x: what is learned from 20 points is better with warping."""
    rng = np.random.default_rng(0)
    f = lambda x: np.sin(6 * np.log1p(500 * x[:, 0]) / math.log1p(500))  # noqa: E731
    X, Q = rng.random((20, 1)), np.linspace(0.001, 1, 200)[:, None]
    error = {
        warped: np.abs(fit_gp(X, f(X), warped=[warped], options=PLAIN).predict(Q)[0] - f(Q)).mean()
        for warped in (False, True)
    }
    assert error[True] < 0.3 * error[False]


def test_the_same_seed_gives_the_same_fit(monkeypatch):
    monkeypatch.setattr(gp_module, "MANY", 20)
    X, y, Q, _ = wavy(40)
    one, two, three = (fit_gp(X, y, seed=seed).predict(Q)[0] for seed in (4, 4, 5))
    np.testing.assert_array_equal(one, two)
    assert (one != three).any()


def test_a_warm_start_reaches_the_same_maximum():
    X, y, _, _ = wavy(30)
    before = fit_gp(X[:-1], y[:-1])
    cold, warm = fit_gp(X, y), fit_gp(X, y, start=before.hyperparameters)
    densities = [log_posterior(gp.theta, X, gp.values.y, gp.columns)[0] for gp in (cold, warm)]
    assert densities[1] >= densities[0] - 1e-3


def test_many_evaluations_are_fitted_by_way_of_some(monkeypatch):
    monkeypatch.setattr(gp_module, "MANY", 40)
    X, y, Q, truth = wavy(120, noise=0.05)
    gp = fit_gp(X, y, options=PLAIN)
    assert np.sqrt(((gp.predict(Q)[0] - truth) ** 2).mean()) < 0.05
    assert gp.Z.shape == (120, 3)


# --- data that tries it ---------------------------------------------------------------------------


@st.composite
def hard_data(draw):
    """One point, ties, duplicates, constants, wild scales and outliers."""
    n, dim = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((n, dim))
    if draw(st.booleans()):
        X = np.round(X)  # corners, many repeated
    if draw(st.booleans()):
        X[:, 0] = 0.5
    y = draw(st.sampled_from([0.0, 1.0, -1e12])) + draw(
        st.sampled_from([0.0, 1e-12, 1.0, 1e12])
    ) * rng.standard_normal(n)
    if draw(st.booleans()):
        y[0] = draw(st.sampled_from([1e300, 1e9, -1e9]))
    warped = draw(st.sampled_from([None, np.ones(dim, dtype=bool)]))
    return X, y, warped


@given(hard_data())
@settings(max_examples=60, deadline=None)
def test_predictions_are_finite_and_variances_positive(data):
    X, y, warped = data
    gp = fit_gp(X, y, warped=warped)
    Q = np.vstack([X, np.zeros(X.shape[1]), np.ones(X.shape[1]), np.full(X.shape[1], 0.31)])
    mean, variance, by_mean, by_variance = gp.with_pending(Q[-2:]).predict_with_gradient(Q)
    for array in (mean, variance, by_mean, by_variance, gp.best):
        assert np.isfinite(array).all()
    assert (variance > 0).all()
    assert gp.noise >= GPOptions().noise_floor * (1 - 1e-9)


def test_all_values_equal():
    gp = fit_gp(np.random.default_rng(0).random((6, 2)), np.full(6, -3.5))
    mean, variance = gp.predict(np.array([[0.5, 0.5], [0.0, 1.0]]))
    np.testing.assert_allclose(mean, -3.5)
    assert gp.best == -3.5 and (variance > 0).all()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((2, 1)), np.array([1.0, np.nan]), "values must be finite numbers: row 1"),
        (np.array([[np.inf], [0.0]]), np.ones(2), "features must be finite numbers: row 0"),
        (np.ones((2, 1)), np.ones(3), r"expected \(n, d\) and \(n,\)"),
        (np.ones((0, 1)), np.ones(0), "n > 0"),
    ],
)
def test_what_cannot_be_fitted_is_named(X, y, message):
    with pytest.raises(SettingError, match=message):
        fit_gp(X, y)


def test_settings_that_do_not_match_the_features():
    X, y = np.random.default_rng(0).random((5, 2)), np.arange(5.0)
    with pytest.raises(SettingError, match="groups has shape"):
        fit_gp(X, y, [0, 1, 2])
    with pytest.raises(SettingError, match="warped has shape"):
        fit_gp(X, y, warped=[True])
    with pytest.raises(SettingError, match="start has 1 length scales and 0 warped"):
        fit_gp(X, y, start=Hyperparameters((1.0,), 0.1))
