"""ConfigSpace: there and back, and nothing outside."""

from __future__ import annotations

import pytest

import ringfence as rf
from problems import SPACES, region
from ringfence.adapters.configspace import from_configspace, to_configspace
from ringfence.learned.full import full_space

from .contract import AWKWARD, CELLS, comes_back, evenly, inside

CS = pytest.importorskip("ConfigSpace")


@pytest.mark.parametrize("kind, name", CELLS)
def test_every_configuration_is_inside_and_comes_back(kind, name):
    learned = region(kind, name)
    translated = to_configspace(learned, seed=0)
    for configuration in translated.space.sample_configuration(60):
        inside(learned, translated.decode(configuration))
    comes_back(learned, translated.encode, translated.decode)


@pytest.mark.parametrize("kind", SPACES)
def test_a_space_comes_back(kind):
    space = SPACES[kind]
    again = from_configspace(to_configspace(space).space)
    assert again.parameters == space.parameters
    assert set(again.conditions) == set(space.conditions)


def test_a_box_keeps_its_ranges_choices_and_conditions():
    learned = region("conditional", "box")
    again = from_configspace(to_configspace(learned).space)
    for name, parameter in learned.as_space().parameters.items():
        if isinstance(parameter, rf.Float):  # ConfigSpace keeps 13 decimals
            ends = (parameter.low, parameter.high)
            assert (again[name].low, again[name].high) == pytest.approx(ends, rel=1e-9)
            assert again[name].log == parameter.log
        else:
            assert again[name] == parameter
    assert set(again.conditions) == set(learned.as_space().conditions)


def test_awkward_choices_and_conditions():
    translated = to_configspace(AWKWARD, seed=0)
    learned = full_space(AWKWARD)
    comes_back(learned, translated.encode, translated.decode)
    for configuration in translated.space.sample_configuration(60):
        inside(learned, translated.decode(configuration))


def test_both_ends_of_whole_numbers_come_as_often_as_the_others():
    translated = to_configspace(rf.Space({"k": rf.Int(3, 7), "x": rf.Float(0, 1)}), seed=0)
    evenly([translated.decode(c)["k"] for c in translated.space.sample_configuration(2000)], 3, 7)


def test_the_seed_decides():
    drawn = [
        [dict(c) for c in to_configspace(SPACES["mixed"], seed).space.sample_configuration(5)]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_two_conditions_on_one_child():
    space = CS.ConfigurationSpace()
    a, b = CS.Categorical("a", ["x", "y"]), CS.Integer("b", (1, 4))
    c = CS.Float("c", (0.5, 2.0), log=True)
    space.add(a, b, c)
    space.add(CS.AndConjunction(CS.EqualsCondition(c, a, "x"), CS.InCondition(c, b, [2, 3])))
    read = from_configspace(space)
    assert read["c"] == rf.Float(0.5, 2.0, log=True)
    assert set(read.conditions) == {
        rf.Condition("c", "a", ["x"]),
        rf.Condition("c", "b", [2, 3]),
    }


def unsupported():
    a, b = CS.Categorical("a", ["x", "y"]), CS.Float("b", (0.0, 1.0))
    return {
        "forbidden clause": ([a, b], CS.ForbiddenEqualsClause(a, "y")),
        "weighs its choices": ([CS.Categorical("a", ["x", "y"], weights=[1, 3])], None),
        "NormalFloat": ([CS.Float("n", (0.0, 1.0), distribution=CS.Normal(0.5, 0.1))], None),
        "EqualsCondition or InCondition": ([a, b], CS.NotEqualsCondition(b, a, "x")),
    }


@pytest.mark.parametrize("what", unsupported())
def test_what_has_no_counterpart_is_an_error(what):
    parameters, extra = unsupported()[what]
    space = CS.ConfigurationSpace()
    space.add(*parameters)
    if extra is not None:
        space.add(extra)
    with pytest.raises(rf.SpaceError, match=what):
        from_configspace(space)


def test_a_range_too_fine_for_configspace_is_an_error():
    with pytest.raises(rf.SpaceError, match="'lr': ConfigSpace keeps 13 decimals"):
        to_configspace(rf.Space({"lr": rf.Float(1e-14, 1e-9, log=True)}))
