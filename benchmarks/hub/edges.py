"""Where a declared range clips the optima, by exact binomial tests.

If nothing drew the optima to an end of a range, they would lie in its outermost part as often as a
uniform draw does: 1/k for an integer of k values, EDGE for a real number, on the declared scale,
and of many values as many as make up EDGE. A step of an integer counts: 16, 20, …, 32 are five
values. One optimum of each data set counts, that of its first split: splits are near-replicates.
The p values of all ends that are given together are corrected together (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import binomtest

import ringfence as rf
from benchmarks.hub.runs import HubRuns
from ringfence.arrays import FloatArray
from ringfence.learned.hub.past import DATA_SET, TASK
from ringfence.learned.hub.records import Edge

EDGE = 0.05
"""Share of a range of real numbers that counts as its end."""
LEVEL = 0.05
TINY = 1e-9
Range = rf.Float | rf.Int


@dataclass(frozen=True)
class End:
    """One end of one range, and how often optima lie there."""

    space: str
    parameter: str
    end: str
    value: float
    count: int
    """Of data sets."""
    data_sets: int
    """That have the parameter on."""
    chance: float
    p: float
    share: float
    """Mean over data sets of the share of their optima."""

    def edge(self) -> Edge:
        """As an entry of the hub has it."""
        return Edge(self.parameter, self.end, self.value, round(self.share, 4))


def ends(runs: HubRuns, space: rf.Space, key: str) -> Iterator[End]:
    """All ends of a declared space."""
    for name, parameter in space.parameters.items():
        if not isinstance(parameter, (rf.Float, rf.Int)):
            continue
        rows = runs.frame.filter(pl.col(name).is_not_null()).sort(TASK)
        if parameter.off is not None:
            rows = rows.filter(pl.col(name) != parameter.off)
        on_grid, at = stepped(parameter, rows[name].cast(float).to_numpy(), runs.steps.get(name, 1))
        places, chance = scaled(on_grid, at), chance_of(on_grid)
        for end, value in (("low", parameter.low), ("high", parameter.high)):
            there = places < chance + TINY if end == "low" else places > 1 - chance - TINY
            by_set = (
                rows.select(DATA_SET, there=pl.Series(there, dtype=pl.Boolean))
                .group_by(DATA_SET, maintain_order=True)
                .agg(pl.col("there").first(), share=pl.col("there").mean())
            )
            n, k = by_set.height, int(by_set["there"].sum())
            if n:
                p = binomtest(k, n, chance, alternative="greater").pvalue
                share = float(by_set["share"].mean())  # type: ignore[arg-type]
                yield End(key, name, end, value, k, n, chance, float(p), share)


def stepped(parameter: Range, values: FloatArray, step: int) -> tuple[Range, FloatArray]:
    """An integer with a step as the number of its value, from 0; everything else as it is."""
    if step == 1:
        return parameter, values
    count = (int(parameter.high) - int(parameter.low)) // step
    return rf.Int(0, count), (values - parameter.low) / step


def chance_of(parameter: Range) -> float:
    """The share of uniform draws in the outermost part of a range."""
    if not isinstance(parameter, rf.Int) or parameter.log:
        return EDGE
    values = parameter.high - parameter.low + 1
    return max(int(EDGE * values + TINY), 1) / values


def scaled(parameter: Range, values: FloatArray) -> FloatArray:
    """Values on the declared scale of a range, 0 to 1; an integer is the middle of its cell."""
    low, high = float(parameter.low), float(parameter.high)
    if isinstance(parameter, rf.Int):
        low, high = low - 0.5, high + 0.5
    if parameter.log:
        low, high, values = np.log(low), np.log(high), np.log(values)
    return np.asarray((values - low) / (high - low))


def holm(p: Sequence[float]) -> FloatArray:
    """P values corrected for their number."""
    order = np.argsort(p, kind="stable")
    steps = np.arange(len(p), 0, -1)
    corrected = np.minimum(np.maximum.accumulate(np.asarray(p)[order] * steps), 1.0)
    answer = np.empty(len(p))
    answer[order] = corrected
    return answer


def clipped(found: Sequence[End]) -> list[End]:
    """The ends at which more optima lie than chance puts there."""
    return [end for end, p in zip(found, holm([end.p for end in found])) if p < LEVEL]
