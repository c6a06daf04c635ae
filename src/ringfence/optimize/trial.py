"""Trial: one configuration that was asked for, and what became of it."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from ringfence.errors import TrialError
from ringfence.space import Choice
from ringfence.words import Brief

PRUNED = "pruned"
"""The reason of a trial that has no value since it was stopped early: it counts as the worst so
far, and says nothing about what fails."""


class Trial(Brief, msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A configuration to try, and what became of it.

    Examples:
        >>> import ringfence as rf
        >>> trial = rf.optimizer("sobol", rf.Space({"x": rf.Int(1, 9)}), seed=0).ask()
        >>> trial.number, trial.state, list(trial.config)
        (0, 'running', ['x'])
    """

    number: int
    """From 0, in the order of asking."""
    config: dict[str, Choice]
    """Values by name, in plain types."""
    budget: float | None = None
    """How much to spend on it, for methods that ration a resource."""
    resumes: int | None = None
    """Number of the trial with the same configuration at the next lower budget."""
    state: Literal["running", "done", "failed"] = "running"
    """'running', 'done' or 'failed'."""
    value: float | None = None
    """Its result, if it is done."""
    reason: str | None = None
    """Why it failed."""
    cost: float | None = None
    """What it cost, if that was said."""
    place: tuple[int, int] | None = None
    """Bracket and rung, for methods that have them."""
    guard: bool = False
    """Whether it is one of those that search the full space."""


def checked_cost(cost: float | None, number: int) -> float | None:
    """The cost of a trial as a number, or TrialError."""
    if cost is None:
        return None
    try:
        if isinstance(cost, (str, bytes, bool)):
            raise TypeError
        spent = float(cost)
    except OverflowError:
        spent = math.inf
    except (TypeError, ValueError):
        raise TrialError(f"trial {number}: the cost must be a number, not {cost!r}") from None
    if not (math.isfinite(spent) and spent >= 0.0):
        raise TrialError(f"trial {number}: the cost is {spent}; it must be finite and at least 0")
    return spent
