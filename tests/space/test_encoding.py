"""Coordinates and back: exact at both ends, every integer included, uniform stays uniform."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ringfence import Categorical, Float, Int, Space
from ringfence.space import Axis, Encoding, axis_of


@st.composite
def float_parameters(draw):
    log = draw(st.booleans())
    if log:
        low = draw(st.floats(1e-300, 1e250))
        return Float(low, low * draw(st.floats(1.0001, 1e40)), log=True)
    low = draw(st.floats(-1e15, 1e15))
    width = max(abs(low), 1e-8) * draw(st.floats(1e-8, 1e8))
    return Float(low, low + width) if low + width > low else Float(low, low + 1 + abs(low))


@st.composite
def int_parameters(draw):
    log = draw(st.booleans())
    low = draw(st.integers(1 if log else -(2**39), 2**39))
    return Int(low, low + draw(st.integers(1, 2**39)), log=log)


@given(float_parameters(), st.floats(0, 1))
@example(Float(1e-5, 1.0, log=True), 0.5)
def test_a_real_range_is_exact_at_its_ends_and_accurate_between(parameter, share):
    axis = axis_of(parameter)
    ends = np.array([parameter.low, parameter.high])
    assert axis.encode(ends).tolist() == [0.0, 1.0]
    assert axis.decode(np.array([0.0, 1.0])).tolist() == ends.tolist()
    value = axis.decode(np.array([share]))
    assert parameter.low <= value[0] <= parameter.high
    np.testing.assert_allclose(axis.decode(axis.encode(value)), value, rtol=1e-12, atol=0)


@given(int_parameters(), st.lists(st.floats(0, 1), min_size=1))
def test_integers_survive_the_way_there_and_back(parameter, shares):
    axis = axis_of(parameter)
    width = parameter.high - parameter.low
    inner = [parameter.low + math.floor(s * width) for s in shares]
    values = np.array([parameter.low, parameter.high, *inner], float)
    assert axis.decode(axis.encode(values)).tolist() == values.tolist()
    assert axis.decode(np.array([0.0, 1.0])).tolist() == [parameter.low, parameter.high]


@given(int_parameters())
def test_the_cells_of_neighboring_integers_touch(parameter):
    axis = axis_of(parameter)
    lower, upper = axis.cell(np.array([parameter.low, parameter.low + 1.0]))
    assert lower[0] == 0.0
    assert upper[0] == lower[1]
    assert axis.cell(np.array([float(parameter.high)]))[1][0] == 1.0
    middle = axis.encode(np.array([parameter.low, parameter.low + 1.0]))
    assert (lower < middle).all() and (middle < upper).all()


def test_uniform_coordinates_give_uniform_integers():
    """Six values from 600,000 draws; five sigma on each count, false alarm below 1e-5."""
    counts = np.bincount(
        axis_of(Int(0, 5)).decode(np.random.default_rng(0).random(600_000)).astype(int)
    )
    sigma = math.sqrt(600_000 * (1 / 6) * (5 / 6))
    assert np.abs(counts - 100_000).max() < 5 * sigma


def test_an_interval_of_coordinates_holds_the_integers_whose_coordinate_is_in_it():
    axis = Axis(1, 10, log=False, integer=True)
    unit = axis.encode(np.arange(1, 11.0))
    assert axis.span(unit[2], unit[6]) == (3, 7)
    assert axis.span(unit[2] + 1e-6, unit[6] - 1e-6) == (4, 6)
    lower, upper = axis.cell(np.array([3.0, 7.0]))
    assert axis.span(lower[0], upper[1]) == (3, 7)
    assert axis.span(0.0, 1.0) == (1, 10)


def test_ordered_choices_keep_every_one():
    space = Space(
        {"batch": Categorical([8, 16, 32, 64], ordered=True), "act": Categorical(["a", "b"])}
    )
    encoding = Encoding.of(space)
    assert encoding.names == ("batch",)
    points = np.concatenate([encoding.point({"batch": b}) for b in (8, 16, 32, 64)])
    assert encoding.values(points) == {"batch": [8, 16, 32, 64]}
    assert np.allclose(np.diff(points[:, 0]), 0.25)


def test_plain_types_come_back():
    space = Space(
        {"n": Int(1, 3), "x": Float(0, 1), "o": Categorical(["s", "m", "l"], ordered=True)}
    )
    values = Encoding.of(space).values(np.array([[1.0, 0.25, 0.5]]))
    assert values == {"n": [3], "x": [0.25], "o": ["m"]}
    assert [type(v[0]) for v in values.values()] == [int, float, str]


def test_snapping_all_at_once_is_encoding_what_was_decoded():
    space = Space(
        {
            "a": Float(0, 1),
            "b": Float(1e-150, 1e150, log=True),
            "c": Int(-5, 7),
            "d": Int(1, 1000, log=True),
            "e": Categorical(["s", "m", "l"], ordered=True),
            "f": Float(1e6, 1e6 + 1e-6),  # floats are 1e-4 of the range apart
            "g": Int(0, 2**40),
        }
    )
    encoding = Encoding.of(space)
    points = np.random.default_rng(0).random((200, encoding.dim))
    points[:2] = [[0.0], [1.0]]
    plain = encoding.encode(encoding.decode(points))
    assert np.abs(encoding.snap(points) - plain).max() < 1e-12
    assert np.abs(plain - points)[:, 5].max() > 1e-5
