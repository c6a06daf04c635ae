"""The space that a history covers, read off its finished runs."""

from __future__ import annotations

from typing import Any

from ringfence.errors import HistoryError
from ringfence.history.history import History
from ringfence.history.runs import Runs, as_history
from ringfence.history.usable import finished_rows
from ringfence.space.table_columns import Inferred, infer_from_table


def infer_space(
    history: Runs,
    *,
    task: str | None = None,
    objective: str | int | None = None,
    direction: str | None = None,
    observed: bool = False,
    **reading: Any,
) -> Inferred:
    """The space that the source declares, as an Optuna storage does; else the smallest one that
    holds the finished runs.

    Args:
        history: the past runs: a History, or whatever `read_history` reads, such as a path, a data
            frame or an Optuna study.
        task: the column that names the task, if `history` is still to be read.
        objective: the column of the objective, likewise.
        direction: plays no part, and is not asked for.
        observed: whether the values of the runs count even if the source declares a space.
        reading: the other arguments of `read_history`.

    Returns:
        `.space`, and `.notes` on how it was read off; `ringfence.space.inference` has the rules.

    Examples:
        >>> import ringfence as rf
        >>> inferred = rf.infer_space(rf.example_history())
        >>> inferred.space["degree"]
        Int(low=2, high=5, log=False)
    """
    columns = {"task": task, "objective": objective, "direction": direction}
    history = as_history(history, {**columns, **reading}, infer_space, asks=False)
    if history.space is not None and history.selection is None and not observed:
        return Inferred(history.space, (f"the space is the one that {history.source} declares",))
    return inferred_from(history)


def inferred_from(history: History) -> Inferred:
    """`infer_space` of a history."""
    if history.selection is not None:
        return Inferred(history.selection.space, history.selection.notes)
    rows = finished_rows(history)
    if not len(rows):
        raise HistoryError("no run of the history finished with a finite objective")
    table = history.frame[rows]
    tasks = history.task_column().gather(rows)
    return infer_from_table(
        table,
        history.roles.parameters,
        tasks,
        lambda row: history.where(int(rows[row])),
        history.gap_rule,
    )
