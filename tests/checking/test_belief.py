"""What is believed of a task: exact posteriors, the law of draws, and regrets from shares."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from histories import SPACE, bowls, evolved, recorded
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm

import ringfence as rf
from ringfence.checking.belief.beliefs import Beliefs
from ringfence.checking.belief.functions import Points, TaskFunctions, Variances
from ringfence.checking.belief.kernel import WAVES, SharedKernel, fit_shared_kernel
from ringfence.checking.belief.regret_scale import (
    COUNTS,
    EXPONENTS,
    best_of_draws,
    fit_scale,
    full_curves,
    regrets,
)
from ringfence.checking.belief.scores import normal_scores
from ringfence.checking.left_out.speedup import ModelError, regret_after
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.surrogates.gp.fit import fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import KernelColumns
from ringfence.optimize.transfer.sources import tasks_of

RNG = np.random.default_rng(0)


def beliefs_of(history: rf.History) -> Beliefs:
    from ringfence.history import PreparedHistory

    full = full_space(SPACE)
    rows = PreparedHistory.of(history, SPACE, rf.check).rows
    return Beliefs.of(tasks_of(rows, Layout(full)), full)


def test_scores_are_those_of_blom_and_shared_by_equal_values():
    values = np.array([3.0, 1.0, 2.0, 2.0])
    ranks = np.array([4.0, 1.0, 2.5, 2.5])
    np.testing.assert_allclose(normal_scores(values), norm.ppf((ranks - 0.375) / 4.25))
    assert normal_scores(1e300 * values) == pytest.approx(normal_scores(values))


def test_the_best_of_draws_from_the_full_space_by_simulation():
    """Closed form against 200,000 simulated minima; five standard errors, false alarm below 1e-5
    for all entries together."""
    for k in (1, 3, 10):
        shares = RNG.random((200_000, k)).min(axis=1)
        simulated = regrets(shares)
        error = simulated.std(axis=1) / np.sqrt(len(shares))
        exact = full_curves()[:, COUNTS.index(k)]
        assert (np.abs(simulated.mean(axis=1) - exact) < 5 * error).all()


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=7), st.integers(1, 8))
def test_the_expected_best_is_that_of_all_subsets(values, draws):
    subsets = itertools.combinations(values, min(draws, len(values)))
    brute = np.mean([min(subset) for subset in subsets])
    expected = best_of_draws(len(values), [draws])[0] @ np.sort(values)
    assert expected == pytest.approx(brute, abs=1e-9)


def test_random_waves_have_the_kernel_as_their_covariance():
    """Each entry is a mean of WAVES terms of variance at most 1; six standard errors."""
    kernel = SharedKernel(np.array([1.0, 3.0]), 0.01)
    Z = kernel.scaled(RNG.random((12, 2)))
    waves = kernel.waves(Z)
    assert np.abs(waves @ waves.T - kernel.between(Z, Z)).max() < 6 / np.sqrt(WAVES)


def test_the_shared_kernel_of_one_task_is_that_of_its_own_process():
    X = RNG.random((60, 2))
    y = np.sin(4 * X[:, 0]) + 0.1 * RNG.standard_normal(60)
    alone = fit_gp(X, y).hyperparameters
    shared = fit_shared_kernel([(X, y)], KernelColumns.of(2))
    assert 1 / shared.inverse == pytest.approx(alone.length_scales, rel=0.35)
    assert shared.noise == pytest.approx(alone.noise, rel=0.35)


def test_functions_drawn_for_a_task_have_the_moments_of_its_posterior():
    """Mean and variance of 20,000 functions against universal kriging written out; the unit A is
    certain because the scores fit one best. Five standard errors; the random waves add their own
    error, so that the own part of the prior is left out here."""
    n, m, T = 14, 5, 4
    kernel = SharedKernel(np.ones(2), 0.01)
    Z, Q = RNG.random((n, 2)), RNG.random((m, 2))
    spread, at = RNG.standard_normal((n, T)) / 2, RNG.standard_normal((m, T)) / 2
    mean, mean_at = RNG.standard_normal(n), RNG.standard_normal(m)
    variances = Variances(1e-12, 0.2)
    zeros = np.zeros((n, 3)), np.zeros((m, 3))
    rows, points = Points(mean, spread, Z, zeros[0]), Points(mean_at, at, Q, zeros[1])
    y = mean + spread @ RNG.standard_normal(T) + 0.3 * RNG.standard_normal(n) + 0.7
    y -= y.mean()
    rng = np.random.default_rng(1)
    drawn = TaskFunctions.drawn(rows, y, kernel, variances, 20_000, rng)
    one = np.isclose(drawn.values, y[:, None]).all(axis=0)  # functions in units of A = 1
    f = drawn.at(points, rng)[one]
    K = spread @ spread.T + 0.2 * np.eye(n)
    inverse = np.linalg.inv(K)
    ones = inverse.sum(axis=0)
    level = ones @ (y - mean) / ones.sum()
    cross = at @ spread.T
    expected = mean_at + level + cross @ inverse @ (y - mean - level)
    variance = np.diag(at @ at.T - cross @ inverse @ cross.T) + 0.2
    variance = variance + (1 - cross @ ones) ** 2 / ones.sum()
    error = np.sqrt(variance / len(f))
    assert one.sum() > 1000
    assert (np.abs(f.mean(axis=0) - expected) < 5 * error).all()
    assert f.var(axis=0) == pytest.approx(variance, rel=5 * np.sqrt(2 / len(f)))


@pytest.mark.parametrize("make", [bowls, evolved])
def test_random_configurations_of_the_full_space_have_uniform_shares(make):
    """Whatever rows there are: the functions rank the full space against itself. Kolmogorov's
    distance for 512 points against 1,024, at a false-alarm rate below 1e-6 for each function."""
    beliefs = beliefs_of(make(RNG.normal(0.5, 0.1, (6, 2)), runs=24))
    seen = beliefs._points(beliefs._draw(full_space(SPACE), 512))
    shares = beliefs._task("t0").shares(seen)
    assert min(kstest(row, "uniform").pvalue for row in shares) > 1e-6


@pytest.mark.parametrize("rows", [16, 64])
def test_the_believed_share_of_a_bowl_is_near_the_true_one(rows):
    """Random draws in the quarter around the optimum, in the middle of twelve alike bowls."""
    optima = np.random.default_rng(2).normal(0.5, 0.04, (12, 2))
    beliefs = beliefs_of(bowls(optima, runs=rows))
    X = 0.25 + 0.5 * np.random.default_rng(3).random((512, 2))
    random = np.random.default_rng(4).random((20_000, 2))
    believed, true = [], []
    for t, optimum in enumerate(optima):
        believed.append(beliefs._task(f"t{t}").shares(beliefs._points(X)).mean())
        values = np.sort(((random - optimum) ** 2).sum(axis=1))
        inside = ((X - optimum) ** 2).sum(axis=1)
        true.append((np.searchsorted(values, inside) / len(values)).mean())
    assert np.mean(believed) == pytest.approx(np.mean(true), abs=0.06)


def test_how_rows_were_chosen_does_not_matter_to_the_belief():
    """Random rows and those of an evolution strategy, of the same tasks: the same expected regret
    of ten draws in one box, though a third of the strategy's rows lie in it and a twentieth of the
    random ones. A difference of 0.05 would be a speed-up of 1.5 or so."""
    optima = np.random.default_rng(5).normal(0.5, 0.05, (12, 2))
    learned = rf.learn(bowls(optima, runs=60), SPACE)
    figures = []
    for history in (bowls(optima, runs=60), evolved(optima, runs=60)):
        beliefs = beliefs_of(history)
        curves = [
            beliefs.best_regrets(f"t{t}", learned.blocks, {}, [10])[:, 6, 0].mean()
            for t in range(12)
        ]
        figures.append(np.mean(curves))
    assert figures[0] < 0.15 and abs(figures[0] - figures[1]) < 0.05


def test_the_exponent_follows_the_values():
    """Values that worsen as u^γ: the larger γ, the larger the exponent; without a task the usual
    one."""
    u = (np.arange(200) + 0.5) / 200
    fitted = [fit_scale([(u, u**g)] * 3).exponent for g in (0.4, 0.8, 1.6)]
    assert fitted == sorted(fitted) and fitted[-1] > 2 * fitted[0]
    assert fit_scale([]).exponent == pytest.approx(0.75, rel=0.05)
    huge = fit_scale([(u, 1e300 * u)]).exponent
    assert huge == pytest.approx(fit_scale([(u, u)]).exponent)


def test_regret_after_no_spread_is_the_full_curve():
    scale = fit_scale([])
    mean, low, high = regret_after(10, 0.0, scale)
    at_ten = full_curves()[:, COUNTS.index(10)]
    assert mean == pytest.approx(scale.weights @ at_ten)
    assert at_ten.min() <= low < mean < high <= at_ten.max()
    assert regret_after(10, 0.5, scale)[1] < low


def test_the_error_of_the_model_shrinks_with_tasks_and_rows():
    few, many = ModelError.of(12, 16), ModelError.of(30, 64)
    assert few.within > many.within and few.between > many.between and few.common == many.common
    assert full_curves().shape == (len(EXPONENTS), len(COUNTS))
    assert (np.diff(full_curves(), axis=1) < 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_tasks_of_ties_with_one_row_that_differs(seed):
    rng = np.random.default_rng(seed)
    rows = [rng.random((600, 2)) for _ in range(5)]
    errors = [np.ones(600) for _ in rows]
    for error in errors:
        error[rng.integers(600)] = 0.0
    assert rf.check(recorded(rows, errors), SPACE, starts=0).verdict


def test_a_file_that_was_read_twice_tells_no_more():
    history = bowls(np.random.default_rng(6).normal(0.5, 0.1, (6, 2)), runs=20)
    twice = rf.History.concat([history, history])
    once, again = (rf.check(h, SPACE, starts=0).speed_ups for h in (history, twice))
    assert [up.draws for up in again] == [up.draws for up in once]
    assert again[3].low == pytest.approx(once[3].low, rel=1e-6)


def test_values_of_any_size_and_sign_give_the_same_belief():
    optima = RNG.normal(0.5, 0.05, (5, 2))
    rows = [RNG.random((20, 2)) for _ in optima]
    errors = [((x - o) ** 2).sum(axis=1) for x, o in zip(rows, optima)]
    plain = rf.check(recorded(rows, errors), SPACE, starts=0)
    odd = rf.check(recorded(rows, [1e6 * e - 7e7 for e in errors]), SPACE, starts=0)
    assert odd.speed_ups[3].value == pytest.approx(plain.speed_ups[3].value, rel=1e-6)
