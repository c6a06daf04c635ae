"""Starting points and the transfer optimizer against the rest, on tables of recorded runs.

    python -m benchmarks.transfer DATA FOLDER                30 targets, 3 draws, 5 seeds: hours
    python -m benchmarks.transfer DATA FOLDER --tables mlp_hpobench --targets 4 --draws 0:1
    python -m benchmarks.transfer DATA FOLDER --table        what has finished

Leave one task out (transfer_cases.py). A cell is one loop of one method for one target, draw of
sources and seed; where draw or seed make no difference to a method, it runs once for all. Finished
cells are lines of FOLDER/cells.jsonl and are not run again. Means are over targets, each the mean
of its cells; standard errors and paired differences take the targets for independent.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks.cells import append_line, cells_file, need_one_thread, numbers, parser, read_lines
from benchmarks.tables import TABLES
from benchmarks.transfer_cases import ROWS, SOURCES, Case, Table
from benchmarks.transfer_methods import WAYS, run
from ringfence.arrays import FloatArray

BUDGETS = (5, 10, 25, 50, 200, 800)
"""Those within the number of trials are shown."""
PAPER_FILES = ("svm_rbv2_surrogate", "xgboost_rbv2_surrogate", "ranger_rbv2_surrogate",
               "rf_sklearn_openml100", "xgboost_memento_openml", "xgboost_libsvm10",
               "mlp_hpobench", "fcnet_tabular")  # fmt: skip

Key: TypeAlias = tuple[str, str, str, int, int]
PARTS = ("table", "method", "target", "draw", "seed")


def read(path: Path) -> dict[Key, dict[str, object]]:
    return {tuple(cell[part] for part in PARTS): cell for cell in read_lines(path)}


def fill(path: Path, chosen: argparse.Namespace) -> None:
    for name in chosen.tables:
        table = Table(chosen.data, name, rows=chosen.rows, sources=chosen.sources)
        done = read(path)
        for target in table.targets(chosen.targets):
            for draw in chosen.draws:
                case = Case(table, target, draw)
                for key in wanted(case, chosen.methods, chosen.draws, chosen.seeds):
                    if key not in done:
                        append_line(path, finished(case, key, chosen.trials))


def wanted(case: Case, methods: list[str], draws: range, seeds: range) -> list[Key]:
    """The cells of a case: of a method that no seed (or draw) changes, the first alone."""
    return [
        (case.table.name, method, case.target, case.draw, seed)
        for method in methods
        if WAYS[method].sources or case.draw == draws[0]
        for seed in (seeds if WAYS[method].seeds else seeds[:1])
    ]


def finished(case: Case, key: Key, trials: int) -> dict[str, object]:
    curve, cpu = run(case, key[1], key[4], trials)
    cell = dict(zip(PARTS, key))
    return {**cell, "regret": np.round(curve, 6).tolist(), "cpu": round(cpu, 5)}


def means(cells: dict[Key, dict[str, object]]) -> dict[tuple[str, str], dict[str, FloatArray]]:
    """By table and method, the mean curve of each target."""
    curves: dict[tuple[str, str], dict[str, list[object]]] = defaultdict(lambda: defaultdict(list))
    for (table, method, target, _, _), cell in cells.items():
        curves[table, method][target].append(cell["regret"])
    return {
        key: {target: np.mean(found, axis=0) for target, found in by_target.items()}
        for key, by_target in curves.items()
    }


def show(cells: dict[Key, dict[str, object]], ours: list[str]) -> None:
    curves = means(cells)
    shortest = min(len(curve) for found in curves.values() for curve in found.values())
    at = [n for n in BUDGETS if n <= shortest]
    tables = [name for name in TABLES if any(table == name for table, _ in curves)]
    for name in tables:
        print(f"\n### {name}\n")
        head = "".join(f" {m} - it at {n} |" for m in ours for n in at)
        print(f"| method | targets | {' | '.join(map(str, at))} |{head} CPU ms |")
        print("|---" * (3 + len(at) * (1 + len(ours))) + "|")
        for method in WAYS:
            found = curves.get((name, method))
            if found is not None:
                row = [method, str(len(found)), *map(_mean, _at(found, at).T)]
                row += [d for m in ours for d in _paired(curves.get((name, m), {}), found, at)]
                cpu = [c["cpu"] for k, c in cells.items() if k[:2] == (name, method)]
                print(f"| {' | '.join(row)} | {1e3 * float(np.median(cpu)):.1f} |")  # type: ignore
    for some in ([t for t in PAPER_FILES if t in tables], tables):
        if len(some) > 1:
            _overall(curves, some, at)


def _overall(
    curves: dict[tuple[str, str], dict[str, FloatArray]], tables: list[str], at: list[int]
) -> None:
    print(f"\n### Mean over {', '.join(tables)}\n")
    print(f"| method | {' | '.join(map(str, at))} | trials to random's 50, by table |")
    print("|---" * (2 + len(at)) + "|")
    for method in WAYS:
        if all((table, method) in curves for table in tables):
            by_table = [_at(curves[table, method], at).mean(axis=0) for table in tables]
            cells = [f"{x:.3f}" for x in np.mean(by_table, axis=0)]
            needed = [_needed(curves, table, method) for table in tables]
            print(f"| {method} | {' | '.join(cells)} | {' '.join(needed)} |")


def _needed(curves: dict[tuple[str, str], dict[str, FloatArray]], table: str, method: str) -> str:
    """The number of trials after which a method's mean regret is random's after 50."""
    goal = np.mean([curve[49] for curve in curves[table, "random"].values()])
    mean = np.mean(list(curves[table, method].values()), axis=0)
    there = np.flatnonzero(mean <= goal + 1e-12)
    return str(there[0] + 1) if len(there) else f">{len(mean)}"


def _at(found: dict[str, FloatArray], at: list[int]) -> FloatArray:
    return np.array([[curve[n - 1] for n in at] for curve in found.values()])


def _paired(ours: dict[str, FloatArray], theirs: dict[str, FloatArray], at: list[int]) -> list[str]:
    """Mean differences at the budgets, with 95 % intervals; below 0 where ours is better."""
    both = [target for target in ours if target in theirs]
    if ours is theirs or len(both) < 2:
        return [""] * len(at)
    gaps = _at({t: ours[t] for t in both}, at) - _at({t: theirs[t] for t in both}, at)
    error = 1.96 * gaps.std(axis=0, ddof=1) / np.sqrt(len(both))
    return [f"{m:+.3f} ± {e:.3f}" for m, e in zip(gaps.mean(axis=0), error)]


def _mean(regrets: FloatArray) -> str:
    """The mean over targets and its standard error."""
    error = regrets.std(ddof=1) / np.sqrt(len(regrets)) if len(regrets) > 1 else 0.0
    return f"{regrets.mean():.3f} ± {error:.3f}"


def main() -> None:
    options = parser(__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    options.add_argument("--methods", nargs="+", choices=list(WAYS), default=list(WAYS))
    options.add_argument("--targets", type=int, default=30)
    options.add_argument("--draws", type=numbers, default="0:3", help="first:end")
    options.add_argument("--seeds", type=numbers, default="0:5", help="first:end")
    options.add_argument("--trials", type=int, default=50)
    options.add_argument("--rows", type=int, default=ROWS, help="of a source; one FOLDER for each")
    options.add_argument("--sources", type=int, default=SOURCES, help="one FOLDER for each")
    options.add_argument("--ours", nargs="+", choices=list(WAYS), default=["transfer"])
    chosen = options.parse_args()
    path = cells_file(chosen.folder)
    if not chosen.table:
        need_one_thread()
        fill(path, chosen)
    show(read(path), chosen.ours)


if __name__ == "__main__":
    main()
