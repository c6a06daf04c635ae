"""Trial: one configuration that was asked for, and what became of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from ringfence.space import Choice


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A suggestion and its result."""

    number: int
    config: dict[str, Choice]
    budget: float | None = None
    """How much to spend on it, for methods that ration a resource."""
    resumes: int | None = None
    """Number of the trial with the same configuration at the next lower budget."""
    state: Literal["running", "done", "failed"] = "running"
    value: float | None = None
    reason: str | None = None
    """Why it failed."""
    place: tuple[int, int] | None = None
    """Bracket and rung, for methods that have them."""
    guard: bool = False
    """Whether it is one of those that search the full space."""
