"""What a learned space says about failures."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ringfence.learned.full import full_space
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.risk.zones import find_zone
from ringfence.optimize.transfer.sources import only_failed, tasks_of
from ringfence.optimize.weighing.failure import chance_of
from ringfence.threads import one_thread


@one_thread
def with_zone(learned: LearnedSpace, rows: pl.DataFrame, failed: pl.DataFrame) -> LearnedSpace:
    """The learned space with its no-go zone, by the usable `rows` that it was learned from and the
    `failed` ones; without one if failures do not depend on the configuration."""
    layout = Layout(full_space(learned.space))
    tasks = (*tasks_of(rows, layout, failed), *only_failed(rows, failed, layout))
    if chance_of(layout, tasks) is None:
        return learned
    zone = find_zone(
        layout, [t.rows for t in tasks], [t.failed for t in tasks], [t.values for t in tasks]
    )
    return replace(learned, zone=zone)
