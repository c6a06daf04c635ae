"""Starting points and the transfer optimizer against the rest, on tables of recorded runs.

    python -m benchmarks.transfer DATA FOLDER                30 targets, 3 draws, 5 seeds: hours
    python -m benchmarks.transfer DATA FOLDER --tables mlp_hpobench --targets 4 --draws 0:1
    python -m benchmarks.transfer DATA FOLDER --table        what has finished

Leave one task out (transfer_cases.py). A cell is one loop of one method for one target, draw of
sources and seed; if draw or seed make no difference to a method, it runs once for all. Finished
cells are lines of FOLDER/cells.jsonl and are not run again. transfer_curves.py makes tables of
them, which benchmarks.transfer_page writes into the docs.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks.cells import append_line, cells_file, need_one_thread, numbers, parser, read_lines
from benchmarks.tables import TABLES
from benchmarks.transfer_cases import ROWS, SOURCES, Case, Table
from benchmarks.transfer_curves import (
    EIGHT,
    RANDOM_TRIALS,
    Curves,
    by_target,
    gaps_table,
    means_table,
    needed_table,
    one_table,
)
from benchmarks.transfer_methods import WAYS, run

Key: TypeAlias = tuple[str, str, str, int, int]
PARTS = ("table", "method", "target", "draw", "seed")


def fill(path: Path, options: argparse.Namespace) -> None:
    for name in options.tables:
        table = Table(options.data, name, rows=options.rows, sources=options.sources)
        done = {tuple(cell[part] for part in PARTS) for cell in read_lines(path)}
        for target in table.targets(options.targets):
            for draw in options.draws:
                case = Case(table, target, draw)
                for key in cell_keys(case, options.methods, options.draws, options.seeds):
                    if key not in done:
                        append_line(path, run_cell(case, key, options.trials))


def cell_keys(case: Case, methods: list[str], draws: range, seeds: range) -> list[Key]:
    """The cells of a case; only the first for a method that the seed (or draw) does not change."""
    return [
        (case.table.name, method, case.target, case.draw, seed)
        for method in methods
        if WAYS[method].sources or case.draw == draws[0]
        for seed in (seeds if WAYS[method].seeds else seeds[:1])
    ]


def run_cell(case: Case, key: Key, trials: int) -> dict[str, object]:
    curve, cpu = run(case, key[1], key[4], trials)
    cell = dict(zip(PARTS, key))
    return {**cell, "regret": np.round(curve, 6).tolist(), "cpu": round(cpu, 5)}


def show(cells: list[dict[str, object]], ours: list[str]) -> None:
    curves = Curves(by_target(cells))
    for table in curves.tables:
        print(f"\n### {table}\n\n{one_table(curves, table)}")
        for one in ours:
            if (table, one) in curves.by_target:
                print(f"\n{gaps_table(curves, table, one)}")
    for tables in ([t for t in EIGHT if t in curves.tables], curves.tables):
        if len(tables) > 1:
            methods = curves.methods(tables)
            print(f"\n### Mean over {', '.join(tables)}\n\n{means_table(curves, tables, methods)}")
            if "random" in methods:
                print(f"\nTrials to random search's {RANDOM_TRIALS}:\n")
                print(needed_table(curves, tables, methods))


def main() -> None:
    command = parser(__doc__)
    command.add_argument("data", type=Path)
    command.add_argument("folder", type=Path)
    command.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    command.add_argument("--methods", nargs="+", choices=list(WAYS), default=list(WAYS))
    command.add_argument("--targets", type=int, default=30)
    command.add_argument("--draws", type=numbers, default="0:3", help="first:end")
    command.add_argument("--seeds", type=numbers, default="0:5", help="first:end")
    command.add_argument("--trials", type=int, default=50)
    command.add_argument("--rows", type=int, default=ROWS, help="of a source; one FOLDER for each")
    command.add_argument("--sources", type=int, default=SOURCES, help="one FOLDER for each")
    command.add_argument("--ours", nargs="+", choices=list(WAYS), default=["transfer"])
    options = command.parse_args()
    path = cells_file(options.folder)
    if not options.table:
        need_one_thread()
        fill(path, options)
    show(read_lines(path), options.ours)


if __name__ == "__main__":
    main()
