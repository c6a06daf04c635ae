"""Expected improvement far out in its tail, and the search for its maximum."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from ringfence.optimize.search import acquisition
from ringfence.optimize.search.acquisition import (
    choose_starts,
    log_expected_improvement,
    maximize_acquisition,
)
from ringfence.optimize.surrogates.gp.fit import fit_gp

mpmath.mp.dps = 60


def exact(mean, variance, best):
    """log EI with sixty digits."""
    s = mpmath.sqrt(mpmath.mpf(variance))
    z = (mpmath.mpf(best) - mpmath.mpf(mean)) / s
    tail = mpmath.erfc(-z / mpmath.sqrt(2)) / 2
    return mpmath.log(s * (z * tail + mpmath.npdf(z)))


Z = [-1e4, -3000.0, -60.1, -59.9, -20.0, -1.01, -0.99, 0.0, 0.5, 5.0, 40.0]


@pytest.mark.parametrize("z", Z)
def test_log_expected_improvement_to_many_digits(z):
    variance = 0.25
    value, _, _ = log_expected_improvement(np.array([-0.5 * z]), np.array([variance]), 0.0)
    assert value[0] == pytest.approx(float(exact(-0.5 * z, variance, 0.0)), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("z", Z)
def test_derivatives_by_mean_and_variance(z):
    mean, variance = -0.5 * z, 0.25
    _, by_mean, by_variance = log_expected_improvement(np.array([mean]), np.array([variance]), 0.0)
    assert by_mean[0] == pytest.approx(
        float(mpmath.diff(lambda m: exact(m, variance, 0.0), mean)), rel=1e-8
    )
    assert by_variance[0] == pytest.approx(
        float(mpmath.diff(lambda v: exact(mean, v, 0.0), variance)), rel=1e-8, abs=1e-300
    )


def test_it_is_finite_and_increasing_however_hopeless():
    z = -np.logspace(0, 50, 300)[::-1]
    value, by_mean, by_variance = log_expected_improvement(-z, np.ones(z.size), 0.0)
    for array in (value, by_mean, by_variance):
        assert np.isfinite(array).all()
    assert (np.diff(value) > 0).all()
    assert (by_mean < 0).all() and (by_variance > 0).all()


def test_no_variance_is_no_error():
    value, by_mean, by_variance = log_expected_improvement(np.zeros(2), np.zeros(2), 1.0)
    assert value[0] == pytest.approx(0.0)  # a sure improvement by one
    assert np.isfinite([by_mean, by_variance]).all()
    assert np.isfinite(log_expected_improvement(np.ones(1), np.zeros(1), 0.0)).all()


def test_units_shift_it_by_their_logarithm():
    mean, variance = np.array([0.3, -2.0]), np.array([0.5, 0.1])
    a = log_expected_improvement(mean, variance, 0.2)[0]
    b = log_expected_improvement(1e6 * mean + 7, 1e12 * variance, 1e6 * 0.2 + 7)[0]
    np.testing.assert_allclose(b - a, math.log(1e6), rtol=1e-8)


# --- the search -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gp():
    rng = np.random.default_rng(0)
    X = rng.random((15, 2))
    return fit_gp(X, ((X - [0.3, 0.7]) ** 2).sum(axis=1))


def grid(n=60):
    line = np.linspace(0.0, 1.0, n)
    return np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)


def log_ei(gp, X):
    return log_expected_improvement(*gp.predict(X), gp.best)[0]


LOWER, UPPER = np.zeros(2), np.ones(2)


def test_the_climb_reaches_the_top_of_a_fine_grid(gp):
    starts = np.random.default_rng(1).random((6, 2))
    ends, value = maximize_acquisition(gp, gp.best, starts, LOWER, UPPER)
    assert ends.shape == (6, 2)
    np.testing.assert_allclose(value, log_ei(gp, ends))
    assert value.max() >= log_ei(gp, grid()).max() - 1e-3


def test_every_start_ends_no_lower_and_inside(gp):
    starts = np.random.default_rng(2).random((40, 2))
    lower, upper = np.array([0.2, 0.1]), np.array([0.4, 0.5])
    ends, value = maximize_acquisition(gp, gp.best, starts, lower, upper)
    assert (value >= log_ei(gp, np.clip(starts, lower, upper)) - 1e-12).all()
    assert ((ends >= lower) & (ends <= upper)).all()
    inside = grid()[((grid() >= lower) & (grid() <= upper)).all(axis=1)]
    assert value.max() >= log_ei(gp, inside).max() - 1e-3


def test_a_climb_that_got_lost_returns_its_start(gp, monkeypatch):
    lost = lambda loss, flat, **settings: (np.ones_like(flat), 0.0, {})  # noqa: E731
    monkeypatch.setattr(acquisition, "fmin_l_bfgs_b", lost)
    starts = np.array([[0.3, 0.68], [1.0, 0.99]])
    ends, value = maximize_acquisition(gp, gp.best, starts, LOWER, UPPER)
    np.testing.assert_array_equal(ends[0], starts[0])
    np.testing.assert_allclose(value, log_ei(gp, ends))


def test_fixed_columns_stay(gp):
    starts = np.random.default_rng(3).random((5, 2))
    ends, value = maximize_acquisition(
        gp, gp.best, starts, LOWER, UPPER, fixed=np.array([False, True])
    )
    np.testing.assert_array_equal(ends[:, 1], starts[:, 1])
    assert (value > log_ei(gp, starts)).any()
    still, same = maximize_acquisition(gp, gp.best, starts, LOWER, UPPER, fixed=np.ones(2, bool))
    np.testing.assert_array_equal(still, starts)
    np.testing.assert_allclose(same, log_ei(gp, starts))


class Disc:
    """The unit square, bent into a disc of radius 0.2 around a center of its own for every row."""

    def __init__(self, centers):
        self.centers = centers

    def to_features(self, u):
        v = 2 * u - 1
        return self.centers + 0.2 * v * np.sqrt(1 - v[:, ::-1] ** 2 / 2)

    def linearized(self, u):
        v = 2 * u - 1
        root = np.sqrt(1 - v[:, ::-1] ** 2 / 2)

        def pullback(gradient):
            crossed = -0.5 * (v * v[:, ::-1] / root * gradient)[:, ::-1]
            return 0.4 * (root * gradient + crossed)

        return self.to_features(u), pullback


def test_a_chart_bends_the_search(gp):
    """Inside a disc, the top of the disc is found, each start around its own center."""
    centers = np.repeat([[0.5, 0.5], [0.7, 0.3]], 8, axis=0)
    starts = np.random.default_rng(4).uniform(0.1, 0.9, (16, 2))
    chart = Disc(centers)
    ends, value = maximize_acquisition(gp, gp.best, starts, LOWER, UPPER, coordinates=chart)
    found = chart.to_features(ends)
    assert (np.linalg.norm(found - centers, axis=1) <= 0.2 + 1e-12).all()
    np.testing.assert_allclose(value, log_ei(gp, found))
    for center, part in ((centers[0], value[:8]), (centers[8], value[8:])):
        near = grid(200)[np.linalg.norm(grid(200) - center, axis=1) <= 0.2]
        assert part.max() >= log_ei(gp, near).max() - 5e-3


def test_a_pending_point_sends_the_search_elsewhere(gp):
    starts = np.random.default_rng(5).random((20, 2))
    ends, value = maximize_acquisition(gp, gp.best, starts, LOWER, UPPER)
    first = ends[value.argmax()]
    pending = gp.with_pending(first[None])
    ends, value = maximize_acquisition(pending, pending.best, starts, LOWER, UPPER)
    assert np.linalg.norm(ends[value.argmax()] - first) > 0.01


def test_starts_are_the_best_and_mostly_good_ones():
    values = -np.arange(200.0)
    rng = np.random.default_rng(0)
    picked = [choose_starts(values, 5, rng) for _ in range(200)]
    assert all(p[0] == 0 and len(set(p.tolist())) == 5 for p in picked)
    assert np.mean(np.concatenate(picked)) < 60  # all alike would give 80
    one = choose_starts(values, 5, np.random.default_rng(3))
    np.testing.assert_array_equal(one, choose_starts(values, 5, np.random.default_rng(3)))


@pytest.mark.parametrize(("size", "count", "expected"), [(1, 4, 1), (3, 10, 3), (5, 1, 1)])
def test_few_candidates(size, count, expected):
    values = np.zeros(size)
    assert len(choose_starts(values, count, np.random.default_rng(0))) == expected
    values[-1] = -1e300
    assert len(choose_starts(values, count, np.random.default_rng(0))) == expected
