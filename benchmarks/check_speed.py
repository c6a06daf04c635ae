"""How long a check takes: CPU seconds, one thread. Starting points only if a line says so.

OMP_NUM_THREADS=1 python -m benchmarks.check_speed
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from ringfence import Float, History, Space, check, compare, example_history
from ringfence.learned.settings import checked_settings, describe

SETTINGS: tuple[dict[str, Any], ...] = (
    {"shape": "box"},
    {"shape": "box", "outliers": 0.5},
    {"shape": "ellipsoid"},
    {"shape": "ellipsoid", "outliers": 0.1, "refit": True},
)
DIM = 10
SPACE = Space({f"p{j}": Float(0, 1) for j in range(DIM)})


def history(tasks: int, rows: int) -> History:
    """Bowls around related optima, searched at random."""
    rng = np.random.default_rng(0)
    optima = rng.normal(0.45, 0.12, (tasks, DIM)).clip(0, 1)
    x = rng.random((tasks * rows, DIM))
    error = ((x - np.repeat(optima, rows, axis=0)) ** 2).sum(axis=1)
    columns = {name: x[:, j] for j, name in enumerate(SPACE)}
    frame = pl.DataFrame({"task": np.repeat(np.arange(tasks), rows), **columns, "error": error})
    return History.from_frame(frame, task="task", objective="error")


def timed(what: str, goal: str, call: Callable[[], Any]) -> None:
    start = time.process_time()
    call()
    print(f"| {what} | {time.process_time() - start:.1f} s | {goal} |", flush=True)


def starts_speed(large: History) -> None:
    """The check of a box alone, and with ten starting points."""
    for name, call in {
        f"100 tasks × 1,000 rows × {DIM} parameters: box": partial(check, large, SPACE),
        "the embedded history: box": partial(check, example_history()),
    }.items():
        timed(name, "", partial(call, starts=0))
        timed(f"{name}, ten starting points", "", partial(call, starts=10))


def main() -> None:
    print("| what | CPU time | goal |\n|---|---|---|")
    large = history(100, 1000)
    what = f"100 tasks × 1,000 rows × {DIM} parameters, four settings"
    timed(what, "< 20 s", lambda: compare(large, SPACE, SETTINGS, nested=False, starts=0))
    timed(f"{what}, and the choice", "", lambda: compare(large, SPACE, SETTINGS, starts=0))
    starts_speed(large)
    many = history(1000, 100)
    for setting in SETTINGS:
        shape = describe(checked_settings(**setting))
        what = f"1,000 tasks × 100 rows × {DIM} parameters, of which 200 are left out: {shape}"
        timed(what, "< 60 s", partial(check, many, SPACE, starts=0, **setting))
    embedded = example_history()
    timed(
        "the embedded history, twelve settings",
        "",
        lambda: compare(embedded, nested=False, starts=0),
    )
    timed("the same, and the choice", "< 15 s", lambda: compare(embedded, starts=0))


if __name__ == "__main__":
    main()
