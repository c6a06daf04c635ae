"""What was tried: tables of past runs, the rows that count, and the best of each task."""

from ringfence.history.history import History
from ringfence.history.incumbents import COUNT, incumbents
from ringfence.history.infer import infer_space
from ringfence.history.readers import read_history
from ringfence.history.usable import ROW, TASK, VALUE, Dropped, UsableRows, usable_rows

__all__ = [
    "COUNT",
    "ROW",
    "TASK",
    "VALUE",
    "Dropped",
    "History",
    "UsableRows",
    "incumbents",
    "infer_space",
    "read_history",
    "usable_rows",
]
