"""Parameters check themselves, and say what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from ringfence import Categorical, Condition, Constant, Float, Int, Space, SpaceError


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Float(2, 1), "low = 2.0 lies above high = 1.0"),
        (lambda: Float(1, 1), "Constant"),
        (lambda: Float(0, 1, log=True), "log scale needs low > 0"),
        (lambda: Float(0, float("inf")), "finite"),
        (lambda: Float(-1.7e308, 1.7e308), "too wide"),
        (lambda: Float("a", 1), "must be a number"),
        (lambda: Int(1, 2.5), "must be an integer"),
        (lambda: Int(0, 8, log=True), "low >= 1"),
        (lambda: Int(0, 2**60), "not exact"),
        (lambda: Int(True, 3), "must be a number"),
        (lambda: Categorical([]), "at least one"),
        (lambda: Categorical("abc"), "list of values"),
        (lambda: Categorical(["a", "a"]), "twice"),
        (lambda: Categorical([1, 1.0]), "twice"),
        (lambda: Categorical([float("nan")]), "finite"),
        (lambda: Categorical([object()]), "text, a number"),
        (lambda: Space({}), "at least one parameter"),
        (lambda: Space({"a": 3}), "'a' must be Float"),
        (lambda: Space({"": Int(1, 2)}), "name"),
        (lambda: Space({":x": Int(1, 2)}), "colon"),
        (lambda: Space({"x": Int(1, 2)}, None), "list of Condition"),
        (lambda: Space({"x": Int(1, 2)}, [("x", "x", [1])]), "list of Condition"),
        (lambda: Float(1, 2, log="no"), "True or False"),
        (lambda: Float(1, 10**400), "fit a float"),
        (lambda: Float(1e300, 1.0000000000000003e300, log=True), "too narrow"),
        (lambda: Categorical([10**400]), "fit a float"),
        (lambda: Categorical({"a", "b"}), "list of values"),
    ],
)
def test_nonsense_is_refused_in_one_line(make, says):
    with pytest.raises(SpaceError, match=says.replace("(", r"\(")) as caught:
        make()
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_numpy_numbers_become_plain_ones():
    parameters = Int(np.int64(1), np.int32(5)), Float(np.float32(0.5), np.int64(2))
    assert type(parameters[0].low) is int and type(parameters[1].high) is float
    assert Categorical([np.int64(3), np.bool_(True), np.str_("a")]).choices == (3, True, "a")


def test_true_is_not_one_and_text_is_not_a_number():
    choices = Categorical([True, 1, "1", 2.0])
    assert [choices.index(v) for v in (True, 1, 1.0, "1", 2)] == [0, 1, 1, 2, 3]
    assert choices.index(False) is None and choices.index("2.0") is None
    assert choices.index(np.str_("1")) == 2 and choices.index(np.bool_(True)) == 0
    assert choices.index(10**400) is None and choices.index(np.ones(3)) is None


KERNEL = Categorical(["linear", "rbf", "poly"])


@pytest.mark.parametrize(
    ("conditions", "says"),
    [
        ([Condition("gamma", "kernl", ["rbf"])], "parent 'kernl'"),
        ([Condition("gama", "kernel", ["rbf"])], "child 'gama'"),
        ([Condition("gamma", "kernel", ["sigmoid"])], "never is"),
        ([Condition("gamma", "kernel", [])], "no values"),
        ([Condition("kernel", "gamma", [1.0])], "cannot switch"),
        ([Condition("kernel", "kernel", ["rbf"])], "circle"),
        ([Condition("kernel", "depth", [1]), Condition("depth", "kernel", ["rbf"])], "circle"),
        ([Condition("gamma", "depth", [9])], "never is"),
    ],
)
def test_impossible_conditions_are_refused(conditions, says):
    with pytest.raises(SpaceError, match=says):
        Space({"gamma": Float(0, 1), "kernel": KERNEL, "depth": Int(1, 3)}, conditions)


def test_chains_of_conditions():
    """c needs b, b needs a: without a there is no c, whatever b says."""
    flag = Categorical([False, True])
    space = Space(
        {"c": Int(1, 9), "b": flag, "a": flag},
        [Condition("c", "b", [True]), Condition("b", "a", [True])],
    )
    assert space.parents_first == ("a", "b", "c")
    assert space.active({"a": True, "b": True, "c": 3}) == ("c", "b", "a")
    assert space.active({"a": False, "b": True, "c": 3}) == ("a",)
    assert space.contains({"a": False})
    assert not space.contains({"a": True})
    assert not space.contains({"a": True, "b": True, "c": 10})


def test_two_conditions_on_one_child_must_both_hold():
    flag = Categorical(["no", "yes"])
    space = Space(
        {"a": flag, "b": flag, "c": Float(0, 1)},
        [Condition("c", "a", ["yes"]), Condition("c", "b", ["yes"])],
    )
    assert "c" in space.active({"a": "yes", "b": "yes"})
    assert "c" not in space.active({"a": "yes", "b": "no"})


def test_a_configuration_is_checked_value_by_value():
    space = Space({"n": Int(1, 5), "x": Float(0, 1), "k": KERNEL, "fixed": Constant("adam")})
    good = {"n": 5, "x": 0.0, "k": "poly", "fixed": "adam"}
    assert space.contains(good)
    assert space.contains({"n": np.int64(5), "x": 0, "k": "poly"})
    nan = float("nan")
    wrong = {
        "n": [6, 2.5, True, nan, 10**400],
        "x": [1.1, nan, "0.5", None],
        "k": ["sigmoid"],
        "fixed": ["sgd"],
        "other": [1],
    }
    for name, bad in [(name, bad) for name, values in wrong.items() for bad in values]:
        assert not space.contains({**good, name: bad}), (name, bad)
