"""Run a plan: what is not in the store yet, in parallel on this machine or on a Ray cluster."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ringfence.bench.cell import Cell
from ringfence.bench.parallel import side_by_side
from ringfence.bench.plan import Plan, planned
from ringfence.bench.protocol import run_cell
from ringfence.bench.store import Store
from ringfence.bench.suites import SuiteSource, load_suite


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


def missing(plan: Plan, store: Store) -> list[tuple[SuiteSource, Cell]]:
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
    random.Random(f"{socket.gethostname()} {os.getpid()}").shuffle(todo)
    failures = []
    for done, failure in enumerate(_outcomes(todo, store, jobs, ray), start=1):
        if failure is not None:
            failures.append(failure)
        if progress is not None:
            progress(done, len(todo))
    ordered = sorted(failures, key=lambda f: (f.cell.suite, f.cell.method, f.cell.key))
    return RunReport(len(todo) - len(failures), tuple(ordered))


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


def _outcomes(
    todo: Sequence[tuple[SuiteSource, Cell]], store: Store, jobs: int, ray: bool
) -> Iterator[FailedCell | None]:
    """A failure or None for each cell, in the order they finish."""
    yield from side_by_side(finish, [(*item, store) for item in todo], jobs, ray)
