"""How long a plan takes: CPU seconds of one cell of each method, and hours of all its cells.

OMP_NUM_THREADS=1 python -m benchmarks.cell_times plans/sgd.toml --data tables

The cell is that of the first task and replication; a method that is run with several numbers of
trials has a line for each. A cell that two figures share is counted for the first.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from benchmarks.cells import need_one_thread
from ringfence.bench.cell import Cell
from ringfence.bench.plan import Planned, only, planned, read_plan
from ringfence.bench.protocol import run_cell
from ringfence.bench.suites import load_suite

KINDS = (
    *("GP warm start T=29", "GP warm start", "GP warping", "SMAC", "ABLR", "GP", "HB"),
    "Random",
)
"""Optimizers, each before one whose name is a part of its own."""


def kind(cell: Cell) -> tuple[str, str]:
    """The suite and the optimizer, with the trials if they are many."""
    name = next(name for name in KINDS if name in cell.method)
    return cell.suite, name if cell.trials <= 50 else f"{name}, {cell.trials} trials"


def line(cell: Cell) -> tuple[object, ...]:
    """What cells have in common that take about as long."""
    return cell.suite, cell.method, cell.scale, cell.evaluation, cell.sources, cell.trials


def measured(item: Planned) -> float:
    suite = load_suite(item.source)
    run_cell(item.cell, suite)  # what is loaded and cached once
    start = time.process_time()
    run_cell(item.cell, suite)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("plan", type=Path)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--suite")
    options = parser.parse_args()
    need_one_thread()
    plan = read_plan(options.plan, options.data)
    if options.suite:
        plan = only(plan, options.suite)
    cells = {item.cell.key: item for item in planned(plan)}
    seconds: dict[tuple[object, ...], float] = {}
    total: Counter[tuple[str, str]] = Counter()
    count: Counter[tuple[str, str]] = Counter()
    for item in cells.values():
        if line(item.cell) not in seconds:
            seconds[line(item.cell)] = measured(item)
        total[kind(item.cell)] += seconds[line(item.cell)]  # type: ignore[assignment]
        count[kind(item.cell)] += 1
    print("| suite | optimizer | cells | seconds each | CPU hours |\n|---|---|---|---|---|")
    for name in sorted(count):
        spent = total[name]
        print(f"| {' | '.join(name)} | {count[name]:,} | {spent / count[name]:.2f} | ", end="")
        print(f"{spent / 3600:.2f} |")
    print(f"\n{sum(count.values()):,} cells, {sum(total.values()) / 3600:.1f} CPU hours")


if __name__ == "__main__":
    main()
