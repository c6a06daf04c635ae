"""Two questions about the tasks that starting points are learned from, on dense tables.

own      own tasks beside the hub's: how much of the hub is to be left? Own tasks are the nearest to
         the target by meta-features ("alike"), or any ("any"); the hub is of others.
similar  are the tasks nearest by meta-features better teachers than all, or as many at random?

The target's data set is left out of everything. Starting points are chosen among the target's
recorded configurations, in the full space.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchmarks.hub.runs import HubRuns
from benchmarks.hub.starting import Bench
from ringfence.arrays import FloatArray

MOST_TARGETS = 40
HUB_TASKS = 30
OWN = (1, 3, 10)
SOON = (1, 3, 10, 30)
"""Own tasks with which half of the hub's are left, in the rule that is looked for."""
NEAREST = (5, 10, 20)


def studies(runs: HubRuns, kind: str) -> Iterator[dict[str, Any]]:
    """A row for each target, question and way."""
    bench = Bench(runs, kind)
    names = [name for name in bench.recorded if bench.tells(name)]
    near = _distances(runs, names)
    step = max(1, math.ceil(len(names) / MOST_TARGETS))
    for target in names[::step]:
        others = [name for name in names if bench.sets[name] != bench.sets[target]]
        order = sorted(others, key=lambda name: near[target][name])
        for study, way, n, tasks in (*_own(target, order), *_similar(target, order)):
            if not tasks:  # a table of few tasks has none left for the hub
                continue
            regrets = bench.starts(target, tasks, None)
            about = {"entry": runs.name, "kind": kind, "study": study, "way": way, "n": n}
            yield {**about, "target": target, "first": float(regrets[0]), "all": float(regrets[-1])}


def _own(target: str, order: Sequence[str]) -> Iterator[tuple[str, str, int, list[str]]]:
    rng = np.random.default_rng([0, *target.encode()])
    shuffled = [order[i] for i in rng.permutation(len(order))]
    for which, ranked in (("alike", list(order)), ("any", shuffled)):
        for n in OWN:
            own = ranked[:n]
            hub = [name for name in shuffled if name not in own][:HUB_TASKS]
            yield f"own, {which}", "hub alone", n, hub
            yield f"own, {which}", "own alone", n, own
            yield f"own, {which}", "all of both", n, [*own, *hub]
            for soon in SOON:
                count = math.ceil(len(hub) * soon / (soon + n))
                left = [hub[i * len(hub) // count] for i in range(count)]
                yield f"own, {which}", f"{soon} / ({soon} + n) of the hub", n, [*own, *left]


def _similar(target: str, order: Sequence[str]) -> Iterator[tuple[str, str, int, list[str]]]:
    rng = np.random.default_rng([1, *target.encode()])
    shuffled = [order[i] for i in rng.permutation(len(order))]
    yield "similar", "all", 0, list(order)
    for n in NEAREST:
        yield "similar", "nearest", n, list(order[:n])
        yield "similar", "random", n, shuffled[:n]


def _distances(runs: HubRuns, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Between tasks: of their meta-features, each scaled to deviation 1."""
    table = np.array([runs.meta[name] for name in names], float)
    table = np.where(np.isnan(table), np.nanmean(table, axis=0), table)
    spread = table.std(axis=0)
    table = table[:, spread > 0] / spread[spread > 0]
    gaps: FloatArray = np.abs(table[:, None] - table[None]).mean(axis=2)
    return {a: dict(zip(names, gaps[i].tolist())) for i, a in enumerate(names)}


def as_frame(rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """The rows in a fixed order."""
    return pl.DataFrame(rows).sort("entry", "kind", "study", "way", "n", "target")
