"""Rows of a frame as rows of a layout."""

from __future__ import annotations

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray
from ringfence.optimize.domain.layout import Layout


def coded_rows(group: pl.DataFrame, layout: Layout) -> FloatArray:
    """Rows of a frame in the coordinates of the layout, (n, names)."""
    if not layout.names:  # a space of constants
        return np.empty((group.height, 0))
    columns = group.select(pl.col(*layout.names).cast(float).fill_null(np.nan))
    rows = np.array(columns.to_numpy(), order="C")
    for j, axis in enumerate(layout.axes):
        if axis is not None:
            rows[:, j] = axis.encode(rows[:, j])
    return rows


def numbers(column: pl.Series) -> FloatArray:
    """A column as numbers, NaN for what is missing."""
    return column.cast(float).fill_null(np.nan).to_numpy()
