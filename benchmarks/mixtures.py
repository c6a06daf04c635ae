"""Unions of boxes and ellipsoids: how many parts one cloud gets, and whether they help on tables.

    python -m benchmarks.mixtures chance
    python -m benchmarks.mixtures tables FOLDER [TABLE …]

`chance` draws clouds of T points in p dimensions: one uniform in a cube, one uniform in a ball, one
normal (without outliers and with ν = 0.1), and two or three normal clouds with a standard deviation
of 0.03 whose centers are 0.35 or more apart in some coordinate. It prints the gain of the best cut
that one cloud in a hundred exceeds beside the gain that is required, how often one cloud is
divided, and how often two and three are found.

`tables` checks each shape beside its union by leaving one task out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import TABLES, read_table
from ringfence import compare, learn
from ringfence.arrays import FloatArray
from ringfence.checking.verdict import JUDGED_AT
from ringfence.fit.shapes import shape_of
from ringfence.fit.unions.cells import Cells
from ringfence.fit.unions.clusters import clusters
from ringfence.learned.settings import describe

CLOUDS = 40  # of each law
REPEATS = 10  # draws of several clouds
LAWS = ("cube", "ball", "normal")
APART = 0.35
SETTINGS = [
    {"shape": shape, **slack}
    for slack in ({}, {"outliers": 0.1, "refit": True})
    for shape in ("box", "boxes", "ellipsoid", "ellipsoids")
]


def chance() -> None:
    head = ["parts", "p", "T", "1 % gain more than", "asked for", "divided"]
    head += ["divided, ν = 0.1", "2 of 2 found", "3 of 3 found", "ms"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for shape in ("boxes", "ellipsoids"):
        for dim in (1, 2, 5, 10):
            for n in (5, 10, 20, 50, 100):
                print("| " + " | ".join(_chance_row(shape, n, dim)) + " |", flush=True)


def _chance_row(shape: str, n: int, dim: int) -> list[str]:
    rng = np.random.default_rng([n, dim])
    clouds = [_cloud(law, n, dim, rng) for law in LAWS for _ in range(CLOUDS)]
    measure = shape_of(shape).splitting
    cuts = [measure.cut(Cells.of_reals(points), np.inf) for points in clouds]
    gains = np.array([-np.inf if cut is None else cut.gain for cut in cuts]).reshape(len(LAWS), -1)
    start = time.process_time()
    divided = np.mean([_parts(points, shape) > 1 for points in clouds])
    seconds = (time.process_time() - start) / len(clouds)
    slack = np.mean([_parts(points, shape, int(np.ceil(0.1 * n))) > 1 for points in clouds])
    row = [shape, str(dim), str(n)]
    if np.isfinite(gains).all():
        worst = np.quantile(gains, 0.99, axis=1).max()
        row += [f"{worst:.2f}", f"{measure.enough(Cells.of_reals(clouds[0])):.2f}"]
    else:
        row += ["too few to cut", ""]
    hits = [_hit_rate(shape, n, dim, count, rng) for count in (2, 3)]
    return [*row, f"{divided:.1%}", f"{slack:.1%}", *hits, f"{1000 * seconds:.1f}"]


def _parts(points: FloatArray, shape: str, n_out: int = 0) -> int:
    cells, tasks = Cells.of_reals(points), np.arange(len(points))
    return len(clusters(cells, tasks, shape_of(shape).splitting, n_out)[1])


def _hit_rate(shape: str, n: int, dim: int, count: int, rng: np.random.Generator) -> str:
    """How often `count` clouds are divided into as many parts."""
    n_hits = 0
    for _ in range(REPEATS):
        centers = _centers(count, dim, rng)
        points = centers[np.arange(n) % count] + 0.03 * rng.standard_normal((n, dim))
        n_hits += _parts(np.clip(points, 0.0, 1.0), shape) == count
    return f"{n_hits / REPEATS:.0%}"


def _centers(count: int, dim: int, rng: np.random.Generator) -> FloatArray:
    while True:
        centers = rng.uniform(0.1, 0.9, (count, dim))
        gaps = np.abs(centers[:, None] - centers).max(axis=2)
        if gaps[np.triu_indices(count, 1)].min() >= APART:
            return centers


def _cloud(law: str, n: int, dim: int, rng: np.random.Generator) -> FloatArray:
    if law == "cube":
        return rng.random((n, dim))
    normal = rng.standard_normal((n, dim))
    if law == "normal":
        return np.clip(0.5 + 0.12 * normal, 0.0, 1.0)
    radius = 0.4 * rng.random(n) ** (1 / dim) / np.linalg.norm(normal, axis=1)
    return 0.5 + normal * radius[:, None]


def tables(folder: Path, names: Sequence[str]) -> None:
    head = ["table", "tasks", "setting", "parts", "volume", "speed-up at 10 draws", "verdict"]
    head += ["hurts", "CPU seconds"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for name in names:
        if not (folder / f"{name}.parquet").exists():
            print(f"| {name} | not there, skipped |")
            continue
        history = read_table(folder, name)
        for setting in SETTINGS:
            start = time.process_time()
            (check,) = compare(history, settings=[setting], nested=False, starts=0).checks
            seconds = time.process_time() - start
            blocks = learn(history, starts=0, **setting).blocks
            parts = " × ".join(str(len(block.region.parts)) for block in blocks)
            up = next((up for up in check.speed_ups if up.draws == JUDGED_AT), None)
            figure = "" if up is None else f"{up.value:.2f} ({up.low:.2f} to {up.high:.2f})"
            cells = [name, len(check.tasks), describe(check.settings), parts]
            cells += [f"{check.volume_kept:.2g}", figure, check.verdict, len(check.hurt)]
            print("| " + " | ".join(map(str, [*cells, f"{seconds:.0f}"])) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "chance":
        chance()
    else:
        tables(Path(sys.argv[2]), sys.argv[3:] or list(TABLES))
