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

from ringfence.errors import SettingError


class Rung(NamedTuple):
    """A number of configurations, all at the same budget."""

    size: int
    budget: float


MOST_RUNGS = 100
"""With more, a rung would promote all but a few per cent of its configurations."""
WIDEST = 1e9
"""The largest quotient of budgets: about so many configurations the first rung has."""


def most_rungs(max_budget: float, min_budget: float, eta: float) -> int:
    """s_max, safe against the rounding of logarithms; SettingError if no run could end."""
    width = math.log(max_budget) - math.log(min_budget)  # a quotient could overflow
    if width > math.log(WIDEST):
        raise SettingError(
            f"max_budget may be up to {WIDEST:g} times min_budget, not {max_budget:g} to "
            f"{min_budget:g}: the first rung would never be complete"
        )
    if width > MOST_RUNGS * math.log(eta):
        raise SettingError(
            f"eta = {eta!r} takes more than {MOST_RUNGS} rungs from {min_budget:g} to "
            f"{max_budget:g}: choose a larger one (3 is usual)"
        )
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
