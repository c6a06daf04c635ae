"""`make bench`: every number that the docs quote, ours and the alternative measured in one run.

One BLAS thread, CPU seconds. A ratio is how many times longer the alternative takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from benchmarks import (
    ellipsoid,
    end_to_end,
    gp,
    listed,
    many_tasks,
    slack_box,
    slack_ellipsoid,
    threads,
    transfer_speed,
    weighing_speed,
)
from benchmarks.timing import Row

GROUPS = {
    "Ellipsoid, eq. 6, against CVXPY with Clarabel": ellipsoid.rows,
    "Slack ellipsoid, eq. 8: the whole choice of λ, against ten CVXPY solves": slack_ellipsoid.rows,
    "Slack box, eq. 7: the whole choice of λ, against ten CVXPY solves": slack_box.rows,
    "Gaussian process and expected improvement, against BoTorch": gp.rows,
    "`gp` over a list, while its hyperparameters stay": listed.rows,
    "Sampling, the command line, imports": end_to_end.rows,
    "Tasks with different parameters: a suggestion, against matching tasks": transfer_speed.rows,
    "Costs and failed runs of the past: with them, against without": weighing_speed.rows,
    "Many tasks, of which 64 stand for all": many_tasks.rows,
    "Shared cores: a plain call, against the same without the limit of threads": threads.rows,
}


def line(row: Row) -> str:
    ours = f"{row.ours * 1e3:.1f} ms" if row.ours < 0.1 else f"{row.ours:.2f} s"
    ratio = "" if row.ratio is None else f"{row.ratio:.{digits(row.ratio)}f}×"
    other = "" if row.other is None else f"{row.other:.3g} s"
    return f"| {row.what} | {ours} | {other} | {ratio} | {row.goal} | {row.note} |"


def digits(ratio: float) -> int:
    """Behind the point: near to one they matter."""
    return 0 if ratio >= 10 else 1 if ratio >= 2 else 2


def main() -> None:
    if os.environ.get("OMP_NUM_THREADS") != "1":
        sys.exit("set OMP_NUM_THREADS=1, or run: make bench")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}")
    for title, rows in GROUPS.items():
        print(f"\n### {title}\n")
        print("| what | ours | alternative | ratio | goal | note |")
        print("|---|---|---|---|---|---|")
        for row in rows():
            print(line(row), flush=True)
    print("\n### Exactness\n", flush=True)
    subprocess.run([sys.executable, "-m", "benchmarks.exactness"], check=True)


if __name__ == "__main__":
    main()
