"""Starting points: configurations of a learned space that cover the earlier tasks, in order.

Each task has a model of its regret (source_models.py). The first point has the lowest mean over
the tasks, each further one lowers the mean of the tasks' best so far the most (cover.py). If the
tasks have few rows, their models know little; every second point then comes from a design that
spreads over the region, so that at worst half of the trials follow bad advice. If each task has one
row, there are no models (incumbent_cover.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec
import numpy as np
import polars as pl

from ringfence.arrays import FloatArray
from ringfence.errors import HistoryError
from ringfence.history import COUNT, considered_rows
from ringfence.learned.records import Start, Task
from ringfence.learned.settings import ENOUGH_ROWS
from ringfence.learned.space import LearnedSpace
from ringfence.optimize.domain.design import Design
from ringfence.optimize.domain.domain import Domain, domain_of
from ringfence.optimize.log import TrialLog
from ringfence.optimize.transfer.candidates import Candidates
from ringfence.optimize.transfer.cover import Weigh, greedy_cover
from ringfence.optimize.transfer.incumbent_cover import covering_incumbents
from ringfence.optimize.transfer.source_models import SourceModels, fit_source_models
from ringfence.optimize.transfer.sources import Source, source_tasks
from ringfence.optimize.transfer.strangers import strangers_note, without_strangers
from ringfence.optimize.trial import Trial
from ringfence.optimize.weighing.cost import Costs, have_costs
from ringfence.optimize.weighing.failure import failure_weights
from ringfence.optimize.weighing.weighing import Weighing
from ringfence.space import Config
from ringfence.threads import one_thread
from ringfence.words import some

SEED = 0  # of the candidates: the same history gives the same points
ONE_ROW = (
    "starting points: each task has one row, so no model says what they are worth; they are best "
    "configurations of earlier tasks, in such an order that every task soon has one near its own"
)


@one_thread
def with_starts(
    learned: LearnedSpace,
    rows: pl.DataFrame,
    n: int,
    progress: Callable[[int, int], None] | None = None,
) -> LearnedSpace:
    """The learned space with `n` starting points, from the usable `rows` that it was learned
    from. `progress` is called with the number of tasks modelled and of all."""
    if COUNT in rows.columns:
        raise HistoryError(
            "starting points need every row of a task, and the history holds only the best ones: "
            "read it with best=None"
        )
    domain = domain_of(learned)
    sources = source_tasks(considered_rows(rows, learned.settings.rows), domain.layout)
    everyone = fit_source_models(sources, domain.layout, progress=progress)
    models = without_strangers(everyone, sources, domain, SEED)
    tasks = _standing_for(learned.tasks, sources)
    are_incumbents = all(len(task.values) == 1 for task in sources)
    notes = (
        *learned.provenance.notes,
        *([ONE_ROW] if are_incumbents else _notes(models)),
        *strangers_note(everyone, models),
        *_choice_note(tasks),
    )
    provenance = msgspec.structs.replace(learned.provenance, notes=notes)
    learned = replace(
        learned, tasks=tasks, portfolio=(), portfolio_by_cost=(), provenance=provenance
    )
    if are_incumbents:
        rows_to_try = covering_incumbents(sources, domain, n, SEED)
        configs = [_readable(domain.config(row), domain) for row in rows_to_try]
        return replace(learned, portfolio=tuple(Start(config, None) for config in configs))
    if not models.tasks:
        return learned
    candidates = Candidates(domain, models, sources, SEED)
    weighing = Weighing(failure_weights(domain.layout, ()))  # by what the space knows of them
    if not have_costs(sources):
        return replace(learned, portfolio=starting_points(candidates, n, weighing))
    costs = Costs(domain.layout, sources)
    by_cost = Weighing((costs, *weighing.weights))
    return replace(
        learned,
        portfolio=starting_points(candidates, n, weighing, costs),
        portfolio_by_cost=starting_points(candidates, n, by_cost, costs),
    )


def _standing_for(tasks: Sequence[Task], sources: Sequence[Source]) -> tuple[Task, ...]:
    """The tasks, with those marked that stand for others, if not all have a model."""
    counts = {source.name: round(source.weight) for source in sources}
    if sum(counts.values()) == len(counts):
        return tuple(tasks)
    return tuple(
        msgspec.structs.replace(task, stands_for=counts.get(task.name, 0)) for task in tasks
    )


def _choice_note(tasks: Sequence[Task]) -> list[str]:
    chosen = [task for task in tasks if task.stands_for]
    if not chosen:
        return []
    most = sorted(chosen, key=lambda task: (-task.stands_for, task.name))
    return [
        f"starting points: {len(chosen)} of {len(tasks):,} tasks stand for all, each for those "
        f"that behave like it ({some([task.name for task in most], 3)})"
    ]


def starting_points(
    candidates: Candidates, n: int, weighing: Weighing | None = None, costs: Costs | None = None
) -> tuple[Start, ...]:
    """`n` of the fixed candidates, in the order in which to try them, with what `costs` say of
    each."""
    models, domain = candidates.models, candidates.domain
    rows = starting_rows(candidates, n, weighing)
    covered = np.minimum.accumulate(models.predict(rows), axis=1)
    regrets = np.average(covered, axis=0, weights=models.weights)
    configs = [_readable(domain.config(row), domain) for row in rows]
    prices = [None] * len(rows) if costs is None else costs.relative(rows)
    return tuple(
        Start(config, float(regret), price)
        for config, regret, price in zip(configs, regrets, prices)
    )


def starting_rows(candidates: Candidates, n: int, weighing: Weighing | None = None) -> FloatArray:
    """The same as rows, (n, names); fewer if there are fewer candidates."""
    weigh = _weigh(candidates, weighing) if weighing else None
    order, _ = greedy_cover(candidates.F, n, weigh, candidates.models.weights)
    rows = candidates.rows[order]
    return _hedged(rows, candidates.domain) if candidates.models.are_thin else rows


def _weigh(candidates: Candidates, weighing: Weighing) -> Weigh:
    """The promise of each candidate, weighed as if those before it were running."""
    domain, rows = candidates.domain, candidates.rows
    running = TrialLog(domain.layout)

    def weigh(scores: FloatArray, floor: float, order: Sequence[int]) -> FloatArray:
        for n in range(len(running), len(order)):
            running.add(Trial(n, domain.config(rows[order[n]])))
        return weighing.apply(scores, rows, running, floor)

    return weigh


def _hedged(rows: FloatArray, domain: Domain) -> FloatArray:
    """The first half of the rows, each followed by a point of a Sobol design."""
    design, rng = Design(domain, SEED), np.random.default_rng(SEED)
    keys = domain.layout.keys
    mixture: list[FloatArray] = []
    mixture_keys: set[bytes] = set()
    for row in rows[: (len(rows) + 1) // 2]:
        mixture.append(row[None])
        mixture_keys.update(keys(mixture[-1]))
        if len(mixture) < len(rows):
            mixture.append(design.next(mixture_keys, rng))
            mixture_keys.update(keys(mixture[-1]))
    return np.concatenate(mixture)


def _readable(config: Config, domain: Domain) -> Config:
    """The configuration with no digits beyond the twelfth, if that leaves it inside: a recorded
    0.1 should not come back as 0.09999999999999999."""
    if domain.given is not None:
        return config
    short = {n: float(f"{v:.12g}") if isinstance(v, float) else v for n, v in config.items()}
    return short if domain.learned.contains(short) else config


def _notes(models: SourceModels) -> list[str]:
    if not models.tasks:
        return [
            "no starting points: in no task is the best value below the median, so none tells "
            "good configurations from bad ones"
        ]
    if models.are_thin:
        return [
            f"starting points: the tasks have {models.typical_rows:g} rows (their median), fewer "
            f"than {ENOUGH_ROWS}, so every second point spreads over the region instead of "
            "following them"
        ]
    return []
