"""Run a plan: what is not in the store yet, in parallel on this machine or on a Ray cluster."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from ringfence.bench.cell import Cell
from ringfence.bench.methods import method
from ringfence.bench.parallel import side_by_side
from ringfence.bench.plan import Plan, planned
from ringfence.bench.protocol import run_cell
from ringfence.bench.store import Store
from ringfence.bench.suites import SuiteSource, load_suite

IN_TURN = 16
"""Cells that one worker runs in turn, at most: enough to share what they learn from, few enough for
the bar to move."""
SHARES = 4
"""Turns of each worker, at least: else some would wait for the last ones."""

Item: TypeAlias = tuple[SuiteSource, Cell]


@dataclass(frozen=True)
class FailedCell:
    """A cell that has no result, and why."""

    cell: Cell
    reason: str


@dataclass(frozen=True)
class RunReport:
    """What a call of `run` did."""

    finished: int
    failures: tuple[FailedCell, ...]


def missing(plan: Plan, store: Store) -> list[Item]:
    """The plan's cells that are not in the store, each once."""
    cells = {p.cell.key: (p.source, p.cell) for p in planned(plan)}
    return [(source, cell) for source, cell in cells.values() if cell not in store]


def run(
    plan: Plan,
    store: Store,
    *,
    jobs: int = 1,
    ray: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> RunReport:
    """Run the plan's missing cells; each result is stored as soon as it is known.

    Machines that share the store begin at different cells, and a cell that another one has finished
    in the meantime is not run again.
    """
    todo = missing(plan, store)
    turns = in_turn(todo, max(1, min(IN_TURN, len(todo) // (SHARES * jobs))))
    random.Random(f"{socket.gethostname()} {os.getpid()}").shuffle(turns)
    failures: list[FailedCell] = []
    done = 0
    for ended, failed in side_by_side(finish_all, [(turn, store) for turn in turns], jobs, ray):
        failures += failed
        done += ended
        if progress is not None:
            progress(done, len(todo))
    ordered = sorted(failures, key=lambda f: (f.cell.suite, f.cell.method, f.cell.key))
    return RunReport(len(todo) - len(failures), tuple(ordered))


def in_turn(items: Sequence[Item], most: int) -> list[list[Item]]:
    """The cells in groups of at most so many that share runs and learned spaces, in an order in
    which they do."""
    ordered = sorted(items, key=lambda item: (*_drawn_for(item), *_learned_for(item)))
    groups = (list(group) for _, group in groupby(ordered, key=_drawn_for))
    return [g[start : start + most] for g in groups for start in range(0, len(g), most)]


def finish_all(items: Sequence[Item], store: Store) -> tuple[int, list[FailedCell]]:
    """Run some cells and store their results; their number, and those that failed.

    Another process that is at the same cells begins elsewhere among them.
    """
    first = os.getpid() % len(items)
    outcomes = [finish(source, cell, store) for source, cell in (*items[first:], *items[:first])]
    return len(items), [outcome for outcome in outcomes if outcome is not None]


def finish(source: SuiteSource, cell: Cell, store: Store) -> FailedCell | None:
    """Run one cell and store its result; a failure is returned, never stored."""
    if cell in store:
        return None
    try:
        result = run_cell(cell, load_suite(source))
    except Exception as error:  # whatever a method does wrong must not end the others
        return FailedCell(cell, f"{type(error).__name__}: {error}".splitlines()[0])
    store.put(cell, result)
    return None


def _drawn_for(item: Item) -> tuple[object, ...]:
    """Cells for which this is equal see runs that are drawn alike."""
    _, cell = item
    draw = (cell.task, cell.replication, cell.scale, cell.n_evaluations)
    return cell.suite, cell.evaluation, *draw, cell.sources


def _learned_for(item: Item) -> tuple[object, ...]:
    """Of these, cells for which this is equal search the same learned space."""
    how = method(item[1].method)
    return how.tasks or 0, how.n or 0, str(how.region)
