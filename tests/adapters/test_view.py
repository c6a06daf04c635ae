"""What box tools are shown of a learned space, and what their proposals mean."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest

import ringfence as rf
from problems import SPACES, region
from ringfence.adapters.values import one_type, unequal
from ringfence.adapters.view import ToolView, as_learned, is_box, require_box
from ringfence.learned.full import full_space
from ringfence.space import Categorical, Constant, Float, Int

from .contract import AWKWARD, CELLS, comes_back, inside


def proposals(space: rf.Space, n: int, seed: int = 0):
    """What a tool without knowledge of conditions may propose: corners and random points."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        values = {}
        for name, parameter in space.parameters.items():
            if isinstance(parameter, Categorical):
                values[name] = parameter.choices[rng.integers(len(parameter.choices))]
            elif isinstance(parameter, Constant):
                values[name] = parameter.value
            else:
                share = float(rng.integers(2)) if i % 2 else rng.random()
                number = parameter.low + share * (parameter.high - parameter.low)
                values[name] = np.int64(number) if isinstance(parameter, Int) else number
        yield values


@pytest.mark.parametrize("kind, name", CELLS)
def test_whatever_a_tool_proposes_is_inside(kind, name):
    learned = region(kind, name)
    view = ToolView(learned, flat=True)
    for values in proposals(view.space, 100):
        inside(learned, view.decode(values))


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("kind, name", CELLS)
def test_configurations_come_back(kind, name, flat):
    learned = region(kind, name)
    view = ToolView(learned, flat=flat)
    comes_back(learned, view.encode, view.decode)
    if flat:
        assert all(view.encode(c).keys() == set(view.space) for c in learned.sample(20, seed=2))
    else:
        assert all(view.space.contains(view.encode(c)) for c in learned.sample(20, seed=2))


def test_a_box_is_shown_in_its_own_units_and_an_ellipsoid_as_a_cube():
    box, ring = region("mixed", "box"), region("mixed", "ellipsoid")
    assert ToolView(box).space == box.as_space()
    shown = ToolView(ring).space
    assert all(shown[n] == Float(0.0, 1.0) for n in ("lr", "depth", "width", "size"))
    assert shown["loss"] == Categorical(["hinge", "log", "square"])
    assert ToolView(region("conditional", "ellipsoid")).space.conditions == tuple(
        SPACES["conditional"].conditions
    )


def test_both_ends_of_a_box_are_reached():
    box = region("mixed", "box")
    view, bounds = ToolView(box), box.bounds
    assert bounds["depth"][0] < bounds["depth"][1]
    for end in (0, 1):
        values = {name: pair[end] for name, pair in bounds.items()} | {"loss": "log"}
        assert view.decode(values) == {**values, "seed": 7}
        over = {**values, "lr": values["lr"] * (1 + (2 * end - 1) * 1e-12)}
        assert view.decode(over)["lr"] == values["lr"]


@pytest.mark.parametrize("can_represent", [one_type, unequal])
@pytest.mark.parametrize("flat", [True, False])
def test_choices_that_a_tool_has_no_word_for_are_text(can_represent, flat):
    learned = full_space(AWKWARD)
    view = ToolView(learned, flat=flat, can_represent=can_represent)
    assert view.space["mixed"] == Categorical(["1", "true", "null", '"1"', "2.5"])
    assert view.space["flag"] == Categorical([True, False])
    comes_back(learned, view.encode, view.decode)
    for values in proposals(view.space, 50):
        inside(learned, view.decode(values))


def test_a_condition_on_a_coordinate_is_not_shown_but_kept():
    rows = [
        {"task": f"t{i}", "depth": 1 + i % 3, "a": 0.3 + 0.01 * i, "rate": 0.5, "y": 0.0}
        for i in range(12)
    ]
    frame = pl.DataFrame(rows).with_columns(
        rate=pl.when(pl.col("depth") > 1).then(pl.col("rate") + 0.02 * pl.col("a"))
    )
    space = rf.Space(
        {"depth": rf.Int(1, 3), "a": rf.Float(0, 1), "rate": rf.Float(0.1, 0.9)},
        [rf.Condition("rate", "depth", [2, 3])],
    )
    history = rf.History.from_frame(
        frame, task="task", objective="y", direction="minimize", parameters=list(space)
    )
    learned = rf.learn(history, space, shape="ellipsoid")
    view = ToolView(learned)
    assert view.space.conditions == ()
    seen = [view.decode(values) for values in proposals(view.space, 100)]
    for config in seen:
        inside(learned, config)
    assert {config["depth"] for config in seen} == {1, 2, 3}
    assert all(("rate" in config) == (config["depth"] > 1) for config in seen)


def test_views_can_be_sent_to_other_processes():
    view = ToolView(region("mixed", "ellipsoid"), flat=True, can_represent=one_type)
    again = pickle.loads(pickle.dumps(view))
    for values in proposals(view.space, 5):
        assert again.decode(values) == view.decode(values)


def test_errors_say_what_is_wrong():
    view = ToolView(region("mixed", "box"))
    values = view.encode(region("mixed", "box").sample(1, seed=0)[0])
    with pytest.raises(rf.SpaceError, match="'loss': 'hing' is none of the choices"):
        view.decode({**values, "loss": "hing"})
    del values["depth"]
    with pytest.raises(rf.SpaceError, match="'depth' has no value"):
        view.decode(values)
    with pytest.raises(rf.SettingError, match="LearnedSpace or a Space is needed, not dict"):
        as_learned({"lr": 0.1})
    assert is_box(region("mixed", "slack box")) and is_box(as_learned(SPACES["mixed"]))
    with pytest.raises(rf.SettingError) as caught:
        require_box(region("numeric", "ellipsoid"), "this", "searcher(learned)")
    for way in ("searcher(learned)", "shape='box'", "learned.as_space()"):
        assert way in str(caught.value)
