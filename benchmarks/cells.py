"""What the long benchmarks share: a cell that is finished is not run again.

Each cell is a line of FOLDER/cells.jsonl, so that a run can be stopped at any point and several
processes can share a folder, each with its own cells. `ringfence.bench.store` keeps results that
follow from their description alone; these cells also hold CPU times, and each benchmark has its own
columns.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def parser(doc: str | None) -> argparse.ArgumentParser:
    """With `--table`; the module's text is the help."""
    options = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument(
        "--table", action="store_true", help="print what has finished, run nothing"
    )
    return options


def cells_file(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "cells.jsonl"


def read_lines(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def append_line(path: Path, cell: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(cell) + "\n")


def need_one_thread() -> None:
    if os.environ.get("OMP_NUM_THREADS") != "1":
        sys.exit("set OMP_NUM_THREADS=1: CPU time is compared on one thread")


def numbers(text: str) -> range:
    """'first:end'."""
    first, end = map(int, text.split(":"))
    return range(first, end)


def each(run: Callable[..., object], cells: Sequence[tuple[Any, ...]], jobs: int) -> None:
    """Run every cell, so many at once."""
    if jobs == 1:
        for cell in cells:
            run(*cell)
    else:
        from joblib import Parallel, delayed

        Parallel(jobs)(delayed(run)(*cell) for cell in cells)
