"""Ax: a client over a box in its own units, over an ellipsoid through the cube."""

from __future__ import annotations

import logging

import pytest

from problems import SPACES, Problem, region
from ringfence.learned.full import full_space

from .contract import AWKWARD, SHAPES, comes_back, inside

pytestmark = pytest.mark.filterwarnings("ignore::Warning")
pytest.importorskip("ax")
from ax.api.client import Client  # noqa: E402

from ringfence.adapters.ax import parameters  # noqa: E402


def run(learned, objective, n):
    """`n` trials of a client that begins with a configuration of ours."""
    logging.disable(logging.INFO)
    translated = parameters(learned)
    client = Client(random_seed=0)
    client.configure_experiment(parameters=translated.space)
    client.configure_optimization(objective="-loss")
    first = learned.sample(1, seed=0)[0]
    client.complete_trial(
        client.attach_trial(parameters=translated.encode(first)), raw_data={"loss": 1.0}
    )
    seen = []
    for _ in range(n):
        for index, values in client.get_next_trials(max_trials=1).items():
            seen.append(translated.decode(values))
            client.complete_trial(index, raw_data={"loss": objective(seen[-1])})
    logging.disable(logging.NOTSET)
    return seen


@pytest.mark.parametrize("kind, name", SHAPES)
def test_trials_are_inside(kind, name):
    """The first trials are quasi-random; two spaces go on to a model below."""
    learned = region(kind, name)
    for config in run(learned, Problem(SPACES[kind], 0.5), 3):
        inside(learned, config)


def test_trials_of_the_model_are_inside():
    learned = region("numeric", "slack ellipsoid")
    for config in run(learned, Problem(SPACES["numeric"], 0.0), 6):
        inside(learned, config)


@pytest.mark.parametrize("kind, name", SHAPES)
def test_configurations_come_back(kind, name):
    translated = parameters(region(kind, name))
    comes_back(region(kind, name), translated.encode, translated.decode)


def test_a_box_is_given_in_its_own_units():
    learned = region("mixed", "box")
    by_name = {config.name: config for config in parameters(learned).space}
    assert by_name.keys() == {"lr", "depth", "width", "size", "loss"}
    assert by_name["depth"].bounds == learned.bounds["depth"]
    assert by_name["depth"].parameter_type == "int"
    assert (by_name["lr"].scaling, by_name["depth"].scaling) == ("log", "linear")
    assert (by_name["size"].is_ordered, by_name["loss"].is_ordered) == (True, False)


def test_awkward_choices():
    learned = full_space(AWKWARD)
    translated = parameters(AWKWARD)
    comes_back(learned, translated.encode, translated.decode)
    for config in run(learned, lambda config: float(config["depth"]), 3):
        inside(learned, config)
