"""The brackets of Hyperband (Li et al., JMLR 2018, algorithm 1).

symbol   meaning
R        the largest budget of a configuration (`max_budget`)
r_min    the smallest (`min_budget`, 1 in the paper)
η        one in η of a rung's configurations is promoted (`eta`)
s        aggressiveness: a bracket has s + 1 rungs; s_max = ⌊log_η(R / r_min)⌋
n, r     configurations and budget of the first rung: n = ⌈(s_max+1)/(s+1) η^s⌉, r = R η^-s
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple


class Rung(NamedTuple):
    """A number of configurations, all at the same budget."""

    size: int
    budget: float


def most_rungs(max_budget: float, min_budget: float, eta: float) -> int:
    """s_max, safe against the rounding of logarithms."""
    steps = 0
    while min_budget * eta ** (steps + 1) <= max_budget * (1 + 1e-9):
        steps += 1
    return steps


@cache
def bracket(s: int, s_max: int, max_budget: float, eta: float) -> tuple[Rung, ...]:
    """The rungs of bracket `s`: n_i = ⌊n η^-i⌋ configurations at r_i = r η^i."""
    n = math.ceil((s_max + 1) / (s + 1) * eta**s - 1e-9)
    return tuple(
        Rung(math.floor(n * eta**-i + 1e-9), _tidy(max_budget * eta ** (i - s)))
        for i in range(s + 1)
    )


def _tidy(budget: float) -> float:
    """The budget, rounded if it misses an integer only by the rounding of the powers."""
    return float(round(budget)) if abs(budget - round(budget)) < 1e-9 * budget else budget
