"""The region of any shape around the incumbents of tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ringfence.arrays import IntArray
from ringfence.fit.completion import completed
from ringfence.fit.result import AnyFit, Fit
from ringfence.fit.shapes import shape_of
from ringfence.fit.unions.cells import Cells
from ringfence.fit.unions.union import fit_union
from ringfence.threads import one_thread


def fit_shape(
    name: str, cells: Cells, task: IntArray, outliers: float, near: AnyFit | None = None
) -> AnyFit:
    """The smallest region or union of a shape around the `cells` (n, p), a share `outliers` of them
    left outside. `task` (n,) tells which come from the same task; `near` is a fit of nearly the
    same points. Coordinates that a task lacks are NaN."""
    shape = shape_of(name)
    free = np.isnan(cells.points)
    unseen = free.all(axis=0).any() and name != "box"
    if unseen or (free.any() and not (shape.takes_gaps and name == shape.name)):
        fit = fit_shape(name, completed(cells), task, outliers)
        # without one task, others might be completed otherwise
        if isinstance(fit, Fit):
            return replace(fit, removable=np.zeros(len(task), dtype=bool))
        return fit
    solve = shape.fit  # loads its solvers, and a BLAS library with them
    with one_thread:
        if name == shape.union:
            return fit_union(cells, task, solve, shape.splitting, outliers)
        return solve(cells.points, outliers, near if isinstance(near, Fit) else None)
