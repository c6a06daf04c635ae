"""What was promised, how often it was tried, and when it did not hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts by what was done, notes, and promises that were broken."""

    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def count(self, what: str, n: int = 1) -> None:
        """`what` happened."""
        self.counts[what] += n

    def require(self, holds: bool, promise: str) -> None:
        """Remember the promise if it does not hold."""
        if not holds:
            self.broken.append(promise)
