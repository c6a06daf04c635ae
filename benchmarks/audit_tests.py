"""Tests of one declared parameter against the optima of many data sets.

One optimum of each data set counts, that of its first split, but where splits are compared with
each other. All draws are seeded.

test           what would be so by chance
ends           an end holds as many optima as a uniform draw puts there (benchmarks/hub/edges.py)
scale          optima are uniform on the declared scale, and not rather on the other one
concentration  optima are uniform on the declared scale
agreement      splits of one data set have optima no nearer to each other than any two
off            "off" is best as often as the sampler draws it: its switch has two equal sides
"""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.stats import binomtest

import ringfence as rf
from benchmarks.hub.edges import scaled
from ringfence.arrays import FloatArray
from ringfence.learned.hub.past import DATA_SET, TASK

DRAWS = 20_000
WIDE = 8.0
"""High over low from which a linear and a logarithmic scale are two things."""
OFF = -0.25
"""Where "off" lies beside a scale from 0 to 1."""
Range = rf.Float | rf.Int


def first_splits(rows: pl.DataFrame) -> pl.DataFrame:
    """One row of each data set."""
    return rows.sort(TASK).unique(DATA_SET, keep="first", maintain_order=True)


def places(rows: pl.DataFrame, name: str, parameter: Range, *, on: bool = True) -> FloatArray:
    """Optima on the declared scale; those that are off are left out, or lie beside it."""
    values = rows[name].cast(float).to_numpy()
    is_off = np.zeros(len(values), bool) if parameter.off is None else values == parameter.off
    clipped = np.where(is_off, float(parameter.low), values)
    return scaled(parameter, clipped)[~is_off] if on else np.where(
        is_off, OFF, scaled(parameter, clipped)
    )  # fmt: skip


def scale_test(u: FloatArray, parameter: Range) -> tuple[float, float] | None:
    """The p value of the declared scale against the other one, and the mean gain of a data set's
    log likelihood there; None where the two are nearly one."""
    if parameter.low <= 0 or parameter.high / parameter.low < WIDE or len(u) == 0:
        return None
    rng = np.random.default_rng(0)
    found = _gain(u, parameter).mean()
    null = _gain(rng.random((DRAWS, len(u))), parameter).mean(axis=1)
    return (1 + int((null >= found).sum())) / (DRAWS + 1), float(found)


def _gain(u: FloatArray, parameter: Range) -> FloatArray:
    """Log density on the other scale less that on the declared one."""
    low, high = float(parameter.low), float(parameter.high)
    ratio = np.log(high / low)
    if parameter.log:
        x = low * np.exp(u * ratio)
        return np.asarray(np.log(x * ratio / (high - low)))
    x = low + np.clip(u, 0, 1) * (high - low)
    return np.asarray(np.log((high - low) / (x * ratio)))


def distance(u: FloatArray, cells: int | None) -> float:
    """The largest difference of the distribution of optima from the uniform one (Kolmogorov)."""
    return float(_distances(np.sort(u)[None], cells)[0])


def concentration_test(u: FloatArray, cells: int | None) -> float:
    """The p value of uniform optima; `cells` is the number of values of an integer."""
    rng = np.random.default_rng(0)
    draws = rng.random((DRAWS, len(u)))
    if cells is not None:
        draws = (np.floor(draws * cells) + 0.5) / cells
    null = _distances(np.sort(draws, axis=1), cells)
    return (1 + int((null >= distance(u, cells) - 1e-12).sum())) / (DRAWS + 1)


def _distances(u: FloatArray, cells: int | None) -> FloatArray:
    n = u.shape[1]
    if cells is None:
        steps = np.arange(n + 1) / n
        return np.asarray(np.maximum((steps[1:] - u).max(1), (u - steps[:-1]).max(1)))
    ends = (np.arange(cells - 1) + 1) / cells
    below = np.stack([(u < end).mean(axis=1) for end in ends])
    return np.asarray(np.abs(below - ends[:, None]).max(axis=0))


def agreement_test(rows: pl.DataFrame, name: str, parameter: Range) -> float | None:
    """The p value of splits that agree no more than any two tunings; None without splits."""
    u = places(rows, name, parameter, on=False)
    sets = rows[DATA_SET].to_numpy()
    i, j = np.nonzero(np.triu(sets[:, None] == sets[None, :], 1))
    if len(i) < 10:
        return None
    sizes = dict(zip(*np.unique(sets[i], return_counts=True)))
    weights = np.array([1.0 / sizes[s] for s in sets[i]])  # each data set counts once
    rng, found, at_least = np.random.default_rng(0), _apart(u[None], i, j, weights)[0], 1
    for _ in range(20):
        draws = rng.permuted(np.tile(u, (DRAWS // 20, 1)), axis=1)
        at_least += int((_apart(draws, i, j, weights) <= found + 1e-12).sum())
    return at_least / (DRAWS + 1)


def _apart(u: FloatArray, i: FloatArray, j: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(np.abs(u[:, i] - u[:, j]) @ weights)


def off_test(rows: pl.DataFrame, name: str, parameter: Range) -> tuple[int, int, float]:
    """How many data sets are best with it off, of how many, and the p value of one in two."""
    n = rows.height
    k = int((rows[name] == parameter.off).sum())
    return k, n, float(binomtest(k, n, 0.5).pvalue)
