"""⌈νT⌉ has one rounding: what the fits leave outside is what the text says was asked for."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from ringfence.fit.box import fit_box
from ringfence.fit.ellipsoid import fit_ellipsoid
from ringfence.fit.outlier_count import n_outliers
from ringfence.learned.text import outlier_lines

COUNTS = [(0.1, 1), (0.10000001, 2), (0.1 + 0.2, 3), (0.3, 3), (0.30000001, 4), (0.0, 0)]


@pytest.mark.parametrize(("outliers", "count"), COUNTS)
def test_the_rounding(outliers: float, count: int) -> None:
    """0.1 + 0.2 is 0.30000000000000004 and means three of ten; 0.10000001 means more than one."""
    assert n_outliers(outliers, 10) == count


@pytest.mark.parametrize("fit", [fit_box, fit_ellipsoid])
@pytest.mark.parametrize(
    ("seed", "outliers", "count"), [(2, 0.1, 1), (2, 0.10000001, 2), (0, 0.1 + 0.2, 3)]
)
def test_both_shapes_leave_this_many_outside(fit, seed: int, outliers: float, count: int) -> None:
    """In these clouds tasks leave one at a time, so that one rounded away would be missing."""
    points = np.random.default_rng(seed).random((10, 2))
    assert int((fit(points, outliers).slack > 0).sum()) == count


ONE = "left outside (1 asked for; tasks can leave together only): t0, t9"
TWO = "left outside: t0, t9"
THREE = "left outside (3 asked for; tasks can leave together only): t0, t1, t8, t9"


@pytest.mark.parametrize(
    ("shape", "outliers", "line"),
    [
        ("box", 0.1, ONE),
        ("box", 0.10000001, TWO),
        ("ellipsoid", 0.10000001, TWO),
        ("box", 0.1 + 0.2, THREE),
        ("ellipsoid", 0.1 + 0.2, THREE),
    ],
)
def test_the_text_says_what_the_fits_were_asked_for(shape: str, outliers: float, line: str) -> None:
    """In one dimension tasks leave in pairs, one at each end: two for 0.10000001, as asked for."""
    x = np.linspace(0.0, 1.0, 10) ** 1.3
    frame = pl.DataFrame({"task": [f"t{t}" for t in range(10)], "x": x, "error": np.zeros(10)})
    history = rf.History.from_frame(frame, task="task", objective="error")
    space = rf.Space({"x": rf.Float(0, 1)})
    learned = rf.learn(history, space, shape=shape, outliers=outliers, starts=0)
    assert outlier_lines(learned) == [line]
