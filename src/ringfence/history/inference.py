"""The space that a history covers, read off its finished runs."""

from __future__ import annotations

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.usable import finished_rows
from ringfence.space.table_columns import Inferred, infer_from_table


def infer_space(history: History) -> Inferred:
    """The smallest space that holds the finished runs of `history`: `.space`, and `.notes` on how
    it was read off. See `ringfence.space.inference` for the rules."""
    if not isinstance(history, History):
        raise HistoryError(f"infer_space takes a History, not {type(history).__name__}")
    if history.selection is not None:
        return Inferred(history.selection.space, history.selection.notes)
    rows = finished_rows(history)
    if not len(rows):
        raise HistoryError("no run of the history finished with a finite objective")
    table = history.frame[rows]
    tasks = history.task_column().gather(rows)
    return infer_from_table(
        table, history.roles.parameters, tasks, lambda row: history.where(int(rows[row]))
    )
