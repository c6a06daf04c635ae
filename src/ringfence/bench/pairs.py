"""Is one method better than another? Differences of regret, paired by task and replication.

symbol     meaning
d(task)    mean over replications that both have of (regret of one - regret of the other), regrets
           counted as 1, the median configuration's, at most
interval   mean of d ± t s / √n over the n tasks: 95 %, and tasks, not replications, are what is
           drawn at random

`early` averages the regrets over the first 50 trials, and so rewards the faster one; `end` is the
last trial. Pairs are the simplest contrast: a weighted sum of methods' regrets on the same cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ringfence.bench.metrics import measured
from ringfence.bench.significance import Difference, difference

MOST = 1.0  # regret, that of the median configuration: how bad the worse half is does not count
EARLY = 50  # trials
CELL = ("suite", "task", "replication")


@dataclass(frozen=True)
class MethodPair:
    """Two methods of a figure, over the first trials and after the last."""

    one: str
    other: str
    early: Difference
    end: Difference


def judged_regrets(results: pl.DataFrame) -> pl.DataFrame:
    """figure, suite, task, replication, method, early, end, paper, volume, searched: the regrets of
    every cell, its normalized loss over the first trials (the paper's measure), the share of the
    space that was searched, and whether it held anything to try."""
    regret = pl.col("regret").clip(upper_bound=MOST)
    is_early = pl.col("trial") <= EARLY
    cell = ("figure", "suite", "task", "replication", "method")
    return pl.concat(
        figure.sort("trial")
        .group_by(cell, maintain_order=True)
        .agg(
            early=regret.filter(is_early).mean(),
            end=regret.last(),
            paper=pl.col("normalized").filter(is_early).mean(),
            volume=pl.col("volume").first(),
            searched=pl.col("searched").first(),
        )
        for figure in measured(results)
    )


def compare(regrets: pl.DataFrame, one: str, other: str) -> MethodPair | None:
    """The two methods on the cells of one figure, as `judged_regrets` gives them; None if no task
    has both."""
    parts = {name: regrets.filter(pl.col("method") == name) for name in (one, other)}
    by_task = contrast(parts, {one: 1.0, other: -1.0}, ("early", "end"))
    if by_task.is_empty():
        return None
    return MethodPair(
        one, other, *(difference(by_task[name].to_numpy()) for name in ("early", "end"))
    )


def contrast(
    parts: Mapping[str, pl.DataFrame], weights: Mapping[str, float], measures: Sequence[str]
) -> pl.DataFrame:
    """suite, task and the weighted sums of these measures over the parts, the mean over the
    replications that all of them have."""
    sums: pl.DataFrame | None = None
    for name, weight in weights.items():
        part = parts[name].select(*CELL, *(pl.col(m) * weight for m in measures))
        if sums is None:
            sums = part
            continue
        added = sums.join(part, on=CELL, suffix="_added", maintain_order="left")
        sums = added.select(*CELL, *(pl.col(m) + pl.col(f"{m}_added") for m in measures))
    assert sums is not None
    mean = [pl.col(m).mean() for m in measures]
    return sums.group_by("suite", "task", maintain_order=True).agg(mean)
