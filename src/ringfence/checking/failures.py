"""The no-go zone, held against each task left out: does it hold, and is the best run inside?"""

from __future__ import annotations

import numpy as np

from ringfence.checking.leave_one_out import LeaveOneOut
from ringfence.checking.result import ZoneCheck
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk.found import failing_tasks, zone_of

FOLDS = 20  # groups of tasks left out together, if there are more


def check_zone(left_out: LeaveOneOut) -> ZoneCheck | None:
    """None if the tasks together have no zone."""
    usable = left_out.prepared.usable
    if not usable.failed.height:
        return None
    layout = Layout(full_space(left_out.space))
    tasks = failing_tasks(usable.frame, usable.failed, layout)
    zone = zone_of(layout, tasks)
    if zone is None:
        return None
    claimed, failed, runs, best_inside = 0, 0, 0, []
    for k in range(min(FOLDS, len(tasks))):
        out = tasks[k::FOLDS]
        others = zone_of(layout, [task for task in tasks if task not in out])
        if others is None:
            continue
        for task in out:
            passed = others.inside(layout.space, layout.columns(task.rows))
            bad = others.inside(layout.space, layout.columns(task.failed))
            claimed += 1
            failed += int(bad.sum())
            runs += int(bad.sum() + passed.sum())
            if len(task.values) and passed[np.argmin(task.values)]:
                best_inside.append(task.name)
    return ZoneCheck(zone, len(tasks), claimed, tuple(best_inside), failed, runs)
