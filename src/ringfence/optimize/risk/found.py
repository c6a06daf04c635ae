"""What a learned space says about failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from ringfence.history import TASK
from ringfence.history.lots import tasks_by_lot
from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.learned.zone.rule import MOST_TASKS, Zone
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk.kept import odds_of
from ringfence.optimize.risk.zones import find_zone
from ringfence.optimize.transfer.sources import Source, only_failed, tasks_of
from ringfence.optimize.weighing.failure import chance_of
from ringfence.threads import one_thread


@one_thread
def with_failures(learned: LearnedSpace, rows: pl.DataFrame, failed: pl.DataFrame) -> LearnedSpace:
    """The learned space with the odds of failure and the no-go zone, by the usable `rows` that it
    was learned from and the `failed` ones; as it is if failures do not depend on the
    configuration."""
    layout = Layout(full_space(learned.space))
    tasks = failing_tasks(rows, failed, layout)
    chance = chance_of(layout, tasks)
    if chance is None:
        return learned
    return replace(learned, zone=_zone(layout, tasks), odds=odds_of(chance, layout))


def failing_tasks(rows: pl.DataFrame, failed: pl.DataFrame, layout: Layout) -> tuple[Source, ...]:
    """All tasks of usable and failed rows, or a random choice; those without usable rows last.
    Where few tasks have failed runs, more of these are chosen, up to a quarter of MOST_TASKS: they
    alone say where runs fail."""
    known, broken = set(rows[TASK]), set(failed[TASK])
    dead, partly = broken - known, broken & known
    if len(known) + len(dead) > MOST_TASKS:
        some = tasks_by_lot(known, MOST_TASKS) | tasks_by_lot(dead, MOST_TASKS // 4)
        missing = MOST_TASKS // 4 - len(some & partly)
        if missing > 0:
            some |= tasks_by_lot(partly - some, missing)
        here = pl.col(TASK).is_in(list(some))
        rows, failed = rows.filter(here), failed.filter(here)
    return (*tasks_of(rows, layout, failed), *only_failed(rows, failed, layout))


def zone_of(layout: Layout, tasks: Sequence[Source]) -> Zone | None:
    """The no-go zone of these tasks; None if failures do not depend on the configuration, or no
    rule of few words says how."""
    return None if chance_of(layout, tasks) is None else _zone(layout, tasks)


def _zone(layout: Layout, tasks: Sequence[Source]) -> Zone | None:
    passed, failed = [task.rows for task in tasks], [task.failed for task in tasks]
    values, names = [task.values for task in tasks], [task.name for task in tasks]
    return find_zone(layout, passed, failed, values, names)
