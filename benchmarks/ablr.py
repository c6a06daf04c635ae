"""What a fit of ABLR costs, and that the cost is linear in the evaluations.

    OMP_NUM_THREADS=1 python -m benchmarks.ablr

30 tasks with 10 parameters and 256, 512, 1024 evaluations each: CPU seconds of the fit, their ratio
to those of the first, and of the update of one task's head that a suggestion needs.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.timing import Row, cpu_seconds
from ringfence.optimize.surrogates.ablr.fit import ABLR, MAX_ITERATIONS, fit_ablr

TASKS, ROWS, DIM = 30, 256, 10


def tasks(rows: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Noisy ridges of similar directions."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=DIM)
    data = []
    for _ in range(TASKS):
        X = rng.random((rows, DIM))
        y = np.sin(X @ (shared + 0.3 * rng.normal(size=DIM))) + 0.1 * rng.normal(size=rows)
        data.append((X, y))
    return data


def timed_fit(rows: int) -> tuple[ABLR, float]:
    start = time.process_time()
    model = fit_ablr(tasks(rows))
    return model, time.process_time() - start


def rows() -> list[Row]:
    """For `make bench`: the fit of the goal, and an update of one head."""
    model, seconds = timed_fit(ROWS)
    X, y = tasks(50)[0]
    update = cpu_seconds(lambda: model.with_task(TASKS, X, y))
    what = f"fit of {TASKS} tasks × {ROWS} evaluations × {DIM} parameters"
    return [
        Row(what, seconds, goal="< 60 s", note=f"{MAX_ITERATIONS} iterations"),
        Row("update of one task's head, 50 evaluations", update),
    ]


def main() -> None:
    print("| evaluations a task | fit | ratio | head update |")
    print("|---|---|---|---|")
    first = None
    for times in (1, 2, 4):
        model, seconds = timed_fit(times * ROWS)
        first = first or seconds
        X, y = tasks(50)[0]
        update = cpu_seconds(lambda model=model, X=X, y=y: model.with_task(TASKS, X, y))
        ratio = f"{seconds / first:.2f}×"
        print(f"| {times * ROWS} | {seconds:.2f} s | {ratio} | {1e3 * update:.1f} ms |", flush=True)


if __name__ == "__main__":
    main()
