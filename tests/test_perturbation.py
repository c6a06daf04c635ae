"""The switch that gives the models other last digits finds its way into all of them."""

from __future__ import annotations

import numpy as np
import pytest

from perturbation import ENTRANCES, entrance, perturbed


@pytest.mark.parametrize("module, name", [(module, name) for module, name, _ in ENTRANCES])
def test_every_entrance_is_there(module, name):
    if module.endswith(".smac"):
        pytest.importorskip("smac")
    assert callable(entrance(module, name)[2])


def test_features_move_by_a_hair_and_always_alike():
    X = np.random.default_rng(0).random((40, 3))
    X[0] = [0.0, 1.0, -1.0]
    moved = perturbed(X, 1e-12)
    np.testing.assert_array_equal(moved[0], X[0])
    assert (moved[1:] != X[1:]).mean() > 0.9
    np.testing.assert_allclose(moved, X, rtol=1.001e-12)
    np.testing.assert_array_equal(perturbed(X[::-1], 1e-12), moved[::-1])
    assert (perturbed(X, -1e-12) != moved).any()
    ((again, y),) = perturbed([(X, "y")], 1e-12)
    np.testing.assert_array_equal(again, moved)
    assert y == "y"
