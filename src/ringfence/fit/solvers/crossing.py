"""The search for the penalty: where enough tasks come to lie outside.

The larger λ is in eqs. 7 and 8, the more tasks lie outside, as a rule (section 5 of the paper). The
search is for a crossing: two penalties next to each other, too few tasks outside at the lower one
and enough at the upper one. A *score* compares λ with the crossing, and each score costs a solve.

A search steps outward from its start until it has the crossing between two scores. From then on it
goes where the line through these two meets zero (regula falsi). An end that stays while the other
one moves would hold that line back; its score is reduced for this reason, by the rule of Anderson
and Björck (BIT 13, 1973).

symbol       meaning
x            log λ, as relative steps of λ matter
score        ≤ 0 if too few tasks are outside, > 0 if enough are; in size about the distance to the
             crossing on the scale of x; -∞ if no larger x has a positive score, either
floor        an x at which, as is known without a solve, too few tasks are outside
resolution   width of the bracket, on the scale of x, at which the search ends
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

MOST_SCORES = 100
"""Searches take 6 scores in the mean, and up to 66 if the start is off by many decades."""
OVERSHOOT = 0.3
"""Share of the resolution by which a step goes beyond the estimated crossing, so that the bracket
closes from its other side; small enough for the two ends to be within the resolution then."""
BISECTION_PERIOD = 8
"""Every eighth score is taken in the middle of the bracket: if many tasks leave at once the score
jumps, and regula falsi may creep. More often would cost smooth scores more than it saves."""
TRUSTED_STEPS = 4
"""Outward steps that are as long as the score says; beyond, each is twice as long as the last."""


@dataclass(frozen=True)
class Bracket:
    """An interval of x with a score ≤ 0 at its lower end and > 0 at its upper end; infinite scores
    stand for ends that were not scored."""

    low: float
    low_score: float = -math.inf
    high: float = math.inf
    high_score: float = math.inf

    @property
    def width(self) -> float:
        """Distance of the two ends."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """Midpoint of the two ends."""
        return self.low + self.width / 2

    @property
    def is_scored(self) -> bool:
        """Whether both ends have scores."""
        return math.isfinite(self.low_score) and math.isfinite(self.high_score)

    @property
    def zero(self) -> float:
        """Where the line through the scores of both ends meets zero."""
        return self.low + self.width * self.low_score / (self.low_score - self.high_score)

    def narrowed(self, x: float, score: float, weight: float) -> Bracket:
        """With one end moved to x, and the score of the other end times `weight`."""
        if score > 0:
            return Bracket(self.low, self.low_score * weight, x, score)
        return Bracket(x, score, self.high, self.high_score * weight)

    def clamped(self, x: float, margin: float) -> float:
        """The x nearest to this one that keeps a distance of `margin` from both ends."""
        margin = min(margin, self.width / 2)
        return min(max(x, self.low + margin), self.high - margin)


def crossing(
    score: Callable[[float], float],
    start: float,
    *,
    floor: float,
    resolution: float,
    longest_step: float,
) -> Bracket | None:
    """A bracket no wider than `resolution`, sought from `start` in outward steps of at most
    `longest_step`; None if no score is positive, or none was found to be."""
    bracket = Bracket(floor)
    overshoot = OVERSHOOT * resolution
    x, last_score, step = max(start, floor + resolution / 2), 0.0, 0.0
    for count in range(MOST_SCORES):
        x_score = score(x)
        bracket = bracket.narrowed(x, x_score, _weight(x_score, last_score))
        if bracket.width <= resolution:
            return bracket
        if x_score == -math.inf:
            return None
        direction = -1.0 if x_score > 0 else 1.0  # towards the crossing
        if not bracket.is_scored:
            least_step = step if count < TRUSTED_STEPS else 2 * step
            step = min(max(abs(x_score), least_step), longest_step)
            target = x + direction * (step + overshoot)
        elif count % BISECTION_PERIOD == BISECTION_PERIOD - 1:
            target = bracket.middle
        else:
            target = bracket.zero + direction * overshoot
        x, last_score = bracket.clamped(target, overshoot), x_score
    return None


def _weight(score: float, last_score: float) -> float:
    """What to multiply the score of the end that stays by: 1 unless it has stayed before.

    Then the last two scores lie on the same side. The less the second of them is nearer to zero,
    the smaller the weight; one half if it is not nearer at all.
    """
    if not score * last_score > 0:
        return 1.0
    weight = 1 - score / last_score
    return weight if weight > 0 else 0.5
