"""What the data cannot support, whatever the figures say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ringfence.checking.left_out.recorded import RecordedTask
from ringfence.checking.optimizer_traces import crowded_tasks
from ringfence.history import ROW, TASK, VALUE, History
from ringfence.history.mismatch.fixed import unfixed
from ringfence.history.values import as_number
from ringfence.space import Encoding, Space, value_of
from ringfence.space.axes import OffAxis
from ringfence.space.scales import MOST_GRID_VALUES
from ringfence.words import counted, some

FEW_TASKS = 5  # fewer leave the figures to chance
FEW_ROWS = 32  # fewer leave the best of a task uncertain
UNEVEN = 10  # times as many rows in the largest task as in the smallest
EDGE = 0.02  # of a range: an incumbent this near to an end is on the edge
MANY_ON_THE_EDGE = 0.25  # of the incumbents
NARROW = 0.5  # of the spread of uniform draws: rows that vary less searched a small region
FALSE_ALARMS = 0.05  # chance that bests anywhere put so many at one end of some parameter
MANY_CROWDED = 0.25  # of the tasks


def flags(
    history: History, space: Space, rows: pl.DataFrame, tasks: Sequence[RecordedTask]
) -> list[str]:
    """Warnings about the usable `rows` and the `tasks` they record, one line each."""
    return [
        *_sizes(rows),
        *_budgets(history, rows),
        *_narrow(space, rows),
        *_crowding(space, tasks),
        *_edges(space, rows),
    ]


def _sizes(rows: pl.DataFrame) -> list[str]:
    """Too few tasks, too few rows, or far more rows for some tasks than for others."""
    warnings = []
    sizes = rows.group_by(TASK).len()["len"].to_numpy()
    least, most, few = int(sizes.min()), int(sizes.max()), int((sizes < FEW_ROWS).sum())
    if len(sizes) < FEW_TASKS:
        are = "are" if len(sizes) > 1 else "is"
        warnings.append(
            f"{counted(len(sizes), 'task')} {are} too few to tell; the figures may well be chance"
        )
    if few:
        have, their = ("have", "their") if few > 1 else ("has", "its")
        warnings.append(
            f"{counted(few, 'task')} {have} fewer than {FEW_ROWS} rows; {their} best is uncertain"
        )
    if most >= UNEVEN * least:
        warnings.append(
            f"tasks have from {least:,} to {most:,} rows; the best of few rows is farther from the "
            "optimum, yet all bests count alike (n_evaluations takes equally many)"
        )
    return warnings


def _budgets(history: History, rows: pl.DataFrame) -> list[str]:
    """Tasks that were run on different budgets; the usable rows hold only each task's highest."""
    name = history.roles.budget
    if name is None:
        return []
    amounts = as_number(history.frame[name].gather(rows[ROW])).to_numpy()
    least, most = amounts.min(), amounts.max()
    if least == most:
        return []
    return [
        f"the highest {name} of a task runs from {least:g} to {most:g}; bests at a low {name} may "
        "lie elsewhere than at a high one"
    ]


def _narrow(space: Space, rows: pl.DataFrame) -> list[str]:
    """Parameters whose rows, all tasks together, vary far less than uniform draws would."""
    encoding = Encoding.of(space)
    warnings = []
    for name, axis in zip(encoding.names, encoding.axes):
        points = axis.encode(rows[name].fill_nan(None).drop_nulls().to_numpy())
        if len(points) > 1 and points.std() < NARROW / np.sqrt(12):
            warnings.append(
                f"the rows search only a small part of {name}; a region learned from an "
                "optimizer's own runs repeats its bias"
            )
    return warnings


def _crowding(space: Space, tasks: Sequence[RecordedTask]) -> list[str]:
    """Tasks whose rows gather around the task's best, as an optimizer's do."""
    always = [name for name in Encoding.of(space).names if not space.conditions_of(name)]
    crowded = crowded_tasks(Encoding.of(space, always), tasks) if always else []
    if not crowded or len(crowded) < MANY_CROWDED * len(tasks):
        return []
    return [
        f"the rows of {len(crowded)} of {len(tasks)} tasks crowd around their own best, as an "
        "optimizer's do: what the check says of the rest of the space rests on few rows "
        f"({some(crowded, 3)})"
    ]


def _edges(space: Space, rows: pl.DataFrame) -> list[str]:
    """Ranges at whose end many bests lie: which parameter, and which end."""
    rows = unfixed(rows)
    best = rows.filter(pl.int_range(pl.len()).over(TASK) == pl.col(VALUE).arg_min().over(TASK))
    from scipy.special import bdtrc

    encoding = Encoding.of(space)
    warnings = []
    for name, parameter, axis in zip(encoding.names, encoding.parameters, encoding.axes):
        values = best[name].fill_nan(None).drop_nulls().to_numpy()
        if isinstance(axis, OffAxis):  # what is off lies at no end of the range
            values, axis = values[values != axis.off], axis.range
        points = axis.encode(values)
        is_grid = rows[name].n_unique() <= MOST_GRID_VALUES
        if axis.integer or is_grid or len(points) < FEW_TASKS:
            continue
        for end, on_edge in (("low", points < EDGE), ("high", points > 1 - EDGE)):
            share = on_edge.mean()
            chance = bdtrc(on_edge.sum() - 1, len(points), EDGE) * 2 * encoding.dim
            if share >= MANY_ON_THE_EDGE and chance < FALSE_ALARMS:
                limit = value_of(parameter, axis.low if end == "low" else axis.high)
                warnings.append(
                    f"{share:.0%} of the best values of {name} lie at the {end} end of its range "
                    f"({limit:g}); widen it there"
                )
    return warnings
