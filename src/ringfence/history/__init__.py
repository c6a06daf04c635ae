"""What was tried: tables of past runs, the rows that count, and the best of each task."""

from ringfence.history.directions import Direction
from ringfence.history.history import History
from ringfence.history.incumbents import RowChoice, considered_rows, incumbents
from ringfence.history.inference import infer_space
from ringfence.history.prepared import PreparedHistory
from ringfence.history.readers import read_history
from ringfence.history.runs import Runs
from ringfence.history.selection import Dropped, Selection
from ringfence.history.usable import (
    COST,
    COUNT,
    REASON,
    ROW,
    TASK,
    VALUE,
    UsableRows,
    usable_rows,
)

__all__ = [
    "COST",
    "COUNT",
    "REASON",
    "ROW",
    "TASK",
    "VALUE",
    "Direction",
    "Dropped",
    "History",
    "PreparedHistory",
    "RowChoice",
    "Runs",
    "Selection",
    "UsableRows",
    "considered_rows",
    "incumbents",
    "infer_space",
    "read_history",
    "usable_rows",
]
