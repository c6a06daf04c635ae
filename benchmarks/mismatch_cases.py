"""Histories that were made not to match: what a new task loses if half of the sources changed.

A draw takes at most 13 tasks of a table, 256 random rows of each, four of them as targets in turn,
half of the other tasks as those that changed, and a third of the parameters. Each target sees the
other tasks in one of these ways, and its own rows (at most 1,000) are its candidates:

history    what the changed half is
intact     as it was
hidden     without the values of the third
cut        256 rows whose values of the third are in the middle half of their ranges; of a third
           of the numeric parameters
left out   not there: what one could do without
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchmarks.transfer_cases import FEWEST, ROWS, Table
from ringfence import Optimizer
from ringfence.arrays import FloatArray, IntArray
from ringfence.optimize.domain.domain import Domain
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.method import Setup
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.source_models import SourceModel, SourceModels, fit_source_models
from ringfence.optimize.transfer.sources import Source, Sources
from ringfence.optimize.transfer.starting_points import starting_rows
from ringfence.optimize.transfer.strangers import without_strangers

TASKS, TARGETS, CANDIDATES = 13, 4, 1000
TRIALS = 10
HISTORIES = ("intact", "hidden", "cut", "left out")
METHODS = ("starts", "transfer")


class Draw:
    """The tasks of one draw, in each of their ways."""

    def __init__(self, table: Table, number: int) -> None:
        self.table, self.layout = table, table.layout
        rng = np.random.default_rng([number, *table.name.encode()])
        usable = [name for name, task in table.all_rows.items() if tells(task)]
        tasks = [usable[i] for i in rng.permutation(len(usable))[:TASKS]]
        self.targets = tasks[:TARGETS]
        self.tasks = {name: table.all_rows[name] for name in tasks}
        self.shuffled = rng.permutation(tasks).tolist()
        names = self.layout.names
        third = max(1, round(len(names) / 3))
        self.hidden = tuple(names[i] for i in np.sort(rng.permutation(len(names))[:third]))
        numeric = [name for name, axis in zip(names, self.layout.axes) if axis is not None]
        self.cut = rng.permutation(numeric)[:third].tolist()
        self.seed = number
        self._models: dict[tuple[str, bytes], SourceModel | None] = {}

    def sources(self, target: str, history: str) -> list[Source]:
        """The earlier tasks of a target; half of them changed."""
        others = [name for name in self.shuffled if name != target]
        half = len(others) // 2
        rest = [self.source(name, "intact") for name in others[half:]]
        if history == "left out":
            return rest
        return [*(self.source(name, history) for name in others[:half]), *rest]

    def source(self, name: str, way: str) -> Source:
        """A task with 256 rows, changed in this way."""
        task = self.tasks[name]
        rng = np.random.default_rng([self.seed, *name.encode()])
        if way == "cut":
            task = among(task, self._in_the_middle(task.rows))
        task = among(task, np.sort(rng.permutation(len(task.values))[:ROWS]))
        return self._without(task) if way == "hidden" else task

    def models(self, sources: list[Source]) -> SourceModels:
        """The models of some sources, each fitted once."""
        return models_of(sources, self.layout, self._models)

    def _without(self, task: Source) -> Source:
        """The task without the hidden values, as `usable_rows` gives it."""
        rows = task.rows.copy()
        rows[:, [self.layout.position(name) for name in self.hidden]] = np.nan
        return replace(task, rows=rows, unknown=self.hidden)

    def _in_the_middle(self, rows: FloatArray) -> IntArray:
        """The rows in the middle half of what is cut; a parameter of which none would be left is
        not cut."""
        inside = np.ones(len(rows), dtype=bool)
        for name in self.cut:
            column = rows[:, self.layout.position(name)]
            fits = np.isnan(column) | (np.abs(column - 0.5) <= 0.25)
            if (inside & fits & ~np.isnan(column)).sum() >= FEWEST:
                inside &= fits
        return np.flatnonzero(inside)


@dataclass(frozen=True, eq=False)
class Target:
    """The task that is tuned next, over its own recorded rows."""

    task: Source
    layout: Layout

    @classmethod
    def of(cls, task: Source, layout: Layout, seed: int) -> Target:
        rng = np.random.default_rng([seed, CANDIDATES, *task.name.encode()])
        return cls(among(task, np.sort(rng.permutation(len(task.values))[:CANDIDATES])), layout)

    @cached_property
    def domain(self) -> Domain:
        return Domain(self.layout, self.task.rows)

    @cached_property
    def regrets(self) -> FloatArray:
        """0 at the best candidate, 1 at the median one and all that are worse."""
        y = self.task.values
        return np.clip((y - y.min()) / max(np.median(y) - y.min(), 1e-300), 0.0, 1.0)

    @property
    def random(self) -> list[float]:
        """The expected regret of random search after each trial."""
        return best_of_draws(self.regrets)

    def curve(self, method: str, sources: list[Source], models: SourceModels) -> list[float]:
        """The best regret after each trial of a method that knows these sources; random search if
        none of them tells good from bad."""
        if not models.tasks:
            return self.random
        models = without_strangers(models, sources, self.domain, 0)
        candidates = Candidates(self.domain, models, sources, 0)
        keys = self.layout.keys(self.task.rows)
        first = {key: i for i, key in reversed(list(enumerate(keys)))}
        if method == "starts":
            tried = [first[key] for key in self.layout.keys(starting_rows(candidates, TRIALS))]
        else:
            engine = Optimizer("transfer", Setup(self.domain, 0, Sources(tuple(sources))), {})
            engine.method.models, engine.method.candidates = models, candidates
            tried = []
            for _ in range(TRIALS):
                trial = engine.ask()
                tried.append(first[self.layout.keys(self.layout.encode([trial.config]))[0]])
                engine.tell(trial, float(self.task.values[tried[-1]]))
        best = np.minimum.accumulate(self.regrets[tried])
        return [*best.tolist(), *[float(best[-1])] * (TRIALS - len(best))]


def best_of_draws(regrets: FloatArray) -> list[float]:
    """The expected best of k of these, drawn without replacement, for k from 1 to TRIALS."""
    ordered, n = np.sort(regrets), len(regrets)
    beyond, curve = np.ones(n), []
    for k in range(1, TRIALS + 1):
        if k <= n:  # the chance that none of k draws is among the first i + 1
            beyond = beyond * np.clip((n - k - np.arange(n)) / (n - k + 1), 0.0, None)
        curve.append(float(-np.diff(np.concatenate([[1.0], beyond])) @ ordered))
    return curve


def table_cells(table: Table, draw: int) -> list[dict[str, object]]:
    """One draw of a table: every target, history and method."""
    one = Draw(table, draw)
    cells = []
    for name in one.targets:
        target = Target.of(one.tasks[name], one.layout, draw)
        for history in HISTORIES:
            sources = one.sources(name, history)
            models = one.models(sources)
            for method in METHODS:
                cells.append(cell(target, history, method, target.curve(method, sources, models)))
    return cells


def cell(target: Target, history: str, method: str, curve: list[float]) -> dict[str, object]:
    """A line of results: the regret after 5 and 10 trials, and that of random search."""
    found = {f"at{k}": round(curve[k - 1], 6) for k in (5, 10)}
    usual = {f"random{k}": round(target.random[k - 1], 6) for k in (5, 10)}
    return {"target": target.task.name, "history": history, "method": method, **found, **usual}


def models_of(
    sources: list[Source], layout: Layout, known: dict[tuple[str, bytes], SourceModel | None]
) -> SourceModels:
    """The models of some sources, each fitted once."""
    models = []
    for source in sources:
        key = source.name, source.rows.tobytes()
        if key not in known:
            tasks = fit_source_models([source], layout).tasks
            known[key] = tasks[0] if tasks else None
        models.append(known[key])
    return SourceModels(layout, tuple(model for model in models if model is not None))


def among(task: Source, rows: IntArray) -> Source:
    extra = None if task.extra is None else task.extra[rows]
    return replace(task, rows=task.rows[rows], values=task.values[rows], extra=extra)


def tells(task: Source) -> bool:
    return len(task.values) >= FEWEST and task.values.min() < np.median(task.values)
