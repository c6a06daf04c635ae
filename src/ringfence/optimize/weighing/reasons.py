"""Which weights a search has: the one place that names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from ringfence.errors import SettingError
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.cost import Costs, have_costs
from ringfence.optimize.weighing.failure import failure_weights
from ringfence.optimize.weighing.weighing import Weighing

Unit: TypeAlias = Literal["cost", "trials"]
"""What a search is to be short in."""
By: TypeAlias = Unit | Literal["auto"]
"""The same as users say it; 'auto' is 'cost' if the earlier runs have costs."""


def weighing_of(layout: Layout, sources: Sequence[Source], by: Unit) -> Weighing:
    """The weights of a search over this layout, with these earlier tasks."""
    costs = (Costs(layout, tuple(sources)),) if by == "cost" else ()
    return Weighing((*costs, *failure_weights(layout, sources)))


def unit_of(by: By, sources: Sequence[Source]) -> Unit:
    """What is meant, or SettingError."""
    if by not in ("auto", "cost", "trials"):
        raise SettingError(f"by must be 'cost', 'trials' or 'auto', not {by!r}")
    if by != "auto":
        return by
    return "cost" if have_costs(sources) else "trials"
