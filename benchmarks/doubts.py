"""Crashes that were logged as a number: how often ringfence speaks up, and how often for nothing.

    python -m benchmarks.doubts FOLDER

For every column of results in the tables of FOLDER, as it is and in random parts of it (up to ten
tasks, 8, 24 or 100 rows each): is anything said of clean runs? Then a share of the rows of such
parts is replaced by a mark, and the answers are counted: by direction, by whether the name of the
metric says its range, and by mark. Only marks that beat every real value are listed: others cannot
mislead (docs/history.md).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from ringfence.errors import HistoryError
from ringfence.history import ROW, TASK, VALUE
from ringfence.history.directions import guess_direction
from ringfence.history.doubts.metric_ranges import range_of, without_impossible
from ringfence.history.doubts.repeated_bests import SEVERAL, repeated_best
from ringfence.history.guessing.results import is_result
from ringfence.history.places import Places
from ringfence.history.roles import Roles

MARKS = (-1.0, 0.0, 1e-9, -999.0, 999.0, 1e9)
CRASHED = 0.12  # of the rows
PARTS, MARKED_PARTS = 60, 12  # of each column
ROWS = (8, 24, 100)
UNKNOWN = "objective_x"  # a name that says nothing


def main() -> None:
    clean: Counter[str] = Counter()
    marked: dict[tuple[str, str, float], Counter[str]] = {}
    n_columns = 0
    for metric, direction, frame in columns(Path(sys.argv[1])):
        n_columns += 1
        clean[said(frame, metric, direction)] += 1
        clean.update(said(part, metric, direction) for part in parts(frame))
        for known, mark, answer in answers(metric, direction, frame):
            marked.setdefault((direction, known, mark), Counter())[answer] += 1
    print(f"{n_columns} columns, clean or in parts: {dict(clean)}")
    for (direction, known, mark), counts in sorted(marked.items()):
        print(f"{direction}, {known}, {mark:g}: {dict(counts)}")


def columns(folder: Path) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Every metric whose direction its name says."""
    for path in sorted(folder.glob("*.parquet")):
        table = pl.read_parquet(path)
        for name in table.columns if "task" in table.columns else []:
            direction = guess_direction(name)
            if direction and table[name].dtype.is_numeric() and is_result(name):
                frame = table.select(pl.col("task").cast(pl.String), pl.col(name).cast(pl.Float64))
                yield name, direction, frame.filter(pl.col(name).is_finite())


def parts(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Random parts of a table."""
    rng = np.random.default_rng(7)
    for number in range(PARTS):
        yield _part(frame, rng, ROWS[number % len(ROWS)], number)


def answers(metric: str, direction: str, frame: pl.DataFrame) -> Iterator[tuple[str, float, str]]:
    """What is said of parts in which crashes have a mark better than every real value."""
    rng = np.random.default_rng(8)
    sign = -1.0 if direction == "maximize" else 1.0
    frame = frame.filter(pl.len().over("task") >= ROWS[0])  # of one run nobody can say much
    if frame["task"].n_unique() < SEVERAL:
        return
    for number in range(MARKED_PARTS):
        part = _part(frame, rng, 24, number)
        crashed = pl.Series(rng.random(part.height) < CRASHED)
        for mark in MARKS:
            if not sign * mark < (sign * part[metric]).min():
                continue
            values = pl.when(crashed).then(mark).otherwise(pl.col(metric)).alias(metric)
            for name in {metric, UNKNOWN}:
                known = "range known" if range_of(name) else "range unknown"
                logged = part.with_columns(values).rename({metric: name})
                yield known, mark, said(logged, name, direction)


def said(frame: pl.DataFrame, metric: str, direction: str) -> str:
    """'dropped', 'asks', 'warns' or 'nothing'."""
    roles = Roles("task", metric, "maximize" if direction == "maximize" else "minimize", ())
    try:
        kept, notes = without_impossible(frame, roles, Places())
    except HistoryError:
        return "asks"
    if notes:
        return "dropped"
    sign = -1.0 if direction == "maximize" else 1.0
    rows = kept.drop_nulls().select(
        pl.col("task").alias(TASK),
        pl.int_range(pl.len()).cast(pl.UInt32).alias(ROW),
        (sign * pl.col(metric)).alias(VALUE),
    )
    return "warns" if repeated_best(rows, sign, str) else "nothing"


def _part(frame: pl.DataFrame, rng: np.random.Generator, rows: int, seed: int) -> pl.DataFrame:
    by_task = frame.partition_by("task", maintain_order=True)
    some = rng.choice(len(by_task), min(10, len(by_task)), replace=False)
    return pl.concat([by_task[t].sample(min(rows, by_task[t].height), seed=seed) for t in some])


if __name__ == "__main__":
    main()
