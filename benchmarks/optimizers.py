"""What an ask costs: random search, and the model over a box against the model over an ellipsoid.

python -m benchmarks.optimizers
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

import ringfence as rf

DIM = 10
TASKS = 30


def learned(shape: str) -> rf.LearnedSpace:
    """A region around random incumbents in ten dimensions."""
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(DIM)]
    points = np.clip(0.5 + 0.15 * rng.standard_normal((TASKS, DIM)), 0, 1)
    frame = pl.DataFrame(points, schema=names).with_columns(
        task=pl.Series([str(t) for t in range(TASKS)]), y=pl.lit(0.0)
    )
    history = rf.History.from_frame(
        frame, task="task", objective="y", direction="minimize", parameters=names
    )
    return rf.learn(
        history, rf.Space({name: rf.Float(0, 1) for name in names}), shape=shape, starts=0
    )


def costs(name: str, where: list[rf.LearnedSpace], begin: int, end: int) -> list[float]:
    """Mean CPU milliseconds of an ask for trials `begin` to `end` on a quadratic; the spaces take
    turns, so that whatever else the machine does falls on all of them alike."""
    engines = [rf.optimizer(name, one, seed=0, guard=0) for one in where]
    spent = [0.0] * len(engines)
    for number in range(end):
        for i, engine in enumerate(engines):
            start = time.process_time()
            trial = engine.ask()
            if number >= begin:
                spent[i] += time.process_time() - start
            engine.tell(trial, sum((x - 0.4) ** 2 for x in trial.config.values()))
    return [1e3 * seconds / (end - begin) for seconds in spent]


def main() -> None:
    spaces = [learned("box"), learned("ellipsoid")]
    for name, begin, end in (("random", 100, 1100), ("sobol", 100, 600), ("hyperband", 100, 600)):
        box, ellipsoid = costs(name, spaces, begin, end)
        print(f"{name:10s} box {box:.2f} ms, ellipsoid {ellipsoid:.2f} ms an ask")
    for name in ("gp", "gp-warping"):
        box, ellipsoid = costs(name, spaces, 20, 80)
        print(
            f"{name:10s} box {box:.1f} ms, ellipsoid {ellipsoid:.1f} ms an ask at n = 20 … 80: "
            f"ratio {ellipsoid / box:.2f} (goal 1.5)"
        )


if __name__ == "__main__":
    main()
