"""Do the intervals of a check hold if tasks do not know every parameter?

Twelve tasks of a table with 128 random rows each, a third of the parameters (none that others
depend on) hidden in no, half or all but one of the tasks. The truth of the box learned from them is
what all recorded rows of each task left out give inside it, by every parameter (calibration/).
"""

from __future__ import annotations

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.calibration.cases import Case, Prepared, check_case
from benchmarks.calibration.tables import CalibrationTable
from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.history import PreparedHistory, RowChoice

TABLES = ("svm_rbv2_surrogate", "ranger_rbv2_surrogate", "xgboost_rbv2_surrogate",
          "rf_sklearn_openml100", "rf_pmlb16")  # fmt: skip
DRAWS = 8  # a check takes seconds
TASKS, ROWS = 12, 128
HIDDEN = {"none": 0, "half": TASKS // 2, "all but one": TASKS - 1}


def check_cells(table: CalibrationTable, draw: int) -> list[dict[str, object]]:
    """One draw of a table: the speed-up that is said, its interval, and the true one."""
    rng = np.random.default_rng([draw, *table.name.encode()])
    tasks = rng.permutation(len(table.tasks))[:TASKS].tolist()
    chosen = {t: rng.permutation(len(table.tasks[t].values))[:ROWS] for t in tasks}
    history = table.history(tasks, chosen)
    parents = {condition.parent for condition in table.space.conditions}
    names = [name for name in table.layout.names if name not in parents]
    third = rng.permutation(names)[: max(1, round(len(table.layout.names) / 3))].tolist()
    cells = []
    for how, n in HIDDEN.items():
        without = pl.col("task").is_in([table.tasks[t].name for t in tasks[:n]])
        frame = history.frame.with_columns(
            [pl.when(~without).then(pl.col(name)).alias(name) for name in third]
        )
        past = rf.History.from_frame(
            frame, task="task", objective="value", direction="minimize",
            parameters=list(table.space),
        )  # fmt: skip
        left_out = LeaveOneOut.of(PreparedHistory.of(past, table.space, rf.check), RowChoice())
        case = Case(table.name, draw, TASKS, "random", ROWS)
        for found in check_case(Prepared(table, case, tasks, left_out))[:1]:
            wanted = ("true_speed_up", "speed_up", "low", "high", "verdict")
            line = {"target": "", "history": how, "method": "box"}
            cells.append({**line, **{key: found[key] for key in wanted}})
    return cells
