"""Successive halving: Hyperband's most aggressive bracket, again and again."""

from __future__ import annotations

from ringfence.optimize.brackets import Rung, bracket
from ringfence.optimize.methods.hyperband import Method as Hyperband


class Method(Hyperband):
    """One kind of bracket: η^s_max configurations at the smallest budget, one at the largest."""

    def rungs(self, number: int) -> tuple[Rung, ...]:
        """The rungs of every bracket."""
        return bracket(self.s_max, self.s_max, self.options.max_budget, self.options.eta)
