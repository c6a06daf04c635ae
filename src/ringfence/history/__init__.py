"""What was tried: tables of past runs, the rows that count, and the best of each task."""

from ringfence.history.history import History
from ringfence.history.incumbents import incumbents
from ringfence.history.readers import read_history
from ringfence.history.usable import Dropped, UsableRows, usable_rows

__all__ = ["Dropped", "History", "UsableRows", "incumbents", "read_history", "usable_rows"]
