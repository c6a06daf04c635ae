"""How often chance makes a learned space look helpful: histories of unrelated tasks.

    python -m benchmarks.false_alarms [HISTORIES]

The objective is periodic and its optimum uniform on a square whose opposite sides meet, so that no
part of the square is better than another and no learned space can help.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import polars as pl

from ringfence import Float, History, Space, compare

TASKS, ROWS = 20, 100
SPACE = Space({"a": Float(0, 1), "b": Float(0, 1)})


def history(seed: int) -> History:
    rng = np.random.default_rng([seed, 7])
    x = rng.random((TASKS, ROWS, 2))
    error = (np.sin(np.pi * (x - rng.random((TASKS, 1, 2)))) ** 2).sum(axis=2)
    task = np.repeat(np.arange(TASKS), ROWS)
    columns = {"a": x[:, :, 0].ravel(), "b": x[:, :, 1].ravel(), "error": error.ravel()}
    return History.from_frame(
        pl.DataFrame({"task": task, **columns}), task="task", objective="error"
    )


def main(histories: int) -> None:
    verdicts: Counter[str] = Counter()
    nested: Counter[str] = Counter()
    n_recommended = 0
    for seed in range(histories):
        comparison = compare(history(seed), SPACE, starts=0)
        verdicts.update(check.verdict for check in comparison.checks)
        assert comparison.nested is not None
        nested[comparison.nested.verdict] += 1
        n_recommended += comparison.best is not None
        print(f"{seed + 1} of {histories}", end="\r", file=sys.stderr, flush=True)
    settings = sum(verdicts.values()) // histories
    print(f"{histories} histories of {TASKS} unrelated tasks, {settings} settings each")
    print(f"verdicts of the settings: {dict(verdicts)}")
    print(f"verdicts of the choice: {dict(nested)}")
    print(f"a setting was recommended in {n_recommended} of {histories} histories")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
