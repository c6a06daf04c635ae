"""Which weights a search has. Two others are added elsewhere: a limit on what trials may cost, by
`Optimizer.within`, and for starting points the odds of failure that the learned space keeps
(transfer/starting_points.py)."""

from __future__ import annotations

from collections.abc import Sequence

from ringfence.learned.settings import Unit
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.weighing.cost import Costs
from ringfence.optimize.weighing.failure import failure_weights
from ringfence.optimize.weighing.weighing import Weighing


def weighing_of(layout: Layout, sources: Sequence[Source], by: Unit, before: int = 0) -> Weighing:
    """The weights of a search over this layout, with these earlier tasks, by a method that makes
    some trials before it weighs anything."""
    costs = (Costs(layout, tuple(sources), before),) if by == "cost" else ()
    return Weighing((*costs, *failure_weights(layout, sources)))
