"""What every adapter owes: proposals inside, plain types, and the way there and back."""

from __future__ import annotations

import numpy as np
import pytest

import ringfence as rf
from problems import REGIONS, SPACES

CELLS = [(kind, name) for kind in SPACES for name in REGIONS]
SHAPES = [(kind, name) for kind in SPACES for name in ("box", "ellipsoid", "ellipsoids")]

PLAIN = (bool, int, float, str, type(None))

AWKWARD = rf.Space(
    {
        "mixed": rf.Categorical([1, True, None, "1", 2.5]),
        "flag": rf.Categorical([True, False]),
        "grid": rf.Categorical([8, 16, 32.5], ordered=True),
        "depth": rf.Int(1, 3),
        "rate": rf.Float(0.1, 0.9),
        "empty": rf.Constant(None),
    },
    [rf.Condition("rate", "depth", [2, 3]), rf.Condition("rate", "mixed", [True, None])],
)
"""Choices that compare equal, None, a condition on a whole number, two conditions on one child."""


def inside(learned: rf.LearnedSpace, config: dict) -> None:
    """A proposal as a user may expect it."""
    assert learned.contains(config), config
    assert tuple(config) == learned.space.active(config)
    assert all(type(value) in PLAIN for value in config.values()), config


def comes_back(learned: rf.LearnedSpace, encode, decode, n: int = 50) -> None:
    """Configurations survive the way to the tool and back."""
    for config in learned.sample(n, seed=1):
        again = decode(encode(config))
        assert again.keys() == config.keys()
        for name, value in config.items():
            assert type(again[name]) is type(value)
            if type(value) is float:
                value = pytest.approx(value, rel=1e-9, abs=1e-12)
            assert again[name] == value


def evenly(values, low: int, high: int) -> None:
    """Whole numbers from `low` to `high` occur equally often, both ends too: a chi-square test at
    one false alarm in a million."""
    from scipy.stats import chisquare

    counts = [np.count_nonzero(np.asarray(values) == k) for k in range(low, high + 1)]
    assert sum(counts) == len(values)
    assert chisquare(counts).pvalue > 1e-6, counts
