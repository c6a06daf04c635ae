"""Which guard helps if a region misses the optimum, and what does it cost if it does not?

    python -m benchmarks.guard DATA FOLDER             a quarter of an hour
    python -m benchmarks.guard DATA FOLDER --table     what has finished

Leave one task of a table out, learn from 4 or from 30 others (transfer_cases.py), and search the
target's rows; and search functions whose minimum lies outside the region. A cell is one loop;
finished ones are lines of FOLDER/cells.jsonl and are not run again. Regret is 0 at the best and 1
at the median configuration; means are over tables, each the mean of its targets.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import ringfence as rf
from benchmarks.cells import append_line, cells_file, need_one_thread, parser, read_lines
from benchmarks.guard_goals import FUNCTIONS, Goal, moved_away, past_of, recorded
from benchmarks.guard_ways import engine
from benchmarks.transfer_cases import Case, Table
from ringfence.errors import ExhaustedError
from ringfence.optimize.ask_tell import Optimizer

TABLE_NAMES = (
    "svm_rbv2_surrogate",
    "xgboost_rbv2_surrogate",
    "ranger_rbv2_surrogate",
    "xgboost_memento_openml",
    "xgboost_libsvm10",
    "mlp_hpobench",
    "gbc_pmlb16",
)
REGIONS = {
    "box": {"shape": "box"},
    "ellipsoid": {"shape": "ellipsoid"},
    "slack box": {"shape": "box", "outliers": "paper"},
}
GUARDS = {
    ("gp", "box"): ("none", "uniform 0.1", "model 0.1", "rising 0.1", "growth"),
    ("gp", "ellipsoid"): ("none", "model 0.1", "rising 0.1", "growth"),
    ("gp", "slack box"): ("none", "model 0.1", "rising 0.1"),
    ("random", "box"): ("none", "uniform 0.1", "uniform 0.2", "growth"),
}
METHODS = [(*where, guard) for where, guards in GUARDS.items() for guard in guards]
SOURCES = (4, 30)
TRIALS = 100
BUDGETS = (10, 25, 50, 100)
FUNCTION_TARGETS = 3  # moved in as many directions


def table_cells(folder: Path, names: list[str], targets: int, done: set[str]) -> Iterator[dict]:
    """The missing cells of the tables, in turns, so that what has finished is balanced."""
    tables = {(n, s): Table(folder, n, sources=s) for n in names for s in SOURCES}
    for number in range(targets):
        for (name, sources), table in tables.items():
            names = table.targets(targets)
            if number >= len(names):
                continue
            case = Case(table, names[number], 0)
            for method, region, guard in METHODS:
                cell = {"on": name, "sources": sources, "target": case.target, "method": method,
                        "region": region, "guard": guard}  # fmt: skip
                if key(cell) not in done:
                    learned = case.learned(**REGIONS[region])
                    if not _has_candidates(case, learned):
                        continue
                    optimizer = engine(method, learned, guard, case.candidates, 0)
                    yield cell | run(optimizer, recorded(case))


def function_cells(targets: int, done: set[str]) -> Iterator[dict]:
    """The missing cells of the functions."""
    for number in range(targets):
        for name, (dim, call) in FUNCTIONS.items():
            rng = np.random.default_rng([number, dim])
            space = rf.Space({f"x{j}": rf.Float(0.0, 1.0) for j in range(dim)})
            past = past_of(space, call, rng)
            learned = {r: rf.learn(past, space, starts=0, **REGIONS[r]) for r in REGIONS}
            goal = moved_away(call, dim, rng)
            for method, region, guard in METHODS:
                cell = {"on": name, "sources": 4, "target": str(number), "method": method,
                        "region": region, "guard": guard}  # fmt: skip
                if key(cell) not in done:
                    yield cell | run(engine(method, learned[region], guard, None, 0), goal)


def run(optimizer: Optimizer, goal: Goal) -> dict[str, object]:
    """The best regret after each trial, and the CPU seconds of all suggestions."""
    best, curve, start = np.inf, [], time.process_time()
    for _ in range(TRIALS):
        try:
            trial = optimizer.ask()
        except ExhaustedError:
            break
        value = goal.value(trial.config)
        optimizer.tell(trial, value)
        best = min(best, value)
        curve.append(float(np.clip((best - goal.least) / (goal.median - goal.least), 0.0, 1.0)))
    curve += curve[-1:] * (TRIALS - len(curve))
    return {"regret": np.round(curve, 6).tolist(), "cpu": round(time.process_time() - start, 3)}


def _has_candidates(case: Case, learned: rf.LearnedSpace) -> bool:
    rows = case.table.layout.encode(case.candidates)
    return bool(learned.inside(case.table.layout.columns(rows)).any())


def key(cell: dict) -> str:
    return json.dumps([cell[k] for k in ("on", "sources", "target", "method", "region", "guard")])


def read(path: Path) -> dict[str, dict]:
    return {key(cell): cell for cell in read_lines(path)}


def complete(cells: list[dict]) -> list[dict]:
    """The cells of targets for which the last method has finished, so that all methods have the
    same targets; a region that holds none of a target's rows is left out."""

    def target(cell: dict) -> tuple[str, int, str]:
        return cell["on"], cell["sources"], cell["target"]

    last = {target(c) for c in cells if (c["method"], c["region"], c["guard"]) == METHODS[-1]}
    return [cell for cell in cells if target(cell) in last]


def show(cells: list[dict]) -> None:
    """A table for few sources, for many, and for the functions."""
    for title, belongs in {
        "tables, 4 source tasks": lambda c: c["on"] not in FUNCTIONS and c["sources"] == 4,
        "tables, 30 source tasks": lambda c: c["on"] not in FUNCTIONS and c["sources"] == 30,
        "functions with the minimum elsewhere": lambda c: c["on"] in FUNCTIONS,
    }.items():
        group = [cell for cell in cells if belongs(cell)]
        if not group:
            continue
        print(f"\n### {title}\n\n| method | region | guard | cells | {_join(BUDGETS)} |")
        print("|---" * (4 + len(BUDGETS)) + "|")
        for method, region, guard in METHODS:
            regrets = defaultdict(list)
            for c in group:
                if (c["method"], c["region"], c["guard"]) == (method, region, guard):
                    regrets[c["on"]].append([c["regret"][n - 1] for n in BUDGETS])
            if regrets:
                mean = np.mean([np.mean(rows, axis=0) for rows in regrets.values()], axis=0)
                n = sum(map(len, regrets.values()))
                print(
                    f"| {method} | {region} | {guard} | {n} | {_join(f'{x:.3f}' for x in mean)} |"
                )
    print(f"\n{sum(cell['cpu'] for cell in cells):.0f} CPU seconds")


def _join(things: object) -> str:
    return " | ".join(map(str, things))  # type: ignore[call-overload]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--tables", nargs="*", choices=TABLE_NAMES, default=list(TABLE_NAMES))
    options.add_argument("--targets", type=int, default=2)
    chosen = options.parse_args()
    path = cells_file(chosen.folder)
    if not chosen.table:
        need_one_thread()
        done = set(read(path))
        for cell in function_cells(FUNCTION_TARGETS, done):
            append_line(path, cell)
        for cell in table_cells(chosen.data, chosen.tables, chosen.targets, done):
            append_line(path, cell)
    show(complete(list(read(path).values())))


if __name__ == "__main__":
    main()
