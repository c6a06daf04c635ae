"""Ten thousand tasks: from a Parquet file to a space with starting points, a suggestion, the check.

    python -m benchmarks.many_tasks [TASKS [ROWS]]

Writes the file into a temporary folder (a hundred rows a task, ten parameters, a dozen kinds of
tasks of which some are rare), then does each step in a fresh process with one thread: CPU seconds,
seconds by the clock, and the process's peak memory.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.timing import Row

TASKS, ROWS, DIM, KINDS = 10_000, 100, 10, 12
AT_ONCE = 10_000  # tasks that are in memory together while the file is written
SUGGESTIONS = 30
FEWER = 1_000  # tasks in `make bench`
MORE_CELLS = {"RINGFENCE_MAX_CELLS": "10000000000"}  # than a file of unknown origin may have
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)


def table(first: int, n_tasks: int, n_rows: int) -> pl.DataFrame:
    """Tasks from number `first` on: bowls around the optimum of their kind, in units of their
    own, with noise; four parameters with a log scale, four floats, two integers."""
    kinds = np.random.default_rng(0)
    share = kinds.dirichlet(np.full(KINDS, 0.7))
    center = kinds.uniform(0.15, 0.85, (KINDS, DIM))
    matters = kinds.dirichlet(np.full(DIM, 0.5), KINDS) * DIM
    rng = np.random.default_rng([1, first])
    kind = rng.choice(KINDS, n_tasks, p=share)
    optimum = center[kind] + rng.normal(0.0, 0.06, (n_tasks, DIM))
    weight = matters[kind] * np.exp(rng.normal(0.0, 0.3, (n_tasks, DIM)))
    task = np.repeat(np.arange(n_tasks), n_rows)
    rows = rng.random((len(task), DIM))
    loss = (weight[task] * (rows - optimum[task]) ** 2).sum(axis=1)
    loss += rng.normal(0.0, 0.02, len(task))
    loss = np.exp(rng.normal(0.0, 1.0, n_tasks))[task] * loss + rng.normal(0.0, 1.0, n_tasks)[task]
    rows[:, :4] = 10.0 ** (5.0 * rows[:, :4] - 4.0)
    names = pl.Series("task", first + task).cast(pl.String)
    columns = {f"x{j}": rows[:, j] for j in range(8)}
    counts = {f"x{j}": np.rint(63 * rows[:, j]).astype(np.int64) for j in range(8, DIM)}
    return pl.DataFrame({"task": names, **columns, **counts, "loss": loss})


def write(path: Path, n_tasks: int, n_rows: int) -> None:
    """The Parquet file, a part at a time."""
    import pyarrow.parquet as pq

    writer = None
    for first in range(0, n_tasks, AT_ONCE):
        part = table(first, min(AT_ONCE, n_tasks - first), n_rows).to_arrow()
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()


def read(path: Path) -> rf.History:
    return rf.read_history(path, task="task", objective="loss", direction="minimize")


def learn(path: Path) -> str:
    """The whole way to a file with ten starting points."""
    learned = rf.learn(read(path))
    assert len(learned.portfolio) == 10
    learned.save(path.with_name("learned.json"))
    return f"{len(learned.tasks):,} tasks"


def suggest(path: Path) -> str:
    """A suggestion of `transfer`, once its models are there."""
    optimizer = rf.optimizer(
        "transfer", rf.load(path.with_name("learned.json")), history=read(path)
    )
    spent = []
    for _ in range(SUGGESTIONS):
        start = time.process_time()
        trial = optimizer.ask()
        spent.append(time.process_time() - start)
        optimizer.tell(trial, sum((float(value) - 0.4) ** 2 for value in trial.config.values()))
    median, first = statistics.median(spent[5:]), spent[0]
    return f"{1e3 * median:.0f} ms a suggestion (median), {first:.1f} s the first"


def check(path: Path) -> str:
    """The check, with starting points."""
    result = rf.check(read(path))
    return f"{len(result.tasks)} tasks left out, {result.verdict}"


STEPS: dict[str, Callable[[Path], str]] = {"learn": learn, "suggest": suggest, "check": check}


def measure(step: str, path: Path) -> None:
    """One step in this process."""
    start = time.perf_counter()
    what = STEPS[step](path)
    seconds, busy = time.perf_counter() - start, time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"| {step} | {busy:.1f} | {seconds:.1f} | {peak:.2f} | {what} |", flush=True)


def main(n_tasks: int, n_rows: int) -> None:
    print(f"{n_tasks:,} tasks, {n_rows} rows each, {DIM} parameters; load {os.getloadavg()[0]:.1f}")
    print("\n| step | CPU s | clock s | peak GB | |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        write(path, n_tasks, n_rows)
        for step in STEPS:
            command = [sys.executable, "-m", "benchmarks.many_tasks", step, str(path)]
            subprocess.run(command, check=True, env={**os.environ, **ONE_THREAD, **MORE_CELLS})


def rows() -> list[Row]:
    """Learning from FEWER tasks, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        write(path, FEWER, ROWS)
        start = time.process_time()
        learn(path)
        spent = time.process_time() - start
    what = f"{FEWER:,} tasks × {ROWS} rows × {DIM} parameters, ten starting points"
    return [Row(what, spent, None, "60 s for 10,000 tasks")]


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in STEPS:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        numbers = [int(number) for number in sys.argv[1:3]]
        main(*numbers, *[TASKS, ROWS][len(numbers) :])
