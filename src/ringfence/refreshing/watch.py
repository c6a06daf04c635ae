"""Which new tasks are judged when, and with which share of false alarms.

New tasks are judged in blocks of three: when the second of a block is there, and when the third is.
The two looks together raise a false alarm in at most FALSE_ALARMS of all blocks; the last has most
of it. One task alone shows too little to be judged. Tasks that arrive together are one look. A
block that is complete belongs to the past, with or without an alarm, so that one shift is told
once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray
from ringfence.history import TASK, PreparedHistory
from ringfence.history.mismatch.fixed import unfixed
from ringfence.learned.full import full_space
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.sources import Source, tasks_of
from ringfence.refreshing.drift import Compared
from ringfence.refreshing.log import Drift, Watch
from ringfence.threads import one_thread

FALSE_ALARMS = 0.05
ALLOWED = (0.0, 0.01, FALSE_ALARMS)
"""The share that is used up once one, two and three tasks of a block were judged."""
FULL = 0.25
"""A task is judged once it has as many runs as this share of the past tasks have at most: the best
of a few runs lies elsewhere than the best of many."""
MOST_PAST, MOST_NEW = 80, 20
"""Tasks that are compared, evenly spaced; the time grows with the cube of their number."""


@one_thread
def watched(prepared: PreparedHistory, watch: Watch) -> tuple[Watch, Drift | None]:
    """What the new tasks of a history say, and what is remembered for the next ones."""
    counts = dict(prepared.rows.group_by(TASK, maintain_order=True).len().iter_rows())
    past = [name for name in watch.past if name in counts]
    if not past:
        return Watch(tuple(counts)), None
    enough = float(np.quantile([counts[name] for name in past], FULL))
    block = [name for name in watch.block if name in counts]
    seen = {*past, *block}
    fresh = [name for name, count in counts.items() if name not in seen and count >= enough]
    if not fresh:
        return Watch(tuple(past), tuple(block), watch.spent if block else 0.0), None
    new = [*block, *fresh]
    used = ALLOWED[min(len(new), len(ALLOWED)) - 1]
    level = used - (watch.spent if block else 0.0)
    if not level:
        return Watch(tuple(past), tuple(new), used), None
    drift = _judged(prepared, past, new, level)
    if drift.found or len(new) >= len(ALLOWED):
        return Watch((*past, *new)), drift
    return Watch(tuple(past), tuple(new), used), drift


def _judged(
    prepared: PreparedHistory, past: Sequence[str], new: Sequence[str], level: float
) -> Drift:
    names = [*_evenly(past, MOST_PAST), *_evenly(new, MOST_NEW)]
    layout = Layout(full_space(prepared.space))
    rows = unfixed(prepared.rows.filter(pl.col(TASK).is_in(names)))
    tasks = {task.name: task for task in tasks_of(rows, layout)}
    present = [tasks[name] for name in names if name in tasks]
    compared = Compared.of(_features(present, layout), [task.values for task in present])
    verdict = compared.judged(sum(task.name in new for task in present))
    found = verdict.p <= level
    return Drift(tuple(new), verdict.p, level, verdict.kinds, found, verdict.least <= level)


def _features(tasks: Sequence[Source], layout: Layout) -> list[FloatArray]:
    """What is compared: the parameters that every one of the tasks has tuned."""
    unknown = {name for task in tasks for name in task.unknown}
    known = ~layout.columns_of(unknown)
    return [layout.features(task.rows)[:, known] for task in tasks]


def _evenly(names: Sequence[str], most: int) -> list[str]:
    """At most so many of them, evenly spaced."""
    places = np.unique(np.linspace(0, len(names) - 1, min(len(names), most)).round().astype(int))
    return [names[place] for place in places]
