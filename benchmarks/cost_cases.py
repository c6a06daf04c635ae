"""Leave one task of a table with costs out: what a search spends until it is how good.

A case is one target and one draw. The sources are random rows of other tasks, 7,680 in all, at most
256 of each; at most 2,000 rows of the target whose cost is known are the candidates. A trial costs
what its row says, in units of the target's median row, and counts once it has ended: regret is 1
before the first has. Regret is 0 at the best candidate and 1 at the median one and beyond.

Random search is the mean of PERMUTATIONS orders of the candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.tables import read_table
from benchmarks.transfer_cases import CANDIDATES, ROWS, SOURCES, Case, Table
from ringfence import Optimizer
from ringfence.arrays import FloatArray
from ringfence.errors import ExhaustedError
from ringfence.learned.settings import Unit
from ringfence.optimize.ask_tell import USUAL_STARTS
from ringfence.optimize.method import Setup
from ringfence.optimize.transfer.sources import Source
from ringfence.optimize.transfer.starting_points import starting_points, starting_rows
from ringfence.optimize.weighing.reasons import weighing_of

COSTS = (0.5, 1, 2, 5, 10, 20)
"""What is spent, in median trials."""
TRIALS = (5, 10)
PERMUTATIONS = 64
MOST = 40  # trials of a search
TARGETS = 30  # of a table
CHOSEN_BY = slice(12, 32)  # targets by which the rule was chosen, where there are enough
MANY = 60  # tasks of a table with enough; of smaller ones all targets are reported, by other draws
COPIES = ({"RTX_2080_Ti", "RTX_Titan"}, {"RTX_3060_laptop", "RTX_3090"})
"""Tasks that are nearly the same are left out together."""


class ChargedTable(Table):
    """A table with what each run cost."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name, history=read_table(folder, name, charged=True))
        rows = np.median([min(len(task.values), ROWS) for task in self.all_rows.values()])
        self.sources = int(SOURCES * ROWS // rows)
        self.has_many = rows == ROWS and len(self.all_rows) > MANY

    @property
    def reported(self) -> list[str]:
        """The targets that count: none by which anything was chosen, if there are enough."""
        names = self.targets(len(self.all_rows))
        if self.has_many:
            del names[CHOSEN_BY]
        return names[:TARGETS]


class ChargedCase(Case):
    """One target and one draw."""

    @cached_property
    def tasks(self) -> list[str]:
        """The source tasks."""
        copies = next((names for names in COPIES if self.target in names), {self.target})
        others = [name for name in self.table.all_rows if name not in copies]
        rng = np.random.default_rng([self.draw, *self.target.encode()])
        return [others[i] for i in rng.permutation(len(others))[: self.table.sources]]

    @cached_property
    def _target_rows(self) -> Source:
        """Rows whose cost is known, each configuration once."""
        task = self.table.all_rows[self.target]
        assert task.costs is not None
        keys = self.table.layout.keys(task.rows)
        once = sorted({key: i for i, key in reversed(list(enumerate(keys)))}.values())
        known = np.array([i for i in once if np.isfinite(task.costs[i])])
        rng = np.random.default_rng([CANDIDATES, *self.target.encode()])
        subset = known[np.sort(rng.permutation(len(known))[:CANDIDATES])]
        costs = task.costs[subset]
        return Source(task.name, task.rows[subset], task.values[subset], costs=costs)

    @cached_property
    def costs(self) -> dict[bytes, float]:
        """By the key of a row, in its own unit."""
        costs = self._target_rows.costs
        assert costs is not None
        return self._by_key(costs)

    @cached_property
    def unit(self) -> float:
        """What the median candidate costs."""
        return float(np.median(list(self.costs.values())))

    def curve(self, keys: list[bytes]) -> dict[str, float]:
        """The best regret when so much is spent, and after so many trials, of trials in order."""
        ended = np.cumsum([self.costs[key] for key in keys]) / self.unit
        best = np.minimum.accumulate([self.regrets[key] for key in keys])
        counts = np.searchsorted(ended, np.array(COSTS) * (1.0 + 1e-9), side="right")
        by_cost = {f"cost{c:g}": best[n - 1] if n else 1.0 for c, n in zip(COSTS, counts)}
        by_trials = {f"trial{n}": best[min(n, len(best)) - 1] for n in TRIALS}
        return {name: float(regret) for name, regret in (by_cost | by_trials).items()}


def random_search(case: ChargedCase) -> dict[str, float]:
    """The mean of many orders."""
    keys = list(case.costs)
    rng = np.random.default_rng([case.draw, *case.target.encode()])
    orders = [rng.permutation(len(keys))[: 10 * MOST] for _ in range(PERMUTATIONS)]
    curves = [case.curve([keys[i] for i in order]) for order in orders]
    return {name: float(np.mean([curve[name] for curve in curves])) for name in curves[0]}


def starts(by: Unit) -> Callable[[ChargedCase], dict[str, float]]:
    def curve(case: ChargedCase) -> dict[str, float]:
        layout = case.domain.layout
        rows: FloatArray = starting_rows(
            case.scored, MOST, weighing_of(layout, case.sources.tasks, by)
        )
        return case.curve(layout.keys(rows))

    return curve


def transfer(by: Unit) -> Callable[[ChargedCase], dict[str, float]]:
    def curve(case: ChargedCase) -> dict[str, float]:
        engine = Optimizer("transfer", Setup(case.domain, 0, case.sources, by=by), {})
        engine.method.models, engine.method.candidates = case.models, case.scored
        return case.curve(searched(case, engine))

    return curve


def starts_and_gp(by: Unit) -> Callable[[ChargedCase], dict[str, float]]:
    """Five starting points, then a plain process that learns costs from its own trials alone."""

    def curve(case: ChargedCase) -> dict[str, float]:
        weighing = weighing_of(case.domain.layout, case.sources.tasks, by)
        first = starting_points(case.scored, USUAL_STARTS, weighing)
        setup = Setup(case.domain, case.draw, None, tuple(start.config for start in first), by=by)
        return case.curve(searched(case, Optimizer("gp", setup, {})))

    return curve


def searched(case: ChargedCase, engine: Optimizer) -> list[bytes]:
    """The trials of a search that is told values and costs, until it has spent what is shown."""
    layout, keys, spent = case.domain.layout, [], 0.0
    while len(keys) < MOST and (spent < max(COSTS) * case.unit or len(keys) < max(TRIALS)):
        try:
            trial = engine.ask()
        except ExhaustedError:
            break
        key = layout.keys(layout.encode([trial.config]))[0]
        engine.tell(trial, case.values[key], cost=case.costs[key])
        keys.append(key)
        spent += case.costs[key]
        if case.regrets[key] == 0.0:  # the best of all: nothing more can change
            break
    return keys


WAYS: dict[str, Callable[[ChargedCase], dict[str, float]]] = {
    "random": random_search,
    "starts by trials": starts("trials"),
    "starts by cost": starts("cost"),
    "transfer by trials": transfer("trials"),
    "transfer by cost": transfer("cost"),
    "starts + gp by trials": starts_and_gp("trials"),
    "starts + gp by cost": starts_and_gp("cost"),
}


def cost_cells(table: ChargedTable, draw: int, ways: list[str]) -> list[dict[str, object]]:
    """All targets of one draw."""
    return [
        {"target": target, "method": way, **WAYS[way](case)}
        for target in table.reported
        for case in [ChargedCase(table, target, draw)]
        for way in ways
    ]
