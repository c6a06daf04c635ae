"""Is one method better than another? Differences of regret, paired by task and replication.

symbol     meaning
d(task)    mean over replications that both have of (regret of one - regret of the other), regrets
           counted as 1, the median configuration's, at most
interval   mean of d ± t s / √n over the n tasks: 95 %, and tasks, not replications, are what is
           drawn at random

`early` averages the regrets over the first 50 trials, and so rewards the faster one; `end` is the
last trial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray
from ringfence.bench.metrics import measured

MOST = 1.0  # regret, that of the median configuration: how bad the worse half is does not count
EARLY = 50  # trials
CONFIDENCE = 0.95
Answer: TypeAlias = Literal["better", "worse", "no difference seen"]


@dataclass(frozen=True)
class Difference:
    """A mean over tasks with its interval; below zero the first method is better."""

    mean: float
    low: float
    high: float
    n_tasks: int

    @property
    def answer(self) -> Answer:
        """The answer by the interval; with a single task, none."""
        if self.high < 0:
            return "better"
        return "worse" if self.low > 0 else "no difference seen"


@dataclass(frozen=True)
class MethodPair:
    """Two methods of a figure, over the first trials and after the last."""

    one: str
    other: str
    early: Difference
    end: Difference


def judged_regrets(results: pl.DataFrame) -> pl.DataFrame:
    """figure, suite, task, replication, method, early, end, volume: the regrets of every cell, and
    the share of the space that was searched."""
    regret = pl.col("regret").clip(upper_bound=MOST)
    first = regret.filter(pl.col("trial") <= EARLY)
    cell = ("figure", "suite", "task", "replication", "method")
    return pl.concat(
        figure.sort("trial")
        .group_by(cell, maintain_order=True)
        .agg(early=first.mean(), end=regret.last(), volume=pl.col("volume").first())
        for figure in measured(results)
    )


def compare(regrets: pl.DataFrame, one: str, other: str) -> MethodPair | None:
    """The two methods on the cells of one figure, as `judged_regrets` gives them; None if no task
    has both."""
    cell = ["suite", "task", "replication"]
    first, second = (regrets.filter(pl.col("method") == name) for name in (one, other))
    both = first.join(second, on=cell, suffix="_other")
    if both.is_empty():
        return None
    by_task = both.group_by("suite", "task", maintain_order=True).agg(
        (pl.col(name) - pl.col(f"{name}_other")).mean() for name in ("early", "end")
    )
    return MethodPair(
        one, other, *(difference(by_task[name].to_numpy()) for name in ("early", "end"))
    )


def difference(by_task: FloatArray) -> Difference:
    """The mean of these differences with its t interval, unbounded if there is only one."""
    from scipy.stats import t

    n, mean = len(by_task), float(np.mean(by_task))
    if n < 2:
        return Difference(mean, -math.inf, math.inf, n)
    quantile = float(t.ppf((1 + CONFIDENCE) / 2, n - 1))
    half = quantile * float(np.std(by_task, ddof=1)) / math.sqrt(n)
    return Difference(mean, mean - half, mean + half, n)
