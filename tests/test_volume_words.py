"""A volume that is an estimate says so, with its error, wherever its digits could be others."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.learned.diff import describe
from ringfence.learned.text import volume_line, volume_text
from ringfence.regions import Clipped, Ellipsoid, Union
from ringfence.words import estimate


@pytest.mark.parametrize(
    ("share", "error", "says"),
    [
        (0.17, 0.0, "17%"),
        (0.17, 0.001, "17%"),  # 16.7 to 17.3 %
        (0.17, 0.003, "≈17% ± 0.3%"),
        (0.1651, 0.001, "≈17% ± 0.1%"),
        (0.004, 0.0004, "≈0.4% ± 0.04%"),
        (0.5, math.inf, "≈50%"),
        (0.0, 0.0, "0%"),
        (1.0, 0.0, "100%"),
    ],
)
def test_the_error_is_shown_if_it_changes_a_digit(share, error, says):
    assert estimate(share, error) == says


def learned(n_tasks: int, parameter, dim: int, **settings) -> rf.LearnedSpace:
    """An ellipsoid that the bounds cut."""
    rng = np.random.default_rng(0)
    values = rng.random((n_tasks, dim))
    if isinstance(parameter, rf.Int):
        values = np.floor(values * (parameter.high + 1)).astype(int)
    frame = pl.DataFrame(values, schema=[f"x{i}" for i in range(dim)]).with_columns(
        task=pl.Series([f"t{i}" for i in range(n_tasks)]), error=pl.Series(rng.random(n_tasks))
    )
    space = rf.Space({f"x{i}": parameter for i in range(dim)})
    history = rf.History.from_frame(frame, task="task", objective="error", parameters=list(space))
    return rf.learn(history, space, shape="ellipsoid", starts=0, **settings)


def test_text_and_differences_show_the_error():
    wide, narrow = learned(100, rf.Int(0, 2), 30), learned(80, rf.Int(0, 2), 30)
    assert 0 < wide.volume_error < 0.05 * wide.volume_fraction
    assert volume_text(wide).startswith("≈") and "±" in volume_text(wide)
    assert volume_line(wide) in str(wide) and ", about " in volume_line(wide)
    assert "volume_fraction≈" in repr(wide)
    assert f"volume kept: {volume_text(wide)} → {volume_text(narrow)}" in describe(wide, narrow)


def test_where_rounding_cannot_be_counted_it_is_said():
    """Of 65,536 draws of the box around it too few are inside."""
    space = learned(45, rf.Int(0, 9), 40)
    assert space.volume_error == math.inf
    assert volume_text(space).endswith("before integers are rounded")


def test_a_check_says_so_too():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(rng.random((200, 8)), schema=[f"x{i}" for i in range(8)]).with_columns(
        task=pl.Series([f"t{i % 10}" for i in range(200)]), error=pl.Series(rng.random(200))
    )
    names = [f"x{i}" for i in range(8)]
    history = rf.History.from_frame(frame, task="task", objective="error", parameters=names)
    space = rf.Space({name: rf.Float(0, 1) for name in names})
    found = rf.check(history, space, shape="ellipsoid", starts=0)
    assert found.volume_error > 0
    assert f"volume kept: {estimate(found.volume_kept, found.volume_error)}" in str(found)


def test_the_error_of_a_union_covers_that_of_its_overlap():
    """Two discs whose lens has a closed form; six standard errors."""
    r, d = 0.3, 0.3
    union = Union(
        tuple(Clipped(Ellipsoid(np.array([x, 0.5]), np.eye(2) * r)) for x in (0.35, 0.35 + d))
    )
    lens = 2 * r**2 * math.acos(d / (2 * r)) - d / 2 * math.sqrt(4 * r**2 - d**2)
    exact = math.log(2 * math.pi * r**2 - lens)
    assert 0 < union.log_volume_error < 0.01
    assert abs(union.log_volume - exact) < 6 * union.log_volume_error


@pytest.mark.parametrize("dim", [4, 5])
def test_the_sum_over_switches_is_a_share(dim):
    """The chances of the values that switch parameters on add to 1, but for rounding."""
    parameters: dict = {f"s{i}": rf.Categorical(["a", "b", "c"]) for i in range(dim)}
    parameters |= {f"x{i}": rf.Float(0, 1) for i in range(dim)}
    conditions = [rf.Condition(f"x{i}", f"s{i}", ["a"]) for i in range(dim)]
    conditions += [rf.Condition(f"x{i}", "s0", ["b"]) for i in range(1, dim)]
    space = rf.Space(parameters, conditions)
    optimizer = rf.optimizer("random", space)
    assert optimizer.setup.domain.learned.volume_fraction <= 1.0
