"""Should I trust this space? Leave one task out, learn from the others, look at what it got."""

from ringfence.checking.api import check, choose, compare
from ringfence.checking.comparison import Comparison
from ringfence.checking.result import Check

__all__ = ["Check", "Comparison", "check", "choose", "compare"]
