"""A value that switches a parameter off, beside its range: one coordinate with a cell for it."""

from __future__ import annotations

import json
import math

import jsonschema
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ringfence as rf
from ringfence.learned.file import schema
from ringfence.learned.full import full_space
from ringfence.learned.narrowing import narrowed
from ringfence.space import Encoding, axis_of, space_from, write_space
from ringfence.space.axes import MARGIN, OFF_SHARE
from ringfence.space.display import between, range_of
from ringfence.space.pairs import flags, from_pairs, paired, to_pairs, without_flags
from ringfence.space.ticks import scale_of

L2 = rf.Float(1e-3, 10.0, log=True, off=0.0)


@st.composite
def parameters(draw):
    """Floats and integers, linear or log, with a value for off below, above or at an end."""
    whole, log = draw(st.booleans()), draw(st.booleans())
    if whole:
        low = draw(st.integers(1, 50))
        high = low + draw(st.integers(2, 500))
        off = draw(st.sampled_from([low - 1, low - 7, low, high, high + 1, high + 1000]))
        return rf.Int(low, high, log, off)
    low = draw(st.floats(1e-6, 10.0))
    high = low * draw(st.floats(1.5, 1e4))
    off = draw(st.sampled_from([0.0, -1.0, low, high, 2.0 * high]))
    return rf.Float(low, high, log, off)


@given(parameters(), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_a_coordinate_and_its_value_there_and_back(parameter, places):
    axis, unit = axis_of(parameter), np.array([*places, 0.0, 1.0])
    values = axis.decode(unit)
    again = axis.encode(values)
    assert np.allclose(axis.decode(again), values, rtol=1e-9)
    lower, upper = axis.cell(values)  # the coordinate lies in the cell of its value
    gap = np.maximum(lower - unit, unit - upper)
    assert (gap <= (2 * MARGIN if parameter.log or type(parameter) is rf.Float else MARGIN)).all()
    own = {"x": [float(value) for value in values]}
    assert all(rf.Space({"x": parameter}).contains({"x": value}) for value in own["x"])
    assert ((again >= lower) & (again <= upper)).all()


@given(parameters())
def test_off_owns_a_quarter_at_the_end_where_it_lies(parameter):
    axis = axis_of(parameter)
    lower, upper = (float(edge[0]) for edge in axis.cell(np.array([float(parameter.off)])))
    assert upper - lower == OFF_SHARE
    below = parameter.off <= parameter.low
    assert (lower, upper) == ((0.0, OFF_SHARE) if below else (1.0 - OFF_SHARE, 1.0))
    unit = (np.arange(4000) + 0.5) / 4000
    is_off = axis.decode(unit) == parameter.off
    assert is_off.mean() == OFF_SHARE
    assert is_off[:1000].all() if below else is_off[-1000:].all()
    decoded = axis.decode(np.array([0.0, 1.0])).tolist()
    other = parameter.high if below else parameter.low
    assert decoded == ([parameter.off, other] if below else [other, parameter.off])


@given(parameters(), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_an_interval_grows_to_whole_cells_and_holds_the_same_values(parameter, one, two):
    axis, (start, stop) = axis_of(parameter), sorted((one, two))
    low, high = axis.span(start, stop)
    lower, upper = axis.whole_cells(start, stop)
    if axis.encode(np.array([low]))[0] < start - 1e-9:
        return  # nothing lies in it: the nearest values stand for it
    assert axis.span(lower, upper) == pytest.approx((low, high), rel=1e-9)
    if stop - start > 2 * MARGIN:  # a draw of it is one of those values
        drawn = axis.decode(lower + (upper - lower) * np.linspace(0.001, 0.999, 101))
        slack = 1e-6 * max(abs(low), abs(high))
        assert drawn.min() >= low - slack and drawn.max() <= high + slack
        if parameter.off not in (low, high):
            assert (drawn != parameter.off).all()


def test_the_edges_of_the_range_are_exact():
    axis = axis_of(L2)
    start, stop = axis.encode(np.array([1e-3, 10.0]))
    assert (start, stop) == (OFF_SHARE + MARGIN, 1.0)
    assert axis.decode(np.array([start, stop, OFF_SHARE])).tolist() == [1e-3, 10.0, 0.0]
    middle = axis.encode(np.array([0.1]))[0]  # of the range alone, on the log scale
    assert middle == pytest.approx((start + stop) / 2)
    assert math.isnan(axis.encode(np.array([math.nan]))[0])


def test_coordinates_are_snapped_column_by_column():
    space = rf.Space(
        {"a": L2, "k": rf.Int(1, 4), "b": rf.Float(0, 1, off=2.0), "x": rf.Float(0, 1)}
    )
    encoding = Encoding.of(space)
    points = np.random.default_rng(0).random((200, 4))
    snapped = encoding.snap(points)
    assert (snapped[:, 3] == points[:, 3]).all()
    assert (snapped[points[:, 0] < OFF_SHARE, 0] == OFF_SHARE / 2).all()
    assert (snapped[points[:, 2] > 1 - OFF_SHARE, 2] == 1 - OFF_SHARE / 2).all()
    rest = points[:, 0] > OFF_SHARE + MARGIN
    assert np.allclose(snapped[rest, 0], points[rest, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: rf.Float(0.0, 1.0, off=0.5), "lies inside the range"),
        (lambda: rf.Int(1, 9, off=3), "lies inside the range"),
        (lambda: rf.Float(0.1, 1.0, off=math.nan), "off must be finite"),
        (lambda: rf.Float(0.1, 1.0, off=True), "off must be a number"),
        (lambda: rf.Int(1, 9, off=0.5), "must be an integer"),
        (lambda: rf.Int(1, 9, off=2**41), "use Float"),
    ],
)
def test_what_cannot_be_off_is_refused(make, says):
    with pytest.raises(rf.SpaceError, match=says):
        make()


def test_words_ticks_and_repr():
    assert repr(L2) == "Float(low=0.001, high=10.0, log=True, off=0.0)"
    assert repr(rf.Float(0, 1)) == "Float(low=0.0, high=1.0, log=False)"
    assert range_of(L2) == "off (0), 0.001 … 10 (log)"
    assert between(L2, 0.0, 0.5) == "off (0), 0.001 … 0.5"
    assert between(L2, 0.01, 0.5) == "0.01 … 0.5"
    assert between(L2, 0.0, 0.0) == "off (0)"
    labels = [text for _, text in scale_of("l2", L2).ticks]
    assert labels == ["off", "0.001", "0.01", "0.1", "1", "10"]
    above = scale_of("keep", rf.Float(0.5, 0.9, off=1.0)).ticks
    assert above[-1] == (1 - OFF_SHARE / 2, "off")


def test_ranges_that_were_narrowed():
    assert narrowed(L2, 0.0, 0.5) == rf.Float(1e-3, 0.5, log=True, off=0.0)
    assert narrowed(L2, 0.01, 0.5) == rf.Float(0.01, 0.5, log=True)
    assert narrowed(L2, 0.0, 0.0) == rf.Constant(0.0)
    assert narrowed(L2, 0.0, 1e-3) == rf.Categorical([0.0, 1e-3], ordered=True)
    above = rf.Int(1, 9, off=12)
    assert narrowed(above, 4, 12) == rf.Int(4, 9, off=12)
    assert narrowed(above, 4, 7) == rf.Int(4, 7)


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".toml"])
def test_files_hold_it_and_say_nothing_where_there_is_none(suffix, tmp_path):
    space = rf.Space({"l2": L2, "depth": rf.Int(1, 12, off=-1), "x": rf.Float(0.0, 1.0)})
    path = tmp_path / f"space{suffix}"
    path.write_text(write_space(space, suffix))
    assert rf.read_space(path) == space
    assert path.read_text().count("off") == 2
    plain = json.loads(write_space(rf.Space({"x": rf.Float(0.0, 1.0)})))
    assert plain["parameters"]["x"] == {"type": "float", "low": 0.0, "high": 1.0, "log": False}
    assert space_from({"d": {"type": "int", "low": 1, "high": 9, "off": -1.0}})["d"].off == -1


def history(best: list[float]) -> pl.DataFrame:
    """Tasks whose best row has these values of l2, among forty rows drawn from the space."""
    space = full_space(rf.Space({"l2": L2, "lr": rf.Float(1e-3, 1.0, log=True)}))
    rows = []
    for task, value in enumerate(best):
        configs = space.sample(40, seed=task)
        configs[0] = {"l2": value, "lr": 0.03 + 0.001 * task}
        rows += [
            {"task": f"t{task}", **c, "error": float(i > 0) + 0.01 * i}
            for i, c in enumerate(configs)
        ]
    return pl.DataFrame(rows)


LEARN = {"space": rf.Space({"l2": L2, "lr": rf.Float(1e-3, 1.0, log=True)}), "task": "task"}


@pytest.mark.parametrize("shape", ["box", "ellipsoid", "boxes"])
@pytest.mark.parametrize(
    ("best", "has_off", "has_range"),
    [
        ([0.0, 0.0, 0.01, 0.02, 0.0, 0.05], True, True),
        ([0.01, 0.02, 0.05, 0.1, 0.03, 0.2], False, True),
        ([0.0] * 12, True, False),
    ],
)
def test_off_and_a_range_a_range_alone_or_off_alone(shape, best, has_off, has_range, tmp_path):
    learned = rf.learn(history(best), objective="error", direction="minimize", shape=shape, **LEARN)
    if has_range:
        assert any(learned.contains({"l2": v, "lr": 0.033}) for v in best if v)
    draws = learned.sample(400, seed=0)
    assert all(learned.contains(config) for config in draws)
    share = np.mean([config["l2"] == 0.0 for config in draws])
    assert (share > 0) == has_off
    if shape == "box":
        assert (share < 1) == has_range
        low, high = learned.bounds["l2"]
        assert (low == 0.0) == has_off and (high > 0.0) == has_range
        if has_off and has_range:  # the share of its cell of the box: five standard errors
            block = next(b for b in learned.blocks if "l2" in b.names)
            j = block.names.index("l2")
            expected = OFF_SHARE / (block.spans[1][j] - block.spans[0][j])
            assert abs(share - expected) < 5 * math.sqrt(expected * (1 - expected) / 400)
        if not has_range:
            assert learned.as_space()["l2"] == rf.Constant(0.0)
    path = tmp_path / "learned.json"
    learned.save(path)
    assert rf.load(path) == learned
    jsonschema.validate(json.loads(path.read_text()), schema())


def test_a_table_with_zeros_is_learned_as_off_and_a_space_wins():
    frame = history([0.0, 0.0, 0.01, 0.02, 0.0, 0.05])
    inferred = rf.infer_space(frame, task="task", objective="error").space["l2"]
    assert inferred.log and inferred.off == 0.0 and inferred.low > 0
    linear = rf.Space({"l2": rf.Float(0.0, 10.0), "lr": rf.Float(1e-3, 1.0, log=True)})
    learned = rf.learn(frame, linear, task="task", objective="error", direction="minimize")
    assert learned.space["l2"] == rf.Float(0.0, 10.0)


@given(st.floats(1e-3, 10.0) | st.just(0.0))
def test_a_pair_there_and_back(value):
    kernel = rf.Categorical(["linear", "rbf"])
    space = rf.Space(
        {"kernel": kernel, "l2": L2, "use_l2": rf.Int(1, 3), "x": rf.Float(0, 1)},
        [rf.Condition("l2", "kernel", ["rbf"])],
    )
    assert flags(space) == {"use_l2_": "l2"}  # the name is taken
    config = {"kernel": "rbf", "l2": value, "use_l2": 2, "x": 0.5}
    values = to_pairs(space, config)
    paired(space).check(values)
    assert ("l2" in values) == values["use_l2_"] == (value != 0.0)
    assert from_pairs(space, values) == config
    assert tuple(from_pairs(space, values)) == tuple(config)
    assert without_flags(paired(space), {"l2": 0.0}) == space


def test_the_check_counts_what_is_off_at_no_end():
    frame = history([0.0] * 20)
    check = rf.check(frame, objective="error", direction="minimize", **LEARN)
    assert not any("l2 lie at" in warning for warning in check.warnings)
    low = history([1e-3] * 20)
    check = rf.check(low, objective="error", direction="minimize", **LEARN)
    assert any("l2 lie at the low end" in warning for warning in check.warnings)


@pytest.mark.parametrize(
    ("low", "high", "off"), [(0.0, 1e-320, 0.0), (1.0, 1.0 + 4e-16, 1.0), (-1e9, -1e9 + 0.5, -1e9)]
)
def test_a_range_too_narrow_to_begin_beyond_its_end_is_refused(low, high, off):
    with pytest.raises(rf.SpaceError, match="too narrow for off"):
        rf.Float(low, high, off=off)
    assert rf.Float(low, high, off=low - 1.0).off == low - 1.0
