"""How much room to leave if there are too few tasks to determine a region (docs/few-tasks.md).

    python -m benchmarks.few_tasks FOLDER

For every table in FOLDER: leave one task out, learn from 3 or 9 random other tasks with 256 random
rows each, draw configurations from the learned space, and give each the value of the nearest
recorded row of the task left out. The score is the expected normalized regret (0 best row, 1 median
row, capped) of the best of 10 draws, by order statistics over 256 draws.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from scipy.spatial import cKDTree

from benchmarks.order_statistics import expected_best
from benchmarks.tables import TABLES, read_table
from ringfence import LearnedSpace, Space, infer_space, learn
from ringfence.fit import result
from ringfence.history import TASK, VALUE, usable_rows
from ringfence.regions import Box
from ringfence.space import Encoding

DRAWS = 256
BEST_OF = 10
TARGETS = 20
REPEATS = 3
ROWS = 5000
REACHES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)


class Target:
    """A task left out: its recorded rows, and the value of the nearest one to a configuration."""

    def __init__(self, space: Space, rows: pl.DataFrame, rng: np.random.Generator) -> None:
        rows = rows[np.sort(rng.permutation(rows.height)[:ROWS])]
        self.space = space
        self.encoding = Encoding.of(space)
        self.choices = space.unordered_choices()
        columns = {n: rows[n].to_numpy() for n in space if n in rows.columns}
        self.tree = cKDTree(self.features(columns))
        values = rows[VALUE].to_numpy()
        best, middle = values.min(), np.median(values)
        scaled = (values - best) / (middle - best) if middle > best else values * 0.0
        self.regret = np.minimum(scaled, 1.0)

    def features(self, columns: dict[str, np.ndarray]) -> np.ndarray:
        """Unit coordinates, the middle if inactive, and choices at a distance of one."""
        numeric = np.nan_to_num(self.encoding.encode(columns), nan=0.5)
        flags = [
            (columns[n] == i) / np.sqrt(2) for n, c in self.choices.items() for i in range(len(c))
        ]
        return np.column_stack([numeric, *flags])

    def score(self, learned: LearnedSpace, rng: np.random.Generator) -> float:
        columns: dict[str, np.ndarray] = {
            n: rng.integers(len(c), size=DRAWS).astype(float) for n, c in self.choices.items()
        }
        for block in learned.blocks:
            columns |= block.encoding.decode(learned.draw(block, DRAWS, rng).points)
        for condition in self.space.conditions:
            positions = [self.choices[condition.parent].index(v) for v in condition.values]
            inactive = ~np.isin(columns[condition.parent], positions)
            if condition.child in columns:
                columns[condition.child] = np.where(inactive, np.nan, columns[condition.child])
        regrets = self.regret[self.tree.query(self.features(columns))[1]]
        return float(expected_best(regrets, [BEST_OF])[0])


def settings() -> Iterator[tuple[str, str, float]]:
    yield "box", "box", 0.3
    for reach in REACHES:
        yield f"ellipsoid {reach}", "ellipsoid", reach


def unrestricted(learned: LearnedSpace) -> LearnedSpace:
    """The learned space with every region widened to the unit cube."""
    blocks = tuple(replace(b, region=Box.unit(len(b.names))) for b in learned.blocks)
    return replace(learned, blocks=blocks)


def scores(name: str, folder: Path, sources: int, rng: np.random.Generator) -> dict[str, float]:
    history = read_table(folder, name)
    space = infer_space(history).space
    rows = usable_rows(history, space).frame
    groups = {t[0]: g for t, g in rows.group_by(TASK, maintain_order=True)}
    tasks = list(groups)
    regrets: dict[str, list[float]] = {}
    for left_out in rng.permutation(tasks)[:TARGETS]:
        target = Target(space, groups[left_out], rng)
        for _ in range(REPEATS):
            past = history.only(rng.permutation([t for t in tasks if t != left_out])[:sources])
            seed = int(rng.integers(1 << 31))
            for label, shape, reach in settings():
                result.FEW_TASKS_REACH = reach
                learned = learn(past, space, shape=shape, n_evaluations=256, seed=seed, starts=0)
                draws = np.random.default_rng(seed)
                regrets.setdefault(label, []).append(target.score(learned, draws))
            score = target.score(unrestricted(learned), draws)
            regrets.setdefault("full space", []).append(score)
    return {label: float(np.mean(values)) for label, values in regrets.items()}


def main(folder: Path) -> None:
    table = []
    for name in TABLES:
        for sources in (3, 9):
            if (folder / f"{name}.parquet").exists() and TABLES[name].tasks > sources:
                row = scores(name, folder, sources, np.random.default_rng(0))
                table.append({"table": name, "sources": sources, **row})
                print(f"{name} from {sources} tasks: done", file=sys.stderr, flush=True)
    frame = pl.DataFrame(table)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, float_precision=3, tbl_width_chars=180):
        print(frame)
        print(frame.group_by("sources").agg(pl.exclude("table").mean()).sort("sources"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
