"""What tools make of a no-go zone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ringfence as rf
from ringfence.learned.full import full_space
from ringfence.learned.zone.rule import Zone

SPACE = rf.Space(
    {
        "batch": rf.Int(8, 1024, log=True),
        "width": rf.Float(16.0, 512.0, log=True),
        "kind": rf.Categorical(["a", "b"]),
    }
)
COUNTS = {"failed": 40, "runs": 41, "tasks": 3, "share": 0.2}
ZONES = {
    "bound": Zone(("batch",), 300.0, **COUNTS),
    "below": Zone(("width",), 40.0, **COUNTS, below=True),
    "product": Zone(("batch", "width"), 5e4, **COUNTS),
    "ratio": Zone(("width", "batch"), 8.0, **COUNTS, ratio=True),
    "choice": Zone(("batch", "width"), 3e4, **COUNTS, only={"kind": "b"}),
}


def with_zone(name: str) -> rf.LearnedSpace:
    return replace(full_space(SPACE), zone=ZONES[name])


@pytest.mark.parametrize("name", ["bound", "product", "choice"])
def test_configspace_forbids_most_of_the_zone_and_nothing_else(name):
    configspace = pytest.importorskip("ringfence.adapters.configspace")
    learned = with_zone(name)
    translated = configspace.to_configspace(learned, seed=0)
    draws = [translated.decode(c) for c in translated.space.sample_configuration(500)]
    plain = full_space(SPACE).sample(4000, seed=0)
    share = np.mean([learned.in_zone(config) for config in plain])
    assert np.mean([learned.in_zone(config) for config in draws]) < 0.4 * share
    for config in plain[:200]:
        if not learned.in_zone(config):
            assert translated.decode(translated.encode(config)).keys() == config.keys()
    with pytest.raises(rf.SpaceError, match="no-go zone"):
        translated.encode({"batch": 1024, "width": 512.0, "kind": "b"})


@pytest.mark.parametrize("log", [False, True])
def test_configspace_forbids_integers_from_the_bound_on_and_prints_nothing(log, capsys):
    configspace = pytest.importorskip("ringfence.adapters.configspace")
    space = rf.Space({"batch": rf.Int(8, 1024, log=log)})
    learned = replace(full_space(space), zone=ZONES["bound"])
    forbidden = configspace.to_configspace(learned, seed=0).space.forbidden_clauses[0]
    batch, values = forbidden.hyperparameter, np.arange(8, 1025)
    vectors = batch.to_vector(values)
    assert [forbidden.is_forbidden_vector(np.array([v])) for v in vectors] == list(values >= 300)
    assert list(forbidden.is_forbidden_vector_array(vectors[None])) == list(values >= 300)
    assert not capsys.readouterr().out


@pytest.mark.parametrize("name", ["below", "ratio"])
def test_configspace_is_told_nothing_that_it_would_not_keep(name):
    configspace = pytest.importorskip("ringfence.adapters.configspace")
    assert not configspace.to_configspace(with_zone(name)).space.forbidden_clauses


def test_a_product_of_three_is_more_than_configspace_can_say():
    configspace = pytest.importorskip("ringfence.adapters.configspace")
    space = rf.Space({name: rf.Float(1.0, 10.0) for name in "abc"})
    zone = Zone(("a", "b", "c"), 500.0, **COUNTS)
    translated = configspace.to_configspace(replace(full_space(space), zone=zone))
    assert not translated.space.forbidden_clauses


@pytest.mark.parametrize("name", ZONES)
def test_ray_draws_outside_the_zone(name):
    raytune = pytest.importorskip("ringfence.adapters.raytune")
    learned = with_zone(name)
    searcher = raytune.searcher(learned, "loss", "min", seed=0)
    assert not any(learned.in_zone(searcher.suggest(str(k))) for k in range(100))


@pytest.mark.parametrize("name", ["product", "choice"])
def test_optuna_samplers_leave_the_zone(name):
    optuna = pytest.importorskip("optuna")
    from ringfence.adapters import optuna as adapter

    learned = with_zone(name)
    plain = full_space(SPACE)

    def inside(where: rf.LearnedSpace) -> int:
        sampler = adapter.sampler(where, optuna.samplers.TPESampler(seed=0), seed=0)
        study = optuna.create_study(sampler=sampler)
        found = []

        def objective(trial):
            config = {
                "batch": trial.suggest_int("batch", 8, 1024, log=True),
                "width": trial.suggest_float("width", 16.0, 512.0, log=True),
                "kind": trial.suggest_categorical("kind", ["a", "b"]),
            }
            found.append(learned.in_zone(config))
            return config["batch"]

        study.optimize(objective, n_trials=30)
        return sum(found)

    assert inside(learned) == 0 < inside(plain)


@pytest.mark.parametrize("value", ["x", None, [8]])
def test_a_value_that_is_no_number_is_refused(value):
    with pytest.raises(rf.SpaceError, match="'batch' is a number, not"):
        with_zone("bound").in_zone({"batch": value, "width": 64.0, "kind": "a"})
