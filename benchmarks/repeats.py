"""What repeats bit for bit: cells with other numbers of threads and other routines of OpenBLAS.

python -m benchmarks.repeats --data tables

A cell is run in a process of its own for each setting; the curves are compared with those of one
thread and this processor's own routines. The routines are those that OpenBLAS takes on processors
with AVX alone (Sandybridge) and with AVX-512 (SkylakeX, which this one must have).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from ringfence.bench.cell import Cell
from ringfence.bench.protocol import run_cell
from ringfence.bench.suites import SuiteSource, load_suite

SETTINGS = {
    "2 threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
}
PLAIN = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SUITES = ("sgd", "svc_pmlb164", "xgboost_rbv2_surrogate")
N_CELLS = 4  # of each method
METHODS = {
    "random": ("Random", "Box Random", "Slack Box Random", "Ellipsoid Random"),
    "hyperband": ("HB", "Box HB"),
    "SMAC": ("SMAC", "Box SMAC"),
    "SMAC in an ellipsoid": ("Ellipsoid SMAC",),
    "GP, ABLR": ("GP", "Box GP", "Ellipsoid GP", "GP warping", "Box ABLR (n=64)"),
}


def cells(name: str, suite_tasks: tuple[str, ...], digest: str) -> list[Cell]:
    """The cells of a suite; Hyperband is for the ridge regressions, which have learning curves."""
    return [
        Cell(name, digest, suite_tasks[3 * number], method, number, 50)
        for kind, methods in METHODS.items()
        if kind != "hyperband" or name == "sgd"
        for method in methods
        for number in range(N_CELLS)
    ]


def curves(data: list[Path]) -> list[tuple[str, str, list[float]]]:
    """Suite, method and curve of every cell, and what a full regret of its task is."""
    found = []
    for name in SUITES:
        suite = load_suite(SuiteSource(name, tuple(map(str, data))))
        for cell in cells(name, suite.tasks, suite.digest):
            result = run_cell(cell, suite)
            scale = result.median - result.best
            found.append((name, cell.method, [loss / scale for loss in result.curve]))
    return found


def under(setting: dict[str, str], data: list[Path]) -> list[tuple[str, str, list[float]]]:
    """The curves, from a process with these variables."""
    words = [sys.executable, "-m", "benchmarks.repeats", "--child"]
    for folder in data:
        words += ["--data", str(folder)]
    environment = os.environ | PLAIN | setting
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(curves(options.data)))
        return
    plain = under({}, options.data)
    print("| compared with one thread | suite | methods | cells | identical | median difference |")
    print("|---|---|---|---|---|---|")
    for label, setting in SETTINGS.items():
        pairs = defaultdict(list)
        for (suite, method, one), (_, _, other) in zip(plain, under(setting, options.data)):
            kind = next(kind for kind, methods in METHODS.items() if method in methods)
            pairs[suite, kind].append((one, other))
        for (suite, kind), compared in pairs.items():
            same = sum(one == other for one, other in compared)
            gap = np.median([np.abs(np.subtract(*pair)).max() for pair in compared])
            print(f"| {label} | {suite} | {kind} | {len(compared)} | {same} | {gap:.1g} |")


if __name__ == "__main__":
    main()
