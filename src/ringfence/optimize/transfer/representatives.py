"""A few tasks that stand for all others: where there are many, only these have models.

Models, predictions and suggestions cost the same for every task, and tasks beyond a few dozen that
behave like others add nothing. So tasks are compared by how they behave, as far as that can be told
without a model of each: a ridge regression of the capped regret on the features and their squares,
predicted at some fixed configurations. Most of the representatives are chosen one by one, each the
one that brings the tasks nearest to their next representative (facility location, greedily). The
last quarter are the tasks that are farthest from all before them, so that a rare kind of task has
one, too. Each stands for the tasks that are nearest to it, and tasks that behave the same count as
one that is there as often, so that where few are different, fewer than 64 have models.
benchmarks/representatives.py holds them against all tasks, and against as many at random.

The choice follows from the tasks and their names alone, whatever the order of the rows and of the
tasks: tasks are sorted by name, and behaviors are rounded, so that the last digits of a sum decide
nothing. Names decide near-ties, and of many tasks which are compared.

symbol   meaning                                                          shape
X, z     features and capped regret of a task's rows                      (n, d), (n,)
A        the basis at some points: 1, the features, their squares         (n, b)
V        predicted regrets of the tasks at the fixed configurations       (T, POINTS)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ringfence.arrays import FloatArray, IntArray
from ringfence.history import COUNT, TASK, VALUE
from ringfence.history.lots import by_lot
from ringfence.learned.full import full_space
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.transfer.coded import coded_rows
from ringfence.optimize.weighing.cost_model import basis

MOST_SOURCES = 64
"""Tasks that have models: with so many a suggestion takes milliseconds."""
RARE = 0.25  # share of them that is kept for what is far from the others
POINTS = 128  # configurations at which tasks are compared
RIDGE = 0.03  # penalty, a share of the number of rows: a task has few rows for so many coefficients
DIGITS = 6  # of a predicted regret
ROWS_AT_ONCE = 250_000  # rows whose features are in memory together, some ten megabytes
MOST_COMPARED = 2048  # tasks among which the first representatives are chosen: 16 MB of distances
SEED = 0


@dataclass(frozen=True, eq=False)
class Representatives:
    """The chosen tasks, and how many each stands for."""

    weights: dict[str, int]
    n_tasks: int
    """The number of tasks that were compared: those that tell good from bad."""


def representatives(frame: pl.DataFrame, layout: Layout) -> Representatives | None:
    """The tasks that stand for all tasks of the usable rows; None if these are few, or if `frame`
    has the best rows alone."""
    if COUNT in frame.columns or frame[TASK].n_unique() <= MOST_SOURCES:
        return None
    full = Layout(full_space(layout.space))
    tasks = _tasks(frame)
    if tasks.height <= MOST_SOURCES:
        return None
    first, V, copies = _without_copies(_behaviors(frame, tasks, full))
    chosen = _chosen(V, copies, tasks[TASK].gather(first).to_list())
    nearest = np.argmin(_squares(V, V[chosen]), axis=1)
    nearest[chosen] = np.arange(len(chosen))
    counts = np.bincount(nearest, copies).astype(int)
    names = tasks[TASK].gather(first[chosen]).to_list()
    return Representatives(dict(zip(names, counts.tolist())), tasks.height)


def _tasks(frame: pl.DataFrame) -> pl.DataFrame:
    """The tasks that tell good from bad, by name: best value, its distance to the median, rows."""
    tasks = (
        frame.group_by(TASK)
        .agg(
            pl.col(VALUE).min().alias("best"),
            pl.col(VALUE).median().alias("median"),
            pl.len().alias("rows"),
        )
        .sort(TASK)
    )
    size = pl.max_horizontal(pl.col("best").abs(), pl.col("median").abs())
    tells = pl.col("median") - pl.col("best") > 4.0 * np.finfo(float).eps * size
    return tasks.filter(tells)


def _behaviors(frame: pl.DataFrame, tasks: pl.DataFrame, full: Layout) -> FloatArray:
    """V, a few thousand tasks at a time."""
    points = domain_of(full.learned).draw(POINTS, np.random.default_rng(SEED))
    at_points = basis(full.features(points), squares=True)
    order, ends = _rows_by_task(frame, tasks)
    columns = frame.select(VALUE, *full.names)
    V = np.empty((tasks.height, POINTS), dtype=np.float32)
    for first, last in _parts(ends):
        start, stop = (0 if first == 0 else int(ends[first - 1])), int(ends[last - 1])
        rows = columns[order[start:stop]]
        A = basis(full.features(coded_rows(rows, full)), squares=True)
        limits = ends[first:last] - start
        part = tasks[first:last]
        each = np.diff(limits, prepend=0)
        best = np.repeat(part["best"].to_numpy(), each)
        middle = np.repeat(part["median"].to_numpy(), each)
        y = rows[VALUE].to_numpy()
        z = (np.minimum(y, middle) - best) / (middle - best)
        mean, slopes = _ridges(A, z, limits)
        V[first:last] = np.clip(mean[:, None] + slopes @ at_points.T, 0.0, 1.0)
    return np.round(V, DIGITS)


def _rows_by_task(frame: pl.DataFrame, tasks: pl.DataFrame) -> tuple[IntArray, IntArray]:
    """The positions of the rows task by task, best first, and where the rows of each end."""
    numbered = tasks.select(TASK).with_row_index(":number")
    keys = frame.select(TASK, VALUE).with_row_index(":place").join(numbered, on=TASK, how="inner")
    rows = keys.sort(":number", VALUE, ":place")[":place"].to_numpy()
    return rows, tasks["rows"].cum_sum().to_numpy().astype(np.int64)


def _parts(ends: IntArray) -> Iterator[tuple[int, int]]:
    """Tasks in parts of about ROWS_AT_ONCE rows: the number of the first, and one past the last."""
    first = 0
    while first < len(ends):
        start = 0 if first == 0 else ends[first - 1]
        last = max(int(np.searchsorted(ends, start + ROWS_AT_ONCE, side="right")), first + 1)
        yield first, last
        first = last


def _ridges(A: FloatArray, z: FloatArray, ends: IntArray) -> tuple[FloatArray, FloatArray]:
    """The mean regret of each task, and the coefficients of its ridge regression of the rest; the
    rows of A and z are task by task, up to `ends`."""
    width = A.shape[1]
    gram, right = np.empty((len(ends), width, width)), np.empty((len(ends), width))
    mean = np.empty(len(ends))
    for t, (start, end) in enumerate(zip([0, *ends[:-1]], ends)):
        here, regret = A[start:end], z[start:end]
        mean[t] = regret.mean()
        gram[t] = here.T @ here
        right[t] = here.T @ (regret - mean[t])
        gram[t].flat[:: width + 1] += RIDGE * (end - start)
    return mean, np.asarray(np.linalg.solve(gram, right[:, :, None])[:, :, 0], dtype=float)


def _without_copies(V: FloatArray) -> tuple[IntArray, FloatArray, IntArray]:
    """The numbers of the first tasks of each behavior, these behaviors, and how many tasks have
    each. A copy of a chosen task would have a model, and no task left to stand for."""
    V = V + 0.0  # no zero is negative, so that equal rows have equal bytes, which sort fast
    as_bytes = V.view(np.dtype((np.void, V.itemsize * V.shape[1])))[:, 0]
    _, first, counts = np.unique(as_bytes, return_index=True, return_counts=True)
    by_number = np.argsort(first)
    return first[by_number], V[first[by_number]], counts[by_number]


def _chosen(V: FloatArray, copies: IntArray, names: Sequence[str]) -> IntArray:
    """The numbers of the representatives, in the order of their choice, where as many tasks as
    `copies` behave like each of these `names`."""
    if len(V) <= MOST_SOURCES:
        return np.arange(len(V))
    n_rare = int(RARE * MOST_SOURCES)
    some = np.sort(by_lot(names)[:MOST_COMPARED])
    D = _squares(V[some], V[some])
    order = some[_facilities(D, copies[some], MOST_SOURCES - n_rare)].tolist()
    away = _squares(V, V[order]).min(axis=1)
    while len(order) < MOST_SOURCES:
        away[order] = -1.0
        order.append(int(away.argmax()))
        away = np.minimum(away, _squares(V, V[order[-1:]])[:, 0])
    return np.array(order)


def _facilities(D: FloatArray, copies: IntArray, n: int) -> list[int]:
    """`n` numbers of tasks, each the one that lowers the sum over the tasks of the distance to the
    nearest of them most; `D` (T, T) holds the distances, and a row counts for its `copies`."""
    nearest, weights = np.full(len(D), D.max()), copies[:, None].astype(D.dtype)
    order: list[int] = []
    for _ in range(n):
        gain = (np.maximum(nearest[:, None] - D, 0.0) * weights).sum(axis=0)
        gain[order] = -1.0
        order.append(int(gain.argmax()))
        nearest = np.minimum(nearest, D[:, order[-1]])
    return order


def _squares(V: FloatArray, others: FloatArray) -> FloatArray:
    """Squared distances (T, m) between behaviors."""
    squares = (V * V).sum(axis=1)[:, None] + (others * others).sum(axis=1) - 2.0 * V @ others.T
    return np.asarray(np.maximum(squares, 0.0))
