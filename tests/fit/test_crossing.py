"""The search for a crossing, on scores that are known."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringfence.fit.solvers.crossing import MOST_SCORES, Bracket, crossing

FLOOR, RESOLUTION, LONGEST_STEP = -10.0, 0.01, 0.4

SCORES: dict[str, Callable[[float], float]] = {
    "line": lambda x: x,
    "flat line": lambda x: 1e-3 * x,
    "steep line": lambda x: 1e3 * x,
    "convex": lambda x: math.expm1(3 * x),
    "concave": lambda x: -math.expm1(-3 * x),
    "step": lambda x: 1.0 if x > 0 else -1.0,
    "step from nearly zero": lambda x: 5.0 if x > 0 else -1e-3,
    "stairs": lambda x: math.floor(4 * x) + 0.5,
    "cube": lambda x: x**3 - 1e-12,
}


class Counted:
    """A score whose crossing is moved to `root`, and the points at which it was asked for."""

    def __init__(self, score: Callable[[float], float], root: float = 0.0) -> None:
        self.score, self.root = score, root
        self.asked: list[float] = []

    def __call__(self, x: float) -> float:
        self.asked.append(x)
        return self.score(x - self.root)


def search(score: Callable[[float], float], start: float) -> Bracket | None:
    return crossing(score, start, floor=FLOOR, resolution=RESOLUTION, longest_step=LONGEST_STEP)


@pytest.mark.parametrize("name", SCORES)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(root=st.floats(-5, 5), start=st.floats(-9, 9))
def test_the_score_changes_its_sign_within_the_resolution(
    name: str, root: float, start: float
) -> None:
    score = Counted(SCORES[name], root)
    bracket = search(score, start)
    assert bracket is not None
    assert bracket.width <= RESOLUTION
    assert {bracket.low, bracket.high} <= set(score.asked)
    assert score(bracket.low) <= 0 < score(bracket.high)


@pytest.mark.parametrize(
    ("name", "most"),
    [("line", 3), ("steep line", 4), ("convex", 6), ("concave", 6), ("stairs", 7), ("step", 8)],
)
def test_a_start_near_the_crossing_costs_few_scores(name: str, most: int) -> None:
    for root in (-0.4, -0.2, -0.1, 0.1, 0.2, 0.4):
        score = Counted(SCORES[name], root)
        search(score, 0.0)
        assert len(score.asked) <= most


def test_a_jump_from_nearly_zero_is_found_by_bisection_at_the_latest() -> None:
    """Regula falsi creeps here: each eighth score halves the bracket."""
    score = Counted(SCORES["step from nearly zero"], 0.4)
    search(score, 0.0)
    assert len(score.asked) <= 8 * math.log2(LONGEST_STEP / RESOLUTION)


def test_it_never_asks_twice_nor_outside_the_bracket() -> None:
    score = Counted(SCORES["convex"], 1.3)
    bracket = Bracket(FLOOR)
    search(score, -3.0)
    for x in score.asked:
        assert bracket.low < x < bracket.high
        bracket = bracket.narrowed(x, score.score(x - 1.3), 1.0)


def test_a_crossing_next_to_the_floor_needs_no_score_below_it() -> None:
    """The floor is known to be too low: one positive score just above it is enough."""
    score = Counted(lambda x: 1.0)
    bracket = search(score, FLOOR - 3)
    assert bracket == Bracket(FLOOR, -math.inf, FLOOR + RESOLUTION / 2, 1.0)
    assert len(score.asked) == 1


def test_a_search_far_above_the_floor_comes_down_to_it() -> None:
    bracket = search(Counted(lambda x: 1.0), 5.0)
    assert bracket is not None
    assert bracket.low == FLOOR


def test_it_ends_where_no_larger_x_will_do() -> None:
    score = Counted(lambda x: -math.inf if x > 2 else -1.0)
    assert search(score, 0.0) is None
    assert sum(x > 2 for x in score.asked) == 1


def test_it_ends_if_no_score_is_positive() -> None:
    score = Counted(lambda x: -1.0)
    assert search(score, 0.0) is None
    assert len(score.asked) == MOST_SCORES


def test_steps_outward_are_bounded_and_in_the_end_the_longest() -> None:
    """A score that understates the distance does not hold the search up."""
    score = Counted(lambda x: 1e-3 if x > 0 else -1e-3, 8.0)
    search(score, 0.0)
    outward = [b - a for a, b in zip(score.asked, score.asked[1:]) if b < 8]
    assert max(outward) <= LONGEST_STEP + RESOLUTION
    assert len(outward) < 40
