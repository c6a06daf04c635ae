"""Sources that had narrower ranges: the box around their bests, and with open sides.

The draws are those of mismatch_cases.py. Half of a target's sources, or all of them, were tuned in
the middle half of some ranges, which they declare. Random search inside a box is exact: the
expected best of k of the target's candidates inside it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks.mismatch_cases import TRIALS, Draw, Target, best_of_draws, cell
from benchmarks.transfer_cases import Table
from ringfence.arrays import BoolArray
from ringfence.history import TASK
from ringfence.history.mismatch.open_sides import with_open_sides
from ringfence.optimize.transfer.sources import Source
from ringfence.space import Float, Int, Parameter, Space


def range_cells(table: Table, number: int) -> list[dict[str, object]]:
    """One draw of a table: every target, with half or all of its sources cut."""
    draw = Draw(table, number)
    cells = []
    for name in draw.targets:
        target = Target.of(draw.tasks[name], draw.layout, number)
        others = [task for task in draw.shuffled if task != name]
        for history, n_cut in (("half", len(others) // 2), ("all", len(others))):
            cut = [draw.source(task, "cut") for task in others[:n_cut]]
            rest = [draw.source(task, "intact") for task in others[n_cut:]]
            declared = {source.name: declared_by(draw, source) for source in cut}
            best = bests(draw, [*cut, *rest])
            opened, _ = with_open_sides(best, table.space, declared)
            intact = bests(draw, [draw.source(task, "intact") for task in others])
            for method, rows in (("box", best), ("open box", opened), ("intact box", intact)):
                inside = in_box(draw, target, rows)
                cells.append(cell(target, history, method, searched(target, inside)))
    return cells


def bests(draw: Draw, sources: list[Source]) -> pl.DataFrame:
    """The best row of each source, in the units of its parameters."""
    rows = np.concatenate([source.best(1)[0] for source in sources])
    columns = draw.layout.columns(rows)
    frame = pl.DataFrame({name: pl.Series(column, nan_to_null=True)
                          for name, column in columns.items()})  # fmt: skip
    return frame.with_columns(pl.Series(TASK, [source.name for source in sources]))


def declared_by(draw: Draw, source: Source) -> Space:
    """The space that a source would have declared: what is cut, to what it tried."""
    parameters: dict[str, Parameter] = {}
    for name, column in draw.layout.columns(source.rows).items():
        parameter = draw.layout.space[name]
        tried = column[~np.isnan(column)]
        varies = len(tried) > 0 and np.ptp(tried) > 0
        if name in draw.cut and isinstance(parameter, (Float, Int)) and varies:
            kind = type(parameter.low)
            low, high = kind(tried.min()), kind(tried.max())
            parameters[name] = type(parameter)(low, high, log=parameter.log)
    return Space(parameters)


def in_box(draw: Draw, target: Target, best: pl.DataFrame) -> BoolArray:
    """Which candidates lie in the box around some rows."""
    inside = np.ones(len(target.task.rows), dtype=bool)
    for j, (name, axis) in enumerate(zip(draw.layout.names, draw.layout.axes)):
        values = best[name].drop_nulls().to_numpy()
        if axis is not None and len(values):
            ends, column = axis.encode(values), target.task.rows[:, j]
            inside &= np.isnan(column) | (
                (column >= ends.min() - 1e-9) & (column <= ends.max() + 1e-9)
            )
    return inside


def searched(target: Target, inside: BoolArray) -> list[float]:
    """Random search of the candidates inside; 1 if there are none."""
    return best_of_draws(target.regrets[inside]) if inside.any() else [1.0] * TRIALS
