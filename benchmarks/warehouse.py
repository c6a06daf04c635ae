"""Fifty million runs in a DuckDB file: how long to learn from them, and in how much memory.

    python -m benchmarks.warehouse FOLDER [ROWS] [--sample]

Makes FOLDER/runs.duckdb (about 45 bytes per row) unless it exists, then reads and learns in a fresh
process with 2 threads and DuckDB's own memory limited to 1 GB. By default the best 100 rows of each
task and an ellipsoid; with --sample the best row and a random 256, a box and ten starting points.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROWS = 50_000_000
TASKS = 500

COLUMNS = f"""
    'task-' || (hash(i) % {TASKS}) AS task,
    10 ** (-5 + 5 * random()) AS lr,
    10 ** (-8 + 9 * random()) AS regularization,
    random() AS momentum,
    0.9 * random() AS dropout,
    (2 + floor(11 * random()))::INTEGER AS depth,
    (16 * 2 ** floor(5 * random()))::INTEGER AS batch,
    ['gbtree', 'dart', 'gblinear'][1 + floor(3 * random())::INTEGER] AS booster,
    random() AS noise,
    i
"""
RUNS = """
    task, lr, regularization, momentum, dropout, depth, batch, booster,
    CASE WHEN booster = 'dart' THEN noise END AS rate_drop,
    CASE WHEN i % 97 = 0 THEN NULL WHEN i % 101 = 0 THEN 'NaN'::DOUBLE
         ELSE (ln(lr) + 5 + hash(task) % 5) ** 2 / 50 + abs(momentum - 0.8) + noise END AS error,
    CASE WHEN i % 50 = 7 THEN 'FAILED' ELSE 'FINISHED' END AS status
"""


def make(path: Path, rows: int) -> None:
    """Write the table `runs`."""
    import duckdb

    with duckdb.connect(str(path), config={"threads": 1, "memory_limit": "1GB"}) as connection:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(f"CREATE TEMP VIEW drawn AS SELECT {COLUMNS} FROM range({rows}) t(i)")
        connection.execute(f"CREATE TABLE runs AS SELECT {RUNS} FROM (FROM drawn)")


def measure(path: Path, *, sample: bool) -> None:
    """Read, learn, and print the time and memory that this took."""
    import ibis

    import ringfence as rf

    options = {"threads": 2, "memory_limit": "1GB", "temp_directory": str(path.parent)}
    table = ibis.duckdb.connect(path, read_only=True, **options).table("runs")
    start, busy = time.perf_counter(), time.process_time()
    part = {"sample": 256} if sample else {}
    history = rf.read_history(table, task="task", objective="error", format="ibis", **part)
    read = time.perf_counter() - start
    if sample:
        learned = rf.learn(history, starts=10)
    else:
        learned = rf.learn(history, shape="ellipsoid", outliers=0.1, starts=0)
    seconds, cpu = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"load of the machine  {os.getloadavg()[0]:>12.1f}")
    print(f"rows in the file     {table.count().to_pyarrow().as_py():>12,}")
    print(f"rows read            {len(history):>12,}")
    print(f"tasks                {len(learned.tasks):>12,}")
    print(f"read, seconds        {read:>12.1f}")
    print(f"read and learn       {seconds:>12.1f}")
    print(f"processor seconds    {cpu:>12.1f}")
    print(f"peak memory, GB      {peak:>12.2f}")


def main() -> None:
    sample = "--sample" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--sample"]
    folder = Path(arguments[0])
    path = folder / "runs.duckdb"
    if arguments[1:] == ["measure"]:
        measure(path, sample=sample)
        return
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        start = time.perf_counter()
        make(path, int(arguments[1]) if len(arguments) > 1 else ROWS)
        print(f"made {path} in {time.perf_counter() - start:.0f} s")
    command = [sys.executable, "-m", "benchmarks.warehouse", str(folder), "measure"]
    subprocess.run(command + ["--sample"] * sample, check=True)


if __name__ == "__main__":
    main()
