"""The transfer optimizer and its parts: source models, cover, the process with a prior."""

from __future__ import annotations

import itertools
import json
import math

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy.linalg import null_space
from scipy.stats import multivariate_normal

import ringfence as rf
from checking.histories import SPACE, bowls
from problems import SPACES, Problem, history, region
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.surrogates import source_prior
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters
from ringfence.optimize.surrogates.matern import matern52, squared_distances
from ringfence.optimize.surrogates.source_prior import (
    NOISES,
    OWN_VARIANCES,
    Prior,
    condition_on,
)
from ringfence.optimize.transfer.cover import agreement_weights, gain, greedy_cover, promise
from ringfence.optimize.transfer.source_models import MOST_ROWS, capped_regret, fit_source_models
from ringfence.optimize.transfer.sources import Source, sources_of


def test_regret_is_zero_at_the_best_one_at_the_median_and_has_no_unit():
    y = np.array([3.0, 1.0, 9.0, 2.0, 100.0])
    z, unit = capped_regret(y)
    assert unit == 2.0
    np.testing.assert_allclose(z, [1.0, 0.0, 1.0, 0.5, 1.0])
    np.testing.assert_allclose(capped_regret(7.0 - 5.0 + 0.01 * y)[0], z, atol=1e-12)
    assert capped_regret(np.array([1.0, 1.0, 1.0, 2.0])) is None
    assert capped_regret(np.array([5.0])) is None
    assert capped_regret(np.full(9, 0.1 + 0.2)) is None


def bowl_source(name: str, optimum: float, n: int, seed: int) -> Source:
    rows = np.random.default_rng(seed).random((n, 2))
    return Source(name, rows, ((rows - optimum) ** 2).sum(axis=1))


def test_a_source_model_predicts_the_regret_of_rows_it_never_saw():
    layout = Layout(full_space(SPACE))
    source = bowl_source("t", 0.3, 80, 0)
    models = fit_source_models([source], layout)
    fresh = bowl_source("t", 0.3, 500, 1)
    best, unit = source.values.min(), math.exp(models.tasks[0].log_unit)
    truth = np.clip((fresh.values - best) / unit, 0.0, 1.0)
    off = np.abs(models.predict(fresh.rows)[0] - truth)
    assert off.mean() < 0.02 and off.max() < 0.25
    flat = np.abs(truth - truth.mean()).mean()
    assert off.mean() < flat / 10


def test_predictions_of_all_tasks_at_once_are_those_of_each():
    layout = Layout(full_space(SPACE))
    sources = [bowl_source("a", 0.3, 80, 0), bowl_source("b", 0.7, 25, 1)]
    models = fit_source_models(sources, layout)
    rows = np.random.default_rng(2).random((300, 2))
    for task, found in zip(models.tasks, models.predict(rows)):
        kernel = matern52(squared_distances(rows * task.inverse, task.Z))[0]
        expected = np.clip(task.constant + kernel @ task.alpha, 0.0, 1.0)
        np.testing.assert_allclose(found, expected, atol=1e-10)


def test_models_come_back_from_their_hyperparameters_exactly():
    layout = Layout(region("conditional", "box"))
    sources = sources_of(history("conditional"), layout).tasks
    models = fit_source_models(sources, layout)
    kept = json.loads(
        msgspec.json.encode({task.name: task.hyperparameters for task in models.tasks})
    )
    known = msgspec.convert(kept, dict[str, Hyperparameters])
    again = fit_source_models(sources, layout, known)
    rows = layout.encode(full_space(SPACES["conditional"]).sample(50, seed=0))
    np.testing.assert_array_equal(again.predict(rows), models.predict(rows))


def test_models_do_not_depend_on_the_region_that_is_searched():
    rows = Layout(region("mixed", "full")).encode(region("mixed", "box").sample(40, seed=0))
    found = []
    for where in ("full", "ellipsoid"):
        layout = Layout(region("mixed", where))
        found.append(fit_source_models(sources_of(history("mixed"), layout).tasks, layout))
    np.testing.assert_array_equal(found[0].predict(rows), found[1].predict(rows))


def test_of_many_rows_the_best_and_some_others_are_seen():
    source = bowl_source("t", 0.6, 3000, 2)
    (model,) = fit_source_models([source], Layout(full_space(SPACE))).tasks
    assert len(model.alpha) == MOST_ROWS and model.n_rows == 3000
    at_best = source.rows[[source.values.argmin()]] * model.inverse
    assert np.abs(model.Z - at_best).max(axis=1).min() < 1e-9


def test_greedy_cover_is_the_slow_obvious_loop():
    rng = np.random.default_rng(0)
    F = rng.random((7, 40))
    order, left = greedy_cover(F, 6)
    chosen: list[int] = []
    for _ in range(6):
        scores = [F[:, [*chosen, x]].min(axis=1).mean() for x in range(40)]
        chosen.append(int(np.argmin(scores)))
    assert order.tolist() == chosen
    np.testing.assert_allclose(left[-1], F[:, chosen].min(axis=1).mean())


@pytest.mark.parametrize("seed", range(5))
def test_greedy_cover_is_within_its_bound_of_the_best_list(seed):
    F = np.random.default_rng(seed).random((9, 14)) ** 0.5
    _, left = greedy_cover(F, 4)
    for k in (1, 2, 3, 4):
        lists = itertools.combinations(range(14), k)
        best = min(F[:, list(chosen)].min(axis=1).mean() for chosen in lists)
        assert 1.0 - left[k - 1] >= (1.0 - 1.0 / math.e) * (1.0 - best) - 1e-12


def test_cover_prefers_what_the_uncovered_tasks_need():
    # two tasks: candidate 0 is good for both, 1 is best for the first, 2 for the second
    F = np.array([[0.3, 0.0, 1.0], [0.3, 1.0, 0.25]])
    w = np.array([0.5, 0.5])
    assert np.argmax(promise(F, np.empty((2, 0)), w)) == 0
    np.testing.assert_allclose(gain(F, F[:, [0]], w), [0.0, 0.15, 0.025])
    assert np.argmax(promise(F, F[:, [0]], np.array([0.1, 0.9]))) == 2


def test_weights_follow_the_tasks_that_order_the_results_alike():
    rng = np.random.default_rng(1)
    tried, y = rng.random((5, 6)), rng.random(6)
    tried[0], tried[1], tried[2] = 3.0 * y - 2.0, -y, 0.5
    w = agreement_weights(tried, y)
    pairs = list(itertools.combinations(range(6), 2))
    chi = []
    for task in tried:
        scores = [(task[i] - task[j]) * (y[i] - y[j]) for i, j in pairs]
        chi.append(np.mean([1.0 if s < 0 else 0.5 if s == 0 else 0.0 for s in scores]))
    expected = np.exp(-4.0 * 6 * np.array(chi))
    np.testing.assert_allclose(w, expected / expected.sum())
    assert chi[:3] == [0.0, 1.0, 0.5] and w.argmax() == 0
    np.testing.assert_allclose(agreement_weights(tried[:, :1], y[:1]), 0.2)


def prior_at(n: int, seed: int, T: int = 4) -> Prior:
    rng = np.random.default_rng(seed)
    return Prior.of(rng.random((T, n)), rng.random((n, 2)) * 2.0)


def dense(at: Prior, other: Prior, own: float) -> np.ndarray:
    kernel = matern52(squared_distances(at.Z, other.Z))[0]
    return sum(np.outer(a, b) for a, b in zip(at.spread.T, other.spread.T)) + own * kernel


def test_the_prior_has_the_mean_and_the_covariance_of_the_tasks():
    F = np.random.default_rng(0).random((5, 8))
    prior = Prior.of(F, np.zeros((8, 1)))
    np.testing.assert_allclose(prior.mean, F.mean(axis=0))
    np.testing.assert_allclose(prior.covariance(prior, 0.0), np.cov(F.T), atol=1e-12)


def test_predictions_are_those_of_kriging_with_an_unknown_level():
    at, there = prior_at(9, 0), prior_at(6, 1)
    y = np.random.default_rng(2).normal(0.0, 0.1, 9)
    found = condition_on(at, y, np.array([-2.0, -1.5, -1.0]))
    A = math.exp(found.log_unit)
    u = source_prior.capped(y)
    u = (u - u.mean()) / A
    # a level that is nearly flat, as one more Gaussian
    flat = 1e6
    own = found.own_variance
    K = dense(at, at, own) + found.noise * np.eye(9) + flat
    cross = dense(there, at, own) + flat
    mean = there.mean + cross @ np.linalg.solve(K, u - at.mean)
    variance = np.diag(dense(there, there, own) + flat - cross @ np.linalg.solve(K, cross.T))
    ours = found.predict(there)
    np.testing.assert_allclose(ours[0], mean, atol=1e-4)
    np.testing.assert_allclose(ours[1], variance, atol=1e-4)
    np.testing.assert_allclose(found.best, found.predict(at)[0].min())


def test_the_setting_is_the_likeliest_by_the_density_of_contrasts():
    at = prior_at(12, 3)
    y = 0.2 * (at.mean + at.spread[:, 0]) + np.random.default_rng(4).normal(0, 0.02, 12)
    y -= y.mean()
    units = np.array([-2.0, -1.0, -1.5])
    H = null_space(np.ones((1, 12))).T  # values up to a level
    gaps = []
    for own, noise in itertools.product(OWN_VARIANCES, NOISES):
        loss, found = source_prior._fit(at, y, units, own, noise)
        A = math.exp(found.log_unit)
        K = dense(at, at, own) + noise * np.eye(12)
        density = multivariate_normal.logpdf(H @ y, A * H @ at.mean, A**2 * H @ K @ H.T)
        off = (found.log_unit - units.mean()) / 0.5
        gaps.append(loss + density - 2.5 * math.log1p(off**2 / 4.0))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


def test_running_trials_keep_the_means_and_lower_the_variance():
    at, pending, there = prior_at(8, 5), prior_at(2, 6), prior_at(7, 7)
    found = condition_on(at, np.random.default_rng(8).normal(size=8), np.array([0.0, 0.2]))
    later = found.with_pending(pending)
    np.testing.assert_allclose(later.predict(there)[0], found.predict(there)[0])
    assert (later.predict(there)[1] <= found.predict(there)[1] + 1e-12).all()
    assert (later.predict(pending)[1] < 1.1 * found.noise).all()


def test_a_task_that_is_a_mixture_of_earlier_ones_is_learned_from_few_results():
    rng = np.random.default_rng(0)
    F = rng.random((4, 60))
    truth = 0.7 * F[1] + 0.3 * F[2]
    Z = rng.random((60, 3)) * 5.0
    some, rest = slice(0, 10), slice(10, 60)
    prior = [Prior.of(F[:, part], Z[part]) for part in (some, rest)]
    y = 5.0 + 0.1 * truth[some]
    found = condition_on(prior[0], y, np.full(4, math.log(0.1)))
    mean = found.predict(prior[1])[0]
    assert np.corrcoef(mean, truth[rest])[0, 1] > 0.95
    assert np.corrcoef(prior[1].mean, truth[rest])[0, 1] < 0.8


def regret_after(name: str, n: int, seed: int, **options) -> float:
    target = Problem(SPACES["mixed"], 0.52)
    outcome = rf.minimize(target, SPACES["mixed"], name, n, seed=seed, **options)
    return outcome.value


def test_it_begins_where_others_arrive():
    # Twelve related tasks; 4 trials of transfer against 30 random ones, 5 seeds. The two come out
    # the other way round only if transfer did not work: its values are below all of random's.
    ours = [regret_after("transfer", 4, seed, history=history("mixed")) for seed in range(5)]
    random = [regret_after("random", 30, seed) for seed in range(5)]
    assert max(ours) < np.mean(random)


def test_a_plain_process_is_heard_after_a_stall():
    engine = rf.optimizer("transfer", SPACE, history=bowls(np.full((6, 2), 0.2), runs=40))
    for number in range(16):
        trial = engine.ask()
        engine.tell(trial, 0.0 if number == 2 else 1.0 + number)
        stalled = engine.method.is_stalled(engine.log)
        assert stalled == (number - 2 in (10, 12))
    assert "hyperparameters" in engine.method.memory  # of the plain process


def test_a_target_unlike_its_sources_is_solved_all_the_same():
    past = bowls(np.full((6, 2), 0.1), runs=40)

    def error(config):
        return (config["a"] - 0.9) ** 2 + (config["b"] - 0.8) ** 2

    outcome = rf.minimize(error, SPACE, "transfer", 40, history=past)
    assert outcome.value < 1e-3  # 40 random trials: 1/(40 π) ~ 0.008 in the mean


def test_few_rows_are_hedged():
    past = bowls(np.full((6, 2), 0.2), runs=10)
    engine, plain = rf.optimizer("transfer", SPACE, history=past), rf.optimizer("sobol", SPACE)
    design = [plain.ask().config for _ in range(2)]
    found = []
    for number in range(6):
        found.append(engine.ask())
        engine.tell(found[-1], float(number))
    assert [trial.config for trial in found[1:4:2]] == design
    rich = rf.optimizer("transfer", SPACE, history=bowls(np.full((6, 2), 0.2), runs=40))
    for trial in (rich.ask(), rich.ask()):
        assert np.hypot(trial.config["a"] - 0.2, trial.config["b"] - 0.2) < 0.25


def test_it_needs_a_history_and_says_so():
    with pytest.raises(rf.SettingError, match="'transfer' needs a history of earlier tasks"):
        rf.optimizer("transfer", SPACE)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("target", [1e-300, 1.0, 1e300])
def test_values_of_any_magnitude_are_learned_from_without_a_warning(scale, target):
    """Some people take the largest float for a failed run."""
    frame = history("numeric").frame.with_columns(
        error=pl.when(pl.int_range(pl.len()) % 5 == 4)
        .then(np.finfo(float).max)
        .otherwise(pl.col("error") * scale)
    )
    past = rf.History.from_frame(
        frame, task="task", objective="error", parameters=list(SPACES["numeric"])
    )
    learned = rf.learn(past, SPACES["numeric"])
    assert len(learned.portfolio) == 10 and rf.check(past, SPACES["numeric"]).starts is not None
    found = rf.minimize(
        lambda config: target * config["momentum"], learned, n_trials=15, history=past
    )
    assert found.optimizer.name == "transfer" and len(found.trials) == 15
    first, last = found.trials[0].value, found.value
    assert last < 0.9 * first
