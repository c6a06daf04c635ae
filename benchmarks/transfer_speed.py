"""What the transfer optimizer costs: CPU seconds to fit the source models, and for a suggestion.

python -m benchmarks.transfer_speed

`make bench` compares a suggestion from tasks of four parameter sets with one from tasks that match.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import ringfence as rf
from benchmarks.timing import Row

DIM, ROWS = 10, 256
SPACE = rf.Space({f"x{j}": rf.Float(0, 1) for j in range(DIM)})
LACKS = ((), (0, 1, 2), (3, 4), (5, 6, 7, 8))
"""What the tasks of each parameter set do not know; those of the last two tuned another one."""


def history(tasks: int, sets: int = 1) -> rf.History:
    """Bowls around optima that differ a little; the tasks of several sets do not match."""
    rng = np.random.default_rng(tasks)  # no task comes twice, since fits are cached
    names = [f"x{j}" for j in range(DIM)]
    frames = []
    for task in range(tasks):
        rows = rng.random((ROWS, DIM))
        optimum = 0.5 + 0.15 * rng.standard_normal(DIM)
        frame = pl.DataFrame(rows, schema=names)
        error = ((rows - optimum) ** 2).sum(axis=1) + 0.05 * rng.standard_normal(ROWS)
        frame = frame.drop([names[j] for j in LACKS[task % sets]])
        if task % sets > 1:
            frame = frame.with_columns(old=pl.Series(rng.random(ROWS)))
        frames.append(frame.with_columns(task=pl.lit(str(task)), y=pl.Series(error)))
    table = pl.concat(frames, how="diagonal")
    tuned = [name for name in table.columns if name not in ("task", "y")]
    return rf.History.from_frame(
        table, task="task", objective="y", direction="minimize", parameters=tuned
    )


def suggestions(engine: rf.Optimizer, n: int) -> list[float]:
    """CPU seconds of each of n suggestions."""
    spent = []
    for _ in range(n):
        start = time.process_time()
        trial = engine.ask()
        spent.append(time.process_time() - start)
        x = np.array(list(trial.config.values()))
        engine.tell(trial, float(((x - 0.6) ** 2).sum()))
    return spent


def rows() -> list[Row]:
    """A suggestion from 30 tasks that match, and from 30 of four parameter sets."""
    both = []
    for sets in (1, 4):
        engine = rf.optimizer("transfer", SPACE, history=history(30, sets))
        both.append(float(np.median(suggestions(engine, 40)[5:])))
    what = "a suggestion from 30 matching tasks, and from 30 of four parameter sets"
    return [Row(what, *both, "≤ 1.5×")]


def main() -> None:
    print("| tasks | fit, CPU s | first suggestion, s | suggestion at 5-15, ms | at 40-50, ms |")
    print("|---|---|---|---|---|")
    for tasks in (10, 30, 100):
        engine = rf.optimizer("transfer", SPACE, history=history(tasks))
        start = time.process_time()
        engine.method.models  # noqa: B018 - fits them
        fit = time.process_time() - start
        spent = suggestions(engine, 50)
        late, early = 1e3 * np.median(spent[40:]), 1e3 * np.median(spent[5:15])
        print(f"| {tasks} | {fit:.1f} | {spent[0]:.1f} | {early:.1f} | {late:.1f} |")


if __name__ == "__main__":
    main()
