"""Histories that do not match: what starting points and `transfer` keep of what they gain.

    python -m benchmarks.mismatch run DATA FOLDER [--draws 0:16] [--jobs 1]    minutes
    python -m benchmarks.mismatch take FOLDER       the finished cells become the results
    python -m benchmarks.mismatch page [--check]    the tables of docs/mismatch.md from the results

part         what it is about
tables       half of the sources of one table changed (mismatch_cases.py)
families     tables of one learner that were recorded with different parameters, as one history
             (mismatch_families.py)
incumbents   one row a task (mismatch_incumbents.py)
ranges       the region of tasks that had narrower ranges (mismatch_ranges.py)
knowers      the room of a parameter that few tasks know (mismatch_knowers.py)
check        the intervals of a check (mismatch_check.py)

A cell is one draw of one table; finished ones are files of FOLDER and are not run again. One draw
is one independent repetition: intervals are 95 % t intervals over the draws, each the mean of its
targets.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from benchmarks.calibration.tables import CalibrationTable
from benchmarks.cells import each, need_one_thread, numbers
from benchmarks.mismatch_cases import table_cells
from benchmarks.mismatch_check import DRAWS, check_cells
from benchmarks.mismatch_check import TABLES as CHECKED
from benchmarks.mismatch_families import FAMILIES, family_cells
from benchmarks.mismatch_incumbents import incumbent_cells
from benchmarks.mismatch_knowers import knower_cells
from benchmarks.mismatch_page import take, write
from benchmarks.mismatch_ranges import range_cells
from benchmarks.tables import TABLES
from benchmarks.transfer_cases import Table

read = lru_cache(maxsize=1)(Table)
read_even = lru_cache(maxsize=1)(CalibrationTable)

PARTS: dict[str, tuple[Sequence[str], Callable[[Path, str, int], list[dict[str, object]]]]] = {
    "tables": (list(TABLES), lambda data, name, draw: table_cells(read(data, name), draw)),
    "families": (list(FAMILIES), family_cells),
    "incumbents": (list(TABLES), lambda data, name, draw: incumbent_cells(read(data, name), draw)),
    "ranges": (list(TABLES), lambda data, name, draw: range_cells(read(data, name), draw)),
    "knowers": (list(TABLES), lambda data, name, draw: knower_cells(read(data, name), draw)),
    "check": (CHECKED, lambda data, name, draw: check_cells(read_even(data, name), draw)),
}


def run_cell(data: Path, folder: Path, part: str, name: str, draw: int) -> None:
    """One draw of one table, as a file."""
    path = folder / f"{part}-{name}-{draw}.json"
    if not path.exists():
        cells = PARTS[part][1](data, name, draw)
        lines = [{"part": part, "table": name, "draw": draw, **cell} for cell in cells]
        path.write_text(json.dumps(lines))
        print(path.name, flush=True)


def run(options: argparse.Namespace) -> None:
    need_one_thread()
    options.folder.mkdir(parents=True, exist_ok=True)
    cells = [
        (options.data, options.folder, part, name, draw)
        for part in options.parts
        for name in PARTS[part][0]
        if not options.tables or name in options.tables
        for draw in options.draws
        if part != "check" or draw < DRAWS or options.parts == ["check"]
    ]
    each(run_cell, cells, options.jobs)


def main(arguments: Sequence[str] | None = None) -> int:
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = command.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("data", type=Path)
    runs.add_argument("folder", type=Path)
    runs.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    runs.add_argument("--tables", nargs="+", default=[])
    runs.add_argument("--draws", type=numbers, default="0:16", help="first:end")
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
