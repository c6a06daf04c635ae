"""The protocol: leave one task out, learn from the others, search, record the best loss so far.

A cell sees n_t random evaluations of each source task, the same for every method and left-out task
of a replication. A region and a model that transfers both see all of them, unless the method
divides them (n=…): then n go to the region and the others to the model. As in the paper, nothing
outside a region is tried: there is no guard. If a suite gives configurations to begin with, all
methods know their losses before the first trial, and a model is used from the first trial on. A
region in which no row of a table lies is a result too, one with the losses that were given, if any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from ringfence.bench.cell import Cell, Result, Scale
from ringfence.bench.methods import BenchMethod, RegionSettings, method
from ringfence.bench.suites import Suite
from ringfence.bench.suites.suite import on_scale
from ringfence.errors import ExhaustedError, SettingError
from ringfence.history import History, usable_rows
from ringfence.history.prepared import PreparedHistory
from ringfence.learned.full import full_space
from ringfence.learned.settings import checked_settings
from ringfence.learned.space import LearnedSpace
from ringfence.learning import learn, learn_prepared
from ringfence.optimize import Optimizer, Trial, optimizer
from ringfence.optimize.domain.layout import Layout
from ringfence.optimize.model_based import ModelBased
from ringfence.optimize.registry import method_class
from ringfence.optimize.transfer.similarity import distances
from ringfence.optimize.transfer.starting_points import with_starts
from ringfence.space import Config, Space
from ringfence.threads import one_thread


@one_thread
def run_cell(cell: Cell, suite: Suite) -> Result:
    """The result of a cell, a function of its description alone."""
    how = method(cell.method)
    known = known_evaluations(cell, suite, how)
    learned, rest = learned_space(cell, how, known, on_scale(suite.space, cell.scale))
    candidates = suite.candidates(cell.task, cell.scale)
    given = suite.starts(cell.task, cell.replication)
    curve: tuple[float, ...] = (min(loss for _, loss in given),) * cell.trials if given else ()
    exhausted = True
    if candidates is None or Layout(learned).inside(candidates.rows).any():
        engine = optimizer(
            how.engine.name,
            learned,
            seed=cell.seed("search"),
            direction="minimize",  # suites give losses
            candidates=candidates,
            guard=0,
            by="trials",  # curves count trials, whatever the rows of a table cost
            **_sources(cell, suite, how, rest),
            **_options(how, suite, len(given)),
        )
        curve, exhausted = search(engine, cell, suite)
    reference = suite.reference(cell.task)
    return Result(
        curve=curve,
        volume=learned.volume_fraction,
        best=reference.best,
        median=reference.median,
        exhausted=exhausted,
    )


def source_tasks(cell: Cell, suite: Suite, how: BenchMethod) -> tuple[str, ...]:
    """The tasks to learn from: all others, or as few as the method takes."""
    others = suite.sources(cell.task)
    if how.tasks is None:
        return others
    if cell.sources == "similar":
        meta = _meta(suite)
        gaps = distances(meta[cell.task], {task: meta[task] for task in others})
        ordered = sorted(others, key=lambda task: gaps[task])
    else:
        ordered = list(np.random.default_rng(cell.seed("tasks")).permutation(others))
    return tuple(sorted(map(str, ordered[: how.tasks])))


def known_evaluations(cell: Cell, suite: Suite, how: BenchMethod) -> PreparedHistory | None:
    """The known evaluations of the source tasks; None if the method does not use them."""
    if how.region.shape == "full" and not how.engine.transfers and not how.engine.starts:
        return None
    seed = cell.seed("sources", every_task=True)
    return _drawn(suite, source_tasks(cell, suite, how), cell.n_evaluations, seed, cell.scale)


# Cells of one task and replication run in turn (`runner`), and see the same runs and spaces: what
# is kept are values that a few of them in a row share.
@lru_cache(maxsize=2)
def _drawn(
    suite: Suite, tasks: tuple[str, ...], n: int, seed: int, scale: Scale
) -> PreparedHistory:
    history = suite.history(tasks, n, seed, scale)
    return PreparedHistory.of(history, on_scale(suite.space, scale), learn)


@lru_cache(maxsize=2)
def _divided(known: PreparedHistory, n: int, seed: int) -> tuple[PreparedHistory, History]:
    part, rest = known.history.split(n, seed=seed)
    return PreparedHistory.of(part, known.space, learn), rest


@lru_cache(maxsize=4)
def _learned(known: PreparedHistory, region: RegionSettings) -> LearnedSpace:
    return learn_prepared(known, checked_settings(**asdict(region)), starts=0)


def learned_space(
    cell: Cell, how: BenchMethod, known: PreparedHistory | None, space: Space
) -> tuple[LearnedSpace, History | None]:
    """The space to search, and the evaluations that are left for a model."""
    if known is None:
        return full_space(space), None
    first, rest = known, known.history
    if how.n is not None and how.region.shape != "full":
        first, rest = _divided(known, how.n, cell.seed("division"))
    learned = full_space(space) if how.region.shape == "full" else _learned(first, how.region)
    if how.engine.starts:
        learned = with_starts(learned, usable_rows(rest, space).frame, how.engine.starts)
    return learned, rest


def search(engine: Optimizer, cell: Cell, suite: Suite) -> tuple[tuple[float, ...], bool]:
    """The best loss after 1, …, `trials` full evaluations, and whether the space ran out.

    A partial evaluation costs its share of a full one, and one that resumes an earlier trial only
    what it adds. Its loss counts: it is that of a model one could keep.
    """
    curve = np.full(cell.trials, begin(engine, suite.starts(cell.task, cell.replication)))
    spent = 0.0
    for _ in range(cell.trials * math.ceil(suite.max_budget or 1)):
        try:
            trial = engine.ask()
        except ExhaustedError:
            return tuple(curve.tolist()), True
        spent += _cost(engine, trial, suite)
        if spent > cell.trials + 1e-9:
            break
        value = suite.evaluate(cell.task, trial.config, trial.budget)
        engine.tell(trial, value)
        first = max(0, math.ceil(spent - 1e-9) - 1)
        curve[first:] = np.minimum(curve[first:], value)
    return tuple(curve.tolist()), False


def begin(engine: Optimizer, given: Sequence[tuple[Config, float]]) -> float:
    """Tell the optimizer the given configurations; the smallest loss of them, or infinity."""
    for config, loss in given:
        number = len(engine.log)
        engine.log.add(Trial(number=number, config=dict(config), state="done", value=loss))
    return min((loss for _, loss in given), default=math.inf)


def _cost(engine: Optimizer, trial: Trial, suite: Suite) -> float:
    if trial.budget is None or suite.max_budget is None:
        return 1.0
    before = 0.0 if trial.resumes is None else engine.trials[trial.resumes].budget or 0.0
    return (trial.budget - before) / suite.max_budget


def _sources(cell: Cell, suite: Suite, how: BenchMethod, rest: History | None) -> dict[str, Any]:
    """The optimizer's arguments about the source tasks."""
    if not how.engine.transfers:
        return {}
    arguments: dict[str, Any] = {"history": rest}
    if how.engine.meta:
        meta = _meta(suite)
        arguments |= {"meta_features": meta, "target": meta[cell.task]}
    return arguments


def _options(how: BenchMethod, suite: Suite, n_given: int) -> dict[str, Any]:
    options = dict(how.options)
    if n_given and issubclass(method_class(how.engine.name), ModelBased):
        options["n_initial"] = n_given
    if how.engine.budgeted:
        if suite.max_budget is None:
            raise SettingError(f"suite {suite.name!r} has no learning curves for {how.name!r}")
        options["max_budget"] = suite.max_budget
    return options


def _meta(suite: Suite) -> dict[str, dict[str, float]]:
    meta = suite.meta_features()
    if meta is None:
        raise SettingError(f"suite {suite.name!r} has no meta-features to compare tasks by")
    return {task: dict(features) for task, features in meta.items()}
