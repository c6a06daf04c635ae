"""The cube never leaves the learned space, and comes back."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import REGIONS, SPACES, region
from ringfence.learned.cube import UnitCube
from ringfence.learned.full import full_space

CELLS = [(kind, name) for kind in SPACES for name in REGIONS]


def random_values(cube: UnitCube, rng, corner: bool = False):
    values = {n: float(rng.integers(2)) if corner else float(rng.random()) for n in cube.names}
    for name, kept in cube.learned.choices.items():
        values[name] = kept[rng.integers(len(kept))]
    return values


@pytest.mark.parametrize("kind, name", CELLS)
def test_every_point_of_the_cube_is_inside(kind, name):
    cube = UnitCube(region(kind, name))
    rng = np.random.default_rng(0)
    for i in range(300):
        assert cube.learned.contains(cube.decode(random_values(cube, rng, corner=i % 3 == 0)))


@pytest.mark.parametrize("kind, name", CELLS)
def test_configurations_come_back(kind, name):
    cube = UnitCube(region(kind, name))
    for config in cube.learned.sample(200, seed=1):
        values = cube.encode(config)
        assert all(0 <= values[n] <= 1 for n in cube.names if n in values)
        again = cube.decode(values)
        assert list(again) == list(config)
        for key, value in config.items():
            same = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
            assert again[key] == same


def test_both_ends_of_integer_ranges_are_reached():
    space = SPACES["mixed"]
    cube = UnitCube(full_space(space))
    low = cube.decode({**dict.fromkeys(cube.names, 0.0), "loss": "log"})
    high = cube.decode({**dict.fromkeys(cube.names, 1.0), "loss": "log"})
    assert low == {"lr": 1e-4, "depth": 1, "width": 4, "size": "s", "loss": "log", "seed": 7}
    assert high == {"lr": 1.0, "depth": 12, "width": 4096, "size": "xl", "loss": "log", "seed": 7}


def test_a_thin_ellipsoid_over_integers_never_leaks():
    rng = np.random.default_rng(3)
    rows = [
        {"task": str(t), "a": k, "b": k + int(rng.integers(2)), "y": 0.0}
        for t in range(12)
        for k in [int(rng.integers(0, 30))]
    ]
    history = rf.History.from_frame(
        pl.DataFrame(rows), task="task", objective="y", direction="minimize", parameters=["a", "b"]
    )
    space = rf.Space({"a": rf.Int(0, 40), "b": rf.Int(0, 40)})
    cube = UnitCube(rf.learn(history, space, shape="ellipsoid"))
    for _ in range(500):
        assert cube.learned.contains(cube.decode(random_values(cube, rng)))


def test_outside_goes_to_the_boundary_and_nonsense_is_an_error():
    learned = region("numeric", "ellipsoid")
    cube = UnitCube(learned)
    outside = next(
        c for c in full_space(SPACES["numeric"]).sample(500, seed=0) if not learned.contains(c)
    )
    assert learned.contains(cube.decode(cube.encode(outside)))
    with pytest.raises(rf.SpaceError, match="'lr'"):
        cube.encode({**outside, "lr": 5.0})
