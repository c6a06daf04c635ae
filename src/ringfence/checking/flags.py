"""What the data cannot support, whatever the figures say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ringfence.history import TASK
from ringfence.space import Encoding, Space, value_of

if TYPE_CHECKING:
    import polars as pl

FEW_TASKS = 5
FEW_ROWS = 32
EDGE = 0.02  # of a range: an incumbent so near to an end is on the edge
MANY_ON_THE_EDGE = 0.25
NARROW = 0.5  # of the spread of uniform draws: rows that vary less searched a small region


def flags(space: Space, rows: pl.DataFrame, best: pl.DataFrame) -> list[str]:
    """Warnings, one line each."""
    found = []
    if best.height < FEW_TASKS:
        found.append(f"{best.height} tasks are too few to tell; the figures may well be chance")
    sizes = rows.group_by(TASK).len()["len"].to_numpy()
    if (sizes < FEW_ROWS).any():
        few = int((sizes < FEW_ROWS).sum())
        found.append(f"{few} tasks have fewer than {FEW_ROWS} rows; their best is uncertain")
    encoding = Encoding.of(space)
    for name, parameter, axis in zip(encoding.names, encoding.parameters, encoding.axes):
        spread = axis.encode(rows[name].drop_nulls().to_numpy())
        if len(spread) > 1 and spread.std() < NARROW / np.sqrt(12):
            found.append(
                f"the rows search only a small part of {name}; a region learned from an "
                "optimizer's own runs repeats its bias"
            )
        at = axis.encode(best[name].drop_nulls().to_numpy())
        if axis.whole or len(at) < FEW_TASKS:
            continue
        for end, share in (("low", (at < EDGE).mean()), ("high", (at > 1 - EDGE).mean())):
            if share >= MANY_ON_THE_EDGE:
                limit = value_of(parameter, axis.low if end == "low" else axis.high)
                found.append(
                    f"{share:.0%} of the best values of {name} lie at the {end} end of its range "
                    f"({limit:g}); widen it there"
                )
    return found
