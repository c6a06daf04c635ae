"""Bests at the end of a range that was narrower then: the region goes on beyond it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import ringfence as rf

TODAY = rf.Space({"a": rf.Float(0, 1), "b": rf.Int(1, 20), "k": rf.Categorical(["x", "y"])})
THEN = rf.Space({"a": rf.Float(0, 0.5), "b": rf.Int(5, 20)})


def past(bests, narrow: int) -> rf.History:
    """One task for each best (a, b), with a second row that is worse; the first `narrow` tasks
    declared THEN."""
    rows = [
        {"task": f"t{i}", "a": a if error == 0.0 else 0.25, "b": b, "k": "x", "error": error}
        for i, (a, b) in enumerate(bests)
        for error in (0.0, 1.0)
    ]
    history = rf.History.from_frame(
        pl.DataFrame(rows), task="task", objective="error", parameters=["a", "b", "k"]
    )
    return replace(history, task_spaces={f"t{i}": THEN for i in range(narrow)})


def bounds(history: rf.History, **settings) -> dict:
    return rf.learn(history, TODAY, starts=0, **settings).bounds


def test_a_best_at_the_end_of_a_narrower_range_opens_the_region_there_and_only_there():
    bests = [(0.3, 9), (0.49, 12), (0.4, 10), (0.35, 11)]
    plain, opened = bounds(past(bests, 0)), bounds(past(bests, 4))
    assert plain["a"] == pytest.approx((0.3, 0.49)) and opened["a"] == pytest.approx((0.3, 1.0))
    assert opened["b"] == plain["b"] == (9, 12)


def test_integers_open_at_their_very_end_and_downwards():
    bests = [(0.3, 9), (0.4, 5), (0.35, 11), (0.2, 8)]
    assert bounds(past(bests, 4))["b"] == (1, 11)
    assert bounds(past([(a, b + 1) for a, b in bests], 4))["b"] == (6, 12)


def test_tasks_that_could_go_beyond_say_how_far():
    bests = [(0.3, 9), (0.49, 12), (0.45, 10), (0.6, 11)]
    assert bounds(past(bests, 3))["a"] == pytest.approx((0.3, 1.0))
    assert bounds(past(bests, 2))["a"] == pytest.approx((0.3, 0.6))


@pytest.mark.parametrize("shape", ["ellipsoid", "boxes", "ellipsoids"])
def test_every_shape_reaches_the_end(shape):
    bests = [(0.3, 9), (0.49, 12), (0.4, 10), (0.35, 11), (0.45, 7), (0.2, 8)]
    learned = rf.learn(past(bests, 6), TODAY, shape=shape, starts=0)
    assert learned.bounds["a"][1] == pytest.approx(1.0)
    assert [task.outside for task in learned.tasks] == [False] * 6
    assert learned.tasks[1].incumbent["a"] == 0.49
    said = "the best a lies at the end of a range that was narrower, of t1; the region goes on to 1"
    assert said in learned.provenance.notes


def test_ranges_that_end_where_todays_do_change_nothing():
    bests = [(0.3, 20), (0.0, 12), (0.4, 10)]  # at ends of THEN that are today's as well
    plain, same = past(bests, 0), past(bests, 3)
    assert bounds(plain) == bounds(same)
    assert rf.learn(plain, TODAY).blocks[0].region.bounds[1].tolist() == (
        rf.learn(same, TODAY).blocks[0].region.bounds[1].tolist()
    )


def test_a_check_learns_from_the_others_with_the_same_rule():
    bests = [(0.3, 9), (0.49, 12), (0.4, 10), (0.35, 11)]
    left_out = rf.check(past(bests, 4), TODAY)
    alone = rf.check(past(bests, 0), TODAY)
    assert left_out.volume_kept > alone.volume_kept
