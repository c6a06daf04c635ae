"""Whether optima depend on the size of the data: then an entry has a space for small data and one
for large."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.stats import mannwhitneyu

import ringfence as rf
from benchmarks.hub.edges import LEVEL, holm
from benchmarks.hub.judging import best_rows
from benchmarks.hub.runs import HubRuns
from ringfence.arrays import FloatArray
from ringfence.learned.hub.past import DATA_SET, ROWS

FEWEST = 10
"""Data sets that a class needs, for its space to be judged at all."""


def sizes_differ(runs: HubRuns, kind: str) -> bool:
    """Whether the optima of small and of large data differ in some parameter: rank tests of the
    data sets' means, corrected for the number of parameters."""
    best = best_rows(runs).frame
    small = pl.col(ROWS) <= runs.size_bound
    groups = [best.filter(small), best.filter(~small)]
    if min(group[DATA_SET].n_unique() for group in groups) < FEWEST:
        return False
    p = []
    for name, parameter in runs.space(kind).parameters.items():
        one, other = (means(group, name, parameter) for group in groups)
        if min(len(one), len(other)) >= FEWEST and np.ptp(np.concatenate([one, other])) > 0:
            p.append(float(mannwhitneyu(one, other).pvalue))
    return bool(p) and bool(holm(p).min() < LEVEL)


def means(rows: pl.DataFrame, name: str, parameter: rf.space.Parameter) -> FloatArray:
    """The mean of a parameter in each data set; of the codes of a choice, it is of its share."""
    if isinstance(parameter, (rf.Float, rf.Int)):
        values = rows[name].cast(float)
        if parameter.log:
            values = values.clip(parameter.low).log()
    else:
        values = (rows[name].cast(str) == str(getattr(parameter, "choices", [""])[0])).cast(float)
    table = rows.select(DATA_SET, value=values).drop_nulls()
    return (
        table.group_by(DATA_SET, maintain_order=True)
        .agg(pl.col("value").mean())["value"]
        .to_numpy()
    )
