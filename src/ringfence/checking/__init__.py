"""Should I trust this space? Leave one task out, learn from the others, look at what it got."""

from ringfence.checking.comparison import Comparison, compare
from ringfence.checking.verdict import Check, check

__all__ = ["Check", "Comparison", "check", "compare"]
