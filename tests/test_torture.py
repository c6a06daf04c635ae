"""A few of the tortured histories; `python -m benchmarks.torture 20000` has the rest."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.torture.__main__ import report
from benchmarks.torture.histories import SHAPES, case
from benchmarks.torture.promises import broken_promise
from benchmarks.torture.run import outcome_of

import ringfence as rf
from ringfence.learned.cube import UnitCube

SEED = 1
N = 60
BROKEN_ONCE = (1244, 2270, 2763, 2916, 2981, 3300, 11226, 11756, 12585)
"""Histories of seed 0 whose spaces broke a promise when they were tried first."""


@pytest.mark.parametrize("first", range(0, N, 10))
def test_promises_are_kept_whatever_the_history(first):
    outcomes = [outcome_of(number, SEED) for number in range(first, first + 10)]
    assert [(o.text, o.fault) for o in outcomes if o.fault] == []
    assert sum(o.end == "kept" for o in outcomes) >= 5


@pytest.mark.parametrize("number", BROKEN_ONCE)
def test_what_broke_once_is_mended(number):
    assert outcome_of(number).fault is None


def test_the_cube_ends_at_no_point_that_a_task_without_a_parameter_was_completed_to():
    """The best run of a task lacks p4, an integer: it is inside at .51, and no integer is there."""
    tortured = case(275, 7)
    learned = rf.learn(tortured.history, tortured.space, starts=0, **tortured.settings)
    block, cube = learned.blocks[0], UnitCube(learned)
    known = learned.known_inside(block)
    assert block.inside(known).all() and not block.inside(block.encoding.snap(known)).all()
    rng = np.random.default_rng(0)
    points = [cube.center, *({name: rng.random() for name in cube.names} for _ in range(200))]
    assert all(learned.contains(cube.decode(point)) for point in points)


def test_all_kinds_occur():
    cases = [case(number, SEED) for number in range(200)]
    assert {c.settings["shape"] for c in cases} == set(SHAPES)
    assert max(len(c.space) for c in cases) == 60
    assert any(c.space.conditions for c in cases)


def test_a_broken_promise_is_noticed():
    learned = rf.learn(rf.example_history(), starts=0)
    wrong = rf.learn(rf.example_history(), outliers=0.3, starts=0)
    mixed = type(learned)(
        learned.space,
        wrong.blocks,
        learned.choices,
        learned.tasks,
        learned.settings,
        learned.provenance,
    )
    assert broken_promise(learned) is None
    assert "is not inside" in str(broken_promise(mixed))


def test_the_report_counts(capsys):
    report([outcome_of(0, SEED), outcome_of(1, SEED)], 1.0)
    assert "2 histories, 0 broken promises" in capsys.readouterr().out
