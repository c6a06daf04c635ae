"""What the transfer optimizer costs: CPU seconds to fit the source models, and for a suggestion.

python -m benchmarks.transfer_speed
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import ringfence as rf

DIM, ROWS = 10, 256


def history(tasks: int) -> rf.History:
    """Bowls around optima that differ a little."""
    rng = np.random.default_rng(tasks)  # no task comes twice, since fits are cached
    names = [f"x{j}" for j in range(DIM)]
    frames = []
    for task in range(tasks):
        rows = rng.random((ROWS, DIM))
        optimum = 0.5 + 0.15 * rng.standard_normal(DIM)
        frame = pl.DataFrame(rows, schema=names)
        error = ((rows - optimum) ** 2).sum(axis=1) + 0.05 * rng.standard_normal(ROWS)
        frames.append(frame.with_columns(task=pl.lit(str(task)), y=pl.Series(error)))
    return rf.History.from_frame(
        pl.concat(frames), task="task", objective="y", direction="minimize", parameters=names
    )


def main() -> None:
    space = rf.Space({f"x{j}": rf.Float(0, 1) for j in range(DIM)})
    print("| tasks | fit, CPU s | first suggestion, s | suggestion at 5-15, ms | at 40-50, ms |")
    print("|---|---|---|---|---|")
    for tasks in (10, 30, 100):
        engine = rf.optimizer("transfer", space, history=history(tasks))
        start = time.process_time()
        engine.method.models  # noqa: B018 - fits them
        fit = time.process_time() - start
        spent = []
        for _ in range(50):
            start = time.process_time()
            trial = engine.ask()
            spent.append(time.process_time() - start)
            x = np.array(list(trial.config.values()))
            engine.tell(trial, float(((x - 0.6) ** 2).sum()))
        late, early = 1e3 * np.median(spent[40:]), 1e3 * np.median(spent[5:15])
        print(f"| {tasks} | {fit:.1f} | {spent[0]:.1f} | {early:.1f} | {late:.1f} |")


if __name__ == "__main__":
    main()
