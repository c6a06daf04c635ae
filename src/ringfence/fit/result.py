"""What every fit returns, and the one rule for data that do not determine a region.

Eq. 5 gives a box without width if all incumbents agree in a coordinate, and eq. 6 has no solution
unless they span the space, which fewer than p + 1 tasks never do. A search space must have room in
every direction, so the half-width there is `least_reach`; a region that the incumbents do
determine is left exactly as the equations give it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from ringfence.arrays import BoolArray, FloatArray
from ringfence.errors import FitError
from ringfence.regions import Fitted, Region

RegionT = TypeVar("RegionT", bound=Fitted, covariant=True)
Answer = TypeVar("Answer")

FEW_TASKS_REACH = 0.3
"""Half-width, in unit coordinates, of a direction that too few tasks determine. Measured:
docs/few-tasks.md."""

RESOLUTION = 1e-7
"""Coordinates that differ by less are taken as equal: single precision has no more digits."""

TOLERANCES = (1e-9, 1e-7, 1e-6)
"""Gaps asked of the slack solvers, one after the other: if points all but coincide, rounding may
forbid the first. The gap of the answer is reported in any case."""


class AnyFit(Protocol):
    """What the fit of one region and that of a union have in common."""

    @property
    def slack(self) -> FloatArray:
        """(n,) ξ ≥ 0, positive for the points left outside."""
        ...

    @property
    def penalty(self) -> float | None:
        """λ; None if the problem without slack was solved."""
        ...

    @property
    def gap(self) -> float:
        """Certified distance from the optimum."""
        ...

    @property
    def widened(self) -> int:
        """Number of directions that the incumbents do not determine."""
        ...

    def clipped(self) -> Region:
        """What was fitted, cut to the unit cube."""
        ...

    def without(self, gone: BoolArray) -> AnyFit | None:
        """The fit of the points that are not `gone` (n,), if it is known; else None."""
        ...


@dataclass(frozen=True, eq=False)
class Fit(Generic[RegionT]):
    """A fitted region with the evidence for it."""

    region: RegionT
    slack: FloatArray
    """(n,) ξ ≥ 0, positive for the points left outside."""
    penalty: float | None
    """λ; None if the problem without slack was solved."""
    gap: float
    """Certified distance from the optimum: nats of log volume (ellipsoid), relative (box)."""
    widened: int
    """Number of directions that the incumbents do not determine."""
    removable: BoolArray
    """(n,) points whose multiplier is zero: the region is the same without any of them."""

    def clipped(self) -> Region:
        """The region cut to the unit cube."""
        return self.region.clipped()

    def without(self, gone: BoolArray) -> Fit[RegionT] | None:
        """The fit of the points that are not `gone` (n,) if all of those are removable; else None.

        The sum of slacks is over fewer points then, so that the penalty of the same region is
        larger; with outliers, as many of the fewer points are left outside.
        """
        stay = ~gone
        n_left = int(stay.sum())
        if not self.removable[gone].all() or n_left <= self.region.dim + 1:
            return None
        penalty = None if self.penalty is None else self.penalty * len(gone) / n_left
        removable = self.removable[stay]
        return replace(self, slack=self.slack[stay], penalty=penalty, removable=removable)


def solve_patiently(solve: Callable[[float], Answer]) -> Answer:
    """`solve(tol)` with the smallest of the tolerances that can be certified."""
    for tol in TOLERANCES[:-1]:
        with suppress(FitError):
            return solve(tol)
    return solve(TOLERANCES[-1])


def least_reach(n_tasks: int, dim: int) -> float:
    """Half-width in a direction that the incumbents of `n_tasks` tasks leave undetermined.

    The more tasks agree exactly, the less room their agreement needs.
    """
    return FEW_TASKS_REACH * min(1.0, (dim + 1) / n_tasks)
