"""Good rows instead of best rows: how small a region becomes, and what random search gets there.

    python -m benchmarks.tolerance run FOLDER OUT [--tables …] [--draws 8] [--targets 10]
    python -m benchmarks.tolerance page OUT       keep its cells, write the table of docs/method.md
    python -m benchmarks.tolerance page --check   does it follow from the committed cells?
    python -m benchmarks.tolerance brute          against all choices, where those can be tried

For every table: leave a task out, learn from 256 random rows of up to 30 others, draw 256
configurations inside, and give each the value of the nearest recorded row of the task left out.
Regret is 0 at its best row and 1 at its median row and beyond. OUT/cells.jsonl has a line for each
target that is finished, so that a run can be stopped at any point.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
from scipy.spatial import cKDTree

import ringfence as rf
from benchmarks.calibration.tables import OTHER_OBJECTIVES, CalibrationTable, expected_best
from benchmarks.cells import append_line, need_one_thread, read_lines
from benchmarks.tables import TABLES
from ringfence.arrays import FloatArray, IntArray
from ringfence.fit import good_rows
from ringfence.fit.ellipsoid import fit_ellipsoid

TOLERANCES = (0.0, 0.02, 0.05, 0.1, 0.2)
SHAPES = ("box", "ellipsoid")
MOST_TASKS, ROWS, DRAWS = 30, 256, 256
BEST_OF = (5, 10, 25, 50)
NAMES = (*TABLES, "sgd_toy")
CASES = 60  # that are tried in full
ROOT = Path(__file__).parents[1]
DOC = ROOT / "docs" / "method.md"
RESULTS = ROOT / "benchmarks" / "results" / "tolerance" / "cells.parquet"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("folder", type=Path)
    run.add_argument("out", type=Path)
    run.add_argument("--tables", nargs="+", default=[n for n in NAMES if n not in OTHER_OBJECTIVES])
    run.add_argument("--draws", type=int, default=8)
    run.add_argument("--targets", type=int, default=10)
    page = commands.add_parser("page")
    page.add_argument("out", type=Path, nargs="?")
    page.add_argument("--check", action="store_true")
    commands.add_parser("brute")
    options = parser.parse_args()
    if options.command == "brute":
        brute()
        return
    if options.command == "page":
        sys.exit(write_page(options.out, options.check))
    need_one_thread()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "cells.jsonl"
    done = {(cell["table"], cell["draw"], cell["target"]) for cell in read_lines(path)}
    for draw in range(options.draws):
        for name in options.tables:
            if name != "sgd_toy" and not (options.folder / f"{name}.parquet").exists():
                continue
            table = CalibrationTable(options.folder, name)
            for cell in cells(table, draw, options.targets, done):
                append_line(path, cell)
            print(f"{name}, draw {draw}: finished", flush=True)


def brute() -> None:
    """How often the smallest region is found, by the number of starts; and what is missed of the
    gain that choosing could bring."""
    for name, pick, size, sizes in (
        ("box", _box_pick, _box_size, ((3, 7), (1, 5), (1, 6))),
        ("ellipsoid", _ellipsoid_pick, _ellipsoid_size, ((7, 8), (2, 3), (1, 4))),
    ):
        for starts in (1, 4, good_rows.STARTS):
            with patch.object(good_rows, "STARTS", starts):
                outcomes = [_against_all(pick, size, sizes, seed) for seed in range(CASES)]
            missed, possible = np.array(outcomes).T
            share = missed.sum() / possible.sum()
            print(
                f"{name}, {starts} starts: {(missed < 1e-6).sum()} of {CASES}; "
                f"{share:.1%} of the possible gain missed"
            )


def _against_all(
    pick: Callable[[FloatArray, IntArray], IntArray],
    size: Callable[[FloatArray], float],
    sizes: Sequence[tuple[int, int]],
    seed: int,
) -> tuple[float, float]:
    """What the search misses of the smallest size, and how much choosing could gain."""
    rng = np.random.default_rng(seed)
    tasks, dim, _ = (int(rng.integers(*each)) for each in sizes)
    good = [rng.random((rng.integers(*sizes[2]), dim)) for _ in range(tasks)]
    points = np.vstack(good)
    picks = pick(points, np.repeat(np.arange(tasks), [len(rows) for rows in good]))
    best = min(size(np.array(choice)) for choice in itertools.product(*good))
    return size(points[picks]) - best, size(np.array([rows[0] for rows in good])) - best


def _box_pick(points: FloatArray, task: IntArray) -> IntArray:
    return good_rows.pick_for_box(points, task)


def _box_size(points: FloatArray) -> float:
    return float(0.5 * (np.ptp(points, axis=0) ** 2).sum())


def _ellipsoid_pick(points: FloatArray, task: IntArray) -> IntArray:
    region = good_rows.AnyRegion(
        lambda picks: fit_ellipsoid(points[picks]).region,
        lambda ellipsoid: ellipsoid.norm(points),
        lambda ellipsoid: ellipsoid.log_volume,
    )
    return good_rows.pick_for_region(points, task, region)


def _ellipsoid_size(points: FloatArray) -> float:
    return fit_ellipsoid(points).region.log_volume


def write_page(out: Path | None, check: bool) -> int:
    """Write the table between the markers of the page; with `check`, say whether it matches."""
    if out is not None:
        pl.DataFrame([_flat(cell) for cell in read_lines(out / "cells.jsonl")]).sort(
            "table", "draw", "target"
        ).write_parquet(RESULTS, compression="zstd")
    old = DOC.read_text()
    marked = r"(<!-- tolerance -->\n).*?(<!-- /tolerance -->)"
    text = summary(pl.read_parquet(RESULTS))
    new = re.sub(marked, lambda m: f"{m[1]}{text}\n{m[2]}", old, flags=re.DOTALL)
    if check:
        print("docs/method.md matches" if new == old else "docs/method.md does not match")
        return int(new != old)
    DOC.write_text(new)
    return 0


def _flat(cell: dict[str, object]) -> dict[str, object]:
    """Numbers to five digits."""
    return {
        name: [float(f"{x:.5g}") for x in value] if isinstance(value, list)
        else float(f"{value:.5g}") if isinstance(value, float) else value
        for name, value in cell.items()
    }  # fmt: skip


def cells(
    table: CalibrationTable, draw: int, n_targets: int, done: set[tuple[str, int, str]]
) -> Iterator[dict[str, object]]:
    """One for each target, with all shapes and tolerances."""
    rng = np.random.default_rng([draw, 11])
    tasks = rng.permutation(len(table.tasks))[: MOST_TASKS + 1].tolist()
    chosen = {t: rng.permutation(len(table.tasks[t].values))[:ROWS] for t in tasks}
    for target in tasks[:n_targets]:
        name = table.tasks[target].name
        if (table.name, draw, name) in done:
            continue
        history = table.history([t for t in tasks if t != target][:MOST_TASKS], chosen)
        cell: dict[str, object] = {"table": table.name, "draw": draw, "target": name}
        for shape in SHAPES:
            for tolerance in TOLERANCES:
                learned = rf.learn(history, table.space, shape=shape, tolerance=tolerance, starts=0)
                key = f"{shape} {tolerance:g}"
                cell[f"{key} volume"] = learned.volume_fraction
                cell[f"{key} regret"] = regrets(table, target, learned).tolist()
        yield cell


def regrets(table: CalibrationTable, target: int, learned: rf.LearnedSpace) -> FloatArray:
    """Expected regret of the best of each number of draws inside."""
    task = table.tasks[target]
    features = table.layout.features
    inside = table.layout.encode(learned.sample(DRAWS, seed=0))
    nearest = cKDTree(features(task.rows)).query(features(inside))[1]
    return expected_best(task.regret[nearest], np.ones(DRAWS), BEST_OF)


def summary(cells: pl.DataFrame) -> str:
    """By shape and tolerance: volume, and the difference of regret to the best rows, ± a standard
    error over targets; then table by table."""
    lines = [
        "| shape, tolerance | volume, of that of the best rows | "
        + " | ".join(f"regret after {k}" for k in BEST_OF)
        + " | worse by two standard errors on |",
        "|---" * (3 + len(BEST_OF)) + "|",
    ]
    for shape in SHAPES:
        for tolerance in TOLERANCES[1:]:
            lines.append(_line(cells, shape, tolerance))
    return "\n".join(lines)


def _line(cells: pl.DataFrame, shape: str, tolerance: float) -> str:
    here, base = f"{shape} {tolerance:g}", f"{shape} 0"
    ratio = np.log(cells[f"{here} volume"].to_numpy() / cells[f"{base} volume"].to_numpy())
    gain = np.array(cells[f"{here} regret"].to_list()) - np.array(cells[f"{base} regret"].to_list())
    frame = cells.select("table", "target").with_columns(gain=pl.Series(gain.tolist()))
    means, worse = [], [[] for _ in BEST_OF]
    for (table,), part in frame.group_by("table", maintain_order=True):
        by_target = [
            np.array(each["gain"].to_list()).mean(axis=0)
            for _, each in part.group_by("target", maintain_order=True)
        ]
        mean = np.mean(by_target, axis=0)
        error = np.std(by_target, axis=0, ddof=1) / np.sqrt(len(by_target))
        means.append((mean, error))
        for k, above in enumerate(mean > 2 * error):
            if above:
                worse[k].append(table)
    mean = np.mean([m for m, _ in means], axis=0)
    error = np.sqrt(np.sum([e**2 for _, e in means], axis=0)) / len(means)
    texts = [f"{m:+.3f} ± {e:.3f}" for m, e in zip(mean, error)]
    tables = "; ".join(f"{k}: {', '.join(w)}" for k, w in zip(BEST_OF, worse) if w) or "none"
    volume = f"{np.exp(np.median(ratio)):.2g}"
    return f"| {shape}, {tolerance:g} | {volume} | " + " | ".join(texts) + f" | {tables} |"


if __name__ == "__main__":
    main()
