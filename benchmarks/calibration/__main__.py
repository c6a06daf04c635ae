"""Is the check right? Its intervals and verdicts on histories whose truth is known.

    python -m benchmarks.calibration run FOLDER OUT [--jobs 2] [--what check starts choice]
    python -m benchmarks.calibration page OUT          add OUT's cases to the committed results,
                                                       and write the tables of docs/check.md
    python -m benchmarks.calibration page --check      do they follow from the committed results?

FOLDER holds the tables that the repository does not carry; those that are not there are left out,
and the toy problem needs none. OUT/cells.jsonl has a line for each case that is finished, so that a
run can be stopped at any point; several processes may share OUT.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.calibration.cases import (
    ROWS,
    SIZES,
    Case,
    Prepared,
    Traces,
    cases_of,
    check_case,
    choice_case,
    starts_case,
)
from benchmarks.calibration.page import write_page
from benchmarks.calibration.tables import NAMES, TOY, CalibrationTable
from benchmarks.calibration.traces import WAYS
from benchmarks.cells import append_line, need_one_thread, read_lines

WHAT: dict[str, Callable[[Prepared], list[dict[str, Any]]]] = {
    "check": check_case,
    "starts": starts_case,
    "choice": choice_case,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("folder", type=Path)
    run.add_argument("out", type=Path)
    run.add_argument("--jobs", type=int, default=1)
    run.add_argument("--what", nargs="+", choices=list(WHAT), default=list(WHAT))
    run.add_argument("--tables", nargs="+", default=list(NAMES))
    run.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    run.add_argument("--ways", nargs="+", default=list(WAYS))
    run.add_argument("--rows", nargs="+", type=int, default=list(ROWS))
    run.add_argument("--draws", type=int, default=8, help="of each size, at most")
    run.add_argument("--from-draw", type=int, default=0, help="the first of them")
    page = commands.add_parser("page")
    page.add_argument("out", type=Path, nargs="?")
    page.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.command == "page":
        sys.exit(write_page(options.out, options.check))
    need_one_thread()
    if options.jobs > 1:
        _in_parallel(options)
    else:
        for name in options.tables:
            _run_table(options, name)


def _in_parallel(options: argparse.Namespace) -> None:
    from joblib import Parallel, delayed

    Parallel(options.jobs)(delayed(_run_table)(options, name) for name in options.tables)


def _run_table(options: argparse.Namespace, name: str) -> None:
    file = options.folder / f"{name.partition(':')[0]}.parquet"
    if name != TOY and not file.exists():
        print(f"{name} is not there, skipped", flush=True)
        return
    table = CalibrationTable(options.folder, name)
    path = options.out / f"cells-{name.replace(':', '--')}.jsonl"
    options.out.mkdir(parents=True, exist_ok=True)
    done = {(cell["what"], cell["key"]) for cell in read_lines(path)}
    traces = Traces(options.out / "traces")
    for what in options.what:
        for case in cases_of(table, options.sizes, options.ways):
            is_draw = options.from_draw <= case.draw < options.draws
            wanted = is_draw and case.rows in options.rows
            if wanted and (what, case.key) not in done:
                _run_case(table, case, traces, what, path)
        print(f"{name}: {what} finished (process {os.getpid()})", flush=True)


def _run_case(table: CalibrationTable, case: Case, traces: Traces, what: str, path: Path) -> None:
    records = WHAT[what](Prepared.of(table, case, traces))
    append_line(path, {"what": what, "key": case.key, "records": records})


if __name__ == "__main__":
    main()
