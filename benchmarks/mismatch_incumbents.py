"""Histories of one row a task: what starting points without models are worth.

Of each table, at most 30 tasks with the best of 256 random rows, as if that alone were published,
and four targets. What a configuration gives on the target is what a model of all the target's rows
predicts, so that any configuration can be tried:

method     what is tried
random     uniform draws from the full space
box        uniform draws from the box around the published rows
any        the published rows in any order
cover      the same in the order of transfer/incumbent_cover.py
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.mismatch_cases import ROWS, TARGETS, TRIALS, among, tells
from benchmarks.transfer_cases import Table
from ringfence.arrays import FloatArray
from ringfence.optimize.domain.domain import domain_of
from ringfence.optimize.transfer.incumbent_cover import covering_incumbents
from ringfence.optimize.transfer.source_models import fit_source_models
from ringfence.optimize.transfer.sources import Source

TASKS, REPEATS = 30, 8
METHODS = ("random", "box", "any", "cover")


def incumbent_cells(table: Table, draw: int) -> list[dict[str, object]]:
    """One draw of a table: every target and method."""
    rng = np.random.default_rng([draw, *table.name.encode()])
    usable = [name for name, task in table.all_rows.items() if tells(task)]
    tasks = [usable[i] for i in rng.permutation(len(usable))[: TASKS + 1]]
    cells = []
    for target in tasks[:TARGETS]:
        published = [_published(table.all_rows[name], rng) for name in tasks if name != target]
        model = fit_source_models([table.all_rows[target]], table.layout)
        means = {}
        for method in METHODS:
            lists = list(_lists(method, published, table, rng))
            regrets = [np.minimum.accumulate(model.predict(rows)[0]) for rows in lists]
            padded = [np.append(r, np.repeat(r[-1], TRIALS - len(r))) for r in regrets]
            means[method] = np.mean(padded, axis=0)
        for method, mean in means.items():
            found = {f"at{k}": round(float(mean[k - 1]), 6) for k in (5, 10)}
            usual = {f"random{k}": round(float(means["random"][k - 1]), 6) for k in (5, 10)}
            line = {"target": target, "history": "one row", "method": method, **found, **usual}
            cells.append({**line, "at1": round(float(mean[0]), 6)})
    return cells


def _published(task: Source, rng: np.random.Generator) -> Source:
    """A task of which the best of some random rows is all there is."""
    some = among(task, rng.permutation(len(task.values))[:ROWS])
    return among(some, np.array([some.values.argmin()]))


def _lists(
    method: str, published: list[Source], table: Table, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Configurations to try, in order; several lists where chance has a part."""
    layout, domain = table.layout, domain_of(table.layout.learned)
    rows = np.concatenate([task.rows for task in published])
    if method == "cover":
        yield covering_incumbents(published, domain, TRIALS, seed=0)
        return
    numeric = np.array([axis is not None for axis in layout.axes])
    low, high = np.nanmin(rows, axis=0, initial=1.0), np.nanmax(rows, axis=0, initial=0.0)
    low, high = np.minimum(low, high), np.maximum(low, high)
    for _ in range(REPEATS):
        draws = domain.draw(TRIALS, rng)
        if method == "box":
            inside = low + rng.random(draws.shape) * (high - low)
            draws = layout.snap(np.where(numeric & ~np.isnan(draws), inside, draws))
        yield rows[rng.permutation(len(rows))[:TRIALS]] if method == "any" else draws
