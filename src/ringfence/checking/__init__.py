"""Should I trust this space? Leave one task out, learn from the others, look at what it got."""

from ringfence.checking.calls import check, compare
from ringfence.checking.comparison import Comparison
from ringfence.checking.verdict import Check

__all__ = ["Check", "Comparison", "check", "compare"]
