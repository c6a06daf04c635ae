"""The Gaussian process that grows over a list of candidates, held to the one from scratch."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import ringfence as rf
from ringfence.errors import FileError, FitError
from ringfence.optimize.methods import gp as method
from ringfence.optimize.surrogates.gp.fit import fit_gp
from ringfence.optimize.surrogates.gp.hyperparameters import Hyperparameters, KernelColumns
from ringfence.optimize.surrogates.gp.listed import ListedGP
from ringfence.optimize.surrogates.gp.prediction import condition
from ringfence.optimize.surrogates.standardize import standardize

SPACE = rf.Space(
    {
        "x": rf.Float(0.0, 1.0),
        "y": rf.Float(1e-3, 1.0, log=True),
        "kind": rf.Categorical(("a", "b", "c")),
    }
)


def loss(config):
    height = {"a": 0.0, "b": 0.3, "c": 0.1}[config["kind"]]
    return (config["x"] - 0.4) ** 2 + (np.log10(config["y"]) + 1.3) ** 2 / 9 + height


@pytest.mark.parametrize("warped", [False, True])
@pytest.mark.parametrize("begun", [3, 30])
def test_it_predicts_what_the_process_from_scratch_predicts(begun, warped):
    rng = np.random.default_rng(0)
    X, y, Q = rng.random((70, 2)), rng.standard_normal(70), rng.random((200, 2))
    columns = KernelColumns.of(2, None, np.array([warped, False]))
    exponents = ((1.7,), (0.6,)) if warped else ((), ())
    theta = Hyperparameters((0.4, 0.9), 1e-3, *exponents).theta
    grown = ListedGP(theta, columns, X[:begun], Q)
    for n in range(begun, 71):  # beyond the room of the beginning, several times
        scratch = condition(theta, X[:n], standardize(y[:n]), columns)
        moments = grown.moments(standardize(y[:n]))
        mean, variance = scratch.predict(Q)
        np.testing.assert_allclose(moments.mean, mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(moments.variance, variance, rtol=1e-8, atol=1e-10)
        assert moments.best == pytest.approx(scratch.best, rel=1e-9)
        assert grown.continues(theta, X[:n]) and not grown.continues(theta + 1e-9, X[:n])
        if n < 70:
            grown.add(X[n])
    assert not grown.continues(theta, X[::-1]) and not grown.continues(theta, X[:5])


def test_the_same_evaluations_over_and_over_need_noise():
    X = np.full((3, 1), 0.5)
    columns = KernelColumns.of(1, None, None)
    grown = ListedGP(Hyperparameters((1.0,), 1e-6).theta, columns, X, X)
    grown.add(X[0])
    values = standardize(np.array([1.0, 2.0, 3.0, 2.0]), compressed=False)
    assert grown.moments(values).mean == pytest.approx(2.0)
    with pytest.raises(FitError, match="the covariance of 5 observations is singular"):
        grown.noise = -1.0  # what rounding could make of it
        grown.add(X[0])


def searched(n, monkeypatch, largest, by=loss, stop=None, path=None):
    """The configurations that `gp` tries of a list, if its hyperparameters settle early; saved and
    loaded again before number `stop`."""
    monkeypatch.setattr(method, "MANY", 12)
    monkeypatch.setattr(method, "GROWTH", 1.5)
    monkeypatch.setattr(method, "LARGEST", largest)
    rng = np.random.default_rng(1)
    kinds = rng.choice(["a", "b", "c"], 300)
    candidates = [
        {"x": float(x), "y": float(10 ** (-3 * v)), "kind": str(k)}
        for x, v, k in zip(rng.random(300), rng.random(300), kinds)
    ]
    engine = rf.optimizer("gp", SPACE, seed=0, candidates=candidates)
    tried = []
    for number in range(n):
        if number == stop:
            engine.save(path)
            engine = rf.load_optimizer(path)
        trial = engine.ask()
        tried.append(trial.config)
        value = by(trial.config)
        engine.fail(trial) if value is None else engine.tell(trial, value)
    return tried, engine


def test_a_search_of_a_list_tries_what_it_would_from_scratch(monkeypatch):
    grown, engine = searched(60, monkeypatch, method.LARGEST)
    assert engine.method._listed is not None and len(engine.method._listed) > 50
    scratch, engine = searched(60, monkeypatch, 0)
    assert engine.method._listed is None
    assert grown == scratch


def test_over_a_long_list_hyperparameters_stay_from_earlier_on(monkeypatch):
    monkeypatch.setattr(method, "LONG", 20 * 300)
    rng = np.random.default_rng(0)
    candidates = [{"x": float(x), "y": 0.1, "kind": "a"} for x in rng.random(300)]
    engine = rf.optimizer("gp", SPACE, seed=0, candidates=candidates)
    searched_at = []
    for _ in range(30):
        trial = engine.ask()
        engine.tell(trial, loss(trial.config))
        searched_at.append(engine.method.memory.get("searched_at", 0))
    # Each time up to 20, then with a tenth more.
    assert searched_at[18:] == [18, 19, 20, 20, 22, 22, 22, 25, 25, 25, 28, 28]


def test_one_that_was_saved_goes_on_to_the_last_digit(monkeypatch, tmp_path):
    for stop in (20, 33):
        going, engine = searched(45, monkeypatch, method.LARGEST)
        saved, again = searched(45, monkeypatch, method.LARGEST, loss, stop, tmp_path / "state")
        assert saved == going
        ours, theirs = engine.method._listed, again.method._listed
        np.testing.assert_array_equal(ours._explained, theirs._explained)


def test_one_that_was_saved_goes_on_where_two_searches_end_alike(monkeypatch, tmp_path):
    kept = Hyperparameters((0.025,) * 3, 1e-6)  # as at the ends of their ranges

    def alike(X, y, groups, **settings):
        settings = settings | {"start": kept, "settled": True}
        return fit_gp(X, y, groups, **settings)

    monkeypatch.setattr(method, "fit_gp", alike)
    _, engine = searched(33, monkeypatch, method.LARGEST)
    _, again = searched(33, monkeypatch, method.LARGEST, loss, 31, tmp_path / "state")
    ours, theirs = engine.method._listed, again.method._listed
    np.testing.assert_array_equal(ours._explained, theirs._explained)


@pytest.mark.parametrize(
    "memory",
    [
        {"searched_at": 24},
        {"hyperparameters": None, "searched_at": 24},
        {"hyperparameters": {"length_scales": [1, 1, 1], "noise": 0.1}, "searched_at": 10**400},
    ],
)
def test_a_memory_that_cannot_be_is_refused(memory, monkeypatch, tmp_path):
    _, engine = searched(20, monkeypatch, method.LARGEST)
    engine.save(tmp_path / "state")
    state = json.loads((tmp_path / "state").read_text())
    (tmp_path / "state").write_text(json.dumps(state | {"memory": memory}))
    with pytest.raises(FileError):
        rf.load_optimizer(tmp_path / "state")


def test_what_is_kept_is_bounded_and_not_copied(monkeypatch):
    _, engine = searched(30, monkeypatch, 30 * 330)
    assert engine.method._listed is not None
    assert pickle.loads(pickle.dumps(engine)).method._listed is None
    _, engine = searched(40, monkeypatch, 30 * 330)
    assert engine.method._listed is None


def test_failed_trials_are_passed_over(monkeypatch):
    def by(config):
        return None if config["kind"] == "b" else loss(config)

    grown, _ = searched(50, monkeypatch, method.LARGEST, by)
    scratch, _ = searched(50, monkeypatch, 0, by)
    assert grown == scratch and any(config["kind"] == "b" for config in grown)


def test_trials_that_run_side_by_side_are_expected_to_return_the_mean(monkeypatch):
    _, engine = searched(40, monkeypatch, method.LARGEST)
    waiting = [engine.ask() for _ in range(4)]
    assert len({str(t.config) for t in waiting}) == 4
    for trial in reversed(waiting):
        engine.tell(trial, loss(trial.config))
    assert engine.ask().config not in [t.config for t in engine.trials[:-1]]


def test_the_fit_is_the_one_that_settled(monkeypatch):
    _, engine = searched(30, monkeypatch, method.LARGEST)
    log = engine.log
    X = engine.method.domain.layout.features(log.rows)
    kept = engine.method.memory["hyperparameters"]
    start = Hyperparameters(**{k: v if k == "noise" else tuple(v) for k, v in kept.items()})
    groups = engine.method.domain.layout.groups
    fresh = fit_gp(X, log.values, groups, start=start, settled=True)
    moments, best = engine.method.model(log, np.isfinite(log.values))
    assert best == pytest.approx(fresh.best, rel=1e-9)
    assert moments.mean[:5] == pytest.approx(
        fresh.predict(engine.method.domain.layout.features(engine.method.domain.pool[:5]))[0]
    )
