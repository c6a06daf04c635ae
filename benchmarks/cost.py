"""What a search has reached when so much is spent, by cost and by trials.

    python -m benchmarks.cost run --data FOLDER --out CELLS [--draws 8:16] [--jobs 1]  half an hour
    python -m benchmarks.cost take CELLS         the finished cells become the results
    python -m benchmarks.cost page [--check]     the tables of docs/cost.md from the results

A cell is one draw of one table (cost_cases.py); finished ones are files of CELLS and are not run
again. Intervals are 95 % t intervals over the draws, paired, each draw the mean of its targets.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from benchmarks.cells import each, need_one_thread, numbers
from benchmarks.cost_cases import WAYS, ChargedTable, cost_cells
from benchmarks.cost_page import take, write
from benchmarks.tables import CHARGED

read = lru_cache(maxsize=1)(ChargedTable)


def run_cell(data: Path, folder: Path, name: str, draw: int, ways: list[str]) -> None:
    """One draw of one table, as a file."""
    path = folder / f"{name}-{draw}.json"
    if not path.exists():
        cells = cost_cells(read(data, name), draw, ways)
        path.write_text(json.dumps([{"table": name, "draw": draw, **cell} for cell in cells]))
        print(path.name, flush=True)


def run(options: argparse.Namespace) -> None:
    need_one_thread()
    options.out.mkdir(parents=True, exist_ok=True)
    cells = [
        (options.data, options.out, name, draw, options.methods)
        for name in options.tables
        for draw in options.draws
    ]
    each(run_cell, cells, options.jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = command.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("--data", type=Path, required=True)
    runs.add_argument("--out", type=Path, required=True)
    runs.add_argument("--tables", nargs="+", choices=list(CHARGED), default=list(CHARGED))
    runs.add_argument("--methods", nargs="+", choices=list(WAYS), default=list(WAYS))
    runs.add_argument("--draws", type=numbers, default="8:16", help="first:end")
    runs.add_argument("--jobs", type=int, default=1)
    verbs.add_parser("take").add_argument("folder", type=Path)
    verbs.add_parser("page").add_argument("--check", action="store_true")
    options = command.parse_args(arguments)
    if options.verb == "run":
        run(options)
        return 0
    if options.verb == "take":
        take(options.folder)
    return write(check=getattr(options, "check", False))


if __name__ == "__main__":
    sys.exit(main())
